"""Drives searches against an evaluator, within a budget."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "Budget": "budget",
    "FitStopped": "driver",
    "Progress": "progress",
    "StoppedEarly": "driver",
    "run": "driver",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
