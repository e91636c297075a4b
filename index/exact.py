"""The exact tier: which templates could have produced a text.

One Aho-Corasick automaton holds a short key of every template, cut from the rarest of its
fixed text; where a key occurs, all pieces of its templates are compared in order. Everything
happens in the alphabet of `match_text`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import ahocorasick_rs
import numpy as np

from index.blob import Blob, read_array, write_array, write_blob
from index.errors import IndexDamaged
from index.match_text import MatchText, fold

KEYS = "exact.keys.txt"
STARTS = "exact.starts.npy"
TEMPLATES_OF_KEYS = "exact.templates.npy"
TEMPLATES = "templates"

# Measured on 113,256 keys: cut to 16 characters the automaton builds in 0.15 s, to 24 in
# 0.41 s, whole in 1.8 s; it is built at every open.
KEY_LENGTH = 16
_SHORTEST_KEY = 3
_OCCURRENCES = 64
_CHUNK = 65_536
_GAP = 2_000
_COMMON_DOCUMENTS = 1_000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TemplateEntry:
    """One distinct template and the records that have it.

    Attributes:
        pieces: the n + 1 literal texts around n placeholders, as in the source.
        records: record numbers, rising.
    """

    pieces: tuple[str, ...]
    records: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A template whose pieces all occur in a text, in order.

    Positions count characters of the folded text.

    Attributes:
        records: numbers of the records with this template.
        start: where the first non-empty piece begins.
        end: where the last non-empty piece ends.
        gaps: (start, end) of what lies between the pieces.
        open_start: the template begins with a placeholder, so the message began earlier.
        open_end: the template ends with a placeholder, so the message went on.
        letters: letters and digits of the fixed text.
        weight: the summed rarity of the fixed words.
    """

    records: tuple[int, ...]
    start: int
    end: int
    gaps: tuple[tuple[int, int], ...]
    open_start: bool
    open_end: bool
    letters: int
    weight: float


@dataclass(frozen=True, slots=True)
class _Stored:
    pieces: tuple[str, ...]
    anchor: int
    offset: int
    weight: float
    records: tuple[int, ...]

    def to_json(self) -> bytes:
        values = [self.pieces, self.anchor, self.offset, round(self.weight, 3), self.records]
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, text: bytes) -> _Stored:
        pieces, anchor, offset, weight, records = json.loads(text)
        return cls(tuple(pieces), anchor, offset, weight, tuple(records))


def write_exact(folder: Path, templates: Sequence[TemplateEntry]) -> None:
    """Write the exact tier over distinct templates."""
    frequency = Counter(word for entry in templates for word in _words(entry.pieces))
    stored: list[_Stored] = []
    keys: dict[str, list[int]] = {}
    for entry in templates:
        made = _store(entry, frequency, len(templates))
        if made is not None:
            key, value = made
            keys.setdefault(key, []).append(len(stored))
            stored.append(value)
    write_blob(folder, TEMPLATES, (value.to_json() for value in stored), compress=False)
    ordered = sorted(keys)
    (folder / KEYS).write_text("\n".join(ordered), encoding="utf-8", newline="\n")
    lists = [keys[key] for key in ordered]
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    write_array(folder / STARTS, starts)
    flat = np.array([number for members in lists for number in members], dtype=np.int64)
    write_array(folder / TEMPLATES_OF_KEYS, flat)


