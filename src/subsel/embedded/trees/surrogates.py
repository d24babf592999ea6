"""Surrogate splits: splits by other columns that divide the rows of a node alike."""

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
    r"""The surrogate splits of a node: for every column, the split closest to the node's own.

    Attributes
    ----------
    node, column : int
        The node, and the column of its own split.
    rows : ndarray of int
        The rows of the table that reach the node.
    decrease : float
        The decrease of impurity at the node, times its share of the rows.
    association : ndarray of shape (n_columns,)
        :math:`\lambda = (\min(p_L, p_R) - (1 - p)) / \min(p_L, p_R)` of every column, with p the
        share of rows that its best split sends to the same side; 1 for the node's own column and
        minus infinity for a column that is constant there.
    thresholds, reverse : ndarray of shape (n_columns,)
        The surrogate splits: rows with a value of at most the threshold go left, or right where
        `reverse` is True.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])  # two equivalent columns
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
    """Find the best surrogate split of every column at every inner node of a tree [1]_.

    Parameters
    ----------
    tree : decision tree of scikit-learn
        A fitted tree.
    X : ndarray of shape (rows, columns)
        Rows to send down the tree, without weights. Missing values are allowed if the tree was
        trained with missing values: splits are compared on rows where both columns are known.

    Yields
    ------
    Surrogates
        One for each inner node that divides the rows.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984,
       section 5.3.
    .. [2] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3, equation 10. (A surrogate has an association above
       0; the figure there prints "below".)

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X = np.array([[0.0, 9, 1], [1, 8, 2], [2, 7, 1], [3, 6, 2]])
    >>> stump = DecisionTreeRegressor(max_depth=1, max_features=1, random_state=0)
    >>> tree = stump.fit(X[:, :1], [0, 0, 1, 1])
    >>> root = next(surrogate_splits(tree, X))
    >>> root.association, root.reverse.tolist()
    (array([1., 1., 0.]), [False, True, False])
    """
    nodes, inside = flat_tree(tree), tree.tree_
    X = np.asarray(X, dtype=np.float32)
    visited = tree.decision_path(X[:, : inside.n_features]).tocsc()
    share = inside.weighted_n_node_samples / inside.weighted_n_node_samples[0]
    impurity = share * inside.impurity
    for node in np.flatnonzero(nodes.left >= 0):
        rows = visited.indices[visited.indptr[node] : visited.indptr[node + 1]]
        known = rows[~np.isnan(X[rows, nodes.column[node]])]
        goes_left = X[known, nodes.column[node]] <= nodes.threshold[node]
        if goes_left.all() or not goes_left.any():
            continue
        association, thresholds, reverse = best_surrogates(X[known], goes_left)
        decrease = float(impurity[node] - impurity[nodes.left[node]] - impurity[nodes.right[node]])
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
    r"""Compute how much each column masks each other column in an ensemble of trees [1]_.

    The entry (i, j) is the mean of the positive part of the association of j over the nodes that
    split by i, weighted by their decrease of impurity; it is near 1 where j could replace i. The
    matrix is not symmetric.

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
        for split in surrogate_splits(tree, X):
            total[split.column] += split.decrease * np.maximum(split.association, 0.0)
            weight[split.column] += split.decrease
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def surrogate_importances(tree: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    r"""Compute importances of the columns of a tree that count surrogate splits as well [1]_.

    Each column is credited with the decrease of impurity by its own split of every node where that
    is the node's split or a surrogate of it, times the node's share of the rows. So a column that
    another one masks is not missed. Impurity is the variance, summed over the indicators of the
    classes (which is the Gini impurity); rows where the column is missing do not count for it.

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
    for split in surrogate_splits(tree, X):
        for j in np.flatnonzero(split.association > 0):
            known = split.rows[~np.isnan(X[split.rows, j])]
            inside, below = targets[known], X[known, j] <= split.thresholds[j]
            importances[j] += (
                _scatter(inside) - _scatter(inside[below]) - _scatter(inside[~below])
            ) / len(X)
    return importances


def _scatter(targets: np.ndarray) -> float:
    """Sum the squared deviations from the mean."""
    return float(targets.var(axis=0).sum() * len(targets))
