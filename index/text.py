"""The text of a record that is embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

# Rises whenever record_text changes, so that old vectors are not mistaken for new ones.
TEXT_VERSION = 1


def record_text(body: Mapping[str, Any]) -> str:
    """Join what tells a record apart, most telling first: the encoder cuts the tail.

    Args:
        body: a sound record as a JSON object.
    """
    name, message = body["errorClass"], body["errorMessage"]
    parts = (
        f"{name}: {message}" if name else message,
        body["errorCode"],
        body["documentation"],
        body["triggerScenarios"],
        body["commonSituations"],
        " ".join(body["solutions"]),
        " ".join(body["tags"]),
        body["repo"],
    )
    return "\n".join(part for part in parts if part)


def text_hash(text: str) -> bytes:
    """The key of a text in the vector cache, 16 bytes."""
    return hashlib.blake2b(f"{TEXT_VERSION}\n{text}".encode(), digest_size=16).digest()
