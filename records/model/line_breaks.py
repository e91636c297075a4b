r"""Code fields in which a literal `\n` stands where a line break was meant.

Such a field has no real line break, and a `\n` outside every string literal. It is stored as
it came and shown repaired; a `\n` inside a string literal is never touched.
"""

from __future__ import annotations

from records.model.record import ErrorRecord

CODE_FIELDS = ("example_fix", "validation_code", "type_guard", "try_catch_pattern")

_BREAKS = {"n": "\n", "t": "\t"}
_QUOTES = ('"""', "'''", '"', "'", "`")


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
    r"""Turn `\n` and `\t` outside string literals into the characters that were meant.

    A code with real line breaks, or without a `\n` outside string literals, stays as it is.
    """
    if "\n" in code:
        return code
    parts: list[str] = []
    position = 0
    while position < len(code):
        end = _string_end(code, position)
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


def _string_end(code: str, position: int) -> int | None:
    """The end of the string literal that opens at `position`; None where none does.

    A quote that never closes (an apostrophe in a comment) opens nothing; nor does one that
    closes only after what reads as a line break followed by more code.
    """
    quote = next((mark for mark in _QUOTES if code.startswith(mark, position)), None)
    if quote is None or (quote == "'" and position and code[position - 1].isalnum()):
        return _prefixed_string_end(code, position, quote)
    return _closing(code, position, quote)


def _prefixed_string_end(code: str, position: int, quote: str | None) -> int | None:
    """A quote right after letters opens a string only as a prefix (f'...', rb'...')."""
    if quote is None:
        return None
    start = position
    while start and code[start - 1].isalnum():
        start -= 1
    prefix = code[start:position].lower()
    is_prefix = len(prefix) <= 2 and set(prefix) <= set("frbu")
    return _closing(code, position, quote) if is_prefix else None


def _closing(code: str, position: int, quote: str) -> int | None:
    index = position + len(quote)
    while index < len(code):
        if code.startswith(quote, index):
            return index + len(quote)
        index += 2 if code[index] == "\\" else 1
    return None
