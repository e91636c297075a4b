"""Example pastes that come with errsage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

FOLDER = "examples"
LIST = "examples.json"


@dataclass(frozen=True, slots=True)
class Example:
    """A paste to try: the words on its button, and the text."""

    title: str
    text: str


def examples() -> tuple[Example, ...]:
    """The packaged examples, in the order of their list; none where they are missing."""
    folder = files("ui") / FOLDER
    listed = folder / LIST
    if not listed.is_file():
        return ()
    entries = json.loads(listed.read_text(encoding="utf-8"))
    return tuple(_example(folder, entry) for entry in entries)


def _example(folder: Traversable, entry: dict[str, object]) -> Example:
    text = (folder / str(entry["file"])).read_text(encoding="utf-8")
    return Example(str(entry["title"]), text)
