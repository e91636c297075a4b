"""The index: one open generation, and the searchers over it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from index.blob import Blob, read_array
from index.dense import DENSE, NUMBERS, DenseSearcher
from index.encoder import Vectors
from index.entry import IDS, RECORDS, Entry
from index.errors import IndexDamaged, cannot_read
from index.exact import (
    KEYS,
    STARTS,
    TEMPLATES,
    TEMPLATES_OF_KEYS,
    ExactSearcher,
    Occurrence,
)
from index.generation import (
    MANIFEST,
    Manifest,
    check_digest,
    check_sizes,
    current_folder,
    read_manifest,
)
from index.match_text import MatchText
from index.readers import Reading

_TRIES = 5
# Compared with their checksums at every open; the others are seen to be damaged where they are
# read.
_CHECKED = (KEYS, STARTS, TEMPLATES_OF_KEYS, f"{TEMPLATES}.npy", IDS, f"{RECORDS}.npy")


@dataclass(frozen=True, slots=True)
class Query:
    """What each searcher is asked.

    Attributes:
        text: for the exact tier.
        vector: for the dense tier, float32 of shape (dimension,), unit length; None where
            that tier is not asked.
        count: candidates of the dense tier at most.
    """

    text: MatchText
    vector: Vectors | None = None
    count: int = 50


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record that one searcher found.

    Attributes:
        number: the record's number in this generation.
        searcher: who found it.
        score: weight of the fixed text (exact), cosine (dense).
        occurrence: where its template occurs; exact tier only.
    """

    number: int
    searcher: Literal["exact", "dense"]
    score: float
    occurrence: Occurrence | None = None


class Index:
    """One generation, opened for reading; safe to use from several threads.

    As long as the object lives, no process deletes the generation.
    """

    def __init__(self, generation: Path) -> None:
        """Open a generation, checking it; use `Index.open` for the current one.

        Raises:
            IndexDamaged: a file is missing, cut or changed.
            IndexTooNew: written by a newer errsage.
            FileNotFoundError: the generation is gone.
        """
        self._reading = Reading(generation / MANIFEST)
        self.generation = generation
        self.manifest: Manifest = read_manifest(generation)
        check_sizes(generation, self.manifest)
        for name in _CHECKED:
            check_digest(generation, self.manifest, name)
        self._records = Blob(generation, RECORDS, compressed=True)
        self._ids = read_array(generation / IDS, np.uint64)
        if not len(self._records) == len(self._ids) == self.manifest.records:
            raise IndexDamaged(
                f"{generation / MANIFEST}: its count of records is wrong; run errsage rebuild"
            )
        self._exact = ExactSearcher(generation)
        self._dense: DenseSearcher | None = None
        self._lock = threading.Lock()

    @classmethod
    def open(cls, folder: Path) -> Index | None:
        """Open the current generation of a data folder; None where nothing was indexed.

        Raises:
            IndexDamaged: a file is missing, cut or changed.
            IndexTooNew: written by a newer errsage.
        """
        gone: FileNotFoundError | None = None
        for _ in range(_TRIES):
            generation = current_folder(folder)
            if generation is None:
                return None
            manifest = generation / MANIFEST
            try:
                return cls(generation)
            except FileNotFoundError as error:
                gone = error  # replaced and deleted meanwhile: read CURRENT again
            except OSError as error:
                raise cannot_read(Path(error.filename or manifest), error) from error
        raise IndexDamaged(f"{manifest}: missing; run errsage rebuild") from gone

    def __len__(self) -> int:
        """The number of records."""
        return len(self._records)

    def candidates(self, query: Query) -> tuple[Candidate, ...]:
        """Ask every searcher; nothing is fused here, since fusion needs the paste."""
        return (*self._exact_candidates(query), *self._dense_candidates(query))

    def entry(self, number: int) -> Entry:
        """Read one served record.

        Raises:
            IndexDamaged: its checksum does not fit.
        """
        return Entry.from_json(self._records[number])

    def entries(self) -> Iterator[Entry]:
        """Walk all served records in order of id."""
        return (self.entry(number) for number in range(len(self)))

    def number_of(self, record_id: str) -> int | None:
        """The number of a record by its id of 16 hex digits."""
        wanted = np.uint64(int(record_id, 16))
        place = int(np.searchsorted(self._ids, wanted))
        found = place < len(self._ids) and self._ids[place] == wanted
        return place if found else None

    def vectors(self) -> tuple[Vectors, list[int]]:
        """Give the vectors, float32 of shape (n, dimension), and their n record numbers."""
        if self.manifest.encoder is None:
            return np.zeros((0, 0), dtype=np.float32), []
        return self._dense_searcher().vectors()

    def faults(self) -> tuple[str, ...]:
        """Check every file against the manifest, and every record against its checksum."""
        told: list[str] = []
        for name in self.manifest.files:
            try:
                check_digest(self.generation, self.manifest, name)
            except IndexDamaged as error:
                told.append(str(error))
        return tuple(told)

    def _exact_candidates(self, query: Query) -> Iterator[Candidate]:
        for occurrence in self._exact.search(query.text):
            for number in occurrence.records:
                yield Candidate(number, "exact", occurrence.weight, occurrence)

    def _dense_candidates(self, query: Query) -> Iterator[Candidate]:
        if query.vector is None or self.manifest.encoder is None:
            return
        for number, cosine in self._dense_searcher().search(query.vector, query.count):
            yield Candidate(number, "dense", cosine)

    def _dense_searcher(self) -> DenseSearcher:
        with self._lock:
            if self._dense is None:
                for name in (DENSE, NUMBERS):
                    check_digest(self.generation, self.manifest, name)
                dimension = self.manifest.encoder.dimension if self.manifest.encoder else 0
                self._dense = DenseSearcher(self.generation, dimension=dimension)
            return self._dense
