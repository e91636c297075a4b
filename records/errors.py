"""Every error that errsage raises on purpose.

ErrsageError
├── SourceUnreadable      a file or folder that cannot be read at all
├── RecordRefused         one record that does not hold to schema 2
├── StoreError
│   ├── StoreLocked       another process is adding
│   ├── StoreTooNew       written by a newer errsage
│   ├── StoreDamaged      not a store, or a broken one
│   └── StorageFailed     no permission, no space
├── index.errors.*        IndexFault (IndexDamaged, IndexMissing, IndexTooNew), ModelUnavailable
├── assistant.*           errors.QueryRefused, settings.SettingRefused
└── ui.*                  serve.CannotListen

Each message says what happened, where (file, line, id or value), and what mends it.
"""

from __future__ import annotations

from pathlib import Path


class ErrsageError(Exception):
    """Root of all errors that errsage raises on purpose; the text is meant for people."""


class SourceUnreadable(ErrsageError):
    """A file or folder of records cannot be read."""

    def __init__(self, path: Path | str, reason: str) -> None:
        """Name the path and the reason."""
        self.path = str(path)
        self.reason = reason
        super().__init__(f"{path}: {reason}")


class RecordRefused(ErrsageError):
    """One record does not hold to schema 2; the rest of its file is not affected."""


class StoreError(ErrsageError):
    """The store cannot be used."""


class StoreLocked(StoreError):
    """Another process holds the writer lock."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        """Name the data folder and, where known, the process that holds it."""
        self.pid = pid
        who = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{folder}: {who} is adding records; try again when it is done, or pass --wait"
        )


class StoreTooNew(StoreError):
    """The store was written by a newer errsage."""


class StoreDamaged(StoreError):
    """The store file is not a store, or is broken."""


class StorageFailed(StoreError):
    """The disk refused: no permission, or no space left."""
