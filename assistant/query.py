"""From a parsed paste to what the dense tier is asked."""

from __future__ import annotations

from assistant.paste.read import ParsedPaste

_LINK_CHARS = 600
_TEXT_CHARS = 1_500


def dense_text(paste: ParsedPaste) -> str:
    """The text to embed: class and message of the last link, or the question as it stands."""
    links = paste.understood.links
    if links and links[-1].kind == "exception":
        last = links[-1]
        return f"{last.error_class}: {last.message[:_LINK_CHARS]}"
    return paste.clean.text.strip()[:_TEXT_CHARS]
