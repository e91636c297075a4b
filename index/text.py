"""The text of a record that is embedded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

# Rises whenever record_text changes, so that old vectors are not mistaken for new ones.
TEXT_VERSION = 1
_SPLIT = re.compile(r"[^A-Za-z0-9]+")


def record_text(body: Mapping[str, Any]) -> str:
    """Join what tells a record apart, most telling first: the encoder cuts the tail.

    Tags and path stand early: on 69 development questions R@5 is 0.78 with them there, 0.75
    with the tags last and no path.

    Args:
        body: a sound record as a JSON object.
    """
    name, message = body["errorClass"], body["errorMessage"]
    parts = (
        f"{name}: {message}" if name else message,
        body["errorCode"],
        " ".join(body["tags"]),
        _path_words(body["filePath"]),
        body["documentation"],
        body["triggerScenarios"],
        body["commonSituations"],
        " ".join(body["solutions"]),
        body["repo"],
    )
    return "\n".join(part for part in parts if part)


def _path_words(path: str) -> str:
    return " ".join(_SPLIT.sub(" ", path.rsplit(".", 1)[0]).split())


def text_hash(text: str) -> bytes:
    """The key of a text in the vector cache, 16 bytes."""
    return hashlib.blake2b(f"{TEXT_VERSION}\n{text}".encode(), digest_size=16).digest()
