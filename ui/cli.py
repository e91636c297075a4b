"""The command `errsage`: guards and exit codes around the commands."""

from __future__ import annotations

import io
import os
import sys

from ui.terminal.inert import one_line

_USAGE = 2
_INTERRUPTED = 130


def main() -> None:
    """Run the command line; a person never sees a stack trace for bad input."""
    _open_missing_streams()
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        code = 1
    except OSError as error:
        _drop_output()
        _tell(f"cannot read or write {error.filename or 'a standard stream'}: {error.strerror}")
        code = _USAGE
    sys.exit(code)


def _run() -> int:
    try:
        from ui.commands import run
    except ImportError as error:
        if type(error).__name__ != "ShadowedPackage":
            raise
        _tell(str(error))
        return _USAGE
    return run()


def _tell(sentence: str) -> None:
    sys.stderr.write(one_line(f"errsage: {sentence}", width=2_000) + "\n")


def _open_missing_streams() -> None:
    """A stream that the caller closed is empty; a sign that a stream cannot write becomes `?`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _drop_output() -> None:
    """The reader of our output has gone; what is still buffered has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
