"""From the pasted text to what is understood of it. Never raises on any text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.paste.clean import CleanText, clean
from assistant.paste.excerpting import left_out, ranges_to_read
from assistant.paste.lines import TextLine, split_lines
from assistant.paste.log_prefix import begins_record, prefix_length
from assistant.paste.parsed import Link, Span, Understood
from assistant.paste.python import RawLink, read_links

_CODE = re.compile(r"\b(?:ERR_[A-Z0-9_]{2,60}|E[A-Z]{4,20}\d{0,4})\b")
_WORD = re.compile(r"[\w-]+")
_NOT_CODES = frozenset({"ERROR", "ERRORS", "EXCEPTION", "ENABLE", "ENABLED", "EMPTY", "EXPECTED"})
_QUESTION_WORDS = 4
_LINK_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Scope:
    """The message of one link, as a range of the cleaned text; `letters` are in it."""

    link: int
    start: int
    end: int
    letters: int


@dataclass(frozen=True, slots=True)
class ParsedPaste:
    """A paste, cleaned and understood; positions in `understood` count the original text.

    `words` are those of the cleaned text, in lower case, hyphens and all.
    """

    raw: str
    clean: CleanText
    understood: Understood
    scopes: tuple[Scope, ...]
    words: frozenset[str]

    def message(self, scope: Scope) -> str:
        """The text of one link's message."""
        return self.clean.text[scope.start : scope.end]


def parse(text: str) -> ParsedPaste:
    """Read a paste: links of exception chains, or bare blocks of lines."""
    ranges = ranges_to_read(text)
    cleaned = clean(text, ranges)
    lines = split_lines(cleaned.text)
    found = read_links(lines)[-_LINK_LIMIT:]
    raw_links = found or _blocks(lines)[-_LINK_LIMIT:]
    links = tuple(_link(cleaned, raw) for raw in raw_links)
    scopes = tuple(_scope(cleaned, number, raw) for number, raw in enumerate(raw_links))
    understood = Understood(
        links=links,
        codes=_codes(cleaned.text),
        left_out=left_out(text, ranges),
        question=not found and _is_question(cleaned.text),
    )
    words = frozenset(_WORD.findall(cleaned.text.lower()))
    return ParsedPaste(text, cleaned, understood, scopes, words)


def _scope(cleaned: CleanText, number: int, raw: RawLink) -> Scope:
    letters = sum(map(str.isalnum, cleaned.text[raw.message_start : raw.end]))
    return Scope(number, raw.message_start, raw.end, letters)


def _link(cleaned: CleanText, raw: RawLink) -> Link:
    start, end = cleaned.original(raw.start, raw.end)
    return Link(
        kind="exception" if raw.error_class else "line",
        error_class=raw.error_class,
        message=cleaned.text[raw.message_start : raw.end].strip(),
        span=Span(start=start, end=end),
        frames=tuple(raw.frames),
    )


def _blocks(lines: list[TextLine]) -> list[RawLink]:
    """Runs of lines that are not blank: a bare message may be wrapped over several.

    A log record begins a new one.
    """
    blocks: list[RawLink] = []
    open_block = False
    for line in lines:
        if line.blank:
            open_block = False
        elif open_block and not begins_record(line.text):
            blocks[-1].end = line.end
        else:
            start = line.start + (prefix_length(line.text) or line.indent)
            blocks.append(RawLink(None, start, line.end, start))
            open_block = True
    return blocks


def _codes(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(match.group() for match in _CODE.finditer(text))
    return tuple(code for code in found if code not in _NOT_CODES)[:20]


def _is_question(text: str) -> bool:
    return len(text.split()) >= _QUESTION_WORDS and "\n" not in text.strip()
