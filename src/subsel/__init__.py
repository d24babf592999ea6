"""Find the few features that matter, say how good a model on them will be, and how far to trust the choice."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Budget": "subsel.engine",
    "RankingSelector": "subsel.ranking.selector",
    "Result": "subsel.result",
    "SubsetSelector": "subsel.selector",
}
_ROOMS = ("construct", "criteria", "datasets", "engine", "ranking", "recipes", "search")

__all__ = ["Budget", "RankingSelector", "Result", "SubsetSelector", *_ROOMS]


def __getattr__(name: str) -> Any:
    """Import on first use (PEP 562), so that ``import subsel`` is quick."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"subsel.{name}")
    raise AttributeError(f"module 'subsel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
