"""Import of the public names of a package on first use (PEP 562)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["imported"]


def imported(package: str, homes: Mapping[str, str], name: str) -> Any:
    """Import a public name of a package; raise an AttributeError if it has no such name.

    Parameters
    ----------
    package : str
        The package whose ``__getattr__`` was called.
    homes : mapping from str to str
        For each public name of the package, the module that defines it, relative to the package.
    name : str
        The name to import.

    Returns
    -------
    object
        The object of this name.

    Examples
    --------
    >>> imported("subsel.ranking", {"pearson": "scores.moments.pearson"}, "pearson").__name__
    'pearson'
    """
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(f"{package}.{homes[name]}"), name)
