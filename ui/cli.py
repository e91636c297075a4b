"""The command `errsage`: guards and exit codes around the commands."""

from __future__ import annotations

import os
import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; a person never sees a stack trace for bad input."""
    try:
        from ui.commands import run
    except ImportError as error:
        if type(error).__name__ != "ShadowedPackage":
            raise
        sys.stderr.write(f"errsage: {error}\n")
        sys.exit(2)
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
