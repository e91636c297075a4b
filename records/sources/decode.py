"""JSON text to values, with a reason in words for everything that is not JSON."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from pydantic_core import from_json

from records.errors import RecordRefused

RECORD_BYTES = 1 << 20

_TOO_DEEP = "not a record: JSON nested too deeply"


def decode(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Decode one JSON document.

    Raises:
        RecordRefused: the bytes are not UTF-8 or not JSON; the text says where.
    """
    try:
        return json.loads(_text(raw), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RecordRefused(f"not JSON ({error.msg} at {place})") from None
    except RecursionError:
        raise RecordRefused(_TOO_DEEP) from None
    except ValueError as error:
        raise RecordRefused(f"not JSON ({error})") from None


def received_text(body: dict[str, Any]) -> str:
    """The JSON text of one record as it is stored.

    Raises:
        RecordRefused: it is larger than a record may be, holds half a character, a number
            beyond all bounds (1e999), or is nested deeper than the store reads back.
    """
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise RecordRefused("a number is too large for JSON") from None
    size = len(encoded(text))
    if size > RECORD_BYTES:
        raise RecordRefused(too_large(size))
    try:
        from_json(text)
    except ValueError:
        raise RecordRefused(_TOO_DEEP) from None
    return text


def encoded(text: str) -> bytes:
    """A text as UTF-8.

    Raises:
        RecordRefused: it holds half a character.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise RecordRefused("a text holds a lone surrogate (half a character)") from None


def too_large(size: int) -> str:
    """The sentence about a record over the limit."""
    return f"the record is {size / 1e6:,.1f} MB; at most {RECORD_BYTES / 1e6:,.1f} MB are taken"


def _text(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RecordRefused("not UTF-8 but UTF-16; save it as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise RecordRefused(f"not UTF-8 (byte 0x{byte:02x} at offset {error.start})") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
