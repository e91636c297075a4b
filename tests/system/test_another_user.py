"""A data folder that the user may read but not write, or not even read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.command import (
    KNOWN,
    KNOWN_ID,
    PATIENCE,
    SAMPLES,
    Ended,
    ended,
    environment,
    errsage,
    sample,
)

NOBODY = 65_534

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user"
    ),
]

# Everything is imported before, since that user may not be able to read this tree.
AS_NOBODY = f"""
import os, sys
import assistant.api, encodings.utf_32_le, faiss, ui.cli, ui.commands
import ui.terminal.progress, ui.terminal.reading, ui.terminal.record
import ui.terminal.result, ui.terminal.status
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
os.umask(0o022)
ui.cli.main()
"""
FORBIDDEN = (
    "may not be written; check the permissions, or name another folder with --data-dir or "
    "ERRSAGE_HOME"
)


def as_nobody(home: Path, *arguments: str | Path) -> Ended:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", AS_NOBODY, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(home),
        cwd="/",
        timeout=PATIENCE,
    )
    return ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="errsage-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def home(place: Path) -> Path:
    """A filled data folder of root, copied, as one would publish it."""
    assert errsage(place / "made", "add", SAMPLES / "click.json").code == 0
    home = Path(shutil.copytree(place / "made", place / "home"))
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return home


def traces(home: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and times of change of all files."""
    return sorted(
        (str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in home.rglob("*")
    )


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (["search", KNOWN], "exact: this template produced the text"),
        (["search", "active context of click"], "related: about the same subject"),
        (["show", KNOWN_ID], KNOWN),
        (["status"], "data folder      "),
        (["verify"], "store and index are sound"),
    ],
)
def test_reading_needs_no_permission_to_write(
    home: Path, arguments: list[str], beginning: str
) -> None:
    before = traces(home)
    said = as_nobody(home, *arguments)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(beginning)
    assert traces(home) == before


def test_adding_without_permission_ends_with_2_and_a_sentence(home: Path, place: Path) -> None:
    record = place / "record.json"
    record.write_text(f"[{sample()}]", encoding="utf-8")
    record.chmod(0o644)
    before = traces(home)
    for command in (["add", record], ["embed"], ["rebuild"]):
        said = as_nobody(home, *command)
        assert (said.code, said.out) == (2, "")
        assert said.err == f"errsage: {home}: {FORBIDDEN}\n"
    assert traces(home) == before
    said = as_nobody(place / "new", "add", record)
    assert said == Ended(2, "", f"errsage: {place / 'new'}: {FORBIDDEN}\n")


def test_a_folder_that_may_not_be_read_is_told(home: Path, place: Path) -> None:
    closed = Path(shutil.copytree(home, place / "closed"))
    closed.chmod(0o700)
    sentence = f"{closed}/index/CURRENT: may not be read; check the permissions"
    for command in (["search", KNOWN], ["show", KNOWN_ID], ["status"]):
        assert as_nobody(closed, *command) == Ended(3, "", f"errsage: {sentence}\n")
    assert as_nobody(closed, "verify") == Ended(1, f"{sentence}\n", "")
    secret = place / "secret.json"
    shutil.copy(SAMPLES / "click.json", secret)
    secret.chmod(0o600)
    said = as_nobody(place / "new", "add", secret)
    assert (said.code, said.out) == (2, "")
    assert said.err == f"errsage: {secret}: Permission denied\n"
