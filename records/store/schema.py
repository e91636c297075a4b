"""The tables of the store, and its migrations."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from records.errors import StoreDamaged, StoreTooNew

STORE_VERSION = 1
APPLICATION_ID = 0x65727273  # "errs"

# `versions` has row ids: rows of one to two kB would each take an overflow page of their own
# in a table without (617 MB for the 137,205 records of the corpus, against 260 MB).
_MIGRATIONS = (
    """
    CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counters VALUES ('revision', 0);
    CREATE TABLE sources (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        added_at TEXT NOT NULL
    );
    CREATE TABLE versions (
        id TEXT NOT NULL,
        source INTEGER NOT NULL REFERENCES sources (number),
        received TEXT NOT NULL,
        sidecar TEXT NOT NULL,
        flags TEXT NOT NULL,
        stage_flags TEXT,
        words INTEGER NOT NULL,
        dataset_version TEXT NOT NULL,
        UNIQUE (id, source)
    );
    """,
)


def version_of_file(connection: sqlite3.Connection, path: Path) -> int:
    """Read the store's version, 0 for a new file.

    Raises:
        StoreTooNew: a newer errsage wrote it.
        StoreDamaged: an SQLite file of another program.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise StoreDamaged(f"{path}: an SQLite file, but not a store of errsage; move it away")
    if version < 0:
        raise StoreDamaged(f"{path}: the store has no version; move it away and add again")
    if version > STORE_VERSION:
        raise StoreTooNew(
            f"{path}: the store has version {version}, this errsage reads up to "
            f"{STORE_VERSION}; upgrade errsage"
        )
    return version


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a store to the present version, in one transaction a step."""
    for number in range(version_of_file(connection, path), STORE_VERSION):
        connection.executescript(
            f"BEGIN; {_MIGRATIONS[number]} PRAGMA application_id = {APPLICATION_ID}; "
            f"PRAGMA user_version = {number + 1}; COMMIT;"
        )
