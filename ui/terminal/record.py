"""One record, whole, as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from assistant.api import Shown
from records.model.line_breaks import shown as repaired
from records.model.record import ErrorRecord
from ui.render.words import WARNINGS
from ui.terminal.inert import inert, one_line

WIDTH = 88


def record_text(found: Shown) -> str:
    """Write a record and where it came from."""
    record = repaired(found.record)
    parts = [
        "\n".join(_head(record, found)),
        *prose_sections(record),
        *_code_sections(record),
        *excerpt_section(record),
        "\n".join(_origin(found)),
    ]
    return "\n\n".join(parts)


def prose_sections(record: ErrorRecord) -> Iterator[str]:
    """What it means, when it happens, fixes in order, prevention."""
    for title, text in (
        ("What it means", record.documentation),
        ("When it is raised", record.trigger_scenarios),
        ("Often met when", record.common_situations),
    ):
        if text:
            yield section(title, paragraph(text))
    if record.solutions:
        yield section("Fixes, most likely first", numbered(record.solutions))
    if record.prevention_tips:
        yield section("Prevention", numbered(record.prevention_tips))


def excerpt_section(record: ErrorRecord) -> Iterator[str]:
    """The source with line numbers, the raising line marked."""
    place = f"{record.file_path}:{record.line_number}" if record.line_number else record.file_path
    link = record.permalink or "no permalink"
    body = [one_line(f"{record.repo} {place}"), one_line(link)]
    if record.source_code:
        first = record.source_code_start or 1
        for number, line in enumerate(inert(record.source_code).split("\n"), start=first):
            mark = ">" if number == record.line_number else " "
            body.append(f"{mark} {number:>5} | {line}")
    yield section("Where it is raised", "\n".join(body))


def section(title: str, body: str) -> str:
    """A title and an indented body."""
    return f"{title}\n{textwrap.indent(body, '  ')}"


def paragraph(text: str) -> str:
    """Prose, wrapped, its own paragraphs kept."""
    return "\n".join(textwrap.fill(line, WIDTH) for line in inert(text).split("\n"))


def numbered(items: tuple[str, ...]) -> str:
    """A numbered list, wrapped."""
    return "\n".join(
        textwrap.fill(
            one_line(item, width=2_000),
            WIDTH,
            initial_indent=f"{number}. ",
            subsequent_indent="   ",
        )
        for number, item in enumerate(items, start=1)
    )


def _head(record: ErrorRecord, found: Shown) -> Iterator[str]:
    name = f"{record.error_class}: " if record.error_class else ""
    yield one_line(name + record.error_message, width=2_000)
    version = f" {found.package_version}" if found.package_version else ""
    facts = (f"record {record.id}", record.repo + version, record.error_type, record.severity)
    yield one_line(" | ".join(facts))
    if record.error_code or record.http_status:
        code = f"code {record.error_code}" if record.error_code else ""
        status = f"HTTP {record.http_status}" if record.http_status else ""
        yield one_line(" ".join(part for part in (code, status) if part))


def _code_sections(record: ErrorRecord) -> Iterator[str]:
    for title, code in (
        ("Example fix", record.example_fix),
        ("Check beforehand", record.validation_code),
        ("Type guard", record.type_guard),
        ("Catch it", record.try_catch_pattern),
    ):
        if code:
            yield section(title, inert(code))


def _origin(found: Shown) -> Iterator[str]:
    if found.record.tags:
        yield one_line("tags: " + ", ".join(found.record.tags))
    yield one_line(f"source: {found.source}")
    if len(found.sources) > 1:
        others = [source for source in found.sources if source != found.source]
        yield one_line("other versions of this record from: " + ", ".join(others))
    if found.dataset_version:
        yield one_line(f"dataset version: {found.dataset_version}")
    for flag in found.flags:
        yield f"quality: {WARNINGS[flag]}"
