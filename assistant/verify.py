"""Is a data folder sound? Every fault as a sentence that names the mending command."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

from assistant.status import apart
from index.errors import IndexFault
from index.index import Index
from records.errors import StoreError
from records.store.store import Store, has_store


def verify_folder(folder: Path) -> tuple[str, ...]:
    """Check store and index, and that they agree."""
    return tuple(_faults(folder))


def _faults(folder: Path) -> Iterator[str]:
    sound = yield from _store_faults(folder)
    try:
        index = Index.open(folder)
    except IndexFault as error:
        yield str(error)
        return
    if index is not None:
        yield from index.faults()
    if sound:
        lines = apart(folder, index.manifest if index else None)
        yield from (f"{folder}: {line}" for line in lines)


def _store_faults(folder: Path) -> Generator[str, None, bool]:
    """Tell the store's faults; gives whether it could be read."""
    if not has_store(folder):
        return True
    try:
        with Store.open(folder) as store:
            yield from store.faults()
    except StoreError as error:
        yield str(error)
        return False
    return True
