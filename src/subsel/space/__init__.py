"""The bits a search may flip, and batches of them."""

from importlib import import_module
from typing import Any

_HOMES = {
    "Block": "block",
    "Candidates": "candidates",
    "Space": "space",
    "Subset": "candidates",
}

__all__ = ["Block", "Candidates", "Space", "Subset"]


def __getattr__(name: str) -> Any:
    """Import on first use (PEP 562), so that a room is not loaded whole."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
