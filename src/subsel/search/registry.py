"""The table of search strategies: the keys that strategies are known by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from subsel.registry.table import Registry
from subsel.search.protocol import BudgetSpent, Search, Steps

__all__ = ["SEARCHES", "BudgetSpent", "Search", "Steps", "find_search", "search"]

SEARCHES: Registry[Callable[..., Search]] = Registry(
    "search",
    "subsel.searches",
    rooms=(
        "subsel.search.walks",
        "subsel.search.sequential",
        "subsel.search.populations",
        "subsel.search.tree_search",
        "subsel.search.elimination",
    ),
)
_Class = TypeVar("_Class", bound=type)


def search(key: str, **settings: object) -> Callable[[_Class], _Class]:
    """Register a strategy under a key; a class may have several keys with other settings.

    Parameters
    ----------
    key : str
        The name it is found by. A name that another class has is refused; the same class again
        replaces its entry.
    **settings : Any
        Parameters that the key stands for.

    Examples
    --------
    >>> @search("beam", width=1)
    ... class Narrow:
    ...     def steps(self, space, rng, horizon=None): ...
    Traceback (most recent call last):
    ValueError: the search 'beam' belongs to subsel.search.tree_search.beam:Beam; ...
    """

    def enter(cls: _Class) -> _Class:
        def make(**options: object) -> Search:
            strategy: Search = cls(**{**settings, **options})
            return strategy

        make.__doc__ = cls.__doc__
        make.cls, make.settings = cls, settings  # type: ignore[attr-defined]
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
        raise TypeError(
            f"search must be a key or an object with steps(space, rng, horizon), got {name!r}."
        )
    return name
