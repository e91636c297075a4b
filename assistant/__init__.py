"""errsage from Python: open an Assistant, search, read the result.

Names are imported on first use, so that `import assistant` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The guard runs before anything else of ours is imported.
from assistant.shadowing import ShadowedPackage, refuse_shadows

if TYPE_CHECKING:
    from assistant.api import Assistant as Assistant
    from assistant.api import Shown as Shown
    from assistant.errors import QueryRefused as QueryRefused
    from assistant.ingest import Added as Added
    from assistant.progress import Progress as Progress
    from assistant.result import Hit as Hit
    from assistant.result import Match as Match
    from assistant.result import Note as Note
    from assistant.result import Reason as Reason
    from assistant.result import Result as Result
    from assistant.result import Variant as Variant
    from assistant.result import Verdict as Verdict
    from assistant.settings import SettingRefused as SettingRefused
    from assistant.status import Status as Status
    from index.errors import IndexDamaged as IndexDamaged
    from index.errors import IndexFault as IndexFault
    from index.errors import IndexMissing as IndexMissing
    from index.errors import IndexTooNew as IndexTooNew
    from index.errors import ModelUnavailable as ModelUnavailable
    from records.errors import ErrsageError as ErrsageError
    from records.errors import RecordRefused as RecordRefused
    from records.errors import SourceUnreadable as SourceUnreadable
    from records.errors import StorageFailed as StorageFailed
    from records.errors import StoreDamaged as StoreDamaged
    from records.errors import StoreError as StoreError
    from records.errors import StoreLocked as StoreLocked
    from records.errors import StoreTooNew as StoreTooNew

refuse_shadows()

_HOMES = {
    "Added": "assistant.ingest",
    "Assistant": "assistant.api",
    "ErrsageError": "records.errors",
    "Hit": "assistant.result",
    "IndexDamaged": "index.errors",
    "IndexFault": "index.errors",
    "IndexMissing": "index.errors",
    "IndexTooNew": "index.errors",
    "Match": "assistant.result",
    "ModelUnavailable": "index.errors",
    "Note": "assistant.result",
    "Progress": "assistant.progress",
    "QueryRefused": "assistant.errors",
    "Reason": "assistant.result",
    "RecordRefused": "records.errors",
    "Result": "assistant.result",
    "SettingRefused": "assistant.settings",
    "Shown": "assistant.api",
    "SourceUnreadable": "records.errors",
    "Status": "assistant.status",
    "StorageFailed": "records.errors",
    "StoreDamaged": "records.errors",
    "StoreError": "records.errors",
    "StoreLocked": "records.errors",
    "StoreTooNew": "records.errors",
    "Variant": "assistant.result",
    "Verdict": "assistant.result",
}

__all__ = [
    "Added",
    "Assistant",
    "ErrsageError",
    "Hit",
    "IndexDamaged",
    "IndexFault",
    "IndexMissing",
    "IndexTooNew",
    "Match",
    "ModelUnavailable",
    "Note",
    "Progress",
    "QueryRefused",
    "Reason",
    "RecordRefused",
    "Result",
    "SettingRefused",
    "ShadowedPackage",
    "Shown",
    "SourceUnreadable",
    "Status",
    "StorageFailed",
    "StoreDamaged",
    "StoreError",
    "StoreLocked",
    "StoreTooNew",
    "Variant",
    "Verdict",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    """Import a public name from its home."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
