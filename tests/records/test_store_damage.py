from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from record_samples import version

from records.errors import StorageFailed, StoreDamaged, StoreError, StoreTooNew
from records.store.lock import writer_lock
from records.store.schema import STORE_VERSION
from records.store.store import STORE, Store
from records.store.versions import Version

ROWS = [version(changes={"filePath": f"{number}.py"}) for number in range(24)]
NOBODY = 65534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A folder with a sound store."""
    with Store.open(tmp_path, writable=True) as store:
        store.put(ROWS)
    return tmp_path


def use(folder: Path) -> list[Version]:
    """All that reading a store can do."""
    with Store.open(folder) as store:
        store.faults()
        assert store.revision >= 0
        store.counts()
        for served in store.served():
            assert served.version.record.id
        return list(store.versions())


def change(folder: Path) -> None:
    with Store.open(folder, writable=True) as store:
        store.put([version("b", words=number) for number in (1, 2)])


@pytest.mark.parametrize("kept", [1, 15, 16, 99, 100, 512, 4095, 4096, 5000, 12288])
def test_a_cut_store_is_damaged(sound: Path, kept: int) -> None:
    os.truncate(sound / STORE, kept)
    with pytest.raises(StoreDamaged, match=rf"{STORE}: the store is damaged \("):
        use(sound)


def test_an_empty_file_is_damaged_to_readers_and_new_to_a_writer(sound: Path) -> None:
    os.truncate(sound / STORE, 0)
    with pytest.raises(StoreDamaged, match=r"the store is damaged \(it is empty\); move it away"):
        use(sound)
    change(sound)
    assert [made.words for made in use(sound)] == [2]


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    (tmp_path / STORE).write_bytes(random.Random(1).randbytes(50_000))
    for act in (use, change):
        with pytest.raises(
            StoreDamaged, match=r"file is not a database\); move it away, and errsage rebuild"
        ):
            act(tmp_path)


def test_flipped_bytes_are_told_or_harmless(sound: Path) -> None:
    data = (sound / STORE).read_bytes()
    offsets = [*range(108), *random.Random(2).sample(range(108, len(data)), 250)]
    told = 0
    for offset in offsets:
        for mask in (0xFF,) if offset > 108 else (0xFF, 0x01, 0x80):
            spoilt = bytearray(data)
            spoilt[offset] ^= mask
            (sound / STORE).write_bytes(spoilt)
            try:
                use(sound)
            except (StoreDamaged, StoreTooNew):
                told += 1
    assert told > 20


def test_flipped_bytes_do_not_surprise_a_writer(sound: Path) -> None:
    data = (sound / STORE).read_bytes()
    for offset in [*range(100), *random.Random(3).sample(range(100, len(data)), 60)]:
        spoilt = bytearray(data)
        spoilt[offset] ^= 0xFF
        (sound / STORE).write_bytes(spoilt)
        with suppress(StoreError):
            change(sound)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE versions SET received = x'00ff'",
        "UPDATE versions SET received = 12",
        "UPDATE versions SET sidecar = '{'",
        "UPDATE versions SET sidecar = '[1]'",
        "UPDATE versions SET sidecar = 'null'",
        "UPDATE versions SET flags = 'no-such-flag'",
        "UPDATE versions SET flags = x'80'",
        "UPDATE versions SET words = 'many'",
        "UPDATE versions SET dataset_version = x'00'",
        "UPDATE versions SET stage_flags = 'no-such-flag'",
        "UPDATE versions SET received = CAST(x'ff' AS TEXT)",
        "UPDATE versions SET received = '[]'",
        "DELETE FROM counters",
        "UPDATE counters SET value = 'x'",
        "DROP TABLE counters",
        "DROP TABLE versions",
        "PRAGMA user_version = -1",
        "PRAGMA user_version = 0",
    ],
)
def test_rows_that_do_not_read_are_damage(sound: Path, sql: str) -> None:
    connection = sqlite3.connect(sound / STORE)
    with connection:
        connection.execute(sql)
    connection.close()
    with pytest.raises(StoreDamaged):
        use(sound)


@pytest.mark.parametrize("version", [0, 1, 7])
def test_a_store_of_another_program_is_left_alone(tmp_path: Path, version: int) -> None:
    connection = sqlite3.connect(tmp_path / STORE)
    connection.executescript(f"CREATE TABLE notes (a); PRAGMA user_version = {version};")
    connection.close()
    before = (tmp_path / STORE).read_bytes()
    for act in (use, change):
        with pytest.raises(StoreDamaged, match="an SQLite file, but not a store of errsage; move"):
            act(tmp_path)
    assert (tmp_path / STORE).read_bytes() == before


def test_a_newer_store_is_refused_in_a_sentence(sound: Path) -> None:
    connection = sqlite3.connect(sound / STORE)
    connection.execute(f"PRAGMA user_version = {STORE_VERSION + 1}")
    connection.close()
    told = (
        rf"{STORE}: the store has version {STORE_VERSION + 1}, this errsage reads up to "
        rf"{STORE_VERSION}; upgrade errsage$"
    )
    for act in (use, change):
        with pytest.raises(StoreTooNew, match=told):
            act(sound)


def test_a_missing_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=rf"{STORE}: there is no store; add records with"):
        Store.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_the_store_is_told(tmp_path: Path) -> None:
    (tmp_path / STORE).mkdir()
    for act in (use, change):
        with pytest.raises(StorageFailed, match=STORE):
            act(tmp_path)


def as_nobody(act: Callable[[], object]) -> str:
    """What `act` gives or raises when another user runs it."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            told = repr(act())
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told


