"""The status of a data folder as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.status import Status
from ui.terminal.inert import inert


def status_text(status: Status) -> str:
    """Write the status, a line a fact."""
    return "\n".join(inert(line).replace("\n", " ") for line in _lines(status))


def _lines(status: Status) -> Iterator[str]:
    yield f"data folder   {status.folder}"
    yield f"records       {status.records:,} of {status.repos:,} repositories"
    yield f"sources       {status.sources:,}"
    yield f"datasets      {', '.join(status.dataset_versions) or 'none published'}"
    yield f"encoder       {status.encoder or 'no vectors yet'}"
    yield f"vectors       {status.vectors:,} ({status.dense_coverage:.1%} of the records)"
    sizes = status.disk.model_dump().items()
    yield "disk          " + ", ".join(f"{name} {_mb(count)}" for name, count in sizes)
    for name, count in status.flags.items():
        yield f"flag          {name}: {count:,}"
    for line in status.pending or ("nothing",):
        yield f"pending       {line}"


def _mb(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
