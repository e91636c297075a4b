"""What can be wrong with a question."""

from __future__ import annotations

from records.errors import ErrsageError


class QueryRefused(ErrsageError):
    """The text is empty, or too long to be read."""
