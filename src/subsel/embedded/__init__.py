"""Models that select while they learn, and selection with error control."""

from importlib import import_module
from typing import Any

_HOMES = {
    "CPLSelector": "cpl",
    "EmbeddedSelector": "selector",
    "GCISVM": "gci_svm",
    "Importance": "importance",
    "L1Path": "quadratic_path",
    "descending_sequence": "subspaces",
    "quadratic_path": "quadratic_path",
    "separable": "subspaces",
}

__all__ = [
    "GCISVM",
    "CPLSelector",
    "EmbeddedSelector",
    "Importance",
    "L1Path",
    "descending_sequence",
    "quadratic_path",
    "separable",
]


def __getattr__(name: str) -> Any:
    """Import on first use: criteria read the programmes in this folder without its selectors."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.embedded.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.embedded' has no attribute {name!r}")
