"""Models that select while they learn, and selection with error control."""

from importlib import import_module
from typing import Any

_HOMES = {
    "CPLSelector": "cpl",
    "EmbeddedSelector": "selector",
    "GCISVM": "gci_svm",
    "Importance": "importance",
    "L1Path": "almost_quadratic",
    "StabilitySelection": "stability",
    "descending_sequence": "subspaces",
    "huber_lasso": "l1_orders",
    "l1_huberized_hinge": "l1_orders",
    "l1_logistic": "l1_orders",
    "l1_squared_hinge": "l1_orders",
    "lars": "pursuit",
    "lasso": "l1_orders",
    "omp": "pursuit",
    "one_norm_svm": "l1_orders",
    "quadratic_path": "almost_quadratic",
    "separable": "subspaces",
}

__all__ = [
    "GCISVM",
    "CPLSelector",
    "EmbeddedSelector",
    "Importance",
    "L1Path",
    "StabilitySelection",
    "descending_sequence",
    "huber_lasso",
    "l1_huberized_hinge",
    "l1_logistic",
    "l1_squared_hinge",
    "lars",
    "lasso",
    "omp",
    "one_norm_svm",
    "quadratic_path",
    "separable",
]


def __getattr__(name: str) -> Any:
    """Import on first use: criteria read the programmes in this folder without its selectors."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.embedded.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.embedded' has no attribute {name!r}")
