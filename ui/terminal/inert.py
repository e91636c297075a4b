"""Text of pastes and records, made harmless for a terminal."""

from __future__ import annotations

import re

# Control characters but line feed and tab, and the characters that turn text around.
_SIGN = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
_ACTIVE = re.compile(rf"\x1b\[[0-?]*[ -/]*[@-~]|{_SIGN}")


def inert(text: str) -> str:
    """Show escape sequences and direction marks as the sign for the unknown, never act on them."""
    return (
        _ACTIVE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
        .encode("utf-8", "replace")
        .decode("utf-8")
    )


def inert_json(text: str) -> str:
    """The same JSON value, with those characters of its strings written as escapes."""
    return re.sub(_SIGN, lambda found: f"\\u{ord(found.group()):04x}", text)


def one_line(text: str, *, width: int = 200) -> str:
    """A text on one line, shortened at its end."""
    joined = " ".join(inert(text).split())
    return joined if len(joined) <= width else joined[: width - 1] + "…"
