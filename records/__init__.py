"""Error records: their schema, their templates, where they come from, how they are kept."""

from records.model.record import ErrorRecord, read
from records.model.template import template

__all__ = ["ErrorRecord", "read", "template"]
