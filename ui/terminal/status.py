"""The status of a data folder as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.status import Status
from ui.terminal.inert import inert

# Of the column of names, the longest of which is "dataset version".
_WIDTH = 17


def status_text(status: Status) -> str:
    """Write the status, a line a fact."""
    lines = (f"{name:<{_WIDTH}}{fact}" for name, fact in _facts(status))
    return "\n".join(inert(line).replace("\n", " ") for line in lines)


def _facts(status: Status) -> Iterator[tuple[str, str]]:
    yield "data folder", status.folder
    yield "records", f"{status.records:,} of {status.repos:,} repositories"
    yield "sources", f"{status.sources:,}"
    yield "dataset version", ", ".join(status.dataset_versions) or "none"
    yield "encoder", status.encoder or "no vectors yet"
    yield "vectors", f"{status.vectors:,} ({status.dense_coverage:.1%} of the records)"
    sizes = status.disk.model_dump().items()
    yield "disk", ", ".join(f"{name} {_mb(count)}" for name, count in sizes)
    for name, count in status.flags.items():
        yield "flag", f"{name}: {count:,}"
    for line in status.pending or ("nothing",):
        yield "pending", line


def _mb(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
