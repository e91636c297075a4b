"""What is in a data folder."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from assistant.paste.parsed import Frozen
from index.generation import INDEX, Manifest, current_folder, read_manifest
from index.vectors import CACHE
from records.errors import StorageFailed
from records.store.store import STORE, Store, has_store


class DiskUse(Frozen):
    """Bytes on disk."""

    store: int
    index: int
    vectors: int


class Status(Frozen):
    """What is stored and searchable.

    `dense_coverage` is the share of records with a vector, 0..1. `pending` says in sentences
    what is not finished, and which command finishes it.
    """

    folder: str
    records: int
    repos: int
    sources: int
    dataset_versions: tuple[str, ...]
    encoder: str | None
    vectors: int
    dense_coverage: float = Field(ge=0, le=1)
    flags: dict[str, int]
    disk: DiskUse
    pending: tuple[str, ...]


def read_status(folder: Path) -> Status:
    """Read what is in a data folder; an empty one has a status too.

    Raises:
        IndexDamaged, IndexTooNew: the index cannot be read.
        StoreTooNew, StoreDamaged: the store cannot be read.
    """
    generation = current_folder(folder)
    manifest = read_manifest(generation) if generation else None
    return Status(
        folder=str(folder),
        records=manifest.records if manifest else 0,
        repos=manifest.repos if manifest else 0,
        sources=manifest.sources if manifest else 0,
        dataset_versions=manifest.dataset_versions if manifest else (),
        encoder=manifest.encoder.id if manifest and manifest.encoder else None,
        vectors=manifest.vectors if manifest else 0,
        dense_coverage=_coverage(manifest),
        flags=manifest.flags if manifest else {},
        disk=DiskUse(
            store=_bytes(folder / STORE),
            index=sum(_bytes(path) for path in (folder / INDEX).rglob("*")),
            vectors=_bytes(folder / CACHE),
        ),
        pending=_pending(folder, manifest),
    )


def stored_records(folder: Path) -> int:
    """The number of records in the store; 0 where there is no store."""
    if not has_store(folder):
        return 0
    with Store.open(folder) as store:
        return store.counts()["records"]


def _coverage(manifest: Manifest | None) -> float:
    if manifest is None or not manifest.records:
        return 0.0
    return round(manifest.vectors / manifest.records, 4)


def _pending(folder: Path, manifest: Manifest | None) -> tuple[str, ...]:
    told = list(apart(folder, manifest))
    if manifest is not None and manifest.vectors < manifest.records:
        missing = manifest.records - manifest.vectors
        told.append(f"{missing:,} records have no vector yet: errsage embed")
    if manifest is not None and manifest.stages_pending:
        count = manifest.stages_pending
        told.append(f"{count:,} records are not checked against the others yet: errsage embed")
    return tuple(told)


def apart(folder: Path, manifest: Manifest | None) -> tuple[str, ...]:
    """Say where store, vector cache and index do not hold the same, and what brings them together.

    Raises:
        StoreTooNew, StoreDamaged: the store cannot be read.
    """
    try:
        revision = _revision(folder)
    except StorageFailed as error:
        return (str(error),)
    told: list[str] = []
    if manifest is None:
        return ("there are stored records, but no index: errsage rebuild",) if revision else ()
    if manifest.records and not revision:
        told.append(
            f"the store is missing, while the index holds {manifest.records:,} records: errsage "
            "rebuild restores it from the index"
        )
    elif manifest.store_revision != revision:
        told.append("the store has records that are not in the index yet: errsage rebuild")
    if manifest.vectors and not (folder / CACHE).is_file():
        told.append("the vector cache is missing: errsage rebuild restores it from the index")
    return tuple(told)


def _revision(folder: Path) -> int:
    """How often the store was changed; 0 where there is none."""
    if not has_store(folder):
        return 0
    with Store.open(folder) as store:
        return store.revision


def _bytes(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
