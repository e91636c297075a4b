"""The text of a search: from the arguments or from standard input."""

from __future__ import annotations

import sys

from assistant.paste.excerpting import QUERY_BYTES


def query_text(arguments: list[str]) -> str:
    """Join the arguments, or read standard input for `-` or nothing.

    Bytes that are not UTF-8 are read as the sign for the unknown, and counted on stderr; who is
    awaited at a terminal is told so there.
    """
    if arguments and arguments != ["-"]:
        raw = " ".join(arguments).encode("utf-8", "surrogateescape")
    else:
        if sys.stdin.isatty():
            sys.stderr.write("paste the error, then press Ctrl-D\n")
        # One byte over the limit is enough to be refused for it.
        raw = sys.stdin.buffer.read(QUERY_BYTES + 1)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        count = text.count("\N{REPLACEMENT CHARACTER}")
        sys.stderr.write(f"note: {count:,} places are not UTF-8; they were read as unknown signs\n")
        return text
