from __future__ import annotations

import builtins
import inspect
import re
import sqlite3
from pathlib import Path

import pytest

from records import errors
from records.errors import ErrsageError, SourceUnreadable, StorageFailed, StoreDamaged, StoreLocked
from records.store.failures import storage

LINE = re.compile(r"^(?P<stem>[│ ]*)[├└]── (?P<name>\w+)(?: |$)")


def drawn() -> dict[str, str]:
    """Each class of the tree in the docstring, and the one above it."""
    assert errors.__doc__ is not None
    above = {0: "ErrsageError"}
    tree = {}
    for line in errors.__doc__.splitlines():
        if found := LINE.match(line):
            depth = len(found["stem"]) // 4
            tree[found["name"]] = above[depth]
            above[depth + 1] = found["name"]
    return tree


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    classes = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    made = {kind.__name__: kind.__bases__[0].__name__ for kind in classes}
    del made["Path"]
    assert made.pop("ErrsageError") == "Exception"
    assert drawn() == made


def test_names_shadow_no_builtin() -> None:
    assert set(drawn()) & set(dir(builtins)) == set()


def test_messages_say_where() -> None:
    assert str(SourceUnreadable("x.json", "no such file")) == "x.json: no such file"
    assert str(StoreLocked(Path("d"), 7)).startswith("d: process 7 is adding records; ")
    assert str(StoreLocked(Path("d"), None)).startswith("d: another process is adding records; ")


def fault(name: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("said")
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("lower", "kind", "told"),
    [
        (fault("SQLITE_FULL"), StorageFailed, "no space left"),
        (fault("SQLITE_READONLY_DIRECTORY"), StorageFailed, "may not be written"),
        (fault("SQLITE_CANTOPEN"), StorageFailed, "may not be written"),
        (fault("SQLITE_BUSY"), StorageFailed, "in use by another process"),
        (fault("SQLITE_LOCKED_SHAREDCACHE"), StorageFailed, "in use by another process"),
        (fault("SQLITE_IOERR_WRITE"), StorageFailed, "the disk failed"),
        (fault("SQLITE_CORRUPT"), StoreDamaged, "the store is damaged"),
        (fault("SQLITE_NOTADB"), StoreDamaged, "the store is damaged"),
        (sqlite3.DatabaseError("said"), StoreDamaged, "the store is damaged"),
        (OSError(28, "No space left on device"), StorageFailed, "no space left"),
        (PermissionError(13, "Permission denied"), StorageFailed, "may not be written"),
        (OSError(30, "Read-only file system"), StorageFailed, "may not be written"),
        (OSError(5, "Input/output error"), StorageFailed, "Input/output error"),
    ],
)
def test_failures_of_lower_layers_are_mapped(
    lower: Exception, kind: type[ErrsageError], told: str
) -> None:
    with pytest.raises(kind, match=rf"^p: {told}") as caught, storage(Path("p")):
        raise lower
    assert caught.value.__cause__ is lower
