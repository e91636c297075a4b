"""What a lost store or vector cache can be given back from the index.

A generation holds every served record as it was received, and every vector; a store or a cache
that is missing or empty is filled from it before anything is written, so that the next
generation never holds less than the last one did.
"""

from __future__ import annotations

import json
from pathlib import Path

from assistant.progress import Meter, Report
from index.encoder import Encoder
from index.entry import Entry
from index.errors import IndexFault
from index.index import Index
from index.text import record_text, text_hash
from index.vectors import VectorCache
from records.model.quality import STAGE_FLAGS, prose, words_of
from records.store.store import Store
from records.store.versions import Version

_BATCH = 5_000


def restore(
    folder: Path, store: Store, cache: VectorCache, encoder: Encoder, report: Report
) -> None:
    """Fill an empty store, and an empty cache, with what the index holds.

    Only the version that was served of each record is there to be restored.
    """
    lost_records, lost_vectors = store.empty, cache.empty
    if not lost_records and not lost_vectors:
        return
    try:
        index = Index.open(folder)
    except IndexFault:
        return  # nothing that could be read: the new generation replaces it
    if index is None:
        return
    if lost_records and len(index):
        _restore_records(index, store, report)
    made_by = index.manifest.encoder
    if lost_vectors and made_by is not None and made_by.fingerprint == encoder.fingerprint:
        _restore_vectors(index, cache, encoder)


def _restore_records(index: Index, store: Store, report: Report) -> None:
    """In one transaction, since a store that is half restored is not empty any more."""
    meter = Meter("restore", report, total=len(index))
    store.put(_version(entry) for entry in index.entries())
    meter.finish(len(index))
    if index.manifest.stages_pending == 0:
        store.put_stage_flags(
            {
                (entry.body["id"], entry.source): entry.flags & STAGE_FLAGS
                for entry in index.entries()
            }
        )


def _version(entry: Entry) -> Version:
    return Version(
        id=entry.body["id"],
        source=entry.source,
        received=json.dumps(entry.body, ensure_ascii=False, separators=(",", ":")),
        sidecar=entry.sidecar,
        flags=entry.flags - STAGE_FLAGS,
        words=words_of(prose(entry.record)),
        dataset_version=entry.dataset_version,
    )


def _restore_vectors(index: Index, cache: VectorCache, encoder: Encoder) -> None:
    vectors, numbers = index.vectors()
    for start in range(0, len(numbers), _BATCH):
        part = numbers[start : start + _BATCH]
        texts = [text_hash(record_text(index.entry(number).body)) for number in part]
        cache.put(encoder.fingerprint, texts, vectors[start : start + _BATCH])
