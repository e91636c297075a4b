"""One served record as a generation holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from records.model.quality import Flag
from records.model.record import ErrorRecord
from records.model.template import Template, template
from records.store.versions import Served

RECORDS = "records"
IDS = "records.ids.npy"


def entry_text(served: Served) -> str:
    """The JSON of a served version in a generation; the received text is taken in as it is."""
    version = served.version
    beside = {
        "flags": sorted(version.all_flags),
        "source": version.source,
        "sources": served.sources,
        "sidecar": dict(version.sidecar),
        "datasetVersion": version.dataset_version,
    }
    rest = json.dumps(beside, ensure_ascii=False, separators=(",", ":"))
    return f'{{"record":{version.received},{rest[1:]}'


@dataclass(frozen=True)
class Entry:
    """A served record, its flags, and where it and its other versions came from.

    `body` is the record as a JSON object, not validated again: what is in a generation was.
    """

    body: Mapping[str, Any]
    flags: frozenset[Flag]
    source: str
    sources: tuple[str, ...]
    sidecar: Mapping[str, Any] = field(default_factory=dict)
    dataset_version: str = ""

    @classmethod
    def from_json(cls, text: bytes) -> Entry:
        """Read an entry out of a generation."""
        value = json.loads(text)
        return cls(
            body=value["record"],
            flags=frozenset(Flag(name) for name in value["flags"]),
            source=value["source"],
            sources=tuple(value["sources"]),
            sidecar=value["sidecar"],
            dataset_version=value["datasetVersion"],
        )

    @cached_property
    def record(self) -> ErrorRecord:
        """The record as a model."""
        return ErrorRecord.model_validate(self.body)

    @cached_property
    def template(self) -> Template:
        """The message template, split at its placeholders."""
        return template(self.body["errorMessage"], self.body["messagePattern"])

    @property
    def package_version(self) -> str | None:
        """The version of the package that the record was read from, if known."""
        version = self.sidecar.get("packageVersion")
        return version if isinstance(version, str) else None

    @property
    def group(self) -> tuple[str, str]:
        """The template group: anonymised template and bare class."""
        return self.template.key, self.bare_class or ""

    @property
    def bare_class(self) -> str | None:
        """The class without its module."""
        name = self.body["errorClass"]
        return bare_class(name) if name else None


def bare_class(name: str) -> str:
    """The last part of a class name: `a.b.C`, `a::C` and `C` are one class."""
    return name.replace("::", ".").replace("\\", ".").replace("/", ".").rsplit(".", 1)[-1]