class ExactSearcher:
    """Finds the templates whose pieces occur in a text; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """Open the exact tier of a generation and build its automaton.

        Raises:
            IndexDamaged: its files do not fit together.
        """
        keys = _read_keys(folder / KEYS)
        self._starts = read_array(folder / STARTS, np.int64)
        self._members = read_array(folder / TEMPLATES_OF_KEYS, np.int64)
        self._templates = Blob(folder, TEMPLATES, compressed=False)
        if len(self._starts) != len(keys) + 1 or len(self._members) != len(self._templates):
            raise IndexDamaged(f"{folder / STARTS}: does not fit the keys; run errsage rebuild")
        self._automaton = ahocorasick_rs.AhoCorasick(keys) if keys else None

    def search(self, text: MatchText) -> list[Occurrence]:
        """Find every template whose pieces occur in order, each at most at a few places."""
        if self._automaton is None:
            return []
        searched = _encodable(text.text)
        found: list[Occurrence] = []
        for key, places in _places(self._automaton, searched).items():
            for number in self._members[self._starts[key] : self._starts[key + 1]]:
                template = _Stored.from_json(self._templates[int(number)])
                found += _occurrences(template, searched, [*places.first, *places.last])
        return found


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a key occurs; one that occurs very often is tried at the first and last places."""

    first: list[int] = field(default_factory=list)
    last: deque[int] = field(default_factory=lambda: deque(maxlen=_OCCURRENCES // 2))

    def add(self, start: int) -> None:
        few = len(self.first) < _OCCURRENCES // 2
        (self.first if few else self.last).append(start)


def _places(automaton: ahocorasick_rs.AhoCorasick, text: str) -> dict[int, _Places]:
    """Where the keys occur, chunk by chunk: a few MB of one letter hold millions of matches."""
    places: dict[int, _Places] = {}
    for begin in range(0, len(text), _CHUNK):
        chunk = text[begin : begin + _CHUNK + KEY_LENGTH - 1]
        for key, start, _ in automaton.find_matches_as_indexes(chunk, overlapping=True):
            if start < _CHUNK:
                places.setdefault(key, _Places()).add(begin + start)
    return places


def _store(entry: TemplateEntry, frequency: Counter[str], count: int) -> tuple[str, _Stored] | None:
    folded = tuple(fold(piece) for piece in entry.pieces)
    weight = sum(_rarity(frequency[word], count) for word in _words(entry.pieces))
    anchor = _anchor(entry.pieces, frequency, count)
    if anchor is None:
        return None
    piece, position = anchor
    offset = max(0, min(position, len(folded[piece]) - KEY_LENGTH))
    key = folded[piece][offset : offset + KEY_LENGTH]
    return key, _Stored(folded, piece, offset, weight, entry.records)


def _anchor(pieces: tuple[str, ...], frequency: Counter[str], count: int) -> tuple[int, int] | None:
    """The piece, and the place in it after folding, where the rarest full-length key begins."""
    best: tuple[float, int, int] | None = None
    for number, piece in enumerate(pieces):
        length = len(fold(piece))
        if length < _SHORTEST_KEY:
            continue
        for match in _WORD.finditer(piece):
            reach = min(length, KEY_LENGTH) / KEY_LENGTH
            score = _rarity(frequency[match.group().lower()], count) * reach
            if best is None or score > best[0]:
                best = (score, number, len(fold(piece[: match.start()])))
    return (best[1], best[2]) if best else None


def _encodable(text: str) -> str:
    """The automaton takes no lone surrogates; each becomes one other character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _rarity(documents: int, count: int) -> float:
    """Rarity of a word in bits: idf over the templates, with a floor for small sets."""
    return math.log2((count + _COMMON_DOCUMENTS) / (documents + 1))


def _words(pieces: Iterable[str]) -> set[str]:
    return {word.lower() for piece in pieces for word in _WORD.findall(piece)}


def _occurrences(template: _Stored, text: str, key_starts: list[int]) -> list[Occurrence]:
    found: dict[int, Occurrence] = {}
    for key_start in key_starts:
        occurrence = _verify(template, text, key_start - template.offset)
        if occurrence is not None:
            found.setdefault(occurrence.start, occurrence)
    return list(found.values())


def _verify(template: _Stored, text: str, anchor_start: int) -> Occurrence | None:
    """Compare all pieces in order around the anchor: before it nearest, after it nearest."""
    pieces = template.pieces
    if anchor_start < 0 or not text.startswith(pieces[template.anchor], anchor_start):
        return None
    spans = [(0, 0)] * len(pieces)
    spans[template.anchor] = (anchor_start, anchor_start + len(pieces[template.anchor]))
    edge = spans[template.anchor][1]
    for number in range(template.anchor + 1, len(pieces)):
        start = text.find(pieces[number], edge, edge + _GAP + len(pieces[number]))
        if start < 0:
            return None
        edge = start + len(pieces[number])
        spans[number] = (start, edge)
    edge = anchor_start
    for number in range(template.anchor - 1, -1, -1):
        start = text.rfind(pieces[number], max(0, edge - _GAP - len(pieces[number])), edge)
        if start < 0:
            return None
        spans[number] = (start, start + len(pieces[number]))
        edge = start
    return _occurrence(template, spans)


def _occurrence(template: _Stored, spans: list[tuple[int, int]]) -> Occurrence:
    whole = [span for span in spans if span[1] > span[0]]
    gaps = tuple((before[1], after[0]) for before, after in pairwise(spans))
    return Occurrence(
        records=template.records,
        start=whole[0][0],
        end=whole[-1][1],
        gaps=gaps,
        open_start=not template.pieces[0],
        open_end=not template.pieces[-1],
        letters=sum(char.isalnum() for piece in template.pieces for char in piece),
        weight=template.weight,
    )


def _read_keys(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise IndexDamaged(f"{path}: {error}; run errsage rebuild") from error
    return text.split("\n") if text else []
