"""Checks for searches, criteria, scores and selectors that others write."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "BrokenPromise": "promise",
    "check_criterion": "criterion",
    "check_score": "score",
    "check_search": "search",
    "check_selector": "selector",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
