"""Announcements of the moments at which a write is half done.

They go to the logger `errsage.stages` at level DEBUG; `errsage --verbose` prints it on
standard error. Tests of sudden death (kill -9) draw their moments from it.
"""

from __future__ import annotations

import logging

LOGGER = "errsage.stages"
_logger = logging.getLogger(LOGGER)


def announce(stage: str) -> None:
    """Announce that `stage` begins or has just ended."""
    _logger.debug("%s", stage)
