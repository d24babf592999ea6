"""Registries of named objects, and their parameters."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "Registry": "table",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
