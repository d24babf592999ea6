"""The problem: a table, its target, and what is known of both."""

from importlib import import_module
from typing import Any

_HOMES = {
    "Task": "task",
}

__all__ = ["Task"]


def __getattr__(name: str) -> Any:
    """Import on first use (PEP 562), so that a room is not loaded whole."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
