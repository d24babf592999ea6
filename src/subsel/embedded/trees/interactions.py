"""Interactions of pairs of columns: boosted trees on the residuals of single columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.utils import check_random_state

from subsel.data.intervals.equal import level_edges
from subsel.data.task import Task
from subsel.embedded.trees.flat_trees import flat_tree

__all__ = ["interaction_scores"]


def interaction_scores(
    X: Any,
    y: Any,
    *,
    n_estimators: int = 200,
    learning_rate: float = 0.1,
    look_ahead: bool = False,
    n_levels: int = 16,
    sample_weight: Any = None,
    random_state: Any = None,
) -> np.ndarray:
    r"""Score every pair of columns by its interaction [1]_.

    First stumps are boosted, which model the sum of the effects of single columns. Then trees of
    three leaves are boosted on the residuals. If the two splits of a tree use different columns,
    the pair is credited with their decrease of impurity; the score is the mean over the trees. Two
    classes are treated as the numbers 0 and 1.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        The table.
    y : array
        Numbers, or two classes.
    n_estimators, learning_rate : int, float
        Parameters of both models. Trees are grown on random halves of the rows.
    look_ahead : bool
        Whether to score all pairs exhaustively, in place of the second model: by the best tree of
        two levels that splits by one of the columns and then, on both sides, by the other. It
        finds a pair among many columns of noise as well.
    n_levels : int
        With `look_ahead`, the number of intervals of every column, of about equally many rows.
    sample_weight : array, optional
        Weights of rows.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    ndarray of shape (n_columns, n_columns)
        Symmetric, 0 on the diagonal.

    Notes
    -----
    If two columns interact but have no effects of their own, the first split of a tree has no
    reason to use one of them, and the pair is found only if it does so by chance. With many columns
    of noise this is rare: use `look_ahead`, or screen the columns.

    References
    ----------
    .. [1] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 5, equation 14.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((300, 4))
    >>> scores = interaction_scores(X, X[:, 1] * X[:, 3] + X[:, 0], random_state=0)
    >>> np.unravel_index(scores.argmax(), scores.shape)
    (np.int64(1), np.int64(3))
    """
    task = Task.of(X, y, sample_weight=sample_weight)
    if task.kind == "classification" and len(task.classes) > 2:
        raise ValueError(
            f"y must hold numbers or two classes, got {len(task.classes)} classes: score "
            "one against the rest."
        )
    target = task.y
    if task.kind == "classification":
        target = task.codes.astype(float)
    seeds = check_random_state(random_state).randint(2**31, size=2)
    settings = {"n_estimators": n_estimators, "learning_rate": learning_rate, "subsample": 0.5}
    table, weight = task.matrix, task.sample_weight
    single = GradientBoostingRegressor(max_depth=1, random_state=seeds[0], **settings).fit(
        table, target, weight
    )
    residuals = target - single.predict(table)
    if look_ahead:
        return _two_levels(table, residuals, task.row_weights, n_levels)
    pairs = GradientBoostingRegressor(
        max_depth=2, max_leaf_nodes=3, random_state=seeds[1], **settings
    )
    pairs.fit(table, residuals, weight)
    return np.mean([_credit(model, task.n_columns) for model in pairs.estimators_.ravel()], axis=0)


def _two_levels(
    X: np.ndarray, residuals: np.ndarray, weight: np.ndarray, n_levels: int
) -> np.ndarray:
    """Compute, for every pair, how much the best tree of two levels reduces the mean square.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)
        The table.
    residuals, weight : ndarray of shape (rows,)
        The target of the trees, and the weights of the rows.
    n_levels : int
        Number of intervals of each column.

    Returns
    -------
    ndarray of shape (columns, columns)
    """
    from subsel._loops.trees.pairs import pair_falls

    if n_levels < 2:
        raise ValueError(f"n_levels must be at least 2, got {n_levels!r}.")
    codes = np.column_stack(
        [np.searchsorted(level_edges(column, n_levels), column) for column in X.T]
    )
    return pair_falls(codes, residuals, weight, codes.max(axis=0) + 1) / weight.sum()


def _credit(model: Any, n_columns: int) -> np.ndarray:
    """Credit the pair of columns of a tree with its decrease of impurity.

    Returns a matrix of shape (columns, columns), zero for a tree that uses only one column.
    """
    # the decreases of both splits add up to the impurity of the root less that of the leaves
    credit, nodes, tree = np.zeros((n_columns, n_columns)), flat_tree(model), model.tree_
    impurity = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    columns = np.unique(nodes.column[nodes.left >= 0])
    if len(columns) == 2:
        first, second = columns
        credit[first, second] = credit[second, first] = impurity[0] - impurity[nodes.left < 0].sum()
    return credit
