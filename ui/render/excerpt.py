"""The lines around the place that raises the error."""

from __future__ import annotations

from records.model.record import ErrorRecord
from ui.render.elements import Element, element, joined, link
from ui.render.prose import CODE_LENGTH
from ui.render.visible import shortened

RAISING = "\u25b6"


def where(record: ErrorRecord) -> Element:
    """The place: file, line, permalink (or the words), and the excerpt if there is one."""
    line = f":{record.line_number}" if record.line_number else ""
    place = element("code", f"{record.file_path}{line}")
    permalink = record.permalink
    source = link(permalink, "permalink") if permalink else element("span", "no permalink")
    return element(
        "section",
        element("h3", "Where it is raised"),
        element("p", *joined([record.repo, place, source])),
        excerpt(record),
    )


def excerpt(record: ErrorRecord) -> Element | None:
    """The source code, lines numbered, the raising line marked."""
    if not record.source_code:
        return None
    source = shortened(record.source_code, CODE_LENGTH)
    lines = source.replace("\r\n", "\n").rstrip("\n").split("\n")
    first = record.source_code_start
    numbers = [None if first is None else first + step for step in range(len(lines))]
    width = len(str(numbers[-1] or ""))
    rows = [
        _row(number, line, width, raising=number is not None and number == record.line_number)
        for number, line in zip(numbers, lines, strict=True)
    ]
    return element(
        "pre",
        element("code", *rows),
        css="es-excerpt",
        role="region",
        tabindex="0",
        title=f"Excerpt of {record.file_path}",
    )


def _row(number: int | None, line: str, width: int, *, raising: bool) -> Element:
    label = "" if number is None else f"{RAISING if raising else ' '} {number:>{width}}"
    return element(
        "span",
        element("span", label, css="es-number") if label else None,
        f"{line}\n",
        css="es-row es-raising" if raising else "es-row",
        title="raised here" if raising else "",
    )
