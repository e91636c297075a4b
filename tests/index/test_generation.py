"""The life of generations: written, made current, read, collected."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from index_samples import (
    MESSAGES,
    ROOT,
    TEXTS,
    body,
    embed,
    everything,
    indexed,
    opened,
    publish,
    store,
    vector_of,
    version,
    versions,
)

from index import generation as generation_module
from index.build import build
from index.encoder import HashingEncoder
from index.errors import IndexDamaged
from index.generation import INDEX, collect, current_folder, new_generation
from index.index import Index, Query
from index.match_text import MatchText
from index.readers import Reading
from index.vectors import VectorCache
from records.errors import StorageFailed
from records.store.store import Store

NOBODY = 65534

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user"
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / INDEX).iterdir())


def inodes(generation: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in generation.iterdir()}


def current(folder: Path) -> Path:
    found = current_folder(folder)
    assert found is not None
    return found


def test_a_published_generation_is_all_there_is(tmp_path: Path) -> None:
    indexed(tmp_path)
    assert names(tmp_path) == ["CURRENT", "gen-000001"]
    assert (tmp_path / INDEX / "CURRENT").read_text() == "gen-000001\n"

    publish(tmp_path)
    assert names(tmp_path) == ["CURRENT", "gen-000002"]
    assert current(tmp_path) == tmp_path / INDEX / "gen-000002"


def test_current_changes_by_one_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed(tmp_path)
    before = everything(opened(tmp_path))
    seen: dict[str, str] = {}

    def look(stage: str) -> None:
        if stage.startswith("generation: "):
            seen[stage.removeprefix("generation: ")] = current(tmp_path).name
            index = opened(tmp_path)
            assert everything(index) == before
            assert index.faults() == ()

    monkeypatch.setattr(generation_module, "announce", look)
    publish(tmp_path, HashingEncoder())

    assert seen == {
        "writing": "gen-000001",
        "before the rename": "gen-000001",
        "after the rename": "gen-000002",
        "deleting the old one": "gen-000002",
    }


def test_death_before_the_rename_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(tmp_path)

    def die(stage: str) -> None:
        if stage == "generation: before the rename":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generation_module, "announce", die)
        with pytest.raises(KeyboardInterrupt):
            publish(tmp_path)
    assert current(tmp_path).name == "gen-000001"

    publish(tmp_path)
    assert names(tmp_path) == ["CURRENT", current(tmp_path).name]
    assert current(tmp_path).name > "gen-000001"


def test_files_that_did_not_change_are_hard_links(tmp_path: Path) -> None:
    indexed(tmp_path)
    reader = opened(tmp_path)
    old = inodes(reader.generation)

    publish(tmp_path, HashingEncoder())
    same = inodes(current(tmp_path))
    assert {name for name in old if same[name] == old[name]} == set(old) - {"manifest.json"}

    # Of the embedded text: the record and its vector change, templates and ids do not.
    store(tmp_path, [version(body(MESSAGES[0], documentation="Written anew."))])
    publish(tmp_path, HashingEncoder())
    new = inodes(current(tmp_path))
    changed = {"manifest.json", "records.bin", "records.npy", "dense.faiss", "dense.numbers.npy"}
    assert {name for name in old if new[name] != old[name]} == changed
    assert reader.faults() == ()


def test_a_damaged_old_file_is_never_linked(tmp_path: Path) -> None:
    indexed(tmp_path)
    path = current(tmp_path) / "records.bin"
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(IndexDamaged, match=r"records\.bin: item 0 is damaged"):
        everything(opened(tmp_path))

    publish(tmp_path, HashingEncoder())

    assert opened(tmp_path).faults() == ()


def test_a_damaged_pointer_is_replaced_by_the_next_generation(tmp_path: Path) -> None:
    indexed(tmp_path)
    (tmp_path / INDEX / "CURRENT").write_text("garbage")

    publish(tmp_path)

    assert names(tmp_path) == ["CURRENT", "gen-000002"]


def test_a_generation_that_is_read_is_kept(tmp_path: Path) -> None:
    indexed(tmp_path)
    reader, other = opened(tmp_path), opened(tmp_path)
    before = everything(reader)

    publish(tmp_path)
    assert names(tmp_path) == ["CURRENT", "gen-000001", "gen-000002"]
    assert everything(reader) == before
    assert collect(tmp_path) == ()

    del reader
    assert collect(tmp_path) == ()
    del other
    assert collect(tmp_path) == (tmp_path / INDEX / "gen-000001",)


def test_the_current_generation_is_never_collected(tmp_path: Path) -> None:
    indexed(tmp_path)

    assert collect(tmp_path) == ()
    assert names(tmp_path) == ["CURRENT", "gen-000001"]


READER = """
import sys
from pathlib import Path
from index.index import Index
index = Index.open(Path(sys.argv[1]))
print(index.generation.name, flush=True)
sys.stdin.readline()
print(len(list(index.entries())), *index.faults(), flush=True)
"""


def test_a_generation_that_another_process_reads_is_kept(tmp_path: Path) -> None:
    indexed(tmp_path)
    command = [sys.executable, "-c", READER, str(tmp_path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "gen-000001\n"

        publish(tmp_path)
        assert collect(tmp_path) == ()
        assert names(tmp_path) == ["CURRENT", "gen-000001", "gen-000002"]

        print(file=reader.stdin, flush=True)
        assert reader.stdout.readline() == f"{len(MESSAGES)}\n"
        assert reader.wait(timeout=20) == 0

    assert collect(tmp_path) == (tmp_path / INDEX / "gen-000001",)


def test_no_reader_begins_on_a_generation_that_is_being_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(tmp_path)
    old = current(tmp_path) / "manifest.json"
    outcome: list[object] = []

    def read() -> None:
        try:
            outcome.append(Reading(old))
        except FileNotFoundError as error:
            outcome.append(error)

    thread = threading.Thread(target=read)
    rmtree = shutil.rmtree

    def slowly(path: Path, *, ignore_errors: bool) -> None:
        if path == old.parent:
            thread.start()
            thread.join(timeout=0.3)
        rmtree(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", slowly)
    publish(tmp_path)
    thread.join(timeout=20)

    assert [type(one) for one in outcome] == [FileNotFoundError]


def test_readers_open_while_generations_are_published(tmp_path: Path) -> None:
    indexed(tmp_path)
    done = threading.Event()
    failures: list[BaseException] = []
    counts: list[set[int]] = []

    def read() -> None:
        seen = set()
        try:
            while not done.is_set():
                index = opened(tmp_path)
                assert len(list(index.entries())) == index.manifest.records
                assert len(index.candidates(Query(MatchText.of(TEXTS[0]), vector_of("x"), 1))) == 2
                seen.add(len(index))
        except BaseException as error:
            failures.append(error)
        counts.append(seen)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(12):
        store(tmp_path, [version(body("a further error", filePath=f"kit/{number}.py"))])
        publish(tmp_path, HashingEncoder())
    done.set()
    for thread in threads:
        thread.join(timeout=20)

    assert failures == []
    assert set().union(*counts) <= set(range(len(MESSAGES), len(MESSAGES) + 13))
    collect(tmp_path)
    assert names(tmp_path) == ["CURRENT", "gen-000013"]


def test_a_failed_writing_leaves_nothing_behind(tmp_path: Path) -> None:
    indexed(tmp_path)

    def write_half() -> None:
        with new_generation(tmp_path) as partial:
            (partial / "records.bin").write_bytes(b"half")
            assert names(tmp_path) == ["CURRENT", "gen-000001", "gen-000002.partial"]
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_half()

    assert names(tmp_path) == ["CURRENT", "gen-000001"]


def test_unfinished_folders_are_removed_by_the_next_publication(tmp_path: Path) -> None:
    indexed(tmp_path)
    leftover = tmp_path / INDEX / "gen-000002.partial"
    leftover.mkdir()
    (leftover / "records.bin").write_bytes(b"half")
    (tmp_path / INDEX / "CURRENT.partial").write_text("gen-0")

    publish(tmp_path)

    assert names(tmp_path) == ["CURRENT", current(tmp_path).name]


def run_as_nobody(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script whose imports, and nothing else, happen as root."""
    become = f"import faiss, os; os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
    imports = (
        "import sys\nfrom pathlib import Path\n"
        "from index.errors import IndexDamaged\n"
        "from index.index import Index, Query\nfrom index.match_text import MatchText\n"
        "from index.encoder import HashingEncoder\n"
        "MatchText.of('x'), HashingEncoder().encode(['x'])\n"
    )
    return subprocess.run(
        [sys.executable, "-c", imports + become + script, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user may enter; the one of pytest is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@needs_root
@pytest.mark.root
def test_searching_needs_no_permission_to_write(public_folder: Path) -> None:
    indexed(public_folder)
    script = (
        "index = Index.open(Path(sys.argv[1]))\n"
        "query = Query(MatchText.of(sys.argv[2]), HashingEncoder().encode(['x'])[0], 1)\n"
        "print([found.searcher for found in index.candidates(query)], index.faults())\n"
        "try: (index.generation / 'x').touch()\n"
        "except PermissionError: print('read only')\n"
    )

    done = run_as_nobody(script, str(public_folder), TEXTS[0])

    assert (done.stdout, done.stderr) == ("['exact', 'dense'] ()\nread only\n", "")


@needs_root
@pytest.mark.root
@pytest.mark.parametrize("closed", ["manifest.json", "records.bin", "records.ids.npy", "."])
def test_a_file_that_may_not_be_read_is_named(public_folder: Path, closed: str) -> None:
    indexed(public_folder)
    (current(public_folder) / closed).chmod(0)
    script = "try: Index.open(Path(sys.argv[1]))\nexcept IndexDamaged as error: print(str(error))\n"

    done = run_as_nobody(script, str(public_folder))

    named = "manifest.json" if closed == "." else closed
    told = f"{current(public_folder) / named}: may not be read; check the permissions\n"
    assert (done.stdout, done.stderr) == (told, "")


@contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[None]:
    place.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs"]
    mount = subprocess.run(["mount", *options, str(place)], capture_output=True, check=False)
    if mount.returncode:
        pytest.skip(f"no tmpfs can be mounted: {mount.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@needs_root
@pytest.mark.root
def test_a_full_disk_keeps_the_old_generation(tmp_path: Path) -> None:
    home, disk = tmp_path / "home", tmp_path / "disk"
    home.mkdir()
    store(home, versions())
    bodies = [body(f"error of kind {number}", filePath=f"{number}.py") for number in range(400)]
    told: list[str] = []
    with (
        small_disk(disk, 1_024),
        Store.open(home, writable=True) as source,
        VectorCache.open(home) as cache,
    ):
        build(source, disk, encoder=None, cache=cache)
        before = everything(opened(disk))
        source.put([version(one) for one in bodies])
        embed(home, bodies, HashingEncoder())
        free = shutil.disk_usage(disk).free
        for left in range(0, 400_000, 8_192):
            (disk / "filler").write_bytes(b"\0" * (free - left))
            try:
                build(source, disk, encoder=HashingEncoder(), cache=cache)
            except StorageFailed as error:
                told.append(str(error))
            else:
                break
            assert names(disk)[-1] == "gen-000001"
            assert everything(opened(disk)) == before
        assert opened(disk).manifest.vectors == 400
        assert opened(disk).faults() == ()

    assert len(told) > 20  # so that every file was once the one that did not fit
    full = "no space left on the disk; what was committed before is kept"
    assert [line for line in told if not line.endswith(full)] == []


def test_an_index_that_is_open_answers_after_its_folder_is_gone(tmp_path: Path) -> None:
    indexed(tmp_path)
    index = opened(tmp_path)
    index.candidates(Query(MatchText.of(""), vector_of("x"), 1))
    before = everything(index)

    shutil.rmtree(index.generation)

    assert everything(index) == before
    with pytest.raises(IndexDamaged, match=r"manifest\.json: missing"):
        Index.open(tmp_path)
