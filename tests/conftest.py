"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The development data beside the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the development data (../shared) is not beside the checkout")
    return folder


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything is installed, a skipped test is a failure of the set-up."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("ERRSAGE_TEST_NO_SKIPS") or reporter is None:
        return
    if skipped := len(reporter.stats.get("skipped", [])):
        reporter.write_line(f"{skipped} tests were skipped, which ERRSAGE_TEST_NO_SKIPS forbids")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
