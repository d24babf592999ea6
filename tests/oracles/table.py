"""Qualities written down in advance: the simplest evaluator there is."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits


class Table(Evaluator):
    """A quality for each set of columns, and a list of all that was asked for."""

    traits = Traits("table", relevance=True)

    def __init__(self, function: Callable[[frozenset], float], monotone: bool = False) -> None:
        self.function, self.traits, self.asked = (
            function,
            replace(self.traits, monotone=monotone),
            [],
        )

    def quality(self, columns: np.ndarray) -> float:
        """Look it up."""
        self.asked.append(frozenset(columns.tolist()))
        return float(self.function(self.asked[-1]))

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Something for every column."""
        return np.abs(np.sin(1.0 + columns))


def random_table(n_columns: int, seed: int) -> Table:
    """Independent random qualities for all non-empty subsets of a few columns."""
    rng = np.random.default_rng(seed)
    every = [
        frozenset(s) for k in range(1, n_columns + 1) for s in combinations(range(n_columns), k)
    ]
    return Table(dict(zip(every, rng.random(len(every)))).__getitem__)
