"""A lost store or vector cache is given back what the index holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from assistant_samples import body, write

from assistant import Assistant, ModelUnavailable
from index.encoder import HashingEncoder, Vectors
from index.generation import current_folder, read_manifest

MESSAGES = ("sheet {name} is torn", "row {number} is folded", "cell {place} is wet")


class Refusing(HashingEncoder):
    """Has the fingerprint, and no model."""

    def load(self) -> None:
        raise ModelUnavailable("no model here")

    def encode(self, texts: object) -> Vectors:
        raise ModelUnavailable("no model here")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    file = write(tmp_path / "records.jsonl", *map(body, MESSAGES))
    with Assistant.open(tmp_path / "data", encoder=HashingEncoder()) as assistant:
        assistant.add(file)
    return tmp_path / "data"


def state(home: Path) -> tuple[str, int, int, int]:
    generation = current_folder(home)
    assert generation is not None
    manifest = read_manifest(generation)
    return manifest.record_set, manifest.records, manifest.vectors, manifest.stages_pending


def lose(home: Path, *names: str) -> None:
    for name in names:
        os.unlink(home / name)


@pytest.mark.parametrize(
    "names",
    [("store.sqlite",), ("vectors.sqlite",), ("store.sqlite", "vectors.sqlite")],
    ids=["store", "vectors", "both"],
)
def test_rebuild_restores_what_is_lost(home: Path, names: tuple[str, ...]) -> None:
    before = state(home)
    lose(home, *names)
    with Assistant.open(home, encoder=Refusing()) as assistant:
        assert assistant.rebuild() == 3
        assert assistant.verify() == ()
        assert assistant.status().pending == ()
    assert state(home) == before


def test_an_emptied_store_is_restored_too(home: Path) -> None:
    before = state(home)
    (home / "store.sqlite").write_bytes(b"")
    with Assistant.open(home, encoder=Refusing()) as assistant:
        assistant.rebuild()
    assert state(home) == before


def test_adding_to_a_lost_store_keeps_the_old_records(home: Path, tmp_path: Path) -> None:
    lose(home, "store.sqlite")
    more = write(tmp_path / "more.jsonl", body("staple {number} is bent"))
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.add(more).records == 4


def test_what_is_lost_is_told(home: Path) -> None:
    lose(home, "store.sqlite", "vectors.sqlite")
    told = (
        "the store is missing, while the index holds 3 records: errsage rebuild restores it from "
        "the index",
        "the vector cache is missing: errsage rebuild restores it from the index",
    )
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.status().pending == told
        assert assistant.verify() == tuple(f"{home}: {line}" for line in told)


def test_vectors_of_another_encoder_are_not_taken(home: Path) -> None:
    class Other(HashingEncoder):
        fingerprint = "other"

    lose(home, "vectors.sqlite")
    with Assistant.open(home, encoder=Other()) as assistant:
        assistant.rebuild()
    assert state(home)[2] == 0
