"""The values of the placeholders, read out of the pasted text."""

from __future__ import annotations

from assistant.paste.parsed import Span
from assistant.paste.read import ParsedPaste
from assistant.rank.evidence import Placed
from assistant.result import Match
from index.exact import Occurrence
from index.match_text import MatchText
from records.model.quality import compile_pattern
from records.model.template import Template

_SPECIAL = frozenset("\\.+*?()|[]{}^$")
_PATTERN_LENGTH = 4_000


def match_of(placed: Placed, paste: ParsedPaste, folded: MatchText) -> Match:
    """Where a template was found, in characters of the text as it was sent."""
    start, end = _bounds(placed, paste, folded)
    original = paste.clean.original(start, end)
    link = placed.scope.link if placed.scope else None
    return Match(link=link, span=Span(start=original[0], end=original[1]))


def captures_of(
    template: Template, placed: Placed, paste: ParsedPaste, folded: MatchText
) -> tuple[tuple[str, str], ...]:
    """The values of a template's placeholders, in order."""
    if not template.names:
        return ()
    start, end = _bounds(placed, paste, folded)
    values = _by_pattern(template, paste.clean.text[start:end])
    if values is None:
        values = _by_gaps(placed.occurrence, paste, folded, start, end)
    return tuple(zip(template.names, values, strict=True))


def _bounds(placed: Placed, paste: ParsedPaste, folded: MatchText) -> tuple[int, int]:
    """The range of the cleaned text that the template covers, open ends closed.

    A trailing placeholder runs to the end of the message of the link it matched; of a bare
    line, to the end of the line on which its value begins.
    """
    occurrence, scope, text = placed.occurrence, placed.scope, paste.clean.text
    start, end = folded.span(occurrence.start, occurrence.end)
    exception = scope is not None and paste.understood.links[scope.link].kind == "exception"
    if exception and scope is not None:
        limit = scope.end
    else:
        limit = _line_end(text, _skip_space(text, end) if occurrence.open_end else end)
    if occurrence.open_end:
        end = max(end, limit)
    else:
        end = _closed(template_end=end, text=text, limit=limit, occurrence=occurrence)
    if occurrence.open_start:
        floor = scope.start if scope is not None else 0
        start = floor if exception else max(floor, text.rfind("\n", 0, start) + 1)
    return _trimmed(text, start, end)


def _closed(*, template_end: int, text: str, limit: int, occurrence: Occurrence) -> int:
    """A last piece that stands again at the end of the message ends there (`got 2.5.`)."""
    if not occurrence.gaps:
        return template_end
    length = occurrence.end - occurrence.gaps[-1][1]
    tail = text[template_end:limit].rstrip()
    last = text[template_end - length : template_end]
    return template_end + len(tail) if tail.endswith(last) else template_end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _by_pattern(template: Template, text: str) -> list[str] | None:
    """Values by RE2, with white space of any width between the words."""
    pattern = "(?s)^\\s*" + "(.*?)".join(_flexible(piece) for piece in template.pieces) + "\\s*$"
    compiled = compile_pattern(pattern) if len(pattern) <= _PATTERN_LENGTH else None
    found = compiled.search(text) if compiled else None
    return [value.strip() for value in found.groups()] if found else None


def _flexible(piece: str) -> str:
    parts: list[str] = []
    for char in piece:
        if char.isspace():
            if not parts or parts[-1] != "\\s+":
                parts.append("\\s+")
        else:
            parts.append(f"\\{char}" if char in _SPECIAL else char)
    return "".join(parts)


def _by_gaps(
    occurrence: Occurrence, paste: ParsedPaste, folded: MatchText, start: int, end: int
) -> list[str]:
    text = paste.clean.text
    values: list[str] = []
    last = len(occurrence.gaps) - 1
    for number, (gap_start, gap_end) in enumerate(occurrence.gaps):
        if number == 0 and occurrence.open_start:
            low, high = start, folded.span(occurrence.start, occurrence.end)[0]
        elif number == last and occurrence.open_end:
            low, high = folded.span(occurrence.start, occurrence.end)[1], end
        elif gap_start < gap_end:
            low, high = folded.span(gap_start, gap_end)
        else:
            low = high = 0
        values.append(text[low:high].strip())
    return values


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