@pytest.fixture
def readable(sound: Path) -> Iterator[Path]:
    """A sound store that others may read and not write."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    shutil.copy(sound / STORE, folder / STORE)
    (folder / STORE).chmod(0o644)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.root
@needs_root
def test_reading_needs_no_write_permission(readable: Path) -> None:
    assert as_nobody(lambda: len(use(readable))) == "24"
    assert [file.name for file in readable.iterdir()] == [STORE]


@pytest.mark.root
@needs_root
def test_writing_without_permission_is_told(readable: Path) -> None:
    told = as_nobody(lambda: change(readable))
    assert told.startswith(f"StorageFailed: {readable / STORE}: may not be written; check")
    told = as_nobody(lambda: writer_lock(readable).__enter__())
    assert told.startswith(f"StorageFailed: {readable}: may not be written; check")


@pytest.mark.root
@needs_root
def test_a_forbidden_store_is_told(readable: Path) -> None:
    (readable / STORE).chmod(0o600)
    assert as_nobody(lambda: use(readable)).startswith(f"StorageFailed: {readable / STORE}: ")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "errsage-test", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no tmpfs can be mounted: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.root
@needs_root
@pytest.mark.parametrize("megabytes", [1, 6], ids=["at the commit", "before it"])
def test_without_space_what_was_committed_is_kept(small: Path, megabytes: int) -> None:
    batch = [
        version(changes={"filePath": f"{number}.py", "documentation": "x" * 10_000}, words=1)
        for number in range(megabytes * 110)
    ]
    with Store.open(small, writable=True) as store:
        store.put(ROWS)
        with pytest.raises(StorageFailed, match="no space left on the disk; what was committed"):
            store.put(batch)
        assert store.counts() == {"versions": 24, "records": 24, "sources": 1}
        assert store.put([version("b", words=1)]) == 1
    assert len(use(small)) == 25
    with Store.open(small) as store:
        assert store.revision == 2
        assert store.faults() == ()


@pytest.mark.root
@needs_root
def test_without_space_no_lock_is_left(small: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        (small / "full").write_bytes(b"x" * (1 << 20) + b"x")
    with pytest.raises(StorageFailed, match="no space left"), writer_lock(small):
        pass
    (small / "full").unlink()
    with writer_lock(small):
        pass
