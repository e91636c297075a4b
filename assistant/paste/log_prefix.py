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
# A name counts only after a mark, and only before a dash or a bar: before a colon it may be part
# of the message itself (`self_attn: non-sequential write`).
_PREFIX = re.compile(rf"\s*(?:{_MARK}{_GAP})+(?:[\w./\-]+(?:\[\d+\]: | - | \| ))?")
_RECORD = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b[\s:|\]])"
)


def prefix_length(line: str) -> int:
    """The number of characters that a logger put before the message of a line."""
    match = _PREFIX.match(line)
    return match.end() if match and match.end() < len(line) else 0


def begins_record(line: str) -> bool:
    """Whether a line begins a log record, by its time or level."""
    return _RECORD.match(line) is not None
