"""Progress of long work, as values that read as sentences."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one stage is.

    Attributes:
        stage: "restore", "store", "index", "embed" or "quality".
        done: items done.
        total: items in all; None where it is not known beforehand.
        rate: items a second since the stage began.
    """

    stage: str
    done: int
    total: int | None
    rate: float

    @property
    def remaining(self) -> float | None:
        """Seconds left at the present rate; None where that cannot be told."""
        if self.total is None or self.rate <= 0:
            return None
        return (self.total - self.done) / self.rate

    def __str__(self) -> str:
        """One line, e.g. `embed: 3,200 of 10,000, 61.2/s, 111 s left`."""
        of = f" of {self.total:,}" if self.total is not None else ""
        left = self.remaining
        ending = f", {left:,.0f} s left" if left is not None and left >= 1 else ""
        return f"{self.stage}: {self.done:,}{of}, {self.rate:,.1f}/s{ending}"


Report = Callable[[Progress], object]


# Between two reports of one stage pass at least so many seconds, its end excepted.
_SECONDS_BETWEEN = 0.5
# Stages that end with `finish`. What they counted last is left to it, or it would be told twice.
_FINISHED = ("index", "quality")


@dataclass
class Meter:
    """Counts the items of one stage and reports them now and then."""

    stage: str
    report: Report
    total: int | None = None
    done: int = 0
    began: float = field(default_factory=time.perf_counter)
    reported: float = 0.0

    def add(self, count: int) -> None:
        """Count items as done, and report now and then."""
        before, self.done = self.done, self.done + count
        told = before if self.stage in _FINISHED else self.done
        due = time.perf_counter() - self.reported >= _SECONDS_BETWEEN
        if told and (due or told == self.total):
            self._tell(told)

    def finish(self) -> None:
        """Report the end of a stage whose total was not known beforehand, if it did anything."""
        self.total = self.done
        if self.done:
            self._tell(self.done)

    def _tell(self, done: int) -> None:
        self.reported = time.perf_counter()
        rate = done / max(self.reported - self.began, 1e-9)
        self.report(Progress(self.stage, done, self.total, rate))


def silent(_progress: Progress) -> None:
    """Report nothing."""
