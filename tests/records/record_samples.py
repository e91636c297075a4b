"""Records made for the tests of records/."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from records.model.identity import record_id
from records.model.quality import Flag
from records.model.record import ErrorRecord, read
from records.sources.files import read_file
from records.sources.found import Found, Item, Refused
from records.store.versions import Version

SOUND: frozenset[Flag] = frozenset()

WHY = (
    "The loader keeps one cache for each block and raises this error when the cache of a block "
    "was never filled, because capture was not enabled before the forward pass was run."
)


def sample(**changes: Any) -> dict[str, Any]:
    """The JSON body of a sound record, with some fields changed; the id fits unless given."""
    body: dict[str, Any] = {
        "repo": "acme/rocket",
        "slug": "missing-cache-on-block",
        "errorCode": None,
        "errorMessage": "missing cache on {block}",
        "messagePattern": "missing cache on (.+?)",
        "errorType": "exception",
        "errorClass": "RuntimeError",
        "httpStatus": None,
        "severity": "error",
        "filePath": "rocket/cache.py",
        "lineNumber": 11,
        "sourceCode": '    if cached:\n        raise RuntimeError(f"missing cache on {block}")',
        "sourceCodeStart": 10,
        "sourceCodeEnd": 11,
        "githubUrl": "https://github.com/acme/rocket/blob/0123/rocket/cache.py#L10-L11",
        "documentation": WHY,
        "triggerScenarios": "Collecting before a forward pass.",
        "commonSituations": "A mode that differs between enabling and collecting.",
        "solutions": ["Enable capture before the forward pass."],
        "exampleFix": None,
        "handlingStrategy": "validation",
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": ["cache"],
        "backgroundTag": None,
        "analyzedSha": "0" * 40,
        "analyzedAt": "2026-08-28T05:10:05.995Z",
        "schemaVersion": 2,
    }
    body |= changes
    fitting = record_id(
        repo=body["repo"],
        code=body["errorCode"],
        message=body["errorMessage"],
        path=body["filePath"],
    )
    return {"id": fitting, **body}


def record(**changes: Any) -> ErrorRecord:
    return read(sample(**changes))


def version(source: str = "a", *, changes: Mapping[str, Any] | None = None, **rest: Any) -> Version:
    """A version whose criteria of serving are given, not computed."""
    body = sample(**(changes or {}))
    given: dict[str, Any] = {
        "sidecar": {},
        "flags": SOUND,
        "words": 40,
        "dataset_version": "2026-01-01",
        **rest,
    }
    return Version(id=body["id"], source=source, received=json.dumps(body), **given)


def items(file: Path, *, in_folder: bool = False) -> list[Item]:
    return list(read_file(file, in_folder=in_folder))


def told(found: list[Item]) -> list[str]:
    """Each item in a line: the path of a record, the reason of a refusal, or `skipped`."""
    return [_told(item) for item in found]


def _told(item: Item) -> str:
    if isinstance(item, Found):
        return f"{item.position}: {item.record.file_path}"
    if isinstance(item, Refused):
        return f"{item.position}: refused, {item.reason}"
    return "skipped"
