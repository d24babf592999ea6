"""Small spaces of every kind, and qualities without structure to search them by."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from subsel.space.space import Block, Space

__all__ = ["SPACES", "bumpy"]

SPACES = {
    "plain": Space.of(5),
    "one": Space.of(1),
    "bounds": Space.of(6, low=2, high=3),
    "exactly": Space.of(6, low=3, high=3),
    "empty allowed": Space.of(4, low=0),
    "fixed": Space.of(6, fixed=[1], forbidden=[4], low=2, high=4),
    "only fixed": Space.of(5, fixed=[1, 3]),
    "groups": Space.of(7, groups=[(0, 1), (3, 4, 5)], low=2, high=5),
    "dead ends": Space.of(7, groups=[(0, 1, 2), (3, 4), (5, 6)], low=4, high=4),
    "costs": Space.of(5, costs=[1, 2, 1, 3, 1], max_cost=5),
    "tight costs": Space.of(4, costs=[3, 3, 3, 1], max_cost=3, low=1),
    "choice": Space((Block(5), Block(3, name="kernel", choice=True))),
    "choice, exactly": Space((Block(5, low=2, high=2), Block(2, name="kernel", choice=True))),
    "rows": Space((Block(3), Block(3, name="rows"))),
}
"""Each kind of constraint that a space may have; all have few enough subsets to list."""


def bumpy(seed: int, n_columns: int = 7) -> Callable[[frozenset[int]], float]:
    """Give a quality with main effects and interactions of all pairs of columns.

    Examples
    --------
    >>> quality = bumpy(0)
    >>> quality(frozenset({0, 1})) == quality(frozenset({0})) + quality(frozenset({1}))
    False
    """
    rng = np.random.default_rng(seed)
    weight, pair = rng.normal(size=n_columns), rng.normal(size=(n_columns, n_columns))
    return lambda s: float(
        sum(weight[c] for c in s) + sum(pair[a, b] for a, b in combinations(sorted(s), 2))
    )
