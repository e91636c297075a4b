"""`errsage serve` as a process: it says where it is, and ends when it is told to."""

from __future__ import annotations

import re
import signal
import urllib.request
from pathlib import Path

from tests.system.command import errsage, finish, started


def test_a_server_tells_its_address_and_ends_on_sigterm(tmp_path: Path) -> None:
    with started(tmp_path, "serve", "--port", "0") as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline().decode()
            found = re.fullmatch(r"errsage is at (http://127\.0\.0\.1:(\d+)) .*\n", told)
            assert found, told
            with urllib.request.urlopen(found[1], timeout=60) as answer:
                assert answer.status == 200
            said = errsage(tmp_path, "serve", "--port", found[2])
            assert said.code == 2
            assert said.err.startswith(
                f"errsage: cannot listen on 127.0.0.1 port {found[2]}: Address already in use"
            )
            process.send_signal(signal.SIGTERM)
            assert finish(process).code == 0
        finally:
            process.kill()
