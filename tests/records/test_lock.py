from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.errors import StorageFailed, StoreLocked
from records.store.lock import HOLDER, writer_lock

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import sys
from pathlib import Path
from records.store.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with writer_lock(folder):
        assert (folder / HOLDER).read_text(encoding="ascii") == str(os.getpid())
    assert not (folder / HOLDER).exists()
    with writer_lock(folder):
        pass


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="inside"), writer_lock(tmp_path):
        raise KeyError("inside")
    with writer_lock(tmp_path):
        pass


def test_a_second_process_is_told_who_holds_it(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    told = f"process {holder.pid} is adding records; try again when it is done, or pass --wait$"
    with pytest.raises(StoreLocked, match=told) as caught, writer_lock(tmp_path):
        pass
    assert caught.value.pid == holder.pid
    assert (tmp_path / HOLDER).read_text(encoding="ascii") == str(holder.pid)


@pytest.mark.parametrize("text", ["", "x", "-1", "1 2", "\ud7ff", "²"])
def test_an_unknown_holder_is_another_process(
    tmp_path: Path, holder: subprocess.Popen[str], text: str
) -> None:
    (tmp_path / HOLDER).write_text(text, encoding="utf-8")
    with pytest.raises(StoreLocked, match="another process is adding") as caught:
        writer_lock(tmp_path).__enter__()
    assert caught.value.pid is None


def test_a_killed_holder_holds_nothing(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=10)
    with writer_lock(tmp_path):
        assert (tmp_path / HOLDER).read_text(encoding="ascii") == str(os.getpid())


def test_waiting_waits(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    assert holder.stdin is not None
    ending = threading.Timer(0.3, holder.stdin.close)
    ending.start()
    with writer_lock(tmp_path, wait=True):
        assert holder.wait(timeout=10) == 0
    ending.join()


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(StorageFailed, match=r"x: File exists$"):
        writer_lock(tmp_path / "x").__enter__()
