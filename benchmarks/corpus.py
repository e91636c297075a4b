"""Figures at scale: adding, opening, searching, memory and size on one corpus.

    python -m benchmarks.corpus ../shared/corpus/pypi-137k.jsonl.gz ../shared/seeds \
        --queries ../shared/eval/pastes.jsonl --questions ../shared/eval/questions.jsonl \
        --vectors 10000

Everything happens in a temporary data folder. Times are wall time on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from assistant import Assistant, Progress, Result
from assistant.result import Searcher
from benchmarks.machine import description

ROOT = Path(__file__).resolve().parent.parent
DECIDED = "RuntimeError: missing captured KV on _cached_kv_pre"
_COLD_RUNS = 7


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _options().parse_args(arguments)
    print(f"machine: {description()}")
    with tempfile.TemporaryDirectory(prefix="errsage-benchmark-") as folder:
        _adding(Path(folder), options.records)
        if options.vectors:
            _embedding(Path(folder), options.vectors)
        _size(Path(folder))
        _cold(Path(folder))
        _opening(Path(folder))
        _searching(Path(folder), options.queries, options.questions)


def _adding(folder: Path, records: Iterable[Path]) -> None:
    stages: dict[str, Progress] = {}
    ended: dict[str, float] = {}

    def note(progress: Progress) -> None:
        stages[progress.stage] = progress
        ended[progress.stage] = time.perf_counter() - began

    with Assistant.open(folder) as assistant:
        began = time.perf_counter()
        added = assistant.add(*records, vectors=False, progress=note)
        total = time.perf_counter() - began
    print(f"add: {added.accepted:,} records searchable by the exact tier after {total:.1f} s")
    print(f"  stored after {ended['store']:.1f} s, indexed {total - ended['store']:.1f} s later")
    print(f"  peak memory {_peak_mb():,.0f} MB")


def _embedding(folder: Path, count: int) -> None:
    with Assistant.open(folder) as assistant:
        began = time.perf_counter()
        marks: list[tuple[int, float]] = []
        assistant.embed(
            limit=count,
            progress=lambda progress: (
                marks.append((progress.done, time.perf_counter()))
                if progress.stage == "embed"
                else None
            ),
        )
        total = time.perf_counter() - began
        records = assistant.status().records
    rate = count / (marks[-1][1] - began)
    print(
        f"embed: {count:,} texts in {total:.0f} s with loading and publishing, {rate:.1f} texts/s; "
        f"all {records:,} would take {records / rate / 60:.0f} minutes"
    )
    print(f"  peak memory {_peak_mb():,.0f} MB")


def _size(folder: Path) -> None:
    with Assistant.open(folder) as assistant:
        disk = assistant.status().disk
    told = ", ".join(f"{name} {size / 1e6:,.0f} MB" for name, size in disk.model_dump().items())
    print(f"disk: {told}")


def _cold(folder: Path) -> None:
    """A whole process: start, open the index, search, print."""
    command = [sys.executable, "-m", "ui.cli", "--data-dir", str(folder), "search", DECIDED]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    seconds = []
    for _ in range(_COLD_RUNS):
        began = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    print(
        f"cold search (process start to exit, decided by the exact tier): median "
        f"{statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s of {_COLD_RUNS}"
    )


def _opening(folder: Path) -> None:
    seconds = []
    for _ in range(_COLD_RUNS):
        with Assistant.open(folder) as assistant:
            began = time.perf_counter()
            assistant.get("0" * 16)
            seconds.append(time.perf_counter() - began)
    print(f"open: median {statistics.median(seconds) * 1000:.0f} ms of {_COLD_RUNS}")


def _searching(folder: Path, queries: Path | None, questions: Path | None) -> None:
    with Assistant.open(folder) as assistant:
        assistant.warm()
        _latency("decided by the exact tier", [assistant.search(DECIDED) for _ in range(50)])
        for name, file in (("pastes", queries), ("questions", questions)):
            if file is not None:
                results = [assistant.search(text) for text in _texts(file)]
                exact = [r for r in results if r.hits and r.hits[0].searcher is Searcher.EXACT]
                rest = [r for r in results if r not in exact]
                _latency(f"{name} led by the exact tier", exact)
                _latency(f"{name} that asked the encoder too", rest)
    print(f"peak memory with the encoder loaded {_peak_mb():,.0f} MB")


def _latency(name: str, results: Sequence[Result]) -> None:
    if not results:
        return
    times = sorted(result.took_ms for result in results)
    p95 = times[min(len(times) - 1, len(times) * 95 // 100)]
    print(f"search, {name} ({len(times)}): p50 {times[len(times) // 2]:.1f} ms, p95 {p95:.1f} ms")


def _texts(file: Path) -> list[str]:
    return [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]


def _peak_mb() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description=__doc__)
    parser.add_argument("records", type=Path, nargs="+")
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--vectors", type=int, default=0, help="embed so many texts, timed")
    return parser


if __name__ == "__main__":
    main()
