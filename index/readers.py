"""Who reads a generation: a shared lock on its manifest, which needs no write permission.

The lock ends with the process that holds it, however that ends. Where the platform has no such
locks (Windows), an open file cannot be deleted, which serves the same end.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Reading:
    """Keeps a generation from being deleted for as long as this object lives."""

    def __init__(self, manifest: Path) -> None:
        """Lock the manifest.

        Raises:
            FileNotFoundError: the generation is gone.
        """
        descriptor = os.open(manifest, os.O_RDONLY)
        self._close = weakref.finalize(self, os.close, descriptor)
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        if not manifest.exists():
            self._close()
            raise FileNotFoundError(manifest)


@contextmanager
def unread(manifest: Path) -> Iterator[bool]:
    """Tell whether no process reads the generation of this manifest.

    Where none does, none begins to before the context ends: who tries to waits, and then finds
    the manifest deleted.
    """
    if fcntl is None or not manifest.exists():
        yield True
        return
    descriptor = os.open(manifest, os.O_RDONLY)
    try:
        yield _locked(descriptor)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
