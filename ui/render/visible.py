"""Text from records and pastes, made visible and inert.

One table does it all in one pass: HTML's special characters and those that Markdown, LaTeX or
a template engine could read become character references; control and bidirectional
characters become something a person can see.
"""

from __future__ import annotations

_CONTROL_PICTURES = 0x2400
_DELETE_PICTURE = "\u2421"

# Characters that change the order of what is read, or hide text in text.
_DECEPTIVE = (
    0x061C,
    *range(0x200E, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0x80, 0xA0),
    *range(0xE0000, 0xE0080),
)
_LINE_ENDS = (0x0A, 0x2028, 0x2029)
_REFERENCED = "&<>\"'`${}\\"


def _table() -> dict[int, str]:
    table = {code: chr(_CONTROL_PICTURES + code) for code in range(0x20)}
    table[0x7F] = _DELETE_PICTURE
    table |= {code: f"\u27e6U+{code:04X}\u27e7" for code in _DECEPTIVE}
    # A lone surrogate cannot be sent as UTF-8.
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    table |= dict.fromkeys(_LINE_ENDS, "&#10;")
    table |= {0x09: "&#9;"}
    return table | {ord(char): f"&#{ord(char)};" for char in _REFERENCED}


_TABLE = _table()


def escaped(text: str) -> str:
    r"""Give text as HTML that holds no markup and no line break of its own.

    `\r\n` counts as one line break.
    """
    return text.replace("\r\n", "\n").translate(_TABLE)


def shortened(text: str, limit: int) -> str:
    """Cut a text that is too long to read, and say how much is not shown."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"
