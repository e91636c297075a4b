"""What can be wrong with an index, and with the encoder it needs."""

from __future__ import annotations

from pathlib import Path

from records.errors import ErrsageError


class IndexFault(ErrsageError):
    """The index cannot answer; `errsage rebuild` makes it anew from the store."""


class IndexDamaged(IndexFault):
    """A file of the index is missing, cut or changed."""


class IndexMissing(IndexFault):
    """There are stored records, but no index."""


class IndexTooNew(IndexFault):
    """The index was written by a newer errsage."""


class ModelUnavailable(ErrsageError):
    """The encoder's weights cannot be had; the text names the way out."""


def cannot_read(path: Path, error: OSError) -> IndexDamaged:
    """What is told of a file of the index that the system does not hand out."""
    if isinstance(error, PermissionError):
        return IndexDamaged(f"{path}: may not be read; check the permissions")
    return IndexDamaged(f"{path}: {error.strerror}; run errsage rebuild")
