"""The error record, schema 2, as the dataset publishes it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from records.errors import RecordRefused

SCHEMA_VERSION = 2

ErrorType = Literal["exception", "error_code", "console", "http", "validation", "panic"]
Severity = Literal["critical", "error", "warning", "info"]
HandlingStrategy = Literal["try-catch", "type-guard", "validation", "retry", "fallback"]

RecordId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
RepoName = Annotated[str, StringConstraints(pattern=r"^[^/\s]+/[^/\s]+$", max_length=300)]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]
Line = Annotated[int, Field(ge=1)]


class DatasetModel(BaseModel):
    """Base of everything read from the dataset: frozen, camelCase, unknown fields kept."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, extra="allow")


class ErrorRecord(DatasetModel):
    """One error that a library can raise.

    Attributes are the dataset's fields in snake case; lists are tuples. Fields that a later
    publication adds are kept in `model_extra`.
    """

    id: RecordId
    repo: RepoName
    slug: str
    error_code: str | None
    error_message: NonEmpty
    message_pattern: str | None
    error_type: ErrorType
    error_class: str | None
    http_status: Annotated[int, Field(ge=100, le=599)] | None
    severity: Severity
    file_path: str
    line_number: Line | None
    source_code: str | None
    source_code_start: Line | None
    source_code_end: Line | None
    github_url: str
    documentation: str
    trigger_scenarios: str
    common_situations: str
    solutions: tuple[str, ...]
    example_fix: str | None
    handling_strategy: HandlingStrategy | None
    validation_code: str | None
    type_guard: str | None
    try_catch_pattern: str | None
    prevention_tips: tuple[str, ...]
    tags: tuple[str, ...]
    background_tag: str | None
    analyzed_sha: str
    analyzed_at: str
    schema_version: Literal[2]

    @property
    def permalink(self) -> str | None:
        """The link to the raising lines, or None where the record has no true one.

        Records read from packages (`pypi/NAME`) hold a stand-in, which is never shown.
        """
        if self.repo.startswith("pypi/") or not self.github_url.startswith("https://"):
            return None
        return self.github_url


def read(value: object) -> ErrorRecord:
    """Read one record from a decoded JSON object.

    Args:
        value: a bare record, or the API's envelope `{"record": ..., "datasetVersion": ...}`.

    Raises:
        RecordRefused: the object is not a record of schema 2; the text names each field.
    """
    body = bare(value)
    version = body.get("schemaVersion")
    if version != SCHEMA_VERSION:
        raise RecordRefused(
            f"schemaVersion is {json.dumps(version)[:40]}; this errsage reads version "
            f"{SCHEMA_VERSION}"
        )
    try:
        return ErrorRecord.model_validate(body)
    except ValidationError as error:
        raise RecordRefused(_reasons(error)) from None


def bare(value: object) -> dict[str, Any]:
    """Take the record out of the API's envelope; a bare record stays as it is.

    Raises:
        RecordRefused: the value is not a JSON object.
    """
    if isinstance(value, dict) and isinstance(value.get("record"), dict):
        value = value["record"]
    if not isinstance(value, dict):
        raise RecordRefused(f"expected a JSON object, found {_json_kind(value)}")
    return value


def looks_like_record(value: object) -> bool:
    """Tell whether a decoded JSON value is meant as a record (sound or not)."""
    if not isinstance(value, dict):
        return False
    inner = value.get("record")
    return "errorMessage" in (inner if isinstance(inner, dict) else value)


def _json_kind(value: object) -> str:
    kinds = {bool: "true or false", str: "a string", list: "a list", type(None): "null"}
    return kinds.get(type(value), "a number")


def _reasons(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False)
    told = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}" for fault in faults[:4]]
    more = f"; and {len(faults) - 4} more" if len(faults) > 4 else ""
    return "; ".join(told) + more
