"""Versions of a record, and which one is served."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from records.errors import StoreDamaged
from records.model.quality import Flag, check, is_sound, prose, words_of
from records.model.record import ErrorRecord
from records.model.template import read_template
from records.sources.found import Found


@dataclass(frozen=True, slots=True)
class Version:
    """One record as one source gave it.

    `stage_flags` are those that need the whole set; None until that stage has seen it.
    """

    id: str
    source: str
    received: str
    sidecar: Mapping[str, Any]
    flags: frozenset[Flag]
    words: int
    dataset_version: str
    stage_flags: frozenset[Flag] | None = None

    @property
    def all_flags(self) -> frozenset[Flag]:
        """The flags of the record alone and of the whole set."""
        return self.flags | (self.stage_flags or frozenset())

    @property
    def record(self) -> ErrorRecord:
        """The record, read again from what was received.

        Raises:
            StoreDamaged: it no longer reads.
        """
        try:
            return ErrorRecord.model_validate_json(self.received)
        except ValidationError:
            raise StoreDamaged(
                f"record {self.id} from {self.source}: the stored JSON no longer reads; "
                "add its source again"
            ) from None

    @property
    def derived(self) -> bool:
        """Whether the prose was derived from code, not written."""
        return self.sidecar.get("derived") is True

    @property
    def preference(self) -> tuple[bool, bool, int, str, str, str]:
        """The order of serving: the greatest version is served.

        Sound before unsound, written before derived, fuller prose, newer dataset version; the
        rest only makes the choice independent of the order of adding.
        """
        digest = hashlib.sha256(self.received.encode("utf-8")).hexdigest()
        return (
            is_sound(self.all_flags),
            not self.derived,
            self.words,
            self.dataset_version,
            digest,
            self.source,
        )


@dataclass(frozen=True, slots=True)
class Served:
    """The version that is served for an id, and the sources of all its versions."""

    version: Version
    sources: tuple[str, ...]


def version_of(found: Found, source: str) -> Version:
    """Make the version that is stored: flags of the record alone, words of prose."""
    record = found.record
    reading = read_template(record.error_message, record.message_pattern)
    return Version(
        id=record.id,
        source=source,
        received=found.received,
        sidecar=found.sidecar,
        flags=check(record, reading),
        words=words_of(prose(record)),
        dataset_version=found.dataset_version,
    )


def merged(kept: Version, other: Version) -> Version:
    """Two places of one file with the same message share an id: keep one, note both places."""
    lead, rest = sorted((kept, other), key=lambda version: version.preference, reverse=True)
    places = {*_places(lead), *_places(rest), _place(rest)} - {_place(lead)}
    sidecar = {**lead.sidecar, "places": sorted(places, key=lambda line: (line is None, line))}
    return Version(
        id=lead.id,
        source=lead.source,
        received=lead.received,
        sidecar=sidecar if places else dict(lead.sidecar),
        flags=lead.flags,
        words=lead.words,
        dataset_version=lead.dataset_version,
    )


def _place(version: Version) -> int | None:
    line = json.loads(version.received).get("lineNumber")
    return line if isinstance(line, int) else None


def _places(version: Version) -> tuple[int | None, ...]:
    places = version.sidecar.get("places")
    if not isinstance(places, list):
        return ()
    return tuple(line for line in places if line is None or isinstance(line, int))
