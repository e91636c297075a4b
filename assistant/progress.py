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


@dataclass
class Meter:
    """Counts the items of one stage, reports them now and then, and once at the end."""

    stage: str
    report: Report
    total: int | None = None
    done: int = 0
    began: float = field(default_factory=time.perf_counter)
    reported: float = field(default_factory=time.perf_counter)

    def add(self, count: int) -> None:
        """Count items as done; the end is told by `finish`."""
        self.done += count
        due = time.perf_counter() - self.reported >= _SECONDS_BETWEEN
        if due and 0 < self.done != self.total:
            self._tell()

    def finish(self, count: int = 0) -> None:
        """Count the last items, and report the end of the stage if it did anything."""
        self.done += count
        self.total = self.done
        if self.done:
            self._tell()

    def _tell(self) -> None:
        self.reported = time.perf_counter()
        rate = self.done / max(self.reported - self.began, 1e-9)
        self.report(Progress(self.stage, self.done, self.total, rate))


def silent(_progress: Progress) -> None:
    """Report nothing."""
