"""What a source yields: records, refusals, and files that hold no records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from records.model.record import ErrorRecord


@dataclass(frozen=True, slots=True)
class Found:
    """One record, and the JSON text in which it was received."""

    record: ErrorRecord
    received: str
    file: str
    position: str
    dataset_version: str = ""
    sidecar: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """One record, or one file, that was not taken, and why."""

    file: str
    position: str
    id: str | None
    reason: str

    def __str__(self) -> str:
        """One line for people: file, position, id, reason."""
        place = f"{self.file}, {self.position}" if self.position else self.file
        named = f" (id {self.id})" if self.id else ""
        return f"{place}{named}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file of a folder that is JSON but holds no records."""

    file: str


Item = Found | Refused | Skipped
