"""Do paths of a paste and of a record agree?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assistant.paste.parsed import Frame

# Folders in which repositories keep their packages; they say nothing about the library.
_SOURCE_ROOTS = frozenset({"src", "lib", "python", "packages", "pkg", "core", "source", "crates"})


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a path, whatever separators it uses."""
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))


def common_suffix(one: str, other: str) -> int:
    """The number of trailing parts that two paths share."""
    count = 0
    for left, right in zip(reversed(parts_of(one)), reversed(parts_of(other)), strict=False):
        if left != right:
            break
        count += 1
    return count


def is_suffix(one: str, other: str) -> bool:
    """Tell whether one path is a suffix of the other, at a folder's border."""
    shorter = min(len(parts_of(one)), len(parts_of(other)))
    return shorter > 0 and common_suffix(one, other) == shorter


def library_names(body: Mapping[str, Any]) -> frozenset[str]:
    """The names under which a record's library may occur in a path or a text, lower case."""
    names = {str(body["repo"]).rsplit("/", 1)[-1].lower()}
    parts = [part for part in parts_of(str(body["filePath"]))[:-1] if part not in _SOURCE_ROOTS]
    if parts:
        names.add(parts[0].lower())
    return frozenset({name for name in names} | {name.replace("-", "_") for name in names})


def same_library(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two records of one template come from one library under two names.

    Repositories are one library when one's file path is a suffix of the other's.
    """
    return one["repo"] == other["repo"] or is_suffix(one["filePath"], other["filePath"])


def frame_agreement(frames: Iterable[Frame], body: Mapping[str, Any]) -> float:
    """How well the frames of a link fit a record's place, 0..1.

    1 for the innermost frame in the record's file; less for outer frames, for fewer equal
    trailing parts of the path, and where only the library agrees.
    """
    path = str(body["filePath"])
    names = library_names(body)
    best = 0.0
    for distance, frame in enumerate(reversed(tuple(frames))):
        score = _one_frame(frame.file, path, names) * (1.0 if distance == 0 else 0.8)
        best = max(best, score)
    return best


def in_library(file: str, names: frozenset[str]) -> bool:
    """Tell whether a frame's file lies in a library with one of these names."""
    folders = {part.lower() for part in parts_of(file)[:-1]}
    return bool(folders & names)


def _one_frame(file: str, path: str, names: frozenset[str]) -> float:
    shared = common_suffix(file, path)
    total = len(parts_of(path))
    if shared and (shared == total or shared >= 3):
        return 1.0
    if shared >= 2:
        return 0.8
    if in_library(file, names):
        return 0.6 if shared else 0.4
    return 0.0
