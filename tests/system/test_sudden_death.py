"""kill -9 in every stage of adding: nothing stored is lost, and a rerun finishes."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant import Assistant, Verdict
from index.encoder import HashingEncoder
from index.generation import Manifest, current_folder, read_manifest
from records.store.store import Store
from tests.system.command import (
    KNOWN,
    KNOWN_ID,
    PATIENCE,
    Ended,
    await_stage,
    errsage,
    finish,
    started,
    write_many,
)

COUNT = 300

# Every stage that `add` announces; the number says which announcement of that name.
STAGES = (
    ("store: commit", 1),
    ("store: committed", 1),
    ("vectors: batch", 1),
    ("vectors: batch committed", 2),
    ("generation: writing", 1),
    ("generation: before the rename", 1),
    ("generation: before the rename", 3),
    ("generation: after the rename", 1),
    ("generation: after the rename", 2),
    ("generation: deleting the old one", 1),
    ("quality: checking", 1),
    ("quality: sundry/library-3", 1),
    ("quality: commit", 1),
)
DELAYS = random.Random(20_240_601)


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that is being added when death comes."""
    return write_many(tmp_path_factory.mktemp("added") / "many.jsonl", COUNT)


@pytest.fixture(scope="module")
def undisturbed(
    before: Path, added: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Manifest, list[str]]:
    """What adding gives when nothing disturbs it, and the stages it announces."""
    home = shutil.copytree(before, tmp_path_factory.mktemp("undisturbed") / "home")
    process = started(home, "add", added)
    said = finish(process)
    assert said.code == 0
    stages = [
        line.removeprefix("stage: ") for line in said.err.splitlines() if line.startswith("stage: ")
    ]
    return manifest_of(home), stages


def manifest_of(home: Path) -> Manifest:
    generation = current_folder(home)
    assert generation is not None
    return read_manifest(generation)


def essence(manifest: Manifest) -> dict[str, object]:
    """What two runs must agree in: everything but the store's count of its commits."""
    return manifest.model_dump(exclude={"store_revision"})


def kill_in(home: Path, added: Path, stage: str, *, nth: int, delay: float = 0.0) -> None:
    """Add, and kill the process when it is in that stage."""
    process = started(home, "add", added)
    seen = await_stage(process, stage, nth=nth)
    time.sleep(delay)
    process.kill()
    process.communicate()
    assert seen[-1].startswith(stage)
    # With a delay it may have gone further, or even ended.
    assert process.returncode in ((-signal.SIGKILL,) if not delay else (-signal.SIGKILL, 0))


def check_survivors(home: Path) -> None:
    """Store and last good index open and answer; no fault but that the index is behind."""
    with Store.open(home) as store:
        assert store.faults() == ()
        assert store.counts()["records"] in (1, 1 + COUNT)
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        result = assistant.search(KNOWN)
        assert result.verdict is Verdict.EXACT
        assert result.hits[0].record.id == KNOWN_ID
        behind = f"{home}: the store has records that are not in the index yet: errsage rebuild"
        assert set(assistant.verify()) <= {behind}


def check_rerun(home: Path, added: Path, undisturbed: Manifest) -> None:
    """A rerun finishes and gives what an undisturbed run gives; nothing is left over."""
    again = errsage(home, "add", added)
    assert again.code == 0
    assert again.out.endswith(f"the index holds {COUNT + 1}, {COUNT + 1} with a vector\n")
    manifest = manifest_of(home)
    assert essence(manifest) == essence(undisturbed)
    assert manifest.stages_pending == 0
    generation = current_folder(home)
    assert generation is not None
    assert sorted(path.name for path in (home / "index").iterdir()) == ["CURRENT", generation.name]
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.verify() == ()
        assert assistant.status().pending == ()


def test_the_stages_listed_here_are_those_that_adding_announces(
    undisturbed: tuple[Manifest, list[str]],
) -> None:
    announced = {name for name in undisturbed[1] if not name.startswith("quality: sundry/")}
    listed = {name for name, _ in STAGES if not name.startswith("quality: sundry/")}
    # The repository of the earlier record is clean: it is not looked at again.
    assert announced == listed
    assert undisturbed[1].count("vectors: batch") == 3


@pytest.mark.parametrize(("stage", "nth"), STAGES)
def test_death_in_a_stage_loses_nothing(
    stage: str,
    nth: int,
    before: Path,
    added: Path,
    undisturbed: tuple[Manifest, list[str]],
    tmp_path: Path,
) -> None:
    home = Path(shutil.copytree(before, tmp_path / "home"))
    kill_in(home, added, stage, nth=nth)
    check_survivors(home)
    check_rerun(home, added, undisturbed[0])


def test_death_after_death_loses_nothing(
    before: Path, added: Path, undisturbed: tuple[Manifest, list[str]], tmp_path: Path
) -> None:
    home = Path(shutil.copytree(before, tmp_path / "home"))
    for stage in ("store: commit", "store: committed", "generation: writing", "vectors: batch"):
        kill_in(home, added, stage, nth=1, delay=DELAYS.uniform(0.0, 0.02))
        check_survivors(home)
    check_rerun(home, added, undisturbed[0])


def test_death_in_the_first_moments_of_a_data_folder_leaves_it_usable(
    added: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for stage in ("store: commit", "store: committed", "generation: before the rename"):
        kill_in(home, added, stage, nth=1)
        assert errsage(home, "search", KNOWN).code in (0, 3)
    assert errsage(home, "add", added).code == 0
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.verify() == ()


def test_a_store_that_was_only_just_created_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"")
    with Assistant.open(tmp_path, encoder=HashingEncoder()) as assistant:
        assert assistant.search(KNOWN).notes[0].name == "no-records"
        assert assistant.verify() == ()
        assert assistant.status().pending == ()


def test_death_during_embed_loses_at_most_one_batch(added: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert errsage(home, "add", "--no-vectors", added).code == 0
    process = started(home, "embed")
    await_stage(process, "vectors: batch committed", nth=2)
    process.kill()
    process.communicate()
    said = errsage(home, "embed")
    assert said.code == 0
    left = int(said.out.split()[1])
    assert left in (COUNT - 256, 0)
    assert said.out.endswith(f"{COUNT} of {COUNT} records have a vector\n")


HALF_COMMIT = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")  # so that pages reach the file before the commit
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE versions SET received = '', flags = 'none'")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_half_a_commit_is_rolled_back_by_the_next_reader(added: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert errsage(home, "add", "--no-vectors", added).code == 0
    store = home / "store.sqlite"
    subprocess.run([sys.executable, "-c", HALF_COMMIT, str(store)], timeout=PATIENCE)
    assert (home / "store.sqlite-journal").stat().st_size > 0
    assert errsage(home, "verify") == Ended(0, "store and index are sound\n", "")
    assert not (home / "store.sqlite-journal").exists()
