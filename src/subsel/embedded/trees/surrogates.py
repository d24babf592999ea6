"""Surrogate splits: which other columns would have divided the rows of a node alike, and so are hidden by its column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel._loops.trees.surrogates import best_surrogates
from subsel.embedded.trees.flat_trees import flat_tree

__all__ = ["Surrogates", "masking", "surrogate_importances", "surrogate_splits"]


@dataclass(frozen=True)
class Surrogates:
    r"""A node, its rows, and for every column the split that comes closest to the node's own.

    Attributes
    ----------
    node, column : int
        The node and the column that it asks for.
    rows : ndarray of int
        The rows of the table that reach it.
    decrease : float
        The fall of impurity at the node, times the share of rows there.
    association : ndarray
        :math:`\lambda = (\min(p_L, p_R) - (1 - p)) / \min(p_L, p_R)` of every column, with p the
        share of rows that its best split sends to the same side; 1 for the node's own. Minus
        infinity for a column that is constant there.
    thresholds, reverse : ndarray
        Those splits: rows at most at the threshold go left, or right where reversed.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])  # the second column is a copy of the first
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    >>> [split.association.tolist() for split in surrogate_splits(tree, X)]
    [[1.0, 1.0]]
    """

    node: int
    column: int
    rows: np.ndarray
    decrease: float
    association: np.ndarray
    thresholds: np.ndarray
    reverse: np.ndarray


def surrogate_splits(tree: Any, X: np.ndarray) -> Iterator[Surrogates]:
    """Give, for every inner node of a fitted tree, the best surrogate split of every column.

    Parameters
    ----------
    tree : decision tree of scikit-learn
        Fitted.
    X : ndarray
        The rows that are sent down, each counting once. Missing values may be there where the tree
        was trained with such: a node is compared on rows where its own column and the other are
        known.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984,
       section 5.3.
    .. [2] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3, equation 10 (a surrogate has an association above
       0; the figure prints below).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X = np.array([[0.0, 9, 1], [1, 8, 2], [2, 7, 1], [3, 6, 2]])
    >>> tree = DecisionTreeRegressor(max_depth=1, max_features=1, random_state=0).fit(X[:, :1], [0, 0, 1, 1])
    >>> root = next(surrogate_splits(tree, X))
    >>> root.association, root.reverse.tolist()
    (array([1., 1., 0.]), [False, True, False])
    """
    nodes, inside = flat_tree(tree), tree.tree_
    X = np.asarray(X, dtype=np.float32)
    visited = tree.decision_path(X[:, : inside.n_features]).tocsc()
    share = inside.weighted_n_node_samples / inside.weighted_n_node_samples[0]
    held = share * inside.impurity
    for node in np.flatnonzero(nodes.left >= 0):
        rows = visited.indices[visited.indptr[node] : visited.indptr[node + 1]]
        known = rows[~np.isnan(X[rows, nodes.column[node]])]
        goes_left = X[known, nodes.column[node]] <= nodes.threshold[node]
        if goes_left.all() or not goes_left.any():
            continue
        association, thresholds, reverse = best_surrogates(X[known], goes_left)
        decrease = float(held[node] - held[nodes.left[node]] - held[nodes.right[node]])
        yield Surrogates(
            int(node),
            int(nodes.column[node]),
            rows,
            decrease,
            association,
            thresholds.astype(np.float32),
            reverse,
        )


def masking(trees: Iterable[Any], X: np.ndarray) -> np.ndarray:
    r"""How far each column is hidden by each other in an ensemble of trees.

    The entry (i, j) is the mean of the positive part of j's association over nodes that ask for i,
    weighted by their fall of impurity: near 1 where j could do what i does. It is not symmetric.

    References
    ----------
    .. [1] Tuv, Borisov, Runger and Torkkola, *Feature selection with ensembles, artificial
       variables, and redundancy elimination*, JMLR 10, 2009.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X = np.array([[0.0, 9], [1, 8], [2, 7], [3, 6]])
    >>> tree = DecisionTreeRegressor(random_state=0).fit(X, [0, 0, 1, 1])
    >>> masking([tree], X).sum()
    np.float64(2.0)
    """
    n = X.shape[1]
    total, weight = np.zeros((n, n)), np.zeros((n, 1))
    for tree in trees:
        for found in surrogate_splits(tree, X):
            total[found.column] += found.decrease * np.maximum(found.association, 0.0)
            weight[found.column] += found.decrease
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def surrogate_importances(tree: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    r"""The fall of impurity of a tree's columns where they divide a node, or would be a surrogate there.

    A surrogate is credited with what its own split would have taken from the impurity of the node,
    times the share of rows there: a column that another hides is seen. Impurity is the variance,
    summed over indicators of classes (which is Gini's); a row where the column is missing does not
    count for it.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984,
       section 5.3.4.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = np.array([[0.0, 9], [1, 8], [2, 7], [3, 6]]), np.array([0.0, 0, 1, 1])
    >>> surrogate_importances(DecisionTreeRegressor(random_state=0).fit(X, y), X, y)
    array([0.25, 0.25])
    """
    X = np.asarray(X, dtype=np.float32)
    if hasattr(tree, "classes_"):
        targets = (y[:, None] == tree.classes_) * 1.0
    else:
        targets = np.asarray(y, dtype=float)[:, None]
    importances = np.zeros(X.shape[1])
    for found in surrogate_splits(tree, X):
        for j in np.flatnonzero(found.association > 0):
            known = found.rows[~np.isnan(X[found.rows, j])]
            inside, below = targets[known], X[known, j] <= found.thresholds[j]
            importances[j] += (
                _scatter(inside) - _scatter(inside[below]) - _scatter(inside[~below])
            ) / len(X)
    return importances


def _scatter(targets: np.ndarray) -> float:
    """The squares about the mean, summed."""
    return float(targets.var(axis=0).sum() * len(targets))
