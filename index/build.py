"""From the store to a generation: what search serves, written as plain files."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from index.blob import write_array, write_blob
from index.dense import QUANTISER, write_dense
from index.encoder import Encoder, Vectors
from index.entry import IDS, RECORDS, entry_text
from index.errors import IndexDamaged
from index.exact import TemplateEntry, write_exact
from index.generation import (
    INDEX_VERSION,
    EncoderEntry,
    Manifest,
    collect,
    current_folder,
    describe_files,
    new_generation,
    publish,
)
from index.text import TEXT_VERSION, record_text, text_hash
from index.vectors import VectorCache
from records.model.template import template
from records.store.failures import storage
from records.store.store import Store
from records.store.versions import Served


@dataclass
class _Gathered:
    """What one walk over the served records collects."""

    ids: list[int] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    templates: dict[str, tuple[tuple[str, ...], list[int]]] = field(default_factory=dict)
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    pending: int = 0
    repos: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    dataset_versions: set[str] = field(default_factory=set)
    flags: Counter[str] = field(default_factory=Counter)

    def take(self, served: Served) -> bytes:
        """Note one record; its number is its place in the order of ids."""
        version = served.version
        body = json.loads(version.received)
        number = len(self.ids)
        made = template(body["errorMessage"], body["messagePattern"])
        self.ids.append(int(version.id, 16))
        self.texts.append(text_hash(record_text(body)))
        self.templates.setdefault(made.key, (made.pieces, []))[1].append(number)
        self.pending += version.stage_flags is None
        self._count(served, str(body["repo"]))
        item = entry_text(served).encode()
        self.digest.update(item)
        return item

    def _count(self, served: Served, repo: str) -> None:
        self.repos.add(repo)
        self.sources.update(served.sources)
        self.flags.update(served.version.all_flags)
        if served.version.dataset_version:
            self.dataset_versions.add(served.version.dataset_version)


def build(store: Store, folder: Path, *, encoder: Encoder | None, cache: VectorCache) -> Manifest:
    """Write a generation from the store and make it current.

    Args:
        store: the source of truth.
        folder: the data folder.
        encoder: whose cached vectors to take in; None for an index without any.
        cache: the vector cache.

    Raises:
        StorageFailed: no permission, no space; the old generation stays current.
    """
    previous = _previous(folder)
    with new_generation(folder) as partial, storage(partial):
        revision = store.revision
        gathered = _Gathered()
        write_blob(partial, RECORDS, _items(store, gathered), compress=True)
        write_array(partial / IDS, np.array(gathered.ids, dtype=np.uint64))
        entries = [
            TemplateEntry(pieces, tuple(numbers)) for pieces, numbers in gathered.templates.values()
        ]
        write_exact(partial, entries)
        vectors, numbers = _cached(gathered.texts, encoder, cache)
        if encoder is not None and numbers:
            write_dense(partial, vectors, numbers)
        manifest = Manifest(
            index_version=INDEX_VERSION,
            text_version=TEXT_VERSION,
            store_revision=revision,
            records=len(gathered.ids),
            templates=len(entries),
            record_set=gathered.digest.hexdigest(),
            stages_pending=gathered.pending,
            encoder=_encoder_entry(encoder, vectors) if numbers else None,
            vectors=len(numbers),
            quantiser=QUANTISER if numbers else None,
            repos=len(gathered.repos),
            sources=len(gathered.sources),
            dataset_versions=tuple(sorted(gathered.dataset_versions)),
            flags=dict(sorted(gathered.flags.items())),
            files=describe_files(partial, previous),
        )
        publish(partial, manifest)
    collect(folder)
    return manifest


def _items(store: Store, gathered: _Gathered) -> Iterator[bytes]:
    return (gathered.take(served) for served in store.served())


def _cached(
    texts: list[bytes], encoder: Encoder | None, cache: VectorCache
) -> tuple[Vectors, list[int]]:
    if encoder is None:
        return np.zeros((0, 0), dtype=np.float32), []
    return cache.get(encoder.fingerprint, texts)


def _encoder_entry(encoder: Encoder | None, vectors: Vectors) -> EncoderEntry | None:
    if encoder is None:
        return None
    return EncoderEntry(
        id=encoder.id, fingerprint=encoder.fingerprint, dimension=int(vectors.shape[1])
    )


def _previous(folder: Path) -> Path | None:
    try:
        return current_folder(folder)
    except IndexDamaged:
        return None  # nothing to link to; the new generation replaces the damaged pointer
