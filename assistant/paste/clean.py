"""Pastes without what the terminal added; positions in the original are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Range = tuple[int, int]

# CSI and OSC sequences, other two-character escapes, stray escapes, carriage returns, and NUL.
_NOISE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_]|[\x1b\r\x00]"
)
_HALF = re.compile("[\ud800-\udfff]")
# What programs put before every line: `web_1  | `, `[rank0]: `, `app[web.1]: `, a time and a
# host, a quoting mark, pytest's mark. A name and a colon alone may be the message itself.
_MARK = (
    r"(?:> ?|E {3}|[\w.\-/]{1,60} *\| |(?:[\w.\-/]{1,60}(?=\[[^\]]*\]:))?\[[^\]]{1,60}\]:? "
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12} "
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} (?:[\w.\-/]{1,60}: )?)"
)
_MARKS = re.compile(f"{_MARK}+")


@dataclass(frozen=True, slots=True)
class CleanText:
    """A cleaned text of n characters.

    Attributes:
        text: the characters that were kept; half a surrogate pair, which no JSON can hold, is
            U+FFFD.
        offsets: int64 array of shape (n,): their positions in the original, rising.
    """

    text: str
    offsets: NDArray[np.int64]

    def original(self, start: int, end: int) -> Range:
        """Map a range back to the original text."""
        if start >= end:
            place = int(self.offsets[start]) if start < len(self.offsets) else 0
            return place, place
        return int(self.offsets[start]), int(self.offsets[end - 1]) + 1


def clean(text: str, kept: tuple[Range, ...] | None = None) -> CleanText:
    """Strip terminal escapes and a prefix that every line has.

    Args:
        text: the paste as it was sent.
        kept: the ranges to read of a very long one, in order; None for all of it.
    """
    ranges = [part for start, end in kept or ((0, len(text)),) for part in _quiet(text, start, end)]
    first = _joined(text, ranges)
    prefix = _common_prefix(first.text)
    if not prefix:
        return first
    inner = _joined(first.text, list(_after_prefix(first.text, prefix)))
    return CleanText(inner.text, first.offsets[inner.offsets])


def _quiet(text: str, start: int, end: int) -> Iterator[Range]:
    for noise in _NOISE.finditer(text, start, end):
        if noise.start() > start:
            yield start, noise.start()
        start = noise.end()
    if end > start:
        yield start, end


def _joined(text: str, ranges: list[Range]) -> CleanText:
    parts = [np.arange(start, end, dtype=np.int64) for start, end in ranges]
    offsets = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    kept = "".join(text[start:end] for start, end in ranges)
    return CleanText(_HALF.sub("\ufffd", kept), offsets)


def _common_prefix(text: str) -> str:
    """The marks that every line begins with; lines that are nothing but marks do not count."""
    lines = [line for line in text.split("\n") if not _is_bare(line)]
    if len(lines) < 2:
        return ""
    low, high = min(lines), max(lines)
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    # Equal lines have everything in common, their message too.
    marks = _MARKS.match(low, 0, length) if low != high else None
    return marks.group() if marks else ""


def _is_bare(line: str) -> bool:
    return not line.strip() or _MARKS.fullmatch(f"{line.rstrip()} ") is not None


def _after_prefix(text: str, prefix: str) -> Iterator[Range]:
    position = 0
    for line in text.split("\n"):
        end = position + len(line)
        start = position + len(prefix) if line.startswith(prefix) else position
        yield (end if prefix.startswith(line) else start), min(end + 1, len(text))
        position = end + 1
