"""Scores and selections over samples of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from subsel.data.task import guess_kind
from subsel.ranking.aggregation.committee import ScoreFunction

__all__ = ["bagged_scores", "selection_frequency"]


def bagged_scores(
    score: ScoreFunction,
    X: Any,
    y: Any,
    n_bags: int = 50,
    random_state: Any = None,
    *,
    bootstrap: bool = True,
    columns: float = 1.0,
) -> np.ndarray:
    """Average a score over samples of the rows, of the columns, or of both [1]_.

    Parameters
    ----------
    score : callable
        ``score(X, y)`` gives one number per column.
    X, y : array-like
        The table and the target.
    n_bags : int
        The number of samples.
    random_state : int, Generator or None
        The seed of the samples.
    bootstrap : bool
        Whether rows are drawn with replacement, within each class, so that every sample has all
        classes in their proportions; otherwise all rows are used.
    columns : float
        The share of the columns that is drawn for each sample, for scores that look at many columns
        at once. The mean of a column is over the samples that contain it, NaN if none does.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       7, aggregated scores.

    Examples
    --------
    >>> from subsel.ranking import auc
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), [0, 0, 1, 1]
    >>> float(bagged_scores(auc, X, y, n_bags=20, random_state=0)[0])
    1.0
    """
    if not 0 < columns <= 1:
        raise ValueError(f"columns must be a share in (0, 1], got {columns}.")
    if columns == 1.0:
        return _bags(score, X, y, n_bags, random_state, bootstrap).mean(axis=0)
    rng, n = np.random.default_rng(random_state), X.shape[1]
    total, times = np.zeros(n), np.zeros(n)
    for _ in range(n_bags):
        sample = rng.choice(n, size=max(1, round(columns * n)), replace=False)
        total[sample] += _bags(score, X[:, sample], y, 1, rng, bootstrap)[0]
        times[sample] += 1
    return np.divide(total, times, out=np.full(n, np.nan), where=times > 0)


def selection_frequency(
    score: ScoreFunction, X: Any, y: Any, k: int, n_bags: int = 50, random_state: Any = None
) -> np.ndarray:
    """Give the share of bootstrap samples in which each feature is among the k best [1]_.

    It is about k / n for an irrelevant one of n features; copies of a feature divide its share.
    Samples are those of :func:`bagged_scores`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, bagged feature rankings.

    Examples
    --------
    >>> from subsel.ranking import auc
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), [0, 0, 1, 1]
    >>> selection_frequency(auc, X, y, k=2)
    array([1., 1.])
    """
    if not 1 <= k <= X.shape[1]:
        raise ValueError(f"k must lie in [1, {X.shape[1]}], got {k}.")
    scores = _bags(score, X, y, n_bags, random_state)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.bincount(best.ravel(), minlength=scores.shape[1]) / n_bags


def _bags(
    score: ScoreFunction, X: Any, y: Any, n_bags: int, random_state: Any, bootstrap: bool = True
) -> np.ndarray:
    """Give the scores of each sample, shape (n_bags, n_columns); see `bagged_scores`."""
    if n_bags < 1:
        raise ValueError(f"n_bags must be at least 1, got {n_bags}.")
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    if not bootstrap:
        return np.array([score(X, y) for _ in range(n_bags)])
    strata = [np.arange(len(y))]
    if guess_kind(y) == "classification":
        strata = [np.flatnonzero(y == label) for label in np.unique(y)]
    samples = (
        np.concatenate([rng.choice(rows, len(rows)) for rows in strata]) for _ in range(n_bags)
    )
    return np.array([score(_safe_indexing(X, rows), y[rows]) for rows in samples])
