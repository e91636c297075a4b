"""Small records, stores and generations for the tests of index/."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from index.build import build
from index.encoder import Encoder, HashingEncoder, Vectors
from index.generation import Manifest
from index.index import Index, Query
from index.match_text import MatchText
from index.text import record_text, text_hash
from index.vectors import VectorCache
from records.model.identity import record_id
from records.model.record import read
from records.sources.found import Found
from records.store.store import Store
from records.store.versions import Version, version_of

ROOT = Path(__file__).resolve().parents[2]

MESSAGES = (
    "cannot open {path} for reading",
    "{name} is not a known encoding",
    "connection to {host} refused after {seconds} seconds",
    "the table has no column called {column}",
    "checksum of {file} differs",
    "a lock is held by process {pid}",
)
TEXTS = (
    "OSError: cannot open /tmp/x for reading",
    "LookupError: utf-9 is not a known encoding",
    "connection to db.local refused after 30 seconds",
    "the table has no column called prize",
    "checksum of a.bin differs",
    "a lock is held by process 4711",
)


def body(message: str = MESSAGES[0], **changes: Any) -> dict[str, Any]:
    """A sound record of schema 2; its id follows from what it says unless given."""
    made: dict[str, Any] = {
        "id": "",
        "repo": "acme/kit",
        "slug": "an-error",
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": None,
        "errorType": "exception",
        "errorClass": "KitError",
        "httpStatus": None,
        "severity": "error",
        "filePath": "kit/core.py",
        "lineNumber": 7,
        "sourceCode": None,
        "sourceCodeStart": None,
        "sourceCodeEnd": None,
        "githubUrl": "",
        "documentation": f"Raised when {message}.",
        "triggerScenarios": "",
        "commonSituations": "",
        "solutions": ["Look at the value."],
        "exampleFix": None,
        "handlingStrategy": None,
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": [],
        "backgroundTag": None,
        "analyzedSha": "0" * 40,
        "analyzedAt": "2025-01-01T00:00:00Z",
        "schemaVersion": 2,
    } | changes
    made["id"] = made["id"] or record_id(
        repo=made["repo"],
        code=made["errorCode"],
        message=made["errorMessage"],
        path=made["filePath"],
    )
    return made


def version(
    of: dict[str, Any],
    *,
    source: str = "one",
    sidecar: dict[str, Any] | None = None,
    dataset_version: str = "",
) -> Version:
    """The version of a record that one source gives."""
    found = Found(
        record=read(of),
        received=json.dumps(of, ensure_ascii=False),
        file="records.jsonl",
        position="line 1",
        dataset_version=dataset_version,
        sidecar=sidecar or {},
    )
    return version_of(found, source)


def versions() -> list[Version]:
    """One version for each of MESSAGES."""
    return [version(body(message)) for message in MESSAGES]


def store(folder: Path, added: Iterable[Version]) -> None:
    """Store versions in a data folder."""
    with Store.open(folder, writable=True) as opened:
        opened.put(added)


def embed(folder: Path, bodies: Sequence[dict[str, Any]], encoder: Encoder) -> None:
    """Put the vectors of records into the cache of a data folder."""
    texts = [record_text(one) for one in bodies]
    with VectorCache.open(folder) as cache:
        cache.put(encoder.fingerprint, [text_hash(text) for text in texts], encoder.encode(texts))


def publish(folder: Path, encoder: Encoder | None = None) -> Manifest:
    """Build a generation of what a data folder stores."""
    with Store.open(folder) as opened, VectorCache.open(folder) as cache:
        return build(opened, folder, encoder=encoder, cache=cache)


def indexed(folder: Path) -> Manifest:
    """Fill a data folder with all samples, vectors included, and build its index."""
    store(folder, versions())
    embed(folder, [body(message) for message in MESSAGES], HashingEncoder())
    return publish(folder, HashingEncoder())


def opened(folder: Path) -> Index:
    """Open the current generation, which is there."""
    index = Index.open(folder)
    assert index is not None
    return index


def vector_of(text: str) -> Vectors:
    """The hashing encoder's vector of one text."""
    return np.asarray(HashingEncoder().encode([text])[0], dtype=np.float32)


def everything(index: Index) -> list[object]:
    """All that an index answers about the samples: to compare two of them."""
    answers: list[object] = [
        (entry.body, entry.flags, entry.source, entry.sources, entry.sidecar)
        for entry in index.entries()
    ]
    for text in TEXTS:
        query = Query(MatchText.of(text), vector=vector_of(text), count=3)
        answers.append(index.candidates(query))
    answers.append([index.number_of(body(message)["id"]) for message in MESSAGES])
    return answers
