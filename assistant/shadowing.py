"""A guard against foreign modules with the names of our packages.

The names are generic: a script's folder may hold an index.py, and PyPI has a `records`. What
would be imported is looked up before anything is, so that the foreign file is never run.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("records", "index", "ui")
_ROOT = Path(__file__).resolve().parent.parent


class ShadowedPackage(ImportError):
    """A file of another project stands where one of our packages would be imported."""


def refuse_shadows() -> None:
    """Look up our packages without importing them.

    Raises:
        ShadowedPackage: one of the names leads elsewhere; names the file in the way.
    """
    for name in _PACKAGES:
        place = _place_of(name)
        if place is not None and place.parent != _ROOT:
            raise ShadowedPackage(
                f"{_file_of(place)} stands in the way of errsage's own package '{name}': rename "
                "it, run from another folder, or install errsage by itself (pipx install errsage)"
            )


def _place_of(name: str) -> Path | None:
    """The folder, or the file, that `import name` would take."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module put into sys.modules without a spec
        return Path(name)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin or name).resolve()


def _file_of(place: Path) -> Path:
    inner = place / "__init__.py"
    return inner if inner.is_file() else place
