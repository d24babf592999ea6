"""The bits a search may flip, and batches of subsets."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "Block": "block",
    "Candidates": "candidates",
    "Space": "space",
    "Subset": "candidates",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
