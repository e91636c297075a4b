"""Patterns from outside, read as literal pieces; they never meet Python's `re`.

The dataset writes a pattern as escaped text with `(.+?)` for each placeholder. This reader
takes it apart character by character, so that a pattern can be compared as literal pieces in
order; what it cannot take apart is left to RE2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLACEHOLDER = "(.+?)"
# Escaped literal text and nothing else: the two branches start with different characters.
_LITERAL = re.compile(r"(?:[^\\.^$*+?()\[\]{}|]++|\\[^A-Za-z0-9])*+")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_ANY = frozenset({".+?", ".*?", ".+", ".*"})
_SETS = frozenset("dDwWsS")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??")


@dataclass(frozen=True, slots=True)
class PatternRead:
    r"""A pattern as literal pieces.

    Attributes:
        pieces: n + 1 literal texts around n gaps.
        exact: whether pieces in order say all that the pattern says; otherwise a gap is
            narrower than "anything" (`\d+`, `[ab]`, anchors) and RE2 has the last word.
    """

    pieces: tuple[str, ...]
    exact: bool


class _Reader:
    """One pass over a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.pieces: list[list[str]] = [[]]
        self.exact = True

    def gap(self, *, exact: bool = False) -> None:
        self.pieces.append([])
        self.exact = self.exact and exact

    def read(self) -> PatternRead | None:
        while self.position < len(self.pattern):
            if not self._step(self.pattern[self.position]):
                return None
        return PatternRead(tuple(map("".join, self.pieces)), self.exact)

    def _step(self, char: str) -> bool:
        if char == "\\":
            return self._escape()
        if char == "(":
            return self._group()
        if char == "[":
            return self._set()
        self.position += 1
        if char in "|)":
            return False
        if char in "^$":
            self.exact = False
        elif char == ".":
            self._quantifier()
            self.gap()
        elif char in "*+?{":
            return char == "{" and self._literal(char)
        else:
            return self._literal(char)
        return True

    def _literal(self, char: str) -> bool:
        if self._quantifier():
            self.gap()
        else:
            self.pieces[-1].append(char)
        return True

    def _quantifier(self) -> bool:
        match = _QUANTIFIER.match(self.pattern, self.position)
        if match is None:
            return False
        self.position = match.end()
        return True

    def _escape(self) -> bool:
        char = self.pattern[self.position + 1 : self.position + 2]
        self.position += 2
        if not char:
            return False
        if char in _SETS:
            self._quantifier()
            self.gap()
        elif char in "bB":
            self.exact = False
        elif char in _ESCAPED_CONTROLS:
            return self._literal(_ESCAPED_CONTROLS[char])
        elif char.isalnum():
            return False
        else:
            return self._literal(char)
        return True

    def _group(self) -> bool:
        end = self._closing(self.position)
        if end is None:
            return False
        inner = self.pattern[self.position + 1 : end]
        self.position = end + 1
        repeated = self._quantifier()
        self.gap(exact=inner in _ANY and not repeated)
        return True

    def _closing(self, start: int) -> int | None:
        depth = 0
        position = start
        while position < len(self.pattern):
            char = self.pattern[position]
            if char == "\\":
                position += 2
                continue
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return position
            position += 1
        return None

    def _set(self) -> bool:
        if self.pattern.startswith("[[:", self.position):
            return False
        position = self.position + 1
        if self.pattern[position : position + 1] == "^":
            position += 1
        if self.pattern[position : position + 1] == "]":
            position += 1
        while position < len(self.pattern) and self.pattern[position] != "]":
            position += 2 if self.pattern[position] == "\\" else 1
        if position >= len(self.pattern):
            return False
        self.position = position + 1
        self._quantifier()
        self.gap()
        return True


def read_pattern(pattern: str) -> PatternRead | None:
    """Read a pattern as literal pieces in order, or None where it is beyond that."""
    parts = pattern.split(_PLACEHOLDER)
    if all(_LITERAL.fullmatch(part) for part in parts):
        return PatternRead(tuple(_ESCAPE.sub(r"\1", part) for part in parts), exact=True)
    return _Reader(pattern).read()
