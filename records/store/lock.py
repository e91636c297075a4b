"""The writer lock of a data folder: one process adds at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from records.errors import StoreLocked
from records.stages import announce
from records.store.failures import storage

LOCK = "writer.lock"
HOLDER = "writer.pid"


@contextmanager
def writer_lock(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the writer lock; the operating system frees it when the process ends, however.

    Args:
        folder: the data folder, created where missing.
        wait: block until the lock is free, instead of failing.

    Raises:
        StoreLocked: another process holds it; names its pid.
        StorageFailed: the folder may not be written.
    """
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if not wait:
                raise StoreLocked(folder, _holder(folder)) from None
            announce("lock: waiting")
            lock.acquire()
    try:
        with storage(folder):
            (folder / HOLDER).write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        (folder / HOLDER).unlink(missing_ok=True)
        lock.release()


def writing_process(folder: Path) -> int | None:
    """The process that holds the writer lock, as far as can be told without touching it."""
    pid = _holder(folder)
    if pid is None or os.name != "posix":
        return pid
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        return pid  # another user's
    return pid


def _holder(folder: Path) -> int | None:
    try:
        text = (folder / HOLDER).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return int(text) if text.isdigit() else None
