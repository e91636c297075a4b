"""What a logger puts before a message: time, level, a thread or module in brackets, a name."""

from __future__ import annotations

import re

_TIME = r"[\[(<]?\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d[\d:.,]*)?(?: ?[+-]\d\d:?\d\d|Z)?[\])>]?"
_CLOCK = r"[\[(<]?\d\d:\d\d:\d\d[.,\d]*[\])>]?"
_LEVEL = (
    r"[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE)(?![\w.])[\])>]?"
)
_BRACKET = r"\[[^\]\n]{1,60}\]"
_MARK = rf"(?:{_TIME}|{_CLOCK}|{_LEVEL}|{_BRACKET})"
_GAP = r"[\s:|\-]*"
# A name counts only after a mark: `worker: ` alone may be the message itself.
_PREFIX = re.compile(rf"\s*(?:{_MARK}{_GAP})+(?:[\w./\-]+(?:\[\d+\])?(?:: | - | \| ))?")


def prefix_length(line: str) -> int:
    """The number of characters that a logger put before the message of a line."""
    match = _PREFIX.match(line)
    return match.end() if match and match.end() < len(line) else 0
