"""Every fenced shell and Python block of the README runs, in order, in a fresh home."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

_BLOCK = re.compile(
    r"(<!-- installation: not run by the tests -->\n)?^```(\w+)\n(.*?)^```", re.M | re.S
)
_SECONDS = 240


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    installs: bool


def _blocks(text: str) -> list[Block]:
    return [Block(m.group(2), m.group(3), bool(m.group(1))) for m in _BLOCK.finditer(text)]


README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    command = Path(sysconfig.get_path("scripts")) / "errsage"
    if not command.is_file():
        pytest.skip("errsage is not installed in this environment (make test installs it)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "ERRSAGE_PORT": str(port),
        "LANG": "C.UTF-8",
    }


@pytest.mark.model
def test_every_block_runs_in_order(environment: dict[str, str]) -> None:
    ran = []
    for block in _blocks(README):
        if block.installs:
            continue
        if block.language == "python":
            _check([sys.executable, "-c", block.code], environment)
        else:
            assert block.language == "sh"
            for line in block.code.splitlines():
                _run_line(line, environment)
        ran.append(block.language)
    assert ran == ["sh", "sh", "python"]


def test_only_installation_is_left_out() -> None:
    left_out = "".join(block.code for block in _blocks(README) if block.installs)
    commands = [line.split("#")[0].strip() for line in left_out.splitlines()]
    assert commands == [
        "make serve",
        "make test",
        'pipx install --pip-args="--constraint constraints.txt" .',
    ]


def test_every_command_is_in_the_readme() -> None:
    from ui.commands import app

    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert [name for name in names if f"errsage {name}" not in README] == []


def _run_line(line: str, environment: dict[str, str]) -> None:
    if line.startswith("errsage serve"):
        _serve(line, environment)
    else:
        said = _check(["bash", "-euo", "pipefail", "-c", line], environment)
        if "errsage search" in line:
            assert not said.startswith("none"), line
            assert '"verdict": "none"' not in said, line


def _check(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=_SECONDS
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _serve(line: str, environment: dict[str, str]) -> None:
    """Start the server, ask until it answers, stop it by its pid."""
    with subprocess.Popen(line.split(), cwd=ROOT, env=environment) as server:
        try:
            page = "".join(_answers(f"http://127.0.0.1:{environment['ERRSAGE_PORT']}/", server))
            assert "errsage" in page
        finally:
            os.kill(server.pid, signal.SIGTERM)
        assert server.wait(timeout=60) == 0


def _answers(address: str, server: subprocess.Popen[bytes]) -> Iterator[str]:
    until = time.monotonic() + 120
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                yield answer.read().decode("utf-8")
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"{address} did not answer")
