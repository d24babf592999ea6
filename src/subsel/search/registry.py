"""The table of search strategies: what a strategy is, and the keys it is known by."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from subsel.registry import Registry
from subsel.space import Space

__all__ = ["SEARCHES", "Search", "Spent", "Steps", "find_search", "search"]

Steps = Generator[Any, Any, Any]
"""A strategy at work: it yields a subset (or candidates), receives its quality (or qualities), returns an answer."""

SEARCHES: Registry[Callable[..., Search]] = Registry("search", "subsel.searches")
_Class = TypeVar("_Class", bound=type)


class Spent(Exception):
    """Thrown into a strategy when the budget has ended: it may catch it to return its own answer so far."""


@runtime_checkable
class Search(Protocol):
    """Where to look next: anything with ``steps``.

    ``steps`` is a generator. ``quality = yield subset`` asks for one subset, ``qualities = yield candidates`` for a
    batch. Larger is better. It may ask for any visitable subset of the space; it may return its answer, an eligible
    subset, and where it returns nothing the best eligible subset it has asked for is the answer. A strategy whose own
    answer is another one catches :class:`Spent` to give it when the budget ends. ``horizon`` is the number of
    evaluations it may expect, or None.
    """

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Ask for subsets."""


def search(key: str, **settings: Any) -> Callable[[_Class], _Class]:
    """Enter a strategy in the table under a key; a class may stand there several times with different settings.

    Parameters
    ----------
    key : str
        The name it is found by. A name that another class has is refused; the same class again replaces its entry.
    **settings : Any
        Parameters that the key stands for.

    Examples
    --------
    >>> @search("beam", width=1)
    ... class Narrow:
    ...     def steps(self, space, rng, horizon=None): ...
    Traceback (most recent call last):
    ValueError: the search 'beam' belongs to subsel.search.beam:Beam; ...
    """

    def enter(cls: _Class) -> _Class:
        def make(**options: Any) -> Search:
            return cls(**{**settings, **options})

        make.__doc__, make.cls, make.settings = cls.__doc__, cls, settings  # type: ignore[attr-defined]
        SEARCHES.add(key, make, home=f"{cls.__module__}:{cls.__qualname__}")
        return cls

    return enter


def find_search(name: str | Search) -> Search:
    """Give a strategy by its key, or the strategy itself.

    Examples
    --------
    >>> find_search("beam")
    Beam(width=5, by_size=False)
    """
    if isinstance(name, str):
        return SEARCHES.find(name)()
    if not isinstance(name, Search):
        raise TypeError(f"search must be a key or an object with steps(space, rng, horizon), got {name!r}.")
    return name
