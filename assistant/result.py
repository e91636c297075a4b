"""Results of a search: frozen, and the same for every door.

The JSON form is camelCase and carries `resultVersion`; its schema is
docs/result.schema.json, generated from these classes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from assistant.paste.parsed import Frozen, Span, Understood
from records.model.quality import Flag
from records.model.record import ErrorRecord

RESULT_VERSION: Literal[1] = 1


class Verdict(StrEnum):
    """What a result claims.

    EXACT: the leading record's template produced this text. LIKELY: it very probably did, in
    another version or library. RELATED: about the same subject. NONE: no record explains it.
    """

    EXACT = "exact"
    LIKELY = "likely"
    RELATED = "related"
    NONE = "none"


class Searcher(StrEnum):
    """Who found a hit."""

    EXACT = "exact"
    DENSE = "dense"


class Match(Frozen):
    """Where a template was found in the pasted text.

    `link` is the position in `Result.understood.links`, None outside every link; `span` counts
    characters of the text as it was sent.
    """

    link: int | None
    span: Span


class Reason(Frozen):
    """One piece of evidence for a hit: a stable name, and a sentence for people."""

    name: str
    text: str


class Variant(Frozen):
    """Another place that raises the same template: a member of the hit's group."""

    id: str
    repo: str
    file_path: str
    line_number: int | None
    error_class: str | None
    share: float = Field(ge=0, le=1, description="part of the hit's confidence, 0..1")


class Hit(Frozen):
    """One template group that may explain the text, led by its most fitting record.

    `confidence` is 0..1 and falls monotonically with rank; it is not yet calibrated to a
    probability. `captures` are (placeholder, value) in the order of the template.
    `package_version` is the version of the package that the record was read from, if known.
    """

    record: ErrorRecord
    verdict: Verdict
    confidence: float = Field(ge=0, le=1)
    searcher: Searcher
    reasons: tuple[Reason, ...]
    match: Match | None = None
    captures: tuple[tuple[str, str], ...] = ()
    variants: tuple[Variant, ...] = ()
    flags: tuple[Flag, ...] = ()
    source: str
    package_version: str | None = None
    content_sha: bool = Field(
        default=False, description="analyzedSha is a hash of the file's content, not a commit"
    )
    cosine: float | None = None


class Note(Frozen):
    """Something about this answer that a person should know, e.g. "still loading"."""

    name: str
    text: str


class Result(Frozen):
    """The answer to one search.

    `hits` are best first; `took_ms` is wall time in milliseconds.
    """

    result_version: Literal[1] = RESULT_VERSION
    verdict: Verdict
    hits: tuple[Hit, ...]
    understood: Understood
    notes: tuple[Note, ...] = ()
    took_ms: float
