"""What the published dataset holds beside records: manifest, index rows, repos, articles."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from records.model.record import DatasetModel, ErrorType, RecordId, RepoName, Severity


class DatasetFile(DatasetModel):
    """One file of a publication, with its checksum; `raw_*` describe it unpacked."""

    path: str
    bytes: int
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    encoding: str | None = None
    raw_bytes: int | None = None
    raw_sha256: str | None = None


class Manifest(DatasetModel):
    """`/data/manifest.json`: what a publication consists of."""

    schema_version: Literal[2]
    dataset_version: str
    counts: dict[str, Any] = Field(default_factory=dict)
    files: dict[str, DatasetFile]


class IndexRow(DatasetModel):
    """One row of the manifest's index: a record without its prose."""

    id: RecordId
    repo: RepoName
    slug: str
    code: str | None = None
    msg: str
    pattern: str | None = None
    type: ErrorType
    cls: str | None = None
    tags: tuple[str, ...] = ()
    sev: Severity


class RepoEntry(DatasetModel):
    """One row of `/data/repos.json`."""

    repo: RepoName
    description: str | None = None
    language: str | None = None
    stars: int | None = None
    default_branch: str | None = None
    analyzed_sha: str | None = None
    analyzed_at: str | None = None
    error_count: int = 0


class ArticleRow(DatasetModel):
    """One row of `/data/info/index.json`."""

    slug: str
    title: str
    summary: str
    error_count: int
    repo_count: int
    generated_at: str


class Cause(DatasetModel):
    """One common cause of a family of errors."""

    cause: str
    detail: str


class Article(ArticleRow):
    """`/data/info/{slug}.json`: the background of a family of errors across libraries."""

    cluster_key: str
    background: str
    common_causes: tuple[Cause, ...] = ()
    fixes: tuple[str, ...] = ()
    guide_slugs: tuple[str, ...] = ()
    error_ids: tuple[RecordId, ...] = ()
    schema_version: Literal[1]
