"""The sidecar of a folder of records: what we know beyond the dataset's fields.

`sidecar.json` is {"sidecarVersion": 1, "records": {id: {...}}}. Known keys of an entry:
`packageVersion` (the version that the record was read from), `shaOf` ("file" where analyzedSha
is a hash of the file's content, "commit" otherwise), `derived` (the prose was made from code).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from records.errors import RecordRefused, SourceUnreadable
from records.sources.decode import decode

SIDECAR = "sidecar.json"
SIDECAR_VERSION = 1


@lru_cache(maxsize=8)
def _parsed(file: Path, _modified: int) -> Mapping[str, Any]:
    try:
        value = decode(file.read_bytes())
    except RecordRefused as refusal:
        raise SourceUnreadable(file, str(refusal)) from None
    except OSError as error:
        raise SourceUnreadable(file, error.strerror or "cannot be read") from None
    entries = value.get("records") if isinstance(value, dict) else None
    if not isinstance(entries, dict) or value.get("sidecarVersion") != SIDECAR_VERSION:
        raise SourceUnreadable(file, f"not a sidecar of version {SIDECAR_VERSION}")
    return {key: entry for key, entry in entries.items() if isinstance(entry, dict)}


def read_sidecar(folder: Path) -> Mapping[str, Any]:
    """Read a folder's sidecar; empty where there is none.

    Raises:
        SourceUnreadable: the file is there but is not a sidecar.
    """
    file = folder / SIDECAR
    if not file.is_file():
        return {}
    return _parsed(file, file.stat().st_mtime_ns)
