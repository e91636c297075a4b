r"""Code fields in which a literal `\n` stands where a line break was meant.

Such a field has no real line break, and a `\n` outside every string literal. It is stored as
it came and shown repaired; a `\n` inside a string literal is never touched.
"""

from __future__ import annotations

import re

from records.model.record import ErrorRecord

CODE_FIELDS = ("example_fix", "validation_code", "type_guard", "try_catch_pattern")

_BREAKS = {"n": "\n", "t": "\t"}
_QUOTES = ('"""', "'''", '"', "'", "`")
# At most two letters, after no word; the letter of an escape belongs to no word: `\nf'...'`.
_STRING_PREFIX = re.compile(r"(?:^|\W|\\[nt])[frbu]{0,2}$", re.IGNORECASE)
# A slash after one of these opens a regular expression, which is a literal too: `split(/\n/)`.
_BEFORE_REGEX = frozenset("(,=:[!&|?")


def fields_with_escaped_breaks(record: ErrorRecord) -> tuple[str, ...]:
    """Name the code fields of a record that need the repair."""
    return tuple(name for name in CODE_FIELDS if needs_repair(getattr(record, name)))


def shown(record: ErrorRecord) -> ErrorRecord:
    """Give the record as it is shown to people: code fields repaired."""
    broken = fields_with_escaped_breaks(record)
    if not broken:
        return record
    return record.model_copy(update={name: repaired(getattr(record, name)) for name in broken})


def needs_repair(code: str | None) -> bool:
    r"""Tell whether a `\n` outside string literals stands for a line break."""
    return code is not None and "\\n" in code and repaired(code) != code


def repaired(code: str) -> str:
    r"""Turn `\n` and `\t` outside literals into the characters that were meant.

    A code with real line breaks, or without a `\n` outside string literals, stays as it is.
    """
    if "\n" in code:
        return code
    parts: list[str] = []
    position = 0
    unclosed: set[str] = set()
    while position < len(code):
        end = _literal_end(code, position, unclosed)
        if end is not None:
            parts.append(code[position:end])
            position = end
        elif code[position] == "\\" and code[position + 1 : position + 2] in _BREAKS:
            parts.append(_BREAKS[code[position + 1]])
            position += 2
        else:
            parts.append(code[position])
            position += 1
    joined = "".join(parts)
    return joined if "\n" in joined else code


def _literal_end(code: str, position: int, unclosed: set[str]) -> int | None:
    """The end of the literal that opens at `position`; None where none does.

    A quote that never closes (an apostrophe in a comment) opens nothing, nor does any of its
    kind after it: `unclosed` notes them, so that a text of such quotes is read once.
    """
    if code[position] == "/":
        mark = "/" if _opens_regex(code, position) else None
    else:
        mark = next((quote for quote in _QUOTES if code.startswith(quote, position)), None)
        if mark == "'" and not _may_open(code, position):
            mark = None
    if mark is None or mark in unclosed:
        return None
    end = _closing(code, position, mark)
    if end is None:
        unclosed.add(mark)
    return end


def _may_open(code: str, position: int) -> bool:
    """An apostrophe right after letters opens a string only as a prefix's (f'...', rb'...')."""
    return _STRING_PREFIX.search(code[max(0, position - 4) : position]) is not None


def _opens_regex(code: str, position: int) -> bool:
    before = code[max(0, position - 2) : position].rstrip()[-1:]
    return before in _BEFORE_REGEX and code[position + 1 : position + 2] not in ("/", "*", "")


def _closing(code: str, position: int, mark: str) -> int | None:
    index = position + len(mark)
    while index < len(code):
        if code.startswith(mark, index):
            return index + len(mark)
        index += 2 if code[index] == "\\" else 1
    return None
