"""Templates: a message's fixed pieces and the names of its placeholders.

A template of n placeholders has n + 1 literal pieces; the first and last may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from records.model.pattern import PatternRead, read_pattern

_NAME_LENGTH = 60

# A piece that occurs more often inside one placeholder is not searched further.
_TRIES = 1000

# A converter's letter standing for a name (`{s}` made from `%s`) names nothing.
_BARE_CONVERSIONS = frozenset("srd")

# %s, %d, %5.2f, %r, %q, %+v, %(name)s, %1$s; never "% s", which is prose ("100% sure").
# Possessive, so that no run of flags or digits is read twice.
_PERCENT = re.compile(
    r"%(?:\(([^()]*)\)|(\d++)\$)?[-+#0]*+(?:\d++|\*)?+(?:\.(?:\d++|\*))?+"
    r"(?:(?:hh?|ll?|[zjt])(?=[dioxXu]))?[a-zA-Z]"
)
_BRACE = re.compile(r"[{}]")
# What follows the opening brace of a placeholder: its end, an index, an expression.
_EXPRESSION = re.compile(r"\d*\}|[^\W\d]|[$(\"'\[!:]|-?\d+[:!}]")
# A key of a mapping before any bracket: `{"a": 1}` is text, `{dump({"a": x})}` is not.
_MAPPING = re.compile(r"[^{}()\[\]]*?[\"']: ")
_ESCAPES = ("{{", "%%")
_CONVERSION = re.compile(r"(![rsa])?(:[^{}'\"\]()]*)?$")


@dataclass(frozen=True, slots=True)
class Template:
    """A message template, split at its placeholders.

    Attributes:
        pieces: the n + 1 literal texts around n placeholders, in order.
        names: the n names of the placeholders; the fallback name is the position, from 0.
    """

    pieces: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def fixed_letters(self) -> int:
        """The number of letters and digits of the literal text."""
        return sum(char.isalnum() for piece in self.pieces for char in piece)

    @property
    def key(self) -> str:
        """The label of the template group: placeholders anonymised, white space collapsed."""
        return " ".join("{}".join(self.pieces).split())


@dataclass(frozen=True, slots=True)
class Reading:
    """A template and how it was come by.

    Attributes:
        template: the pieces and names.
        pattern: what was read from the record's pattern; None where there is none, or it is
            broken or beyond reading as literal pieces.
        from_pattern: whether the pieces are those of the pattern.
        escaped: names of placeholders that the pattern holds as escaped literals.
    """

    template: Template
    pattern: PatternRead | None
    from_pattern: bool
    escaped: tuple[str, ...]


def template(message: str, pattern: str | None = None) -> Template:
    """Split a message template at its placeholders.

    Args:
        message: the template as in the source, e.g. `missing captured KV on {attr}`.
        pattern: the record's regex; where it can be read as literal pieces it decides where
            the placeholders are, and the message gives their names.
    """
    return read_template(message, pattern).template


def read_template(message: str, pattern: str | None = None) -> Reading:
    """Split a message template, and say what the pattern contributed."""
    read = read_pattern(pattern) if pattern else None
    if read is not None and any(piece.strip() for piece in read.pieces):
        aligned = _align(message, read.pieces)
        if aligned is not None:
            return _with_escaped(read, aligned)
    return Reading(parse_message(message), read, from_pattern=False, escaped=())


def parse_message(message: str) -> Template:
    """Split a message template without a pattern, by the placeholder styles of the languages.

    Knows `{x}`, `{}`, `{0}`, `${x}`, `#{x}`, `%s`, `%(x)s`, `%1$s`; `{3,50}` and `{"a": 1}`
    are text.
    """
    pieces: list[str] = []
    raw_names: list[str] = []
    start = 0
    for begin, end, inner in _placeholders(message):
        pieces.append(message[start:begin])
        raw_names.append(inner)
        start = end
    pieces.append(message[start:])
    return Template(tuple(pieces), _named(raw_names))


def _placeholders(message: str) -> Iterator[tuple[int, int, str]]:
    ends = _closing_braces(message)
    position = 0
    while position < len(message):
        if message.startswith(_ESCAPES, position):
            position += 2
            continue
        found = _placeholder_at(message, position, ends)
        if found is None:
            position += 1
            continue
        end, inner = found
        yield position, end, inner
        position = end


def _placeholder_at(message: str, position: int, ends: dict[int, int]) -> tuple[int, str] | None:
    char = message[position]
    if char == "%":
        match = _PERCENT.match(message, position)
        return (match.end(), match.group(0)) if match else None
    if char in "$#":
        end = ends.get(position + 1)
        return (end, message[position:end]) if end else None
    if char == "{" and not message.startswith("{{", position):
        end = ends.get(position)
        if end and _is_expression(message, position + 1):
            return end, message[position:end]
    return None


def _closing_braces(message: str) -> dict[int, int]:
    """Where each brace pair ends, by where it begins; one pass, however deep they nest."""
    opened: list[int] = []
    ends: dict[int, int] = {}
    for brace in _BRACE.finditer(message):
        if brace.group() == "{":
            opened.append(brace.start())
        elif opened:
            ends[opened.pop()] = brace.end()
    return ends


def _is_expression(message: str, begin: int) -> bool:
    expression = _EXPRESSION.match(message, begin)
    return expression is not None and _MAPPING.match(message, begin) is None


def _align(message: str, pieces: tuple[str, ...]) -> Template | None:
    """Find the pieces of a pattern in its message; what lies between are the placeholders."""
    if not message.startswith(pieces[0]) or not message.endswith(pieces[-1]):
        return None
    ends = _closing_braces(message)
    names: list[str] = []
    position = len(pieces[0])
    for number, piece in enumerate(pieces[1:], start=1):
        last = number == len(pieces) - 1
        found = len(message) - len(piece) if last else _next_piece(message, piece, position, ends)
        if found < position:
            return None
        names.append(message[position:found])
        position = found + len(piece)
    if position != len(message):
        return None
    return Template(pieces, _named(names))


def _next_piece(message: str, piece: str, position: int, ends: dict[int, int]) -> int:
    """The first place of `piece` at which the placeholder before it is whole."""
    if not piece:
        placed = _placeholder_at(message, position, ends) if position < len(message) else None
        return placed[0] if placed else position
    found, counted, depth = position - 1, position, 0
    for _ in range(_TRIES):
        found = message.find(piece, found + 1)
        if found < 0:
            break
        depth += message.count("{", counted, found) - message.count("}", counted, found)
        counted = found
        if depth == 0 and found > position:
            return found
    return -1


def _with_escaped(read: PatternRead, aligned: Template) -> Reading:
    """Split a pattern's pieces once more where they hold a placeholder as an escaped literal."""
    if not any("{" in piece for piece in aligned.pieces):
        return Reading(aligned, read, from_pattern=True, escaped=())
    pieces: list[str] = []
    names: list[str] = []
    escaped: list[str] = []
    for number, piece in enumerate(aligned.pieces):
        start = 0
        for begin, end, inner in _placeholders(piece):
            if not _is_named_brace(inner):
                continue
            pieces.append(piece[start:begin])
            names.append(inner)
            escaped.append(inner)
            start = end
        pieces.append(piece[start:])
        if number < len(aligned.names):
            names.append(aligned.names[number])
    whole = Template(tuple(pieces), _named(names) if escaped else aligned.names)
    return Reading(whole, read, from_pattern=True, escaped=tuple(escaped))


def _is_named_brace(inner: str) -> bool:
    return inner.startswith(("{", "${")) and inner.strip("${}")[:1].isidentifier()


def _named(raw_names: list[str]) -> tuple[str, ...]:
    return tuple(_name(raw) or str(number) for number, raw in enumerate(raw_names))


def _name(raw: str) -> str | None:
    percent = _PERCENT.fullmatch(raw)
    if percent is not None:
        return percent.group(1) or None
    if len(raw) > 2 * _NAME_LENGTH:
        return None
    opening = next((mark for mark in ("${", "#{", "{") if raw.startswith(mark)), None)
    if opening and _closing_braces(raw).get(len(opening) - 1) == len(raw):
        raw = raw[len(opening) : -1]
        if opening == "{":
            raw = _CONVERSION.sub("", raw, count=1)
    elif opening:
        return None
    raw = raw.strip().rstrip("=")
    if (
        not raw
        or raw in _BARE_CONVERSIONS
        or raw.isdigit()
        or len(raw) > _NAME_LENGTH
        or "\n" in raw
    ):
        return None
    return raw
