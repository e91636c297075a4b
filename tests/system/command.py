"""Runs the command `errsage` in processes of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from records.model.identity import record_id

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "records" / "samples"
COMMAND = (sys.executable, "-m", "ui.cli")
# Only so that a test that hangs ends.
PATIENCE = 120.0

KNOWN = "RuntimeError: There is no active click context."
KNOWN_ID = "e269a7a5c81f82f4"
TRACE = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


def environment(home: Path | None, **more: str) -> dict[str, str]:
    """The variables of a child: this tree, the hashing encoder, and a data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRSAGE_")}
    ours = {"PYTHONPATH": str(ROOT), "ERRSAGE_MODEL": "hashing"}
    ours |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # threads cost time to start
    place = {} if home is None else {"ERRSAGE_HOME": str(home)}
    return kept | ours | place | more


def errsage(
    home: Path | None,
    *arguments: str | bytes | Path,
    given: bytes | None = None,
    cwd: Path | None = None,
    **more: str,
) -> Ended:
    """Run a command to its end; it never shows a stack trace."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        env=environment(home, **more),
        cwd=cwd,
        timeout=PATIENCE,
    )
    return ended(done.returncode, done.stdout, done.stderr)


def ended(code: int, out: bytes, err: bytes) -> Ended:
    """Decode what a process said, and see that it showed no stack trace."""
    said = Ended(code, out.decode("utf-8"), err.decode("utf-8"))
    assert TRACE not in said.err, said.err
    return said


def started(home: Path, *arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start a command that announces its stages on standard error."""
    return subprocess.Popen(
        [*COMMAND, "--verbose", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )


def await_stage(process: subprocess.Popen[bytes], stage: str, *, nth: int = 1) -> list[str]:
    """Read standard error until a stage was announced for the nth time; gives all stages."""
    assert process.stderr is not None
    seen: list[str] = []
    for line in iter(process.stderr.readline, b""):
        text = line.decode("utf-8").rstrip("\n")
        if text.startswith("stage: "):
            seen.append(text.removeprefix("stage: "))
        if sum(name.startswith(stage) for name in seen) == nth:
            return seen
    raise AssertionError(f"ended before stage {stage!r} came {nth} times; seen: {seen}")


def finish(process: subprocess.Popen[bytes]) -> Ended:
    """Wait for the end of a started process."""
    out, err = process.communicate(timeout=PATIENCE)
    return ended(process.returncode, out, err)


def on_terminal(home: Path, *arguments: str | Path, **more: str) -> tuple[int, str]:
    """Run with a terminal as standard output and error; gives exit code and all it shows.

    Into a pipe, typer drops colour sequences itself and hides what a terminal would get.
    """
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        # On a dumb terminal the progress bar uses no sequences of its own.
        env=environment(home, TERM="dumb", **more),
    )
    os.close(theirs)
    shown = bytearray()
    try:
        while chunk := os.read(ours, 65_536):
            shown += chunk
    except OSError:
        pass  # the terminal's other end was closed
    os.close(ours)
    return process.wait(PATIENCE), shown.decode("utf-8")


def sample(record: str = KNOWN_ID) -> dict[str, Any]:
    """One of the sample records, as it is published."""
    for file in sorted(SAMPLES.glob("*.json")):
        if file.name == "sidecar.json":
            continue
        for body in json.loads(file.read_text(encoding="utf-8")):
            if body["id"] == record:
                return dict(body)
    raise LookupError(record)


def changed(body: dict[str, Any], **fields: object) -> dict[str, Any]:
    """A record with other fields and the id that fits them; its pattern comes from the message."""
    made = body | {"messagePattern": None} | fields
    made["id"] = record_id(
        repo=made["repo"],
        code=made["errorCode"],
        message=made["errorMessage"],
        path=made["filePath"],
    )
    return made


def write_many(file: Path, count: int, *, start: int = 0) -> Path:
    """Write that many different records of several repositories as JSON Lines."""
    base = sample()
    lines = [
        json.dumps(
            changed(
                base,
                repo=f"sundry/library-{number % 7}",
                errorMessage=f"cannot open {_word(number)} in mode {{mode}}, {_word(number + 1)}",
                documentation=f"{base['documentation']} It is about {_word(number)}.",
            )
        )
        for number in range(start, start + count)
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _word(number: int) -> str:
    syllables = ("ka", "lo", "mi", "ru", "se", "to", "vu", "xa", "ye", "zi")
    return "".join(syllables[int(digit)] for digit in f"{number * 7919:07d}")
