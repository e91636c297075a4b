"""Embedding what has no vector yet, in batches that are committed one by one."""

from __future__ import annotations

import json
from collections.abc import Callable

from assistant.progress import Meter, Report
from index.encoder import Encoder
from index.text import record_text, text_hash
from index.vectors import VectorCache
from records.stages import announce
from records.store.store import Store

# At 50 texts a second a batch is a few seconds: what a sudden death may lose.
BATCH = 128


def embed_missing(
    store: Store,
    encoder: Encoder,
    cache: VectorCache,
    *,
    limit: int | None,
    report: Report,
    committed: Callable[[], object],
) -> int:
    """Embed the stored versions that have no vector.

    Args:
        store: whose versions.
        encoder: loaded only when a vector is missing.
        cache: where vectors are looked up and committed.
        limit: embed at most so many texts.
        report: called with the progress.
        committed: called after every batch, when its vectors are safe.

    Returns:
        the number of texts embedded.

    Raises:
        ModelUnavailable: the weights cannot be had.
    """
    texts = _texts(store)
    hashes = [text_hash(text) for text in texts]
    missing = cache.missing(encoder.fingerprint, hashes)[:limit]
    # Neighbours of equal length share a batch, so that little of it is padding.
    missing.sort(key=lambda position: len(texts[position]))
    if not missing:
        return 0
    encoder.load()
    meter = Meter("embed", report, total=len(missing))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        announce("vectors: batch")
        vectors = encoder.encode([texts[position] for position in batch])
        cache.put(encoder.fingerprint, [hashes[position] for position in batch], vectors)
        announce("vectors: batch committed")
        meter.add(len(batch))
        committed()
    meter.finish()
    return len(missing)


def _texts(store: Store) -> list[str]:
    return [record_text(json.loads(version.received)) for version in store.versions()]
