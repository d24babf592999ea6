"""Tables of contents whose names are imported on first use (PEP 562)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["imported"]


def imported(package: str, homes: Mapping[str, str], name: str) -> Any:
    """Import what a package offers under a name.

    Parameters
    ----------
    package : str
        The package whose ``__getattr__`` asks.
    homes : mapping
        The module, relative to the package, that defines each name of the package.
    name : str
        The name asked for.

    Returns
    -------
    object
        What the module defines under this name.

    Examples
    --------
    >>> imported("subsel.ranking", {"pearson": "scores.moments.pearson"}, "pearson").__name__
    'pearson'
    """
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(f"{package}.{homes[name]}"), name)
