"""Generations: an index is a folder, written beside the old one and made current by a rename.

Layout of a data folder's `index/`: `CURRENT` holds the name of the served generation
`gen-000001/`; `gen-000002.partial/` is one being written.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from index.errors import IndexDamaged, IndexTooNew, cannot_read
from index.readers import unread
from records.stages import announce
from records.store.failures import storage

INDEX = "index"
INDEX_VERSION = 1
CURRENT = "CURRENT"
MANIFEST = "manifest.json"
_PARTIAL = ".partial"
_NAME = re.compile(r"gen-(\d{6,})")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class FileEntry(_Frozen):
    """One file of a generation."""

    bytes: int
    sha256: str


class EncoderEntry(_Frozen):
    """The encoder that made a generation's vectors."""

    id: str
    fingerprint: str
    dimension: int


class Manifest(_Frozen):
    """What a generation consists of.

    `flags` counts records by quality flag; `record_set` is a digest over what is served;
    `vectors` counts records with a vector; `stages_pending` counts stored versions that the
    quality stage has not seen.
    """

    index_version: int
    text_version: int
    store_revision: int
    records: int
    templates: int
    record_set: str
    stages_pending: int
    encoder: EncoderEntry | None
    vectors: int
    quantiser: str | None
    repos: int
    sources: int
    dataset_versions: tuple[str, ...]
    flags: dict[str, int]
    files: dict[str, FileEntry]


def current_folder(folder: Path) -> Path | None:
    """The current generation of a data folder; None where nothing was ever indexed.

    Raises:
        IndexDamaged: CURRENT names no generation.
    """
    pointer = folder / INDEX / CURRENT
    try:
        name = pointer.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_read(pointer, error) from error
    if not _NAME.fullmatch(name):
        raise IndexDamaged(f"{pointer}: names no generation; run errsage rebuild")
    return folder / INDEX / name


def read_manifest(generation: Path) -> Manifest:
    """Read a generation's manifest; an absent field is a mismatch.

    Raises:
        IndexDamaged: missing or broken.
        IndexTooNew: written by a newer errsage.
    """
    path = generation / MANIFEST
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise cannot_read(path, error) from error
    except ValidationError as error:
        raise _unreadable(path, error) from error
    if manifest.index_version > INDEX_VERSION:
        raise IndexTooNew(_too_new(path, manifest.index_version))
    return manifest


def refuse_newer(folder: Path) -> None:
    """Refuse to replace an index that a newer errsage wrote; a damaged one may be replaced.

    Raises:
        IndexTooNew: it is newer.
    """
    with contextlib.suppress(IndexDamaged):
        if generation := current_folder(folder):
            read_manifest(generation)


def check_sizes(generation: Path, manifest: Manifest) -> None:
    """Compare the size of every file with the manifest.

    Raises:
        IndexDamaged: a file is missing or of another size.
    """
    for name, entry in manifest.files.items():
        path = generation / name
        size = path.stat().st_size if path.is_file() else None
        if size != entry.bytes:
            found = "missing" if size is None else f"{size:,} bytes instead of {entry.bytes:,}"
            raise IndexDamaged(f"{path}: {found}; run errsage rebuild")


def check_digest(generation: Path, manifest: Manifest, name: str) -> None:
    """Compare one file's content with the manifest.

    Raises:
        IndexDamaged: the content is another.
    """
    path = generation / name
    entry = manifest.files.get(name)
    try:
        found = digest(path)
    except OSError as error:
        raise cannot_read(path, error) from error
    if entry is None or found != entry.sha256:
        raise IndexDamaged(f"{path}: its checksum differs; run errsage rebuild")


def digest(path: Path) -> str:
    """The sha256 of a file, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def new_generation(folder: Path) -> Iterator[Path]:
    """Give a folder to write a generation in; removed again when the writing fails."""
    index = folder / INDEX
    with storage(index):
        index.mkdir(parents=True, exist_ok=True)
        # What a sudden death left behind takes space that the new one may need.
        with contextlib.suppress(IndexDamaged):
            collect(folder)
        partial = index / f"{_next_name(index)}{_PARTIAL}"
        partial.mkdir()
        announce("generation: writing")
        try:
            yield partial
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def describe_files(partial: Path, previous: Path | None) -> dict[str, FileEntry]:
    """Hash every file of a new generation; one that did not change becomes a hard link."""
    files: dict[str, FileEntry] = {}
    for path in sorted(partial.iterdir()):
        entry = FileEntry(bytes=path.stat().st_size, sha256=digest(path))
        files[path.name] = entry
        _link_unchanged(path, entry, previous)
    return files


def publish(partial: Path, manifest: Manifest) -> Path:
    """Make a written generation current: fsync, then one atomic rename of CURRENT."""
    index = partial.parent
    text = manifest.model_dump_json(by_alias=True, indent=1)
    (partial / MANIFEST).write_text(text, encoding="utf-8")
    for path in (*partial.iterdir(), partial):
        _fsync(path)
    final = partial.with_name(partial.name.removesuffix(_PARTIAL))
    pointer = index / f"{CURRENT}{_PARTIAL}"
    pointer.write_text(final.name + "\n", encoding="utf-8")
    _fsync(pointer)
    partial.rename(final)
    _fsync(index)
    announce("generation: before the rename")
    pointer.replace(index / CURRENT)
    _fsync(index)
    announce("generation: after the rename")
    return final


def collect(folder: Path) -> tuple[Path, ...]:
    """Delete generations that are neither current nor being read, and unfinished ones."""
    keep = current_folder(folder)
    removed: list[Path] = []
    for path in sorted((folder / INDEX).glob("gen-*")):
        if path == keep:
            continue
        with unread(path / MANIFEST) as deletable:
            if not deletable:
                continue
            announce("generation: deleting the old one")
            shutil.rmtree(path, ignore_errors=True)
        removed.append(path)
    return tuple(removed)


def _next_name(index: Path) -> str:
    numbers = [
        int(found.group(1))
        for path in index.iterdir()
        if (found := _NAME.fullmatch(path.name.removesuffix(_PARTIAL)))
    ]
    return f"gen-{max(numbers, default=0) + 1:06d}"


def _link_unchanged(path: Path, entry: FileEntry, previous: Path | None) -> None:
    old = previous / path.name if previous else None
    if old is None or not old.is_file() or old.stat().st_size != entry.bytes:
        return
    linked = path.with_name(path.name + ".link")
    try:
        if digest(old) != entry.sha256:
            return
        os.link(old, linked)
    except OSError:
        return  # unreadable, or a file system without hard links: the copy stays
    linked.replace(path)


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unreadable(path: Path, error: ValidationError) -> IndexDamaged | IndexTooNew:
    """A newer manifest may lack what this program requires: its version is told first."""
    found = re.search(rb'"indexVersion"\s*:\s*(\d{1,9})', path.read_bytes())
    if found and int(found.group(1)) > INDEX_VERSION:
        return IndexTooNew(_too_new(path, int(found.group(1))))
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"])) or "the file"
    return IndexDamaged(f"{path}: {place}: {first['msg'].lower()}; run errsage rebuild")


def _too_new(path: Path, version: int) -> str:
    return (
        f"{path}: the index has version {version}, this errsage reads up to {INDEX_VERSION}; "
        "upgrade errsage"
    )
