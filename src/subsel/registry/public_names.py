"""The public name of a class or function: what is written about it where a move must not matter."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

__all__ = ["is_ours", "public_name"]

_PACKAGE = __name__.partition(".")[0]


def is_ours(module: str | None) -> bool:
    """Whether a module belongs to this library.

    >>> is_ours("subsel.criteria.base"), is_ours("subsel_plugin"), is_ours(None)
    (True, False, False)
    """
    return (module or "").partition(".")[0] == _PACKAGE


def public_name(thing: Any) -> str:
    """Give the name by which a class or function is known, wherever its module is.

    For what this library exports, that is the shortest import: from the top, from its room or
    from its family of the literature. What it does not export is named by its room, a colon and
    its bare name; no module below the room appears. Anything foreign keeps its module.

    Parameters
    ----------
    thing : class, function or method
        Anything with ``__module__`` and ``__qualname__``.

    Returns
    -------
    str
        The name; equal in every process, and after the class has moved within its room.

    Examples
    --------
    >>> from subsel import AutoSelector
    >>> from subsel.criteria.linear.least_squares import LeastSquares
    >>> public_name(LeastSquares), public_name(AutoSelector)
    ('subsel.criteria.LeastSquares', 'subsel.AutoSelector')
    >>> from subsel.models.subset_model import SubsetModel
    >>> public_name(SubsetModel)
    'subsel.models:SubsetModel'
    >>> from sklearn.linear_model import Ridge
    >>> public_name(Ridge)
    'sklearn.linear_model._ridge.Ridge'
    """
    module, name = getattr(thing, "__module__", None), thing.__qualname__
    if module is None or not is_ours(module):
        return f"{module}.{name}"
    # what is defined within another thing moves with it: a method, a function within a function
    outer, _, inner = name.partition(".")
    if inner:
        thing = getattr(sys.modules.get(module), outer, None)
        inner = f".{inner}"
    room = _room(module)
    for package in (_PACKAGE, room):
        if thing is not None and _exports(package, outer, thing):
            return f"{package}.{outer}{inner}"
    return f"{room}:{outer}{inner}"


def _room(module: str) -> str:
    """The package whose table of contents lists what a module offers."""
    parts = module.split(".")
    # the literature is no room of its own: each of its families is imported alone
    depth = 3 if parts[1:2] == ["literature"] else 2
    return ".".join(parts[:depth])


def _exports(package: str, name: str, thing: Any) -> bool:
    """Whether a package offers the thing itself, not a namesake."""
    offered = import_module(package)
    return name in getattr(offered, "__all__", ()) and getattr(offered, name) is thing
