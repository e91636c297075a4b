"""One record as people read it: what it means, when it happens, how to fix it, where it is."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.result import Hit, Variant
from records.model.line_breaks import shown
from records.model.quality import Flag
from records.model.record import ErrorRecord
from ui.render.elements import Element, Node, Tag, element, joined
from ui.render.excerpt import where
from ui.render.message import filled
from ui.render.prose import code_block, phrase, prose
from ui.render.words import SERIOUS, WARNINGS, count, sentence, worth_telling

# Other places told one by one.
PLACES = 30


def record_body(hit: Hit) -> Element:
    """Everything one hit has to say."""
    record = shown(hit.record)
    return element(
        "div",
        _title(hit),
        _warnings(hit.flags),
        _texts("What it means", record.documentation),
        _texts("When it happens", record.trigger_scenarios, record.common_situations),
        _items("Fixes, most likely first", "ol", record.solutions),
        _code("Example fix", record.example_fix),
        _items("Prevention", "ul", record.prevention_tips),
        where(record),
        _variants(hit.variants),
        _more_code(record),
        _reasons(hit),
        _origin(hit),
        css="es-record",
    )


def _title(hit: Hit) -> Element:
    record = hit.record
    kinds = [record.error_class, record.error_code, _status(record)]
    return element(
        "div",
        element("p", *joined([*kinds, record.repo]), css="es-kind"),
        element("p", filled(hit), css="es-title"),
        element("p", "Template: ", element("code", record.error_message), css="es-small")
        if hit.captures
        else None,
    )


def _status(record: ErrorRecord) -> str | None:
    return f"HTTP {record.http_status}" if record.http_status else None


def _warnings(flags: Iterable[Flag]) -> Element | None:
    ordered = sorted(worth_telling(flags), key=lambda flag: (flag not in SERIOUS, flag.value))
    if not ordered:
        return None
    lines = [
        element("li", WARNINGS[flag], css="es-serious" if flag in SERIOUS else "")
        for flag in ordered
    ]
    return element("ul", *lines, css="es-warnings", title="Quality of this record")


def _section(heading: str, *children: Node) -> Element:
    return element("section", element("h3", heading), *children)


def _texts(heading: str, *texts: str) -> Element | None:
    blocks = [block for text in texts if text.strip() for block in prose(text)]
    return _section(heading, *blocks) if blocks else None


def _items(heading: str, tag: Tag, texts: tuple[str, ...]) -> Element | None:
    items = [element("li", *phrase(text)) for text in texts if text.strip()]
    return _section(heading, element(tag, *items)) if items else None


def _code(heading: str, code: str | None) -> Element | None:
    return _section(heading, code_block(code, heading)) if code and code.strip() else None


def _more_code(record: ErrorRecord) -> Element | None:
    sections = {
        "check": _code("Check before the call", record.validation_code),
        "guard": _code("Type guard", record.type_guard),
        "catch": _code("Catch it", record.try_catch_pattern),
    }
    names = [name for name, section in sections.items() if section]
    if not names:
        return None
    summary = element("summary", f"More code: {', '.join(names)}")
    return element("details", summary, *sections.values())


def _variants(variants: tuple[Variant, ...]) -> Element | None:
    if not variants:
        return None
    places = [element("li", *_place(variant)) for variant in variants[:PLACES]]
    if len(variants) > PLACES:
        places.append(element("li", f"and {len(variants) - PLACES:,} more"))
    told = f"The same message is raised at {count(len(variants), 'other place')}"
    return element("details", element("summary", told), element("ul", *places))


def _place(variant: Variant) -> tuple[Node, ...]:
    line = f":{variant.line_number}" if variant.line_number else ""
    place = element("code", f"{variant.file_path}{line}")
    return joined([variant.repo, place, variant.error_class])


def _reasons(hit: Hit) -> Element | None:
    if not hit.reasons:
        return None
    lines = [element("li", sentence(reason.text)) for reason in hit.reasons]
    return element("details", element("summary", "Why this record"), element("ul", *lines))


def _origin(hit: Hit) -> Element:
    version = f"read from version {hit.package_version}" if hit.package_version else None
    parts = [f"record {hit.record.id}", hit.record.severity, version, f"source {hit.source}"]
    return element("p", *joined(parts), css="es-small")
