from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from assistant_samples import ROOT

ASK = (
    "try:\n    import assistant\nexcept ImportError as error:\n"
    "    print(type(error).__name__, error)\nelse:\n    print(assistant.Verdict.EXACT.value)\n"
)
MARK = "open({marker!r}, 'w').close()\n"


def ask(folder: Path, *, first: Path | None = None) -> str:
    """What importing the assistant says in a script of this folder."""
    script = folder / "script.py"
    script.write_text(ASK, encoding="utf-8")
    path = os.pathsep.join(str(place) for place in (first, ROOT) if place is not None)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["index", "records", "ui"])
def test_users_own_file_is_named_and_not_run(tmp_path: Path, name: str) -> None:
    marker = tmp_path / "was_run"
    file = tmp_path / f"{name}.py"
    file.write_text(MARK.format(marker=str(marker)), encoding="utf-8")
    assert ask(tmp_path) == (
        f"ShadowedPackage {file} stands in the way of errsage's own package '{name}': rename it, "
        "run from another folder, or install errsage by itself (pipx install errsage)"
    )
    assert not marker.exists()


def test_foreign_installed_package_is_named_and_not_run(tmp_path: Path) -> None:
    site, script = tmp_path / "site", tmp_path / "script"
    marker = tmp_path / "was_run"
    foreign = site / "records"
    foreign.mkdir(parents=True)
    script.mkdir()
    (foreign / "__init__.py").write_text(MARK.format(marker=str(marker)), encoding="utf-8")
    assert ask(script, first=site).startswith(
        f"ShadowedPackage {foreign / '__init__.py'} stands in the way of errsage's own package "
        "'records': rename it,"
    )
    assert not marker.exists()


def test_foreign_folder_without_init_does_not_stand_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    assert ask(tmp_path) == "exact"


def test_without_a_shadow_it_imports(tmp_path: Path) -> None:
    assert ask(tmp_path) == "exact"


def test_shadow_is_an_import_error() -> None:
    from assistant import ShadowedPackage

    assert issubclass(ShadowedPackage, ImportError)
