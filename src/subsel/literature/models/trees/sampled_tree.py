"""A regression tree that draws the columns of each node by weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

__all__ = ["SampledTree", "SamplingLaw"]


class SamplingLaw(NamedTuple):
    """How the columns that a node may split are drawn: with replacement, repeated ones once."""

    weights: np.ndarray  # (n_features,) proportional to the probability of each draw
    n_draws: int  # draws at each node

    @property
    def inclusion(self) -> np.ndarray:
        """The probability of each column to be among the draws of a node."""
        if self.n_draws >= len(self.weights):
            return np.ones(len(self.weights))
        return 1 - (1 - self.weights / self.weights.sum()) ** self.n_draws


@dataclass
class SampledTree:
    """A tree of limited depth for one or several targets.

    Parameters
    ----------
    max_depth : int
        Largest depth.
    min_samples_leaf : int
        Least number of rows of a leaf.

    Attributes
    ----------
    nodes : tuple of ndarray
        The nodes as `subsel._loops.trees.random_splits.grow` returns them; set by `grow`.
    importances : ndarray of shape (n_features,)
        How much the splits of each column lower the weighted mean square; set by `grow`.
    values : ndarray of shape (n_nodes, n_targets)
        The values of the leaves; set by `set_values`.

    Examples
    --------
    >>> X, y = np.array([[0.0, 5], [1, 5], [2, 5]]), np.array([[0.0], [0], [3]])
    >>> law = SamplingLaw(np.ones(2), 2)
    >>> tree = SampledTree(max_depth=1).grow(X, y, np.ones(3), np.arange(3), law, seed=0)
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
        """Grow the tree on some of the rows.

        Parameters
        ----------
        X : ndarray of shape (m, n_features)
            The table, of which the tree sees 32-bit values.
        targets : ndarray of shape (m, n_targets)
            One or several targets.
        weight : ndarray of shape (m,)
            Weights of the rows.
        rows : ndarray of int
            The rows to grow on.
        law : SamplingLaw
            How columns are drawn.
        seed : int
            Seed of the draws.
        """
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
        """Return the index of the leaf of each row."""
        from subsel._loops.trees.random_splits import leaves

        return leaves(np.ascontiguousarray(X, dtype=np.float32), *self.nodes)

    def set_values(
        self, leaves: np.ndarray, numerator: np.ndarray, denominator: np.ndarray
    ) -> None:
        """Set the value of each leaf to the ratio of two sums over its rows, for each target.

        ``leaves`` has shape (n_rows,); ``numerator`` and ``denominator`` have shape (n_rows,
        n_targets). A leaf whose denominator is practically 0 has the value 0.
        """
        n = len(self.nodes[0])
        tops = np.column_stack([np.bincount(leaves, part, n) for part in numerator.T])
        bottoms = np.column_stack([np.bincount(leaves, part, n) for part in denominator.T])
        self.values = np.divide(
            tops, bottoms, out=np.zeros_like(tops), where=np.abs(bottoms) > 1e-150
        )

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the values of the leaves of the rows, of shape (n_rows, n_targets)."""
        return self.values[self.leaves(X)]
