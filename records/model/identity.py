"""Identity of a record: its id and its slug."""

from __future__ import annotations

import hashlib
import re

_SEPARATOR = "\u0001"
_SLUG_LENGTH = 50


def record_id(*, repo: str, code: str | None, message: str, path: str) -> str:
    """Compute a record's id, 16 hex digits.

    Source: the dataset's formula, sha256(repo + U+0001 + (code or message) + U+0001 + path).
    """
    text = _SEPARATOR.join((repo, code or message, path))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def slug_of(message: str) -> str:
    """Make a kebab-case slug from a message template; not unique within a repo."""
    words = re.sub(r"[^a-z0-9]+", "-", message.lower()).strip("-")
    return words[:_SLUG_LENGTH].strip("-") or "error"
