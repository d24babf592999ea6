"""A regression tree that draws columns by weight at every node, and what its splits were worth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

__all__ = ["SampledTree", "SamplingLaw"]


@dataclass
class SamplingLaw:
    """The weights by which columns are drawn, and how many draws a node makes (with replacement, distinct ones count)."""

    weights: np.ndarray
    n_draws: int

    @property
    def inclusion(self) -> np.ndarray:
        """The chance of each column to be among the draws of a node."""
        if self.n_draws >= len(self.weights):
            return np.ones(len(self.weights))
        return 1 - (1 - self.weights / self.weights.sum()) ** self.n_draws


@dataclass
class SampledTree:
    """A tree of limited depth on one or several targets.

    Examples
    --------
    >>> X, y = np.array([[0.0, 5], [1, 5], [2, 5]]), np.array([[0.0], [0], [3]])
    >>> tree = SampledTree(max_depth=1).grow(X, y, np.ones(3), np.arange(3), SamplingLaw(np.ones(2), 2), 0)
    >>> tree.importances, tree.leaves(X).tolist()
    (array([2., 0.]), [1, 1, 2])
    """

    max_depth: int = 5
    min_samples_leaf: int = 1
    nodes: tuple = field(default=(), repr=False)
    importances: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    values: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)

    def grow(
        self,
        X: np.ndarray,
        targets: np.ndarray,
        weight: np.ndarray,
        rows: np.ndarray,
        law: SamplingLaw,
        seed: int,
    ) -> SampledTree:
        """Grow on some rows; ``importances`` are falls of the mean square."""
        from subsel._loops.trees.random_splits import Rules, grow

        X = np.ascontiguousarray(X, dtype=np.float32)
        size = (law.n_draws, self.max_depth, self.min_samples_leaf)
        rules = Rules(np.cumsum(law.weights), *size)
        *nodes, falls = grow(X, targets, weight, rows, rules, np.random.default_rng(seed))
        self.nodes, columns = tuple(nodes), nodes[2]
        inner = columns >= 0
        self.importances = (
            np.bincount(columns[inner], falls[inner], X.shape[1]) / weight[rows].sum()
        )
        return self

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The leaf of every row."""
        from subsel._loops.trees.random_splits import leaves

        return leaves(np.ascontiguousarray(X, dtype=np.float32), *self.nodes)

    def set_values(
        self, leaves: np.ndarray, numerator: np.ndarray, denominator: np.ndarray
    ) -> None:
        """Give every leaf the ratio of two sums over its rows, per target."""
        n = len(self.nodes[0])
        tops = np.column_stack([np.bincount(leaves, part, n) for part in numerator.T])
        bottoms = np.column_stack([np.bincount(leaves, part, n) for part in denominator.T])
        self.values = np.divide(
            tops, bottoms, out=np.zeros_like(tops), where=np.abs(bottoms) > 1e-150
        )

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The values of the leaves, a column per target."""
        return self.values[self.leaves(X)]
