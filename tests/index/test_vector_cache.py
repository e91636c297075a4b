from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from index import vectors as cache_module
from index.encoder import Vectors
from index.vectors import CACHE, VectorCache
from records.errors import StorageFailed

A, B, C, D = (letter * 16 for letter in (b"a", b"b", b"c", b"d"))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    with VectorCache.open(tmp_path) as opened:
        yield opened


def rows(*first: float) -> Vectors:
    """Rows of three numbers that 16-bit floats hold exactly."""
    return np.array([[value, 0.5, -0.25] for value in first], dtype=np.float32)


def got(cache: VectorCache, encoder: str, *texts: bytes) -> tuple[list[float], list[int]]:
    """The first number of each row, and the positions."""
    vectors, positions = cache.get(encoder, texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == ((len(positions), 3) if positions else (0, 0))
    return [float(row[0]) for row in vectors], positions


def test_vectors_come_in_the_order_of_the_question(cache: VectorCache) -> None:
    cache.put("e", [B, C, A], rows(2, 3, 1))

    assert got(cache, "e", A, B, C) == ([1, 2, 3], [0, 1, 2])
    assert got(cache, "e", C, D, A) == ([3, 1], [0, 2])
    assert got(cache, "e", D) == ([], [])
    assert got(cache, "e") == ([], [])


def test_equal_texts_get_equal_vectors(cache: VectorCache) -> None:
    cache.put("e", [A, B, A], rows(1, 2, 1))

    assert got(cache, "e", A, D, A, B, A, D) == ([1, 1, 2, 1], [0, 2, 3, 4])
    assert cache.missing("e", [D, A, C, D, C, B]) == [0, 2]


def test_a_later_vector_replaces_an_earlier_one(cache: VectorCache) -> None:
    cache.put("e", [A], rows(1))
    cache.put("e", [A], rows(4))

    assert got(cache, "e", A) == ([4], [0])


def test_encoders_are_kept_apart(cache: VectorCache) -> None:
    cache.put("e", [A, B], rows(1, 2))
    cache.put("f", [B, C], rows(7, 8))

    assert got(cache, "e", A, B, C) == ([1, 2], [0, 1])
    assert got(cache, "f", A, B, C) == ([7, 8], [1, 2])
    assert cache.missing("f", [A, B, C]) == [0]


def test_vectors_outlive_the_connection(tmp_path: Path) -> None:
    with VectorCache.open(tmp_path) as first:
        first.put("e", [A], rows(1))
    with VectorCache.open(tmp_path) as second:
        assert got(second, "e", A) == ([1], [0])


def test_unit_vectors_come_back_within_a_thousandth(cache: VectorCache) -> None:
    random = np.random.default_rng(7).normal(size=(50, 384)).astype(np.float32)
    unit = random / np.linalg.norm(random, axis=1, keepdims=True)
    texts = [number.to_bytes(16) for number in range(50)]
    cache.put("e", texts, unit)

    vectors, positions = cache.get("e", texts)

    assert positions == list(range(50))
    assert np.abs(vectors - unit).max() < 1e-3
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-3


def test_one_pass_over_the_table_gives_the_same(
    cache: VectorCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put("e", [A, B, C], rows(1, 2, 3))
    cache.put("f", [D], rows(9))
    monkeypatch.setattr(cache_module, "_SCAN_OVER", 1)

    assert got(cache, "e", C, D, A, C) == ([3, 1, 3], [0, 2, 3])


def test_a_damaged_row_is_missing_and_can_be_put_again(tmp_path: Path) -> None:
    with VectorCache.open(tmp_path) as cache:
        cache.put("e", [A, B, C], rows(1, 2, 3))
    with sqlite3.connect(tmp_path / CACHE) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(6) WHERE text = ?", (B,))
    connection.close()
    assert zlib.crc32(bytes(6)) != 0

    with VectorCache.open(tmp_path) as cache:
        assert got(cache, "e", A, B, C) == ([1, 3], [0, 2])
        assert cache.missing("e", [A, B, C]) == [1]
        cache.put("e", [B], rows(5))
        assert got(cache, "e", A, B, C) == ([1, 5, 3], [0, 1, 2])


@pytest.mark.parametrize("content", [b"not a database at all, " * 100, b"SQLite format 3\0" * 64])
def test_a_garbage_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / CACHE).write_bytes(content)

    with VectorCache.open(tmp_path) as cache:
        assert cache.missing("e", [A]) == [0]
        cache.put("e", [A], rows(1))
        assert got(cache, "e", A) == ([1], [0])

    assert (tmp_path / "vectors.damaged").read_bytes() == content


def damaged_inside(folder: Path) -> list[bytes]:
    """Fill a cache and overwrite a page in its middle, which opening does not look at."""
    texts = [number.to_bytes(16) for number in range(3_000)]
    with VectorCache.open(folder) as cache:
        cache.put("e", texts, np.ones((3_000, 64), dtype=np.float32))
    path = folder / CACHE
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    return texts


def test_damage_inside_the_file_costs_only_the_vectors(tmp_path: Path) -> None:
    texts = damaged_inside(tmp_path)

    with VectorCache.open(tmp_path) as cache:
        assert cache.get("e", texts)[1] == []
        assert len(cache.missing("e", texts)) == 3_000
        cache.put("e", [A], rows(1))
        assert got(cache, "e", A) == ([1], [0])
    assert (tmp_path / "vectors.damaged").is_file()


def test_damage_found_while_storing_loses_no_new_vector(tmp_path: Path) -> None:
    texts = damaged_inside(tmp_path)

    with VectorCache.open(tmp_path) as cache:
        cache.put("e", texts, np.ones((3_000, 3), dtype=np.float32))
        assert cache.missing("e", texts) == []


def test_a_locked_file_is_not_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with VectorCache.open(tmp_path) as cache:
        cache.put("e", [A], rows(1))
        cache._connection.execute("PRAGMA busy_timeout = 10")
        other = sqlite3.connect(tmp_path / CACHE)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailed, match=r"vectors\.sqlite: in use by another process"):
            cache.put("e", [B], rows(2))
        other.rollback()
        other.close()
        assert got(cache, "e", A) == ([1], [0])


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / CACHE).mkdir()

    with pytest.raises(StorageFailed, match=r"vectors\.sqlite: "):
        VectorCache.open(tmp_path)
