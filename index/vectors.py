"""The vector cache: a file of its own, keyed by (encoder fingerprint, text hash).

It is a cache: a damaged or lost one costs time, nothing else.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from index.encoder import Vectors
from records.closing import Closes
from records.store.failures import storage

CACHE = "vectors.sqlite"
_CACHE_VERSION = 1
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_SCHEMA = f"""
    CREATE TABLE IF NOT EXISTS vectors (
        encoder TEXT NOT NULL,
        text BLOB NOT NULL,
        vector BLOB NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (encoder, text)
    ) WITHOUT ROWID;
    PRAGMA user_version = {_CACHE_VERSION};
"""


class VectorCache(Closes):
    """Vectors as 16-bit floats, with a checksum each."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Take an open connection; use `VectorCache.open`."""
        self._connection = connection
        self._path = path

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the cache of a data folder for writing; a damaged one starts afresh.

        Raises:
            StorageFailed: no permission, no space.
        """
        path = folder / CACHE
        with storage(path):
            try:
                return cls(_connect(path), path)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                _put_aside(path)
                return cls(_connect(path), path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def put(self, encoder: str, texts: Sequence[bytes], vectors: Vectors) -> None:
        """Store one batch in one transaction: vectors[i] belongs to the hash texts[i]."""
        rows = []
        for text, vector in zip(texts, vectors.astype(np.float16), strict=True):
            blob = vector.tobytes()
            rows.append((encoder, text, blob, zlib.crc32(blob)))
        with storage(self._path):
            try:
                self._insert(rows)
            except sqlite3.DatabaseError as error:
                self._start_afresh(error)
                self._insert(rows)

    def get(self, encoder: str, texts: Sequence[bytes]) -> tuple[Vectors, list[int]]:
        """Fetch vectors.

        Returns:
            float32 array of shape (m, dimension) and the m positions in `texts`, rising, that
            have a sound vector.
        """
        wanted = {text: position for position, text in enumerate(texts)}
        found: dict[int, bytes] = {}
        for text, blob, checksum in self._rows(encoder, wanted):
            if text in wanted and zlib.crc32(blob) == checksum:
                found[wanted[text]] = blob
        found |= _repeated(texts, wanted, found)
        positions = sorted(found)
        if not positions:
            return np.zeros((0, 0), dtype=np.float32), []
        half = np.frombuffer(b"".join(found[place] for place in positions), dtype=np.float16)
        return half.reshape(len(positions), -1).astype(np.float32), positions

    @property
    def empty(self) -> bool:
        """Whether no vector of any encoder is stored."""
        with storage(self._path):
            return self._connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is None

    def missing(self, encoder: str, texts: Sequence[bytes]) -> list[int]:
        """The positions in `texts` without a sound vector, first of equal texts only."""
        found = {texts[position] for position in self.get(encoder, texts)[1]}
        positions: list[int] = []
        for position, text in enumerate(texts):
            if text not in found:
                found.add(text)
                positions.append(position)
        return positions

    def _rows(self, encoder: str, wanted: Iterable[bytes]) -> list[_Row]:
        with storage(self._path):
            try:
                return self._select(encoder, list(wanted))
            except sqlite3.DatabaseError as error:
                self._start_afresh(error)
                return []

    def _select(self, encoder: str, keys: list[bytes]) -> list[_Row]:
        columns = "SELECT text, vector, checksum FROM vectors WHERE encoder = ?"
        if len(keys) > _SCAN_OVER:
            return self._connection.execute(columns, (encoder,)).fetchall()
        one = columns + " AND text = ?"
        rows = (self._connection.execute(one, (encoder, key)).fetchone() for key in keys)
        return [row for row in rows if row]

    def _insert(self, rows: list[tuple[str, bytes, bytes, int]]) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    def _start_afresh(self, error: sqlite3.DatabaseError) -> None:
        """Go on with an empty file where this one is damaged; raise any other error again."""
        if not _is_damage(error):
            raise error
        self._connection.close()
        _put_aside(self._path)
        self._connection = _connect(self._path)


_Row = tuple[bytes, bytes, int]

# Above this many keys one pass over the table is cheaper than a look-up each.
_SCAN_OVER = 2_000


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30.0)
    try:
        connection.executescript(_SCHEMA)
        connection.execute("SELECT count(*) FROM (SELECT 1 FROM vectors LIMIT 1)").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)


def _put_aside(path: Path) -> None:
    path.replace(path.with_suffix(".damaged"))


def _repeated(
    texts: Sequence[bytes], wanted: dict[bytes, int], found: dict[int, bytes]
) -> dict[int, bytes]:
    """Equal texts at other positions than the one that was looked up."""
    return {
        position: found[wanted[text]]
        for position, text in enumerate(texts)
        if position != wanted[text] and wanted[text] in found
    }
