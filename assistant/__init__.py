"""errsage from Python: open an Assistant, search, read the result."""

# The guard runs before anything else of ours is imported.
from assistant.shadowing import ShadowedPackage, refuse_shadows

refuse_shadows()

from assistant.api import Assistant, Shown  # noqa: E402
from assistant.errors import QueryRefused  # noqa: E402
from assistant.ingest import Added  # noqa: E402
from assistant.progress import Progress  # noqa: E402
from assistant.result import Hit, Match, Note, Reason, Result, Variant, Verdict  # noqa: E402
from assistant.settings import SettingRefused  # noqa: E402
from assistant.status import Status  # noqa: E402
from index.errors import (  # noqa: E402
    IndexDamaged,
    IndexFault,
    IndexMissing,
    IndexTooNew,
    ModelUnavailable,
)
from records.errors import (  # noqa: E402
    ErrsageError,
    RecordRefused,
    SourceUnreadable,
    StorageFailed,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreTooNew,
)

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
