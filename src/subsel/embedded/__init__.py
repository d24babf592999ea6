"""Models that select while they learn."""

from importlib import import_module
from typing import Any

_HOMES = {
    "CPLSelector": "cpl",
    "ARDElimination": "ard_elimination",
    "ForwardWalk": "forward_walk",
    "GCISVM": "gci_svm",
    "InclusionSelector": "inclusion",
    "NonlinearPSVM": "nonlinear_psvm",
    "OptimalBrainDamage": "brain_damage",
    "PosteriorSelector": "posterior_selection",
    "SparseBayesianSelector": "sparse_bayes",
    "descending_sequence": "cpl",
    "separable": "cpl",
}

__all__ = [
    "GCISVM",
    "ARDElimination",
    "CPLSelector",
    "ForwardWalk",
    "InclusionSelector",
    "NonlinearPSVM",
    "OptimalBrainDamage",
    "PosteriorSelector",
    "SparseBayesianSelector",
    "descending_sequence",
    "separable",
]


def __getattr__(name: str) -> Any:
    """Import on first use: criteria read the programmes in this folder without its selectors."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.embedded.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.embedded' has no attribute {name!r}")
