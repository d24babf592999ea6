"""Find the few features that matter, say how good a model on them will be, and how far to trust the choice."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "AutoSelector": "subsel.auto",
    "Budget": "subsel.engine.budget",
    "RankingSelector": "subsel.ranking.selector",
    "Result": "subsel.result.result",
    "SubsetSelector": "subsel.selector.subset",
    "assess": "subsel.assessment.nested",
    "compare": "subsel.assessment.comparison",
    "rank_stored": "subsel.ranking.stored.rank_stored",
    "search_stored": "subsel.selector.stored",
}
_ROOMS = (
    "assessment",
    "construct",
    "criteria",
    "data",
    "embedded",
    "engine",
    "literature",
    "models",
    "ranking",
    "report",
    "search",
    "testing",
)

__all__ = [
    "AutoSelector",
    "Budget",
    "RankingSelector",
    "Result",
    "SubsetSelector",
    "assess",
    "compare",
    "rank_stored",
    "search_stored",
    *_ROOMS,
]


def __getattr__(name: str) -> Any:
    """Import on first use (PEP 562), so that ``import subsel`` is quick."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"subsel.{name}")
    raise AttributeError(f"module 'subsel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
