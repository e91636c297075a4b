"""The whole way: `errsage serve` as a process, a real index, a real browser."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_chat_browser import CHROMIUM, FLAGS

from records.model.identity import record_id

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120

# A chain whose two links are each in the samples.
CHAIN = """Traceback (most recent call last):
  File "/home/jo/shop/report.py", line 12, in load
    frame.columns = names
  File "/home/jo/shop/.venv/lib/python3.12/site-packages/pandas/core/internals/base.py", line 98, in _validate_set_axis
    raise ValueError(
ValueError: Length mismatch: Expected axis has 3 elements, new values have 2 elements

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/jo/shop/report.py", line 30, in main
    axes.plot(days, totals)
  File "/home/jo/shop/.venv/lib/python3.12/site-packages/matplotlib/axes/_base.py", line 494, in _plot_args
    raise ValueError(f"x and y must have same first dimension, but "
ValueError: x and y must have same first dimension, but have shapes (365,) and (364,)
"""  # noqa: E501 - as tracebacks are


@dataclass(frozen=True)
class Served:
    url: str
    folder: Path

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "ui.cli", "--data-dir", str(self.folder), *arguments]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "ERRSAGE_MODEL": "hashing"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = Served("", tmp_path_factory.mktemp("served"))
    add = place.command("add", str(ROOT / "records" / "samples"))
    subprocess.run(add, env=_environment(), check=True, capture_output=True, timeout=SECONDS)
    serve = place.command("serve", "--port", "0")
    with subprocess.Popen(serve, env=_environment(), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
        assert found
        yield Served(found.group(), place.folder)
        server.terminate()
        assert server.wait(timeout=SECONDS) == 0


@pytest.fixture
def page(served: Served) -> Iterator[Page]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page()
        opened.set_default_timeout(60_000)
        opened.goto(served.url)
        yield opened
        browser.close()


def _explain(page: Page, text: str) -> Locator:
    answers = page.locator(".es-answer")
    before = answers.count()
    page.get_by_label("Your error").fill(text)
    page.get_by_role("button", name="Explain", exact=True).click()
    answers.nth(before).wait_for()
    return answers.nth(before)


def test_a_pasted_traceback_is_explained_and_a_runner_up_opens(page: Page) -> None:
    answer = _explain(page, CHAIN)
    assert "This is the error" in answer.inner_text()
    assert (
        "x and y must have same first dimension" in answer.locator(".es-message").first.inner_text()
    )
    runner_up = answer.locator("details", has_text="Length mismatch").first
    solution = runner_up.get_by_role("listitem").first
    assert not solution.is_visible()
    runner_up.locator("summary").first.click()
    assert solution.is_visible()


def test_records_added_by_another_process_are_found_on_the_next_request(
    page: Page, served: Served, tmp_path: Path
) -> None:
    text = "QuotaError: flux quota of 7 capacitors is exhausted"
    assert "This is the error" not in _explain(page, text).inner_text()
    file = tmp_path / "new.json"
    file.write_text(json.dumps(_new_record()), encoding="utf-8")
    add = served.command("add", str(file))
    subprocess.run(add, env=_environment(), check=True, capture_output=True, timeout=SECONDS)
    assert "This is the error" in _explain(page, text).inner_text()


def _new_record() -> dict[str, object]:
    samples = json.loads((ROOT / "records/samples/pandas.json").read_text(encoding="utf-8"))
    message = "flux quota of {count} capacitors is exhausted"
    return {
        **samples[0],
        "id": record_id(repo="acme/flux", code=None, message=message, path="flux/quota.py"),
        "repo": "acme/flux",
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": "flux quota of (.+?) capacitors is exhausted",
        "errorClass": "QuotaError",
        "filePath": "flux/quota.py",
        "sourceCode": None,
        "sourceCodeStart": None,
        "sourceCodeEnd": None,
    }
