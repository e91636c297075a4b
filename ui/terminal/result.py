"""A search result as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.result import Hit, Result, Verdict
from records.model.line_breaks import shown as repaired
from ui.render.words import NO_EXACT_MATCH, ONLY_EXACT, WARNINGS, only_exact, worth_telling
from ui.terminal.inert import inert, one_line
from ui.terminal.record import excerpt_section, numbered, paragraph, prose_sections, section

_CLAIMS = {
    Verdict.EXACT: "exact: this template produced the text",
    Verdict.LIKELY: "likely: very probably this error",
    Verdict.RELATED: "related: about the same subject",
    Verdict.NONE: "none: no record explains this text",
}


def result_text(result: Result) -> str:
    """Write the verdict, the leading hit in full, the others a line each."""
    parts = [_claim(result)]
    if result.hits:
        parts += _leading(result.hits[0])
        parts += _runners_up(result.hits[1:])
    else:
        parts += _understood(result)
    parts += [one_line(f"note: {note.text}", width=2_000) for note in result.notes]
    return "\n\n".join(parts)


def _claim(result: Result) -> str:
    if only_exact(result):
        return f"{result.verdict}: {NO_EXACT_MATCH}; {ONLY_EXACT}"
    return _CLAIMS[result.verdict]


def filled(hit: Hit) -> str:
    """Class and message; the captured values follow it, named."""
    record = hit.record
    name = f"{record.error_class}: " if record.error_class else ""
    return one_line(name + record.error_message, width=2_000)


def _leading(hit: Hit) -> Iterator[str]:
    record = repaired(hit.record)
    version = f" {hit.package_version}" if hit.package_version else ""
    head = [filled(hit), one_line(f"{record.repo}{version} | record {record.id}")]
    head.append(f"confidence {hit.confidence:.2f} (not calibrated)")
    head += [one_line(f"  {name} = {value}") for name, value in hit.captures]
    yield "\n".join(head)
    yield section("Why this record", numbered(tuple(reason.text for reason in hit.reasons)))
    yield from prose_sections(record)
    if record.example_fix:
        yield section("Example fix", inert(record.example_fix))
    yield from excerpt_section(record)
    if hit.variants:
        places = tuple(f"{one.repo} {one.file_path}:{one.line_number}" for one in hit.variants)
        yield section("The same message is raised at", numbered(places))
    if warnings := [WARNINGS[flag] for flag in worth_telling(hit.flags)]:
        yield section("Quality of this record", numbered(tuple(warnings)))


def _runners_up(hits: tuple[Hit, ...]) -> Iterator[str]:
    if hits:
        lines = [_brief(hit) for hit in hits]
        lines.append("one of them, whole: errsage show ID")
        yield section("Also possible", "\n".join(lines))


def _brief(hit: Hit) -> str:
    return f"{hit.verdict} {hit.confidence:.2f}  {hit.record.id}  {one_line(filled(hit), width=90)}"


def _understood(result: Result) -> Iterator[str]:
    links = result.understood.links
    if links and links[-1].kind == "exception":
        last = links[-1]
        yield section("Understood", paragraph(f"{last.error_class}: {last.message[:500]}"))
