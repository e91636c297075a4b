"""What is read of a very long paste: its head, its tail, and every error line between."""

from __future__ import annotations

import re

from assistant.errors import QueryRefused

QUERY_BYTES = 20_000_000
_WHOLE = 400_000
_HEAD = 64_000
_TAIL = 192_000
_BETWEEN = 400_000
# Lines around a word of error that are read with it, and characters of them at most. The frames
# nearest to an error stand above it, each on three lines.
_BEFORE, _AFTER = 12, 6
_REACH = 2_000

_ERROR_WORD = re.compile(r"Error|Exception|Traceback|FATAL|CRITICAL|ERROR|panic|Caused by|fatal")

Range = tuple[int, int]


def check_length(text: str) -> None:
    """Refuse what cannot be a question.

    Raises:
        QueryRefused: empty, or over 20 MB.
    """
    if not text.strip():
        raise QueryRefused("the text is empty; paste an error message, a traceback or a log")
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > QUERY_BYTES:
        raise QueryRefused(
            f"the text is larger than the {QUERY_BYTES / 1e6:.0f} MB that are read: cut it down to "
            "the part around the error"
        )


def ranges_to_read(text: str) -> tuple[Range, ...]:
    """The ranges of a paste that are read, in order and apart; all of it when it is short."""
    if len(text) <= _WHOLE:
        return ((0, len(text)),)
    head = _line_end(text, _HEAD, _HEAD + _REACH)
    tail = _line_end(text, len(text) - _TAIL, len(text) - _TAIL + _REACH)
    ranges = [(0, head)]
    room = _BETWEEN
    for match in _ERROR_WORD.finditer(text, head, tail):
        low = ranges[-1][1]
        if match.end() <= low:
            continue
        start, end = _around(text, match.start(), low=low, high=tail)
        room -= end - start
        if room < 0:
            break
        ranges.append((start, end))
    ranges.append((tail, len(text)))
    return tuple(ranges)


def left_out(text: str, ranges: tuple[Range, ...]) -> str | None:
    """Say what was not read; None when everything was."""
    read = sum(end - start for start, end in ranges)
    if read == len(text):
        return None
    first, last = ranges[0][1], len(text) - ranges[-1][0]
    return (
        f"of {len(text):,} characters {read:,} were read: the first {first:,}, the last "
        f"{last:,}, and between them places that look like errors ({len(ranges) - 2:,})"
    )


def _around(text: str, position: int, *, low: int, high: int) -> Range:
    """Some lines around a word of error, between what was taken before and the tail."""
    low, high = max(low, position - _REACH), min(high, position + _REACH)
    start = position + 1
    for _ in range(_BEFORE + 1):
        start = max(low, text.rfind("\n", low, max(low, start - 1)) + 1)
    end = position
    for _ in range(_AFTER + 1):
        end = _line_end(text, end, high)
    return start, end


def _line_end(text: str, position: int, limit: int) -> int:
    """Where the line of a position ends, its line break included; `limit` where it is longer."""
    found = text.find("\n", position, limit)
    return found + 1 if found >= 0 else limit
