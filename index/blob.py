"""Many small items in one file: `NAME.bin` and `NAME.npy`, the offsets.

Each item is followed by the CRC-32 of its bytes and may be compressed (zlib), so that an item
can be read by itself, from a memory map, and damage is seen where it is read.
"""

from __future__ import annotations

import io
import mmap
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from index.errors import IndexDamaged, cannot_read

Number = TypeVar("Number", bound=np.generic)

_CHECKSUM_BYTES = 4
_LEVEL = 1


def write_blob(folder: Path, name: str, items: Iterable[bytes], *, compress: bool) -> int:
    """Write items in order.

    Returns:
        the number of items.
    """
    offsets = [0]
    with (folder / f"{name}.bin").open("wb") as stream:
        for item in items:
            body = zlib.compress(item, _LEVEL) if compress else item
            stream.write(body)
            stream.write(zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little"))
            offsets.append(offsets[-1] + len(body) + _CHECKSUM_BYTES)
    write_array(folder / f"{name}.npy", np.array(offsets, dtype=np.int64))
    return len(offsets) - 1


class Blob:
    """Items of one file, read through a memory map; safe to use from several threads."""

    def __init__(self, folder: Path, name: str, *, compressed: bool) -> None:
        """Open the two files.

        Raises:
            IndexDamaged: they do not fit together.
        """
        self._path = folder / f"{name}.bin"
        self._compressed = compressed
        self._offsets = read_array(folder / f"{name}.npy", np.int64)
        self._map = _mapped(self._path)
        size = len(self._map)
        if not len(self._offsets) or self._offsets[0] != 0 or self._offsets[-1] != size:
            raise IndexDamaged(f"{self._path}: cut or of another index; run errsage rebuild")
        if np.any(np.diff(self._offsets) < _CHECKSUM_BYTES):
            raise IndexDamaged(f"{self._path}: its offsets are damaged; run errsage rebuild")

    def __len__(self) -> int:
        """The number of items."""
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        """Read one item.

        Raises:
            IndexDamaged: its checksum does not fit.
        """
        start, end = int(self._offsets[number]), int(self._offsets[number + 1])
        body = self._map[start : end - _CHECKSUM_BYTES]
        checksum = int.from_bytes(self._map[end - _CHECKSUM_BYTES : end], "little")
        if zlib.crc32(body) != checksum:
            raise IndexDamaged(f"{self._path}: item {number} is damaged; run errsage rebuild")
        return zlib.decompress(body) if self._compressed else body


def write_array(path: Path, array: NDArray[Number]) -> None:
    """Write an array."""
    # Not straight into the file: NumPy's own writing does not say why the disk refused.
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    path.write_bytes(stream.getbuffer())


def read_array(path: Path, dtype: type[Number]) -> NDArray[Number]:
    """Read a one-dimensional array.

    Raises:
        IndexDamaged: missing, cut, or of another kind.
    """
    try:
        array: NDArray[Number] = np.load(path, allow_pickle=False)
    except Exception as error:  # whatever a damaged header makes NumPy raise
        raise IndexDamaged(f"{path}: {error}; run errsage rebuild") from error
    if array.ndim != 1 or array.dtype != dtype:
        raise IndexDamaged(f"{path}: not an array of {dtype.__name__}; run errsage rebuild")
    return array


def _mapped(path: Path) -> mmap.mmap | bytes:
    try:
        with path.open("rb") as stream:
            if not path.stat().st_size:
                return b""
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise cannot_read(path, error) from error
