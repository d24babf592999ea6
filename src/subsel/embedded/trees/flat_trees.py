"""The trees of a fitted forest as plain arrays, and the out-of-bag rows of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["FlatTree", "flat_tree", "unseen_rows"]


class FlatTree(NamedTuple):
    """A decision tree as arrays with an entry for every node."""

    left: np.ndarray  # the left child, -1 at leaves
    right: np.ndarray  # the right child, -1 at leaves
    column: np.ndarray
    threshold: np.ndarray  # rows with a value of at most the threshold go left
    missing_left: np.ndarray  # whether rows with a missing value go left


def flat_tree(model: Any) -> FlatTree:
    """Convert a fitted decision tree of scikit-learn to arrays.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> flat_tree(DecisionTreeRegressor().fit([[0.0], [1.0]], [0, 1])).left.tolist()
    [1, -1, -1]
    """
    tree = model.tree_
    arrays = (
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        tree.missing_go_to_left,
    )
    return FlatTree(*map(np.ascontiguousarray, arrays))


def unseen_rows(forest: Any, n_rows: int) -> list[np.ndarray]:
    """Find, for every tree of a fitted forest, the rows that are not in its bootstrap sample."""
    check_is_fitted(forest)
    if not getattr(forest, "bootstrap", False):
        raise ValueError(
            f"{type(forest).__name__} has no out-of-bag rows: train it with bootstrap=True."
        )
    seen = np.zeros((len(forest.estimators_), n_rows), dtype=bool)
    for marks, rows in zip(seen, forest.estimators_samples_):
        if rows.max() >= n_rows:
            raise ValueError(
                f"X must be the table that the forest was trained on, got only {n_rows} rows."
            )
        marks[rows] = True
    return [np.flatnonzero(~marks) for marks in seen]
