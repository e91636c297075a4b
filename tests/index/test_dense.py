from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from index.dense import DENSE, NUMBERS, DenseSearcher, write_dense
from index.encoder import Vectors
from index.errors import IndexDamaged


def unit(count: int, dimension: int, seed: int) -> Vectors:
    """Random unit vectors of numbers that 16-bit floats hold exactly."""
    random = np.random.default_rng(seed).normal(size=(count, dimension))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    return random.astype(np.float16).astype(np.float32)


def test_order_is_that_of_the_cosines(tmp_path: Path) -> None:
    vectors = unit(300, 32, seed=1)
    numbers = [5 * row + 2 for row in range(300)]
    write_dense(tmp_path, vectors, numbers)
    dense = DenseSearcher(tmp_path, dimension=32)

    for query in unit(10, 32, seed=2):
        cosines = vectors.astype(np.float64) @ query.astype(np.float64)
        order = np.argsort(-cosines, kind="stable")[:50]
        found = dense.search(query, 50)
        assert [number for number, _ in found] == [numbers[row] for row in order]
        assert [cosine for _, cosine in found] == pytest.approx(cosines[order], abs=1e-5)


def test_asking_for_more_than_there_are_gives_all(tmp_path: Path) -> None:
    write_dense(tmp_path, np.eye(3, dtype=np.float32), [7, 8, 9])
    dense = DenseSearcher(tmp_path, dimension=3)
    query = np.array([0.0, 0.6, 0.8], dtype=np.float32)

    found = dense.search(query, 50)

    assert [number for number, _ in found] == [9, 8, 7]
    assert [cosine for _, cosine in found] == pytest.approx([0.8, 0.6, 0.0])
    assert dense.search(query, 1) == found[:1]
    assert dense.search(query, 0) == []


@pytest.mark.parametrize("dimension", [2, 4])
def test_another_dimension_is_damage(tmp_path: Path, dimension: int) -> None:
    write_dense(tmp_path, np.eye(3, dtype=np.float32), [7, 8, 9])

    with pytest.raises(IndexDamaged, match=r"dense\.faiss: does not fit its list; run errsage"):
        DenseSearcher(tmp_path, dimension=dimension)


def test_a_list_of_another_length_is_damage(tmp_path: Path) -> None:
    write_dense(tmp_path, np.eye(3, dtype=np.float32), [7, 8, 9])
    np.save(tmp_path / NUMBERS, np.array([7, 8], dtype=np.int64))

    with pytest.raises(IndexDamaged, match=r"dense\.faiss: does not fit its list"):
        DenseSearcher(tmp_path, dimension=3)


@pytest.mark.parametrize("content", [b"", b"not a FAISS index"])
def test_a_file_that_faiss_refuses_is_damage(tmp_path: Path, content: bytes) -> None:
    write_dense(tmp_path, np.eye(3, dtype=np.float32), [7, 8, 9])
    (tmp_path / DENSE).write_bytes(content)

    with pytest.raises(IndexDamaged, match=r"dense\.faiss: .*; run errsage rebuild"):
        DenseSearcher(tmp_path, dimension=3)
