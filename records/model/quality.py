"""Quality flags of one record: what can be checked without looking at any other.

Flags that need vectors or the whole set (NEAR_DUPLICATE, FOREIGN_PROSE) are set by
index/quality, in a later stage.
"""

from __future__ import annotations

import re
from enum import StrEnum

import re2

from records.model.excerpt import Excerpt, excerpt_says
from records.model.identity import record_id
from records.model.line_breaks import fields_with_escaped_breaks
from records.model.record import ErrorRecord
from records.model.template import Reading, Template, read_template

# Under this many letters and digits of fixed text a pattern matches almost anything
# (310 of the 137,205 records of the development corpus).
GENERIC_LETTERS = 8

# Words of prose outside code. The machine-made corpus has a median of 24 in all and 12 in
# what explains (documentation and situations); the shortest written record has 30 and 18.
THIN_WORDS = 30
THIN_EXPLANATION = 18

PATTERN_LENGTH = 500
PATTERN_MEMORY = 1 << 20

# RE2 takes 39 s for `((a?){900}b)` on 1 MB of text; templates are far shorter than this.
OWN_MESSAGE_LENGTH = 10_000


class Flag(StrEnum):
    """One thing that was found about a record's quality."""

    ID_MISMATCH = "id-mismatch"
    PATTERN_BROKEN = "pattern-broken"
    PATTERN_GENERIC = "pattern-generic"
    PATTERN_ESCAPED = "pattern-escaped-placeholder"
    PATTERN_MISMATCH = "pattern-not-own-message"
    EXCERPT_MISMATCH = "excerpt-mismatch"
    EXCERPT_UNCHECKED = "excerpt-not-checked"
    ESCAPED_BREAKS = "escaped-line-breaks"
    THIN = "thin"
    NEAR_DUPLICATE = "near-duplicate"
    FOREIGN_PROSE = "prose-of-another-error"


# A version with one of these is served only when no other version is without.
UNSOUND = frozenset(
    {
        Flag.ID_MISMATCH,
        Flag.PATTERN_BROKEN,
        Flag.PATTERN_ESCAPED,
        Flag.PATTERN_MISMATCH,
        Flag.FOREIGN_PROSE,
    }
)

# Set by a later stage, over vectors and the other records of a repository.
STAGE_FLAGS = frozenset({Flag.NEAR_DUPLICATE, Flag.FOREIGN_PROSE})

_CODE = re.compile(r"`[^`]*`")
_WORD = re.compile(r"[^\W\d_]{2,}")


def is_sound(flags: frozenset[Flag]) -> bool:
    """Tell whether a version with these flags may lead."""
    return not flags & UNSOUND


def check(record: ErrorRecord, reading: Reading | None = None) -> frozenset[Flag]:
    """Set every flag that one record alone decides.

    Args:
        record: the record as it came.
        reading: its template, where the caller has read it already.
    """
    reading = reading or read_template(record.error_message, record.message_pattern)
    flags = set(_pattern_flags(record, reading))
    expected = record_id(
        repo=record.repo,
        code=record.error_code,
        message=record.error_message,
        path=record.file_path,
    )
    if record.id != expected:
        flags.add(Flag.ID_MISMATCH)
    excerpt = excerpt_says(record, reading.template)
    if excerpt is Excerpt.OTHER:
        flags.add(Flag.EXCERPT_MISMATCH)
    elif excerpt is Excerpt.UNCHECKED:
        flags.add(Flag.EXCERPT_UNCHECKED)
    if fields_with_escaped_breaks(record):
        flags.add(Flag.ESCAPED_BREAKS)
    if is_thin(record):
        flags.add(Flag.THIN)
    return frozenset(flags)


def prose(record: ErrorRecord) -> str:
    """All written text of a record, one paragraph a field; no code fields."""
    parts = (
        record.documentation,
        record.trigger_scenarios,
        record.common_situations,
        *record.solutions,
    )
    return "\n".join(part for part in parts if part)


def words_of(text: str) -> int:
    """The number of words outside backticks."""
    return len(_WORD.findall(_CODE.sub(" ", text)))


def is_thin(record: ErrorRecord) -> bool:
    """Tell whether a record has too little prose to explain anything."""
    explanation = f"{record.documentation} {record.common_situations}"
    return (
        not record.solutions
        or words_of(prose(record)) < THIN_WORDS
        or words_of(explanation) < THIN_EXPLANATION
    )


def _pattern_flags(record: ErrorRecord, reading: Reading) -> set[Flag]:
    flags: set[Flag] = set()
    if reading.template.fixed_letters < GENERIC_LETTERS:
        flags.add(Flag.PATTERN_GENERIC)
    if reading.escaped:
        flags.add(Flag.PATTERN_ESCAPED)
    pattern = record.message_pattern
    if not pattern or (reading.from_pattern and reading.pattern and reading.pattern.exact):
        return flags
    # A pattern over the limit is never compiled: its literal pieces are compared instead.
    if len(pattern) > PATTERN_LENGTH:
        if not reading.from_pattern:
            flags.add(Flag.PATTERN_MISMATCH)
        return flags
    compiled = compile_pattern(pattern)
    if compiled is None:
        flags.add(Flag.PATTERN_BROKEN)
    elif not _matches_own(compiled, record.error_message, reading.template):
        flags.add(Flag.PATTERN_MISMATCH)
    return flags


def _matches_own(compiled: re2._Regexp[str], message: str, template: Template) -> bool:
    filled = (_filled(template, value) for value in ("x", "1"))
    texts = (text[:OWN_MESSAGE_LENGTH] for text in (message, *filled))
    return any(compiled.search(text) is not None for text in texts)


def _filled(template: Template, value: str) -> str:
    return value.join(template.pieces)


def compile_pattern(pattern: str) -> re2._Regexp[str] | None:
    """Compile a pattern with RE2 within a memory bound, or None where RE2 refuses it."""
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY
    options.log_errors = False
    options.dot_nl = True
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None
