"""Progress on standard error: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.progress import Progress, Report

_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def reporter() -> Iterator[Report]:
    """Give a function that shows progress on standard error."""
    if sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield _Lines()


class _Lines:
    """A line for each stage's end, and one every few seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.done == progress.total or now - self._last >= _SECONDS_BETWEEN_LINES:
            sys.stderr.write(f"{progress}\n")
            sys.stderr.flush()
            self._last = now


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Task, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class TimeLeft(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return Text("") if task.finished else super().render(task)

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeLeft(),
    )
    tasks: dict[str, int] = {}
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def report(progress: Progress) -> None:
            if progress.stage not in tasks:
                tasks[progress.stage] = bars.add_task(progress.stage, total=None, told="")
            bars.update(
                bars.task_ids[list(tasks).index(progress.stage)],
                completed=progress.done,
                total=progress.total,
                told=f"{progress.done:,}, {progress.rate:,.0f}/s",
            )

        yield report
