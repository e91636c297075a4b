"""An error message as people met it: the template with the captured values filled in."""

from __future__ import annotations

from assistant.result import Hit
from records.model.template import Template, template
from ui.render.elements import Element, Node, element
from ui.render.visible import shortened

# A captured value may be a whole page of a log.
VALUE_LENGTH = 240


def filled(hit: Hit) -> Element:
    """The message with values; placeholders without a value are shown by name."""
    read = template(hit.record.error_message, hit.record.message_pattern)
    values = [value for _, value in hit.captures]
    complete = len(values) == len(read.names)
    middles = [
        _value(name, values[at]) if complete else element("var", f"{{{name}}}")
        for at, name in enumerate(read.names)
    ]
    return element("code", *_interleaved(read, middles), css="es-message")


def in_short(hit: Hit, limit: int = 200) -> str:
    """The template as one line of plain text."""
    return shortened(" ".join(hit.record.error_message.split()), limit)


def _value(name: str, value: str) -> Element:
    return element("mark", shortened(value, VALUE_LENGTH), title=f"{name} in your text")


def _interleaved(read: Template, middles: list[Element]) -> list[Node]:
    nodes: list[Node] = [read.pieces[0]]
    for piece, middle in zip(read.pieces[1:], middles, strict=True):
        nodes += [middle, piece]
    return nodes
