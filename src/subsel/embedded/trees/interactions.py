"""Pairs of columns that act together: boosted trees on what single columns leave of the target."""

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
    r"""Score every pair of columns by what it adds to the sum of effects of single columns.

    Stumps are boosted first: they hold no interaction. Trees of three leaves are boosted on their
    residuals; of such a tree the two splits, where they ask for different columns, credit the pair
    with their fall of impurity. The mean over trees is given. Classes are read as numbers 0 and 1,
    for two of them only.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        The table.
    y : array
        Numbers, or two classes.
    n_estimators, learning_rate : int, float
        Of both models. Trees are grown on random halves of the rows.
    look_ahead : bool
        In place of the second model, take for every pair the tree of two levels, first one of the
        two columns, then the other on either side, that takes most from the residuals. It looks at
        all pairs and finds one also among many columns of noise.
    n_levels : int
        Look ahead among so many intervals of every column, of about as many rows each.
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
    Without effects of their own, columns that interact give the first split of a tree nothing on average: a pair is found
    where chance leads that split to one of them. With many columns of noise this is rare: look ahead, or screen the columns.

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
            f"y holds {len(task.classes)} classes: score one against the rest, or numbers."
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
    rest = target - single.predict(table)
    if look_ahead:
        return _two_levels(table, rest, task.row_weights, n_levels)
    pairs = GradientBoostingRegressor(
        max_depth=2, max_leaf_nodes=3, random_state=seeds[1], **settings
    )
    pairs.fit(table, rest, weight)
    return np.mean([_credit(model, task.n_columns) for model in pairs.estimators_.ravel()], axis=0)


def _two_levels(X: np.ndarray, rest: np.ndarray, weight: np.ndarray, n_levels: int) -> np.ndarray:
    """What the best tree of two levels takes from the mean square of the residuals, for every pair."""
    from subsel._loops.trees.pairs import pair_falls

    if n_levels < 2:
        raise ValueError(f"n_levels must be at least 2, got {n_levels!r}.")
    codes = np.column_stack(
        [np.searchsorted(level_edges(column, n_levels), column) for column in X.T]
    )
    return pair_falls(codes, rest, weight, codes.max(axis=0) + 1) / weight.sum()


def _credit(model: Any, n_columns: int) -> np.ndarray:
    """What a tree's two splits take from the impurity, at the place of their pair of columns."""
    credit, nodes, tree = np.zeros((n_columns, n_columns)), flat_tree(model), model.tree_
    held = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    columns = np.unique(nodes.column[nodes.left >= 0])
    if len(columns) == 2:
        first, second = columns
        credit[first, second] = credit[second, first] = held[0] - held[nodes.left < 0].sum()
    return credit
