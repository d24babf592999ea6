"""The front ends that search."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "ScreenedSelector": "screening",
    "SubsetSelector": "subset",
    "search_stored": "stored",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
