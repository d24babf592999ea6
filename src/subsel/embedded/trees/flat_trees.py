"""The trees of a fitted forest as plain arrays, and the rows that each has not seen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["FlatTree", "flat_tree", "unseen_rows"]


class FlatTree(NamedTuple):
    """Left and right children (-1 at leaves), column, threshold and way of missing values of every node."""

    left: np.ndarray
    right: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray


def flat_tree(model: Any) -> FlatTree:
    """Give the nodes of a fitted decision tree of scikit-learn.

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
    """Give for every tree of a fitted forest the rows that its bootstrap sample left out."""
    check_is_fitted(forest)
    if not getattr(forest, "bootstrap", False):
        raise ValueError(
            f"{type(forest).__name__} has no out-of-bag rows: train it with bootstrap=True."
        )
    seen = np.zeros((len(forest.estimators_), n_rows), dtype=bool)
    for marks, rows in zip(seen, forest.estimators_samples_):
        if rows.max() >= n_rows:
            raise ValueError(f"X has {n_rows} rows: give the table that the forest was trained on.")
        marks[rows] = True
    return [np.flatnonzero(~marks) for marks in seen]
