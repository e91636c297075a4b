"""Taking records in: store, index, embed, check, each stage searchable when it is done."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from assistant.embedding import embed_missing
from assistant.progress import Meter, Report, silent
from assistant.rejects import RejectsFile
from assistant.restore import restore
from index.build import build
from index.encoder import Encoder
from index.errors import ModelUnavailable
from index.generation import Manifest, refuse_newer
from index.quality import check_set
from index.vectors import VectorCache
from records.errors import SourceUnreadable
from records.sources.files import check_path, files_of, read_file
from records.sources.found import Found, Refused, Skipped
from records.stages import announce
from records.store.lock import writer_lock
from records.store.store import Store
from records.store.versions import Version, merged, version_of

_BATCH = 5_000
# While embedding, a generation is published when this many times its own duration, and at least
# so many seconds, have passed: about a twentieth of the time.
_PUBLISH_EVERY = 20.0
_PUBLISH_LEAST = 60.0


@dataclass(frozen=True, slots=True)
class Added:
    """What adding did.

    Attributes:
        accepted: records that were read and stored (equal ones included).
        changed: of these, new or changed ones.
        refused: records or files that were not taken.
        first_refused: the first few of them, each a line.
        skipped: JSON files of folders that hold no records.
        rejects: the file that lists every refusal; None where there was none.
        records: records in the index now.
        vectors: of these, with a vector.
        note: why vectors are missing, where they are.
    """

    accepted: int
    changed: int
    refused: int
    first_refused: tuple[str, ...]
    skipped: int
    rejects: Path | None
    records: int
    vectors: int
    note: str | None = None


@dataclass
class _Tally:
    accepted: int = 0
    changed: int = 0
    skipped: int = 0
    seen: dict[str, Version] = field(default_factory=dict)


def add(
    folder: Path,
    paths: Sequence[Path],
    *,
    encoder: Encoder,
    vectors: bool = True,
    wait: bool = False,
    report: Report = silent,
) -> Added:
    """Read records from files and folders into the store and the index.

    Args:
        folder: the data folder.
        paths: what to read; all are looked at before anything is stored.
        encoder: for the vectors; loaded only when one is missing.
        vectors: False leaves them to `embed`.
        wait: wait for another process that is adding.
        report: called with the progress of every stage.

    Raises:
        SourceUnreadable: a path does not exist or may not be read; nothing was stored.
        StoreLocked: another process is adding.
        StorageFailed: no permission or space; what was committed before is kept.
    """
    if not paths:
        raise SourceUnreadable("errsage add", "name at least one file or folder")
    for path in paths:
        check_path(path)
    with _workplace(folder, encoder, report, wait=wait) as place:
        tally = _Tally()
        with RejectsFile(folder) as rejects:
            for path in paths:
                _store_path(place.store, path, tally, rejects, report)
        manifest, note = place.publish(), None
        if vectors:
            manifest, note = place.finish(manifest)
    return Added(
        accepted=tally.accepted,
        changed=tally.changed,
        refused=rejects.count,
        first_refused=tuple(rejects.first),
        skipped=tally.skipped,
        rejects=rejects.path,
        records=manifest.records,
        vectors=manifest.vectors,
        note=note,
    )


def embed(
    folder: Path,
    *,
    encoder: Encoder,
    limit: int | None = None,
    wait: bool = False,
    report: Report = silent,
) -> int:
    """Finish missing vectors and the checks that need them; resumable.

    Returns:
        the number of texts embedded.

    Raises:
        ModelUnavailable: the weights cannot be had.
        StoreLocked: another process is adding.
    """
    with _workplace(folder, encoder, report, wait=wait) as place:
        count = place.embed(limit)
        if limit is None:
            place.check()
        place.publish()
    return count


def rebuild(folder: Path, *, encoder: Encoder, wait: bool = False, report: Report = silent) -> int:
    """Build the index anew from the store and the cached vectors.

    Returns:
        the number of records in the index.
    """
    with _workplace(folder, encoder, report, wait=wait) as place:
        return place.publish().records


@dataclass
class _Workplace:
    """A data folder that this process alone writes to."""

    folder: Path
    store: Store
    cache: VectorCache
    encoder: Encoder
    report: Report
    published: float = field(default_factory=time.monotonic)
    build_seconds: float = 0.0

    def publish(self) -> Manifest:
        """Write a generation of what is stored and embedded, and make it current."""
        meter = Meter("index", self.report)
        manifest = build(self.store, self.folder, encoder=self.encoder, cache=self.cache)
        meter.finish(manifest.records)
        self.published = time.monotonic()
        self.build_seconds = self.published - meter.began
        return manifest

    def embed(self, limit: int | None) -> int:
        """Embed what has no vector; long work is published on the way."""
        return embed_missing(
            self.store,
            self.encoder,
            self.cache,
            limit=limit,
            report=self.report,
            committed=self._publish_now_and_then,
        )

    def check(self) -> int:
        """Set the flags that need the vectors of the whole set; gives the versions checked."""
        meter = Meter("quality", self.report)
        announce("quality: checking")
        count = check_set(self.store, self.encoder, self.cache, advance=meter.add)
        meter.finish()
        return count

    def finish(self, manifest: Manifest) -> tuple[Manifest, str | None]:
        """Vectors, then the checks; the index holds either as soon as it is there.

        Args:
            manifest: of the index as it is; given back where there was nothing to do.
        """
        try:
            if self.embed(None):
                manifest = self.publish()
            if self.check():
                manifest = self.publish()
        except ModelUnavailable as error:
            note = f"the records are searchable by their exact message only: {error}"
            return self.publish(), note
        return manifest, None

    def _publish_now_and_then(self) -> None:
        if time.monotonic() - self.published > _PUBLISH_EVERY * self.build_seconds + _PUBLISH_LEAST:
            self.publish()


@contextmanager
def _workplace(
    folder: Path, encoder: Encoder, report: Report, *, wait: bool
) -> Iterator[_Workplace]:
    with writer_lock(folder, wait=wait):
        refuse_newer(folder)
        with Store.open(folder, writable=True) as store, VectorCache.open(folder) as cache:
            restore(folder, store, cache, encoder, report)
            yield _Workplace(folder, store, cache, encoder, report)


def _store_path(
    store: Store, path: Path, tally: _Tally, rejects: RejectsFile, report: Report
) -> None:
    """Store one source in committed batches; its name is the path."""
    tally.seen.clear()
    meter = Meter("store", report)
    source = path.resolve().as_posix()
    batch: dict[str, Version] = {}
    for version in _versions(path, source, tally, rejects):
        batch[version.id] = version
        if len(batch) >= _BATCH:
            _commit(store, batch, tally, meter)
    _commit(store, batch, tally, meter)
    meter.finish()


def _versions(path: Path, source: str, tally: _Tally, rejects: RejectsFile) -> Iterator[Version]:
    in_folder = path.is_dir()
    for file in files_of(path):
        for item in read_file(file, in_folder=in_folder):
            if isinstance(item, Found):
                tally.accepted += 1
                yield _once(version_of(item, source), tally.seen)
            elif isinstance(item, Refused):
                rejects.add(item)
            elif isinstance(item, Skipped):
                tally.skipped += 1


def _once(version: Version, seen: dict[str, Version]) -> Version:
    """The version to store for an id that may occur several times in one source."""
    known = seen.get(version.id)
    seen[version.id] = merged(known, version) if known else version
    return seen[version.id]


def _commit(store: Store, batch: dict[str, Version], tally: _Tally, meter: Meter) -> None:
    if not batch:
        return
    announce("store: commit")
    tally.changed += store.put(batch.values())
    announce("store: committed")
    meter.add(len(batch))
    batch.clear()
