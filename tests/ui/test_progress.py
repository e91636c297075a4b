"""What is told of long work, and how it is shown."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from assistant import progress
from assistant.progress import Meter, Progress
from ui.terminal.progress import reporter

Patch = pytest.MonkeyPatch


class Told(list[Progress]):
    """Keeps what a meter reports."""

    def __call__(self, told: Progress) -> None:
        self.append(told)

    @property
    def counts(self) -> list[tuple[str, int, int | None]]:
        return [(one.stage, one.done, one.total) for one in self]


@pytest.fixture
def told(monkeypatch: Patch) -> Told:
    """Every count is told that may be: no time passes between two reports."""
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN", 0.0)
    return Told()


def test_a_stage_with_nothing_to_do_tells_nothing(told: Told) -> None:
    meter = Meter("index", told)
    meter.add(0)
    meter.finish()
    assert told == []


def test_a_stage_of_one_step_is_told_once(told: Told) -> None:
    Meter("index", told).finish(137_205)
    assert told.counts == [("index", 137_205, 137_205)]
    assert str(told[0]).startswith("index: 137,205 of 137,205, ")


def test_a_known_total_is_told_once_at_its_end(told: Told) -> None:
    embed = Meter("embed", told, total=200)
    embed.add(128)
    embed.add(72)
    embed.finish()
    assert told.counts == [("embed", 128, 200), ("embed", 200, 200)]


def test_an_unknown_total_is_known_at_the_end(told: Told) -> None:
    store = Meter("store", told)
    store.add(5_000)
    store.finish(7)
    assert told.counts == [("store", 5_000, None), ("store", 5_007, 5_007)]


def test_reports_keep_their_distance_but_for_the_end(told: Told, monkeypatch: Patch) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN", 3_600.0)
    meter = Meter("embed", told, total=30)
    for _ in range(3):
        meter.add(10)
    meter.finish()
    assert told.counts == [("embed", 30, 30)]


def work(report: Callable[[Progress], object]) -> None:
    """The stages of adding, as assistant.ingest counts them."""
    Meter("store", report).finish(300)
    Meter("index", report).finish(300)
    embed = Meter("embed", report, total=300)
    embed.add(128)
    embed.add(172)
    embed.finish()
    Meter("quality", report).finish()


def test_lines_for_a_log(monkeypatch: Patch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    with reporter() as report:
        work(report)
    assert [line.split(", ")[0] for line in shown.getvalue().splitlines()] == [
        "store: 300 of 300",
        "index: 300 of 300",
        "embed: 300 of 300",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_time_is_left_where_a_stage_has_ended(monkeypatch: Patch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "dumb")
    with reporter() as report:
        work(report)
    text = shown.getvalue()
    assert [line.split()[0] for line in text.split("\n") if line] == ["store", "index", "embed"]
    assert ":" not in text
