"""What the reader of pastes understood: frozen values, positions in the pasted text."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

LinkKind = Literal["exception", "line"]


class Frozen(BaseModel):
    """Base of everything that is part of a result: frozen, camelCase in JSON."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Span(Frozen):
    """A half-open range of characters in the pasted text, as the user sent it."""

    start: int
    end: int


class Frame(Frozen):
    """One place of a stack: where the program was."""

    file: str
    line: int | None = None
    function: str | None = None
    source: str | None = None


class Link(Frozen):
    """One link of an exception chain, in the order of the paste.

    `kind` is "exception" when a class was read, "line" for a bare line of text.
    """

    kind: LinkKind
    error_class: str | None
    message: str
    span: Span
    frames: tuple[Frame, ...] = ()


class Understood(Frozen):
    """What was read out of a paste; part of every result."""

    links: tuple[Link, ...] = ()
    codes: tuple[str, ...] = ()
    left_out: str | None = None
    question: bool = False
