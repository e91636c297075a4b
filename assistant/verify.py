"""Is a data folder sound? Every fault as a sentence that names the mending command."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

from index.errors import IndexFault
from index.index import Index
from records.errors import StoreError
from records.store.store import Store, has_store


def verify_folder(folder: Path) -> tuple[str, ...]:
    """Check store and index, and that they agree."""
    return tuple(_faults(folder))


def _faults(folder: Path) -> Iterator[str]:
    revision = yield from _store_faults(folder)
    try:
        index = Index.open(folder)
    except IndexFault as error:
        yield str(error)
        return
    if index is None:
        if revision:
            yield f"{folder}: there are stored records, but no index; run errsage rebuild"
        return
    yield from index.faults()
    if revision is not None and index.manifest.store_revision != revision:
        yield f"{folder}: the index is behind the store; run errsage rebuild"


def _store_faults(folder: Path) -> Generator[str, None, int | None]:
    """Tell the store's faults; gives its revision, None where that cannot be read."""
    if not has_store(folder):
        return 0
    try:
        with Store.open(folder) as store:
            yield from store.faults()
            return store.revision
    except StoreError as error:
        yield str(error)
        return None
