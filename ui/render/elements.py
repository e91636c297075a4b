"""A tree of HTML elements that can only escape.

Text enters as `str` and is always escaped; markup exists only as `Element`, whose tags and
attributes are those listed here. There is no way to insert HTML that came as text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ui.render.visible import escaped

Tag = Literal[
    "a",
    "article",
    "aside",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "footer",
    "h1",
    "h2",
    "h3",
    "header",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "section",
    "span",
    "strong",
    "summary",
    "ul",
    "var",
]
_TAGS = frozenset(get_args(Tag))
_ATTRIBUTES = frozenset(
    {"class", "href", "open", "rel", "role", "start", "tabindex", "target", "title"}
)

Node: TypeAlias = "Element | str"


@dataclass(frozen=True, slots=True)
class Element:
    """One HTML element.

    Attributes:
        tag: one of the tags of `Tag`.
        children: elements, and text that will be escaped.
        attributes: (name, value); values are escaped.
    """

    tag: Tag
    children: tuple[Node, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what this tree is not meant to hold."""
        if self.tag not in _TAGS:
            raise ValueError(f"<{self.tag}> is not an element of answers")
        for name, value in self.attributes:
            if name not in _ATTRIBUTES:
                raise ValueError(f"{name}= is not an attribute of answers")
            if name == "href" and not value.startswith("https://"):
                raise ValueError(f"{value[:80]!r} is not an https link")


def element(tag: Tag, *children: Node | None, css: str = "", **attributes: str) -> Element:
    """Make an element.

    Args:
        tag: the element's name.
        children: elements or text; None is left out, so that optional parts read well.
        css: the class attribute.
        attributes: further attributes; empty ones are left out.
    """
    given = {"class": css, **attributes}
    return Element(
        tag,
        tuple(child for child in children if child is not None),
        tuple((name, value) for name, value in given.items() if value),
    )


def link(url: str, text: str) -> Element:
    """A link that leaves the page in a tab of its own.

    Raises:
        ValueError: the address does not begin with https://.
    """
    return element("a", text, href=url, target="_blank", rel="noopener noreferrer")


def joined(parts: Iterable[Node | None], separator: str = " · ") -> tuple[Node, ...]:
    """Put a separator between the parts that are there."""
    present = [part for part in parts if part]
    spread: list[Node] = []
    for part in present:
        spread += [separator, part] if spread else [part]
    return tuple(spread)


def render(node: Node) -> str:
    """Write a tree as HTML, in one line."""
    if isinstance(node, str):
        return escaped(node)
    attributes = "".join(f' {name}="{escaped(value)}"' for name, value in node.attributes)
    inner = "".join(render(child) for child in node.children)
    return f"<{node.tag}{attributes}>{inner}</{node.tag}>"
