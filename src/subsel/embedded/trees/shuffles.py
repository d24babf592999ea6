"""Orders in which rows are read for the groups of columns of a tree: shuffled, at will or among rows that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from subsel.embedded.trees.flat_trees import FlatTree

__all__ = ["Shuffles"]


@dataclass(frozen=True)
class Shuffles:
    """How rows are shuffled for each group: ``related[g]`` holds the columns on which rows must agree."""

    X: np.ndarray
    group: np.ndarray
    related: np.ndarray | None
    n_repeats: int

    @classmethod
    def of(
        cls, X: np.ndarray, group: np.ndarray, conditional: float | None, n_repeats: int
    ) -> Shuffles:
        """Look up which columns are correlated, where shuffles are to be conditional on them."""
        if conditional is None:
            return cls(X, group, None, n_repeats)
        if not 0 < conditional <= 1:
            raise ValueError(f"conditional must lie in (0, 1], got {conditional!r}.")
        if np.isnan(X).any():
            raise ValueError("conditional shuffles are for tables without missing values.")
        with np.errstate(divide="ignore", invalid="ignore"):
            close = np.abs(np.atleast_2d(np.corrcoef(X, rowvar=False))) >= conditional - 1e-9
        related = np.array(
            [close[group == g].any(axis=0) & (group != g) for g in range(group.max() + 1)]
        )
        return cls(X, group, related, n_repeats)

    def orders(
        self, tree: FlatTree, rows: np.ndarray, rng: np.random.Generator
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give a table of orders, one for each group the tree uses, and for every group its place there."""
        used = np.unique(self.group[tree.column[tree.left >= 0]])
        place = np.full(self.group.max() + 1, -1)
        place[used] = np.arange(len(used))
        plain = np.tile(np.arange(len(rows)), (len(used), 1))
        for _ in range(self.n_repeats):
            orders = rng.permuted(plain, axis=1)
            if self.related is not None:
                for order, g in zip(orders, used):
                    order[:] = _within(self._alike(tree, rows, int(g)), order)
            yield orders, place

    def _alike(self, tree: FlatTree, rows: np.ndarray, g: int) -> np.ndarray:
        """A number for every row, the same where the tree's thresholds on the related columns do not tell rows apart."""
        assert self.related is not None
        kinds = np.zeros(len(rows), dtype=np.int64)
        for j in np.flatnonzero(self.related[g]):
            cuts = np.unique(tree.threshold[(tree.left >= 0) & (tree.column == j)])
            cells = kinds * (len(cuts) + 1) + np.searchsorted(cuts, self.X[rows, j])
            kinds = np.unique(cells, return_inverse=True)[1]
        return kinds


def _within(kinds: np.ndarray, order: np.ndarray) -> np.ndarray:
    """A shuffle made to keep kinds: the rows of a kind are read in the sequence in which the shuffle has them.

    >>> _within(np.array([0, 1, 0, 1]), np.array([3, 2, 1, 0]))
    array([2, 3, 0, 1])
    """
    shuffled = np.empty_like(order)
    shuffled[np.argsort(kinds, kind="stable")] = order[np.argsort(kinds[order], kind="stable")]
    return shuffled
