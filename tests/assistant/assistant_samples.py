"""Records and data folders made for the tests of the assistant."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant import Assistant
from index.encoder import HashingEncoder, Vectors
from index.errors import ModelUnavailable
from records.model.identity import record_id, slug_of

ROOT = Path(__file__).resolve().parents[2]
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def body(
    message: str,
    *,
    repo: str = "acme/tabler",
    path: str = "tabler/extras.py",
    error_class: str | None = "ValueError",
    **changes: Any,
) -> dict[str, Any]:
    """A sound record with full prose; `changes` are fields in the dataset's own names."""
    value = {
        "id": record_id(repo=repo, code=None, message=message, path=path),
        "repo": repo,
        "slug": slug_of(message),
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": "(.+?)".join(map(re.escape, _PLACEHOLDER.split(message))),
        "errorType": "exception",
        "errorClass": error_class,
        "httpStatus": None,
        "severity": "error",
        "filePath": path,
        "lineNumber": 12,
        "sourceCode": None,
        "sourceCodeStart": None,
        "sourceCodeEnd": None,
        "githubUrl": "",
        "documentation": "The importer compares what the sheet holds with what was asked for, and "
        "refuses to go on when the two cannot be brought together without losing rows.",
        "triggerScenarios": "Calling the importer with a sheet of another shape.",
        "commonSituations": "A sheet that was exported twice, or edited by hand between two runs.",
        "solutions": ["Export the sheet again and leave its header row as it is."],
        "exampleFix": None,
        "handlingStrategy": "validation",
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": ["tabler"],
        "backgroundTag": None,
        "analyzedSha": "0" * 40,
        "analyzedAt": "2026-09-01T00:00:00Z",
        "schemaVersion": 2,
    }
    return value | changes


def write(file: Path, *bodies: dict[str, Any]) -> Path:
    """Write records as JSON Lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(value) + "\n" for value in bodies), encoding="utf-8")
    return file


def holding(folder: Path, *bodies: dict[str, Any], vectors: bool = False) -> Assistant:
    """An assistant over a new data folder with these records."""
    assistant = Assistant.open(folder / "data", encoder=HashingEncoder())
    assistant.add(write(folder / "records.jsonl", *bodies), vectors=vectors)
    return assistant


class CountingEncoder(HashingEncoder):
    """Counts what it is asked to encode."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().encode(texts)


class OtherEncoder(HashingEncoder):
    """Another model by name and by content."""

    id = "other-model"

    @property
    def fingerprint(self) -> str:
        return "other-64-v1"


class SlowToLoad(HashingEncoder):
    """Not ready before it was loaded."""

    def __init__(self) -> None:
        self.loaded = False

    @property
    def ready(self) -> bool:
        return self.loaded

    def load(self) -> None:
        self.loaded = True


class MissingModel(HashingEncoder):
    """A model whose weights cannot be had."""

    def load(self) -> None:
        raise ModelUnavailable("the weights are not installed: pip install them")

    def encode(self, texts: Sequence[str]) -> Vectors:
        raise ModelUnavailable("the weights are not installed: pip install them")
