"""What SQLite and the disk say, turned into the store's own errors."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from records.errors import StorageFailed, StoreDamaged

_FULL = "no space left on the disk; what was committed before is kept"
_FORBIDDEN = (
    "may not be written; check the permissions, or name another folder with --data-dir or "
    "ERRSAGE_HOME"
)


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Map failures of the disk under `path`.

    Raises:
        StorageFailed: no space, or no permission.
        StoreDamaged: SQLite says that the file is broken.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _from_sqlite(path, error) from error
    except UnicodeDecodeError as error:
        # What SQLite says of a broken schema quotes its bytes.
        raise StoreDamaged(damaged(path, "its tables do not read")) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFailed(f"{path}: {_FULL}") from error
        if isinstance(error, PermissionError) or error.errno == errno.EROFS:
            raise StorageFailed(f"{path}: {_FORBIDDEN}") from error
        raise StorageFailed(f"{path}: {error.strerror or error}") from error


def _from_sqlite(path: Path, error: sqlite3.DatabaseError) -> StorageFailed | StoreDamaged:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL"):
        return StorageFailed(f"{path}: {_FULL}")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StorageFailed(f"{path}: {_FORBIDDEN}")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StorageFailed(f"{path}: in use by another process; try again")
    if name.startswith("SQLITE_IOERR"):
        return StorageFailed(f"{path}: the disk failed ({error}); {_FULL}")
    return StoreDamaged(damaged(path, str(error)))


def damaged(path: Path, reason: str) -> str:
    """The sentence about a broken store."""
    return (
        f"{path}: the store is damaged ({reason}); move it away, and errsage rebuild "
        "takes what the index still holds"
    )
