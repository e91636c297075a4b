"""The store: one SQLite file, the source of truth of a data folder.

It keeps the received JSON of every version, keyed by (id, source). Journal mode is DELETE, so
that the file can be read from a folder that may not be written to.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from records.closing import Closes
from records.errors import StorageFailed, StoreDamaged
from records.model.quality import Flag
from records.store.failures import damaged, storage
from records.store.schema import migrate, version_of_file
from records.store.versions import Served, Version

STORE = "store.sqlite"
_BUSY_SECONDS = 30.0

_SELECT = """
    SELECT v.id, s.name, v.received, v.sidecar, v.flags, v.words, v.dataset_version, v.stage_flags
    FROM versions v JOIN sources s ON s.number = v.source
"""


class Store(Closes):
    """All versions of all records of one data folder."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Take an open connection; use `Store.open`."""
        self._connection = connection
        self.path = path

    @classmethod
    def open(cls, folder: Path, *, writable: bool = False) -> Self:
        """Open the store of a data folder; a writable one is created or migrated.

        Raises:
            StoreTooNew: a newer errsage wrote it.
            StoreDamaged: the file is no store, or broken.
            StorageFailed: no permission, no space, nothing there to read.
        """
        path = folder / STORE
        with storage(path):
            if not writable and not path.exists():
                raise StorageFailed(f"{path}: there is no store; add records with errsage add")
            if not writable:
                _undo_half_commit(path)
            connection = _connect(path, mode="rwc" if writable else "ro")
            try:
                _prepare(connection, path, writable=writable)
            except BaseException:
                connection.close()
                raise
        return cls(connection, path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def revision(self) -> int:
        """A number that rises with every committed change."""
        with storage(self.path):
            return self._number("SELECT value FROM counters WHERE name = 'revision'")

    def put(self, versions: Iterable[Version]) -> int:
        """Store versions in one transaction; an equal (id, source) is replaced.

        Returns:
            the number of versions that are new or changed; an equal one changes nothing.
        """
        batch = list(versions)
        with storage(self.path), _transaction(self._connection):
            numbers = {
                name: self._source_number(name) for name in sorted({v.source for v in batch})
            }
            changed = sum(self._put_one(version, numbers[version.source]) for version in batch)
            if changed:
                self._raise_revision()
        return changed

    def served(self) -> Iterator[Served]:
        """Walk the served version of every id, in order of id."""
        for _, versions in groupby(self.versions(), key=lambda version: version.id):
            group = list(versions)
            lead = max(group, key=lambda version: version.preference) if group[1:] else group[0]
            yield Served(lead, tuple(sorted(version.source for version in group)))

    def versions(self, record_id: str | None = None) -> Iterator[Version]:
        """Walk every version, or those of one id, in order of id and source."""
        where, values = (" WHERE v.id = ?", (record_id,)) if record_id else ("", ())
        with storage(self.path):
            rows = self._connection.execute(_SELECT + where + " ORDER BY v.id, s.name", values)
            for row in rows:
                yield _version(row, self.path)

    def put_stage_flags(self, flags: Mapping[tuple[str, str], frozenset[Flag]]) -> int:
        """Store what the stage over the whole set found, for (id, source).

        Returns:
            the number of versions whose flags changed.
        """
        sql = (
            "UPDATE versions SET stage_flags = ?1 WHERE id = ?2 AND stage_flags IS NOT ?1 "
            "AND source = (SELECT number FROM sources WHERE name = ?3)"
        )
        changed = 0
        with storage(self.path), _transaction(self._connection):
            for (record_id, source), found in flags.items():
                cursor = self._connection.execute(sql, (_flags_text(found), record_id, source))
                changed += cursor.rowcount
            if changed:
                self._raise_revision()
        return changed

    @property
    def empty(self) -> bool:
        """Whether no version is stored."""
        with storage(self.path):
            return self._connection.execute("SELECT 1 FROM versions LIMIT 1").fetchone() is None

    @property
    def unchecked(self) -> bool:
        """Whether a version is stored that the stage over the whole set has not seen."""
        sql = "SELECT 1 FROM versions WHERE stage_flags IS NULL LIMIT 1"
        with storage(self.path):
            return self._connection.execute(sql).fetchone() is not None

    def counts(self) -> dict[str, int]:
        """Count versions, records (ids), and sources."""
        with storage(self.path):
            return {
                "versions": self._number("SELECT count(*) FROM versions"),
                "records": self._number("SELECT count(DISTINCT id) FROM versions"),
                "sources": self._number("SELECT count(*) FROM sources"),
            }

    def faults(self) -> tuple[str, ...]:
        """Check the file: SQLite's own check, and that every record still reads."""
        with storage(self.path):
            rows = self._connection.execute("PRAGMA integrity_check(20)").fetchall()
        told = [f"{self.path}: {row[0]}" for row in rows if row[0] != "ok"]
        if told:
            return tuple(told)
        try:
            return tuple(fault for version in self.versions() if (fault := _fault(version)))
        except StoreDamaged as error:
            return (str(error),)

    def _number(self, sql: str) -> int:
        row = self._connection.execute(sql).fetchone()
        if row is None or not isinstance(row[0], int):
            raise StoreDamaged(damaged(self.path, "a counter is missing"))
        return row[0]

    def _raise_revision(self) -> None:
        self._connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'revision'")

    def _source_number(self, name: str) -> int:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._connection.execute(
            "INSERT INTO sources (name, added_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
            (name, now),
        )
        row = self._connection.execute("SELECT number FROM sources WHERE name = ?", (name,))
        return int(row.fetchone()[0])

    def _put_one(self, version: Version, source: int) -> int:
        sidecar = json.dumps(dict(version.sidecar), sort_keys=True)
        values = (
            version.id,
            source,
            version.received,
            sidecar,
            _flags_text(version.flags),
            version.words,
            version.dataset_version,
        )
        cursor = self._connection.execute(
            """
            INSERT INTO versions
                (id, source, received, sidecar, flags, words, dataset_version)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id, source) DO UPDATE SET
                received = excluded.received, sidecar = excluded.sidecar,
                flags = excluded.flags, words = excluded.words,
                dataset_version = excluded.dataset_version, stage_flags = NULL
            WHERE received != excluded.received OR sidecar != excluded.sidecar
                OR flags != excluded.flags OR words != excluded.words
                OR dataset_version != excluded.dataset_version
            """,
            values,
        )
        return cursor.rowcount


def has_store(folder: Path) -> bool:
    """Whether there is a store; an `add` that died before its first commit leaves an empty file."""
    try:
        return (folder / STORE).stat().st_size > 0
    except OSError:
        return False


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE ... COMMIT, rolled back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # A COMMIT that found no space leaves the transaction open.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _connect(path: Path, *, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _undo_half_commit(path: Path) -> None:
    """Roll back what a process left that died while committing; SQLite needs to write for it."""
    if path.with_name(f"{path.name}-journal").exists():
        with closing(_connect(path, mode="rw")) as connection:
            connection.execute("PRAGMA schema_version").fetchone()


def _prepare(connection: sqlite3.Connection, path: Path, *, writable: bool) -> None:
    if writable:
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, path)
    elif version_of_file(connection, path) == 0:
        raise StoreDamaged(damaged(path, "it is empty"))


def _version(row: tuple[Any, ...], path: Path) -> Version:
    record_id, source, received, sidecar, flags, words, dataset_version, stage = row
    try:
        version = Version(
            id=record_id,
            source=source,
            received=received,
            sidecar=dict(json.loads(sidecar)),
            flags=_flags(flags),
            words=words,
            dataset_version=dataset_version,
            stage_flags=None if stage is None else _flags(stage),
        )
    except (ValueError, TypeError, AttributeError):
        raise StoreDamaged(damaged(path, f"record {record_id!r} does not read")) from None
    texts = (record_id, source, received, dataset_version)
    if not all(isinstance(text, str) for text in texts) or not isinstance(words, int):
        raise StoreDamaged(damaged(path, f"record {record_id!r} does not read"))
    return version


def _flags_text(flags: Iterable[Flag]) -> str:
    return " ".join(sorted(flags))


def _flags(text: str) -> frozenset[Flag]:
    return frozenset(Flag(name) for name in text.split())


def _fault(version: Version) -> str | None:
    try:
        version.record  # noqa: B018 - reading it is the check
    except StoreDamaged as error:
        return str(error)
    return None
