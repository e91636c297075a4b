"""Pastes without what the terminal added; positions in the original are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Range = tuple[int, int]

# CSI and OSC sequences, other two-character escapes, carriage returns, and NUL.
_NOISE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_]|[\r\x00]"
)
_PREFIX_ENDS = ("| ", ": ", "> ", "] ")
_PREFIX_LENGTH = 80


@dataclass(frozen=True, slots=True)
class CleanText:
    """A cleaned text of n characters.

    Attributes:
        text: the characters that were kept.
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
    inner = _joined(first.text, list(_after_prefix(first.text, len(prefix))))
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
    return CleanText("".join(text[start:end] for start, end in ranges), offsets)


def _common_prefix(text: str) -> str:
    """A prefix that every line has and that ends like a logger's (`web_1  | `, `[rank0]: `)."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return ""
    low, high = min(lines)[:_PREFIX_LENGTH], max(lines)[:_PREFIX_LENGTH]
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    ends = [low.rfind(end, 0, length) + len(end) for end in _PREFIX_ENDS if end in low[:length]]
    return low[: max(ends)] if ends else ""


def _after_prefix(text: str, length: int) -> Iterator[Range]:
    position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        if line.strip():
            position += length
        yield position, end
        position = end
