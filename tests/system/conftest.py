"""What the tests of whole processes share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.command import SAMPLES, errsage


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a good index of one record."""
    home = tmp_path_factory.mktemp("before")
    assert errsage(home, "add", SAMPLES / "click.json").code == 0
    return home
