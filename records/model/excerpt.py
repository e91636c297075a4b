"""Does a record's source excerpt hold the message that the record is about?"""

from __future__ import annotations

import re
from enum import Enum

from records.model.record import ErrorRecord
from records.model.template import Template, parse_message

_WORD = re.compile(r"[^\W\d_]{3,}")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`',
    re.DOTALL,
)
# A message that is a name, whole or in part: `errmsg % x`, `err.format(x)`, `intro + "..."`.
_NAMED_MESSAGE = re.compile(r"[\w)\]]\s*[+%]|\+\s*[\w(]|\w\.format\(")
_LITERAL_ARGUMENT = re.compile(r'\(\s*[A-Za-z]{0,2}""')
_STATEMENT_LINES = 40
# Longer ones are left unchecked: the reading of quotes is not linear in hostile text.
_STATEMENT_LENGTH = 4000
_OPEN, _CLOSE = "([{", ")]}"

# Of the fixed words of the message, this share must occur in the statement. Measured on the
# written records: own statements hold 1.0 in all but a few (a word split over two literals).
_SHARE = 0.5


class Excerpt(Enum):
    """What the comparison of message and excerpt says."""

    OWN = "own"
    OTHER = "other"
    UNCHECKED = "unchecked"


def excerpt_says(record: ErrorRecord, template: Template) -> Excerpt:
    """Compare the fixed words of the message with the raise statement in the excerpt.

    Checked only where the excerpt covers the whole statement and the message is a literal in
    it, not a name.
    """
    statement = raise_statement(record)
    if statement is None:
        return Excerpt.UNCHECKED
    words = _fixed_words(template)
    if not words or not _LITERAL_ARGUMENT.search(_STRING.sub('""', statement)):
        return Excerpt.UNCHECKED
    # `E("%s" % text)`: the words are not here.
    if not any(_fixed_words(parse_message(literal)) for literal in _STRING.findall(statement)):
        return Excerpt.UNCHECKED
    present = {word.lower() for word in _WORD.findall(statement)}
    if len(words & present) >= _SHARE * len(words):
        return Excerpt.OWN
    named = _NAMED_MESSAGE.search(_STRING.sub('""', statement))
    return Excerpt.UNCHECKED if named else Excerpt.OTHER


def _fixed_words(template: Template) -> set[str]:
    return {word.lower() for piece in template.pieces for word in _WORD.findall(piece)}


def raise_statement(record: ErrorRecord) -> str | None:
    """The whole raise statement out of the excerpt, or None where the excerpt cuts it."""
    if not record.source_code or not record.line_number or not record.source_code_start:
        return None
    lines = record.source_code.split("\n")
    first = record.line_number - record.source_code_start
    if not 0 <= first < len(lines):
        return None
    for count in range(1, _STATEMENT_LINES + 1):
        if first + count > len(lines):
            return None
        statement = "\n".join(lines[first : first + count])
        if len(statement) > _STATEMENT_LENGTH:
            return None
        if _depth(statement) <= 0:
            return statement
    return None


def _depth(statement: str) -> int:
    """Brackets still open at the end, those in string literals not counted."""
    code = _STRING.sub("", statement)
    return sum(code.count(mark) for mark in _OPEN) - sum(code.count(mark) for mark in _CLOSE)
