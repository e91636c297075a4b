r"""Prose of records: paragraphs, inline code, fenced code and lists; everything else is text.

Emphasis, links, images, headings, HTML, entities and backslash escapes are not read: in prose
about code `__init__`, `2**31` and `C:\new` are meant as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ui.render.elements import Element, Node, Tag, element
from ui.render.visible import shortened

# Longest prose shown; the longest field of the development records has 1,700 characters.
PROSE_LENGTH = 20_000
CODE_LENGTH = 20_000

_MARKDOWN = MarkdownIt("zero", {"maxNesting": 12}).enable(["fence", "list", "backticks"])
_CONTAINERS: dict[str, Tag] = {
    "paragraph_open": "p",
    "bullet_list_open": "ul",
    "ordered_list_open": "ol",
    "list_item_open": "li",
}


def prose(text: str) -> tuple[Element, ...]:
    """Read prose into elements."""
    tokens = iter(_MARKDOWN.parse(shortened(text, PROSE_LENGTH)))
    return tuple(node for node in _nodes(tokens) if isinstance(node, Element))


def phrase(text: str) -> tuple[Node, ...]:
    """Read prose that stands in a line of its own, such as one fix of a list.

    A single paragraph is given without its `<p>`.
    """
    blocks = prose(text)
    if len(blocks) == 1 and blocks[0].tag == "p":
        return blocks[0].children
    return blocks


def code_block(code: str, title: str) -> Element:
    """Code as it stands; the block scrolls by itself and can be reached by keyboard."""
    shown = element("code", shortened(code.strip("\n"), CODE_LENGTH))
    return element("pre", shown, role="region", tabindex="0", title=title)


def _nodes(tokens: Iterator[Token]) -> Iterator[Node]:
    """The nodes up to the token that closes the present container."""
    for token in tokens:
        if token.nesting == -1:
            return
        if token.type == "inline":
            yield from _inline(token.children or [])
        elif token.type == "fence":
            yield code_block(token.content, "Code")
        elif token.nesting == 1:
            yield _container(token, tuple(_nodes(tokens)))


def _container(token: Token, children: tuple[Node, ...]) -> Element:
    if token.type == "paragraph_open" and token.hidden:
        return element("span", *children)
    start = str(token.attrs.get("start", ""))
    return element(_CONTAINERS[token.type], *children, start=start)


def _inline(tokens: list[Token]) -> Iterator[Node]:
    for token in tokens:
        yield element("code", token.content) if token.type == "code_inline" else token.content
