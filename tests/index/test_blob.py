from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.blob import Blob, read_array, write_array, write_blob
from index.errors import IndexDamaged


@pytest.mark.parametrize("compress", [False, True])
def test_items_come_back_in_order(tmp_path: Path, compress: bool) -> None:
    items = [b"one", b"", b"\x00" * 5_000, "größe".encode()]

    assert write_blob(tmp_path, "items", items, compress=compress) == 4

    blob = Blob(tmp_path, "items", compressed=compress)
    assert [blob[number] for number in range(len(blob))] == items


def test_no_items_are_a_blob_too(tmp_path: Path) -> None:
    assert write_blob(tmp_path, "items", [], compress=True) == 0
    assert len(Blob(tmp_path, "items", compressed=True)) == 0


def test_one_damaged_item_leaves_the_others_readable(tmp_path: Path) -> None:
    write_blob(tmp_path, "items", [b"first", b"second", b"third"], compress=False)
    path = tmp_path / "items.bin"
    path.write_bytes(path.read_bytes().replace(b"second", b"sec0nd"))

    blob = Blob(tmp_path, "items", compressed=False)

    assert (blob[0], blob[2]) == (b"first", b"third")
    with pytest.raises(IndexDamaged, match=r"items\.bin: item 1 is damaged; run errsage rebuild"):
        blob[1]


def test_offsets_of_another_blob_are_refused(tmp_path: Path) -> None:
    write_blob(tmp_path, "items", [b"first", b"second"], compress=False)
    write_blob(tmp_path, "other", [b"first"], compress=False)
    (tmp_path / "other.npy").replace(tmp_path / "items.npy")

    with pytest.raises(IndexDamaged, match=r"items\.bin: cut or of another index"):
        Blob(tmp_path, "items", compressed=False)


def test_falling_offsets_are_refused(tmp_path: Path) -> None:
    write_blob(tmp_path, "items", [b"first", b"second"], compress=False)
    write_array(tmp_path / "items.npy", np.array([0, 12, 9, 19], dtype=np.int64))

    with pytest.raises(IndexDamaged, match=r"items\.bin: its offsets are damaged"):
        Blob(tmp_path, "items", compressed=False)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_arrays_come_back_equal(
    tmp_path_factory: pytest.TempPathFactory, values: list[int]
) -> None:
    path = tmp_path_factory.mktemp("array") / "values.npy"

    write_array(path, np.array(values, dtype=np.uint64))

    assert read_array(path, np.uint64).tolist() == values


def test_a_damaged_header_raises_nothing_but_damage(tmp_path: Path) -> None:
    path = tmp_path / "values.npy"
    write_array(path, np.arange(3, dtype=np.int64))
    sound = path.read_bytes()
    outcomes = set()

    for place in range(len(sound) - 3 * 8):
        for bit in range(8):
            damaged = bytearray(sound)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            try:
                outcomes.add(read_array(path, np.int64).dtype.name)
            except IndexDamaged as error:
                outcomes.add(str(error)[: len(str(path))])

    assert outcomes == {"int64", str(path)}


def test_arrays_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.npy"
    for other in (np.zeros(3, dtype=np.float32), np.zeros((3, 1), dtype=np.int64)):
        np.save(path, other)
        with pytest.raises(IndexDamaged, match=r"values\.npy: not an array of int64"):
            read_array(path, np.int64)


def test_pickles_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(IndexDamaged, match=r"values\.npy: Object arrays cannot be loaded"):
        read_array(path, np.int64)

    path.write_bytes(b"\x80\x04N.")
    with pytest.raises(IndexDamaged, match=r"values\.npy: .*pickle"):
        read_array(path, np.int64)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match=r"values\.npy.*No such file"):
        read_array(tmp_path / "values.npy", np.int64)
    write_blob(tmp_path, "items", [b"first"], compress=False)
    (tmp_path / "items.bin").unlink()
    with pytest.raises(IndexDamaged, match=r"items\.bin: No such file or directory"):
        Blob(tmp_path, "items", compressed=False)
