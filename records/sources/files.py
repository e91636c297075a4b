"""Records out of files: envelope, bare record, list, JSON Lines, gzip of any, folders of them."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from records.errors import RecordRefused, SourceUnreadable
from records.model.record import bare, looks_like_record, read
from records.sources.decode import RECORD_BYTES, decode, encoded, received_text, too_large
from records.sources.found import Found, Item, Refused, Skipped
from records.sources.sidecar import SIDECAR, read_sidecar

ENDINGS = (".json", ".jsonl", ".ndjson")
DOCUMENT_BYTES = 512 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_STRAY = "JSON, but not records"


def check_path(path: Path) -> None:
    """Refuse a path that cannot be read at all, before anything is stored.

    Raises:
        SourceUnreadable: no such file or folder, one that may not be read, or one whose name
            cannot name a source.
    """
    try:
        if path.is_dir():
            next(path.iterdir(), None)
        elif path.exists() and not path.is_file():
            raise SourceUnreadable(path, "neither a file nor a folder")
        else:
            path.open("rb").close()
        encoded(str(path.resolve()))
    except RecordRefused:
        raise SourceUnreadable(_name(path), "its name is not UTF-8; rename it") from None
    except FileNotFoundError:
        raise SourceUnreadable(path, "no such file or folder") from None
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or "cannot be read") from None


def files_of(path: Path) -> tuple[Path, ...]:
    """The files that a path stands for: itself, or every JSON file of the folder, sorted."""
    if not path.is_dir():
        return (path,)
    return tuple(
        sorted(
            file
            for file in path.rglob("*")
            if file.is_file() and _ending(file) in ENDINGS and file.name != SIDECAR
            if not any(part.startswith(".") for part in file.relative_to(path).parts)
        )
    )


def read_file(file: Path, *, in_folder: bool = False) -> Iterator[Item]:
    """Read every record of one file.

    Args:
        file: JSON, JSON Lines, or gzip of either; told apart by content, not by name.
        in_folder: the file was found in a folder: JSON that holds no record is skipped, not
            refused, and the folder's sidecar counts.
    """
    sidecar = read_sidecar(file.parent) if in_folder else {}
    try:
        with _opened(file) as stream:
            yield from _items(file, stream, sidecar, in_folder=in_folder)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield Refused(_name(file), "", None, "the gzip data is damaged or ends early")
    except OSError as error:
        yield Refused(_name(file), "", None, error.strerror or "cannot be read")


def _name(path: Path) -> str:
    """A path as text that can be stored and printed; file names need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")


def _ending(file: Path) -> str:
    name = file.name.removesuffix(".gz")
    return Path(name).suffix


def _opened(file: Path) -> BinaryIO:
    stream = file.open("rb")
    if stream.peek(2)[:2] == _GZIP_MAGIC:
        stream.close()
        return cast(BinaryIO, gzip.open(file, "rb"))
    return stream


def _items(
    file: Path, stream: BinaryIO, sidecar: Mapping[str, Any], *, in_folder: bool
) -> Iterator[Item]:
    blank, first = _first_line(stream)
    if not first.strip():
        yield Refused(_name(file), "", None, "the file is empty")
    elif _ending(file) in (".jsonl", ".ndjson") or _is_object(first):
        yield from _lines(file, first, stream, sidecar, blank=blank, in_folder=in_folder)
    else:
        yield from _document(file, first, stream, sidecar, in_folder=in_folder)


def _first_line(stream: BinaryIO) -> tuple[int, bytes]:
    """The number of blank lines, and the first other, one byte over a record's size at most."""
    blank = 0
    while line := stream.readline(RECORD_BYTES + 1):
        if line.strip():
            return blank, line
        blank += line.endswith(b"\n")
    return blank, b""


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(decode(line), dict)
    except RecordRefused:
        return False


def _lines(
    file: Path,
    first: bytes,
    stream: BinaryIO,
    sidecar: Mapping[str, Any],
    *,
    blank: int,
    in_folder: bool,
) -> Iterator[Item]:
    """One item a line; lines of a folder's file count as skipped until its first record."""
    line, number, strays = first, blank + 1, 0
    while line:
        size = len(line)
        while not line.endswith(b"\n") and (more := stream.readline(RECORD_BYTES + 1)):
            size += len(more)
            line = line if size > RECORD_BYTES else line + more
            if more.endswith(b"\n"):
                break
        if size > RECORD_BYTES + 1:
            yield Refused(_name(file), f"line {number}", None, too_large(size))
        elif line.strip():
            item = _one(file, f"line {number}", line, sidecar, in_folder=in_folder)
            if isinstance(item, Skipped):
                strays += 1
            else:
                if in_folder and strays and isinstance(item, Found):
                    yield Refused(_name(file), f"{strays} lines before line {number}", None, _STRAY)
                in_folder = in_folder and not isinstance(item, Found)
                yield item
        line = stream.readline(RECORD_BYTES + 1)
        number += 1
    if in_folder and strays:
        yield Skipped(_name(file))


def _document(
    file: Path, first: bytes, stream: BinaryIO, sidecar: Mapping[str, Any], *, in_folder: bool
) -> Iterator[Item]:
    buffer = io.BytesIO()
    buffer.write(first)
    buffer.write(stream.read(DOCUMENT_BYTES))
    if buffer.tell() > DOCUMENT_BYTES:
        limit = f"over {DOCUMENT_BYTES >> 20} MB in one JSON document; use JSON Lines"
        yield Refused(_name(file), "", None, limit)
        return
    try:
        value = decode(buffer.getvalue())
    except RecordRefused as refusal:
        yield Refused(_name(file), "", None, str(refusal))
        return
    if not isinstance(value, list):
        yield _value(file, "", value, sidecar, in_folder=in_folder)
        return
    if in_folder and not any(looks_like_record(item) for item in value):
        yield Skipped(_name(file))
        return
    for number, item in enumerate(value, start=1):
        yield _value(file, f"record {number}", item, sidecar, in_folder=False)


def _one(
    file: Path, position: str, raw: bytes, sidecar: Mapping[str, Any], *, in_folder: bool
) -> Item:
    try:
        value = decode(raw)
    except RecordRefused as refusal:
        return Refused(_name(file), position, None, str(refusal))
    return _value(file, position, value, sidecar, in_folder=in_folder)


def _value(
    file: Path, position: str, value: object, sidecar: Mapping[str, Any], *, in_folder: bool
) -> Item:
    if in_folder and not looks_like_record(value):
        return Skipped(_name(file))
    named: str | None = None
    try:
        body = bare(value)
        named = _id_of(body)
        record = read(body)
        text = received_text(body)
        version = _dataset_version(value)
    except RecordRefused as refusal:
        return Refused(_name(file), position, named, str(refusal))
    return Found(
        record=record,
        received=text,
        file=_name(file),
        position=position,
        dataset_version=version,
        sidecar=sidecar.get(record.id, {}),
    )


def _dataset_version(value: object) -> str:
    version = value.get("datasetVersion") if isinstance(value, dict) else None
    if not isinstance(version, str):
        return ""
    encoded(version)
    return version


def _id_of(body: dict[str, Any]) -> str | None:
    value = body.get("id")
    return value[:40] if isinstance(value, str) else None
