"""A disk without space: what was kept is said, and nothing stored is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import Assistant, Verdict
from index.encoder import HashingEncoder
from records.store.store import Store
from tests.system.command import KNOWN, errsage, write_many

COUNT = 400
FULL = "no space left on the disk; what was committed before is kept\n"

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a tmpfs"
    ),
]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_many(tmp_path_factory.mktemp("many") / "many.jsonl", COUNT)


@pytest.fixture(scope="module")
def stored(before: Path, many: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with many records, of which one has a vector."""
    home = Path(shutil.copytree(before, tmp_path_factory.mktemp("stored") / "home"))
    assert errsage(home, "add", "--no-vectors", many).code == 0
    return home


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path, *, leave: int) -> None:
    """Leave so many bytes free."""
    (disk / "filler").write_bytes(b"")
    found = os.statvfs(disk)
    (disk / "filler").write_bytes(bytes(max(0, found.f_bavail * found.f_bsize - leave)))


def check_kept(disk: Path, *, records: int) -> None:
    """Store and last good index open; search answers what was there before."""
    home = disk / "home"
    with Store.open(home) as store:
        assert store.faults() == ()
        assert store.counts()["records"] == records
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.search(KNOWN).verdict is Verdict.EXACT
        behind = f"{home}: the store has records that are not in the index yet: errsage rebuild"
        assert set(assistant.verify()) <= {behind}
    assert len(list((home / "index").glob("gen-*"))) == 1


def check_finished(disk: Path, file: Path) -> None:
    """With space again, the same `add` finishes."""
    (disk / "filler").unlink()
    said = errsage(disk / "home", "add", file)
    assert said.code == 0
    assert said.out.endswith(f"the index holds {COUNT + 1}, {COUNT + 1} with a vector\n")
    with Assistant.open(disk / "home", encoder=HashingEncoder()) as assistant:
        assert assistant.verify() == ()
        assert assistant.status().pending == ()


@pytest.mark.parametrize("kilobytes", [0, 8, 200])
def test_full_while_storing(disk: Path, before: Path, many: Path, kilobytes: int) -> None:
    home = shutil.copytree(before, disk / "home")
    fill(disk, leave=kilobytes << 10)
    said = errsage(home, "add", many)
    assert said.code == 2
    assert said.out == ""
    assert said.err.endswith(FULL)
    check_kept(disk, records=1)
    check_finished(disk, many)


def test_full_while_listing_what_is_refused(disk: Path, before: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("no json\n" * 2_000, encoding="utf-8")
    home = shutil.copytree(before, disk / "home")
    fill(disk, leave=8 << 10)
    said = errsage(home, "add", bad)
    assert said.code == 2
    assert said.err.endswith(FULL)
    check_kept(disk, records=1)


@pytest.mark.parametrize("kilobytes", [4, 90])
def test_full_while_embedding(disk: Path, stored: Path, many: Path, kilobytes: int) -> None:
    home = shutil.copytree(stored, disk / "home")
    fill(disk, leave=kilobytes << 10)
    said = errsage(home, "embed")
    assert said.code == 2
    assert said.err.endswith(FULL)
    check_kept(disk, records=COUNT + 1)
    check_finished(disk, many)


@pytest.mark.parametrize("kilobytes", [8, 60, 100])
def test_full_while_writing_a_generation(
    disk: Path, stored: Path, many: Path, kilobytes: int
) -> None:
    home = shutil.copytree(stored, disk / "home")
    fill(disk, leave=kilobytes << 10)
    said = errsage(home, "rebuild")
    assert said.code == 2
    assert said.err.endswith(FULL)
    check_kept(disk, records=COUNT + 1)
    check_finished(disk, many)
