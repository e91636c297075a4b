"""What was read out of a paste, told back to the person who pasted it."""

from __future__ import annotations

from assistant.paste.parsed import Link, Understood
from ui.render.elements import Element, Node, element
from ui.render.visible import shortened
from ui.render.words import count

# A message may run over a page; its beginning is enough to recognise it.
MESSAGE_LENGTH = 240
# Links told one by one; the summary counts all.
LINKS = 20


def understood(value: Understood, matched: int | None) -> Element | None:
    """Tell the links of the exception chain, the codes, and what was left out.

    Args:
        value: what was understood.
        matched: the position of the link that the leading record matched, if any.
    """
    lines = [_link(link, at == matched) for at, link in enumerate(value.links[:LINKS])]
    remarks = _remarks(value)
    if not lines and not remarks:
        return None
    return element(
        "details",
        element("summary", _summary(value)),
        element("ol", *lines) if lines else None,
        *[element("p", remark) for remark in remarks],
        css="es-understood",
    )


def _summary(value: Understood) -> str:
    if value.question:
        return "Read as a question in your own words"
    exceptions = sum(link.kind == "exception" for link in value.links)
    lines = len(value.links) - exceptions
    parts = [count(exceptions, "exception")] if exceptions else []
    parts += [f"{count(lines, 'line')} of text"] if lines else []
    return f"Read from your paste: {' and '.join(parts) or 'codes only'}"


def _link(link: Link, matched: bool) -> Element:
    message = shortened(link.message, MESSAGE_LENGTH)
    named: tuple[Node, ...] = (
        (element("strong", link.error_class), ": ") if link.error_class else ()
    )
    frames = f" ({count(len(link.frames), 'frame')})" if link.frames else ""
    found = element("span", "matched", css="es-badge es-exact") if matched else None
    return element("li", *named, element("code", message) if message else None, frames, " ", found)


def _remarks(value: Understood) -> list[str]:
    codes = [f"Codes: {', '.join(value.codes)}"] if value.codes else []
    return codes + ([f"Left out: {value.left_out}"] if value.left_out else [])
