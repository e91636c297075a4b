"""The alphabet in which templates and pastes are compared.

White space is removed altogether, since terminals wrap inside words as well as between them;
quotes and full-width punctuation are folded to one character each, since retyping changes
them. Every other character stays, so positions can be mapped back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_FOLDED = {
    **dict.fromkeys('"`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00b4\u2032\u2033', "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    "\uff1a": ":",
    "\uff0c": ",",
    "\uff08": "(",
    "\uff09": ")",
    "\uff1b": ";",
    "\uff1d": "=",
    "\u3002": ".",
}
# Every character for which str.isspace holds (a test compares), and the invisible ones.
_WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_DROPPED = frozenset(_WHITE_SPACE + _INVISIBLE)
_TABLE = str.maketrans({**_FOLDED, **dict.fromkeys(_DROPPED, None)})
_DROPPED_CODES = np.array(sorted(map(ord, _DROPPED)), dtype=np.uint32)


def fold(text: str) -> str:
    """Bring a text into the alphabet of comparison."""
    return text.translate(_TABLE)


@dataclass(frozen=True, slots=True)
class MatchText:
    """A text in the alphabet of comparison, and where each character came from.

    Attributes:
        text: n folded characters.
        offsets: int64 array of shape (n,): positions in the original, rising.
    """

    text: str
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, text: str, offsets: NDArray[np.int64] | None = None) -> MatchText:
        """Fold a text; `offsets` are the positions of its characters in an earlier original."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        kept = np.flatnonzero(~np.isin(codes, _DROPPED_CODES))
        return cls(fold(text), kept if offsets is None else offsets[kept])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a non-empty range back to the original."""
        return int(self.offsets[start]), int(self.offsets[end - 1]) + 1

    def position(self, original: int) -> int:
        """The first folded character at or after a position of the original."""
        return int(np.searchsorted(self.offsets, original))
