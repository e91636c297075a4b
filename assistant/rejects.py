"""The rejects file: every record of one `add` that was not taken, as JSON Lines."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from records.closing import Closes
from records.sources.found import Refused
from records.store.failures import storage

_FOLDER = "rejects"
_FIRST = 5


class RejectsFile(Closes):
    """Written as refusals come; not created when there are none."""

    def __init__(self, folder: Path) -> None:
        """Take the data folder."""
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        self._target = folder / _FOLDER / f"{moment}-{os.getpid()}.jsonl"
        self._stream: IO[str] | None = None
        self.count = 0
        self.first: list[str] = []

    @property
    def path(self) -> Path | None:
        """The file; None where nothing was refused."""
        return self._target if self.count else None

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            with storage(self._target):
                self._stream.close()

    def add(self, refused: Refused) -> None:
        """Write one refusal."""
        with storage(self._target):
            if self._stream is None:
                self._target.parent.mkdir(parents=True, exist_ok=True)
                self._stream = self._target.open("a", encoding="utf-8")
            row = {
                "file": refused.file,
                "position": refused.position,
                "id": refused.id,
                "reason": refused.reason,
            }
            self._stream.write(json.dumps(row) + "\n")
        self.count += 1
        if len(self.first) < _FIRST:
            self.first.append(str(refused))
