"""Rankings by several judges, or by one judge on many samples of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import _safe_indexing

from subsel.ranking.registry import find_score
from subsel.task import guess_kind

__all__ = [
    "Committee",
    "UnionOfTests",
    "bagged_scores",
    "borda",
    "intersection",
    "mean_rank",
    "selection_frequency",
    "union",
    "votes",
]

ScoreFunction = Callable[[Any, np.ndarray], np.ndarray]


def mean_rank(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Minus the mean rank over several rankings: 1 is the best, ties share theirs, NaN is last [1]_.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 7, aggregated
       scores.

    Examples
    --------
    >>> mean_rank([np.array([3.0, 1.0, 2.0]), np.array([9.0, 1.0, 1.0])])
    array([-1.  , -2.75, -2.25])
    """
    table = np.array(scores, dtype=float)
    return -rankdata(-np.where(np.isnan(table), -np.inf, table), axis=1).mean(axis=0)


def borda(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Borda points: how many features each one beats, added over the rankings, half a point for a tie.

    The order is that of :func:`mean_rank`.

    >>> borda([np.array([3.0, 1.0, 2.0]), np.array([9.0, 1.0, 1.0])])
    array([4. , 0.5, 1.5])
    """
    return len(scores) * (len(scores[0]) + mean_rank(scores))


@dataclass(frozen=True)
class Committee:
    """A score made of several: each ranks the features, the ranks are averaged [1]_.

    Can be given to :class:`subsel.RankingSelector` as any score function, with any cut that needs no p-value.

    Parameters
    ----------
    members : list of str or callable
        Names of scores, or functions ``f(X, y) -> scores``.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 7, aggregated
       scores.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 6.0], [8.0, 5.0], [9.0, 7.0]])
    >>> Committee(("auc", "t-test"))(X, np.array([0, 0, 1, 1]))
    array([-1., -2.])
    """

    members: Sequence[str | ScoreFunction]

    def __call__(self, X: Any, y: np.ndarray) -> np.ndarray:
        """Minus the mean rank of each feature."""
        if not self.members:
            raise ValueError("a committee needs members: names of scores, or functions.")
        judges = [member if callable(member) else find_score(member).function for member in self.members]
        return mean_rank([judge(X, y) for judge in judges])


@dataclass(frozen=True)
class UnionOfTests:
    r"""A score made of several tests, each with a threshold of its own [1]_.

    .. math:: s_j = \max_t\; \ln(\alpha_t / p_{tj})

    At or above 0 stand the features that any of the tests finds below its threshold: cut at ``"threshold:0"``. Chances of
    error add up over the tests.

    Parameters
    ----------
    thresholds : mapping
        From names of scores that have p-values to the largest p-value each lets pass.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks and Dirichlet
       Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 10, section 10.2, union of tests.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 6.0], [2.0, 5.0], [7.0, 6.0], [8.0, 5.0], [9.0, 7.0]])
    >>> UnionOfTests({"t-test": 0.01, "runs": 0.2})(X, np.array([0, 0, 0, 1, 1, 1])) >= 0
    array([ True, False])
    """

    thresholds: Mapping[str, float]

    def __call__(self, X: Any, y: np.ndarray) -> np.ndarray:
        """The largest margin by which a test of each feature stays below its threshold."""
        margins = []
        for name, alpha in self.thresholds.items():
            test = find_score(name).p_value
            if test is None:
                raise ValueError(f"{name!r} has no p-value and cannot be a test of a union.")
            with np.errstate(divide="ignore"):
                margins.append(np.log(alpha) - np.log(test(X, y)))
        return np.max(margins, axis=0)


def votes(masks: Sequence[np.ndarray], at_least: int) -> np.ndarray:
    """Features that at least so many of the selections keep [1]_.

    One vote makes the union, all votes the intersection.

    References
    ----------
    .. [1] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection and
       Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, committees of selectors.

    Examples
    --------
    >>> votes([np.array([True, False, True]), np.array([True, True, False])], at_least=2)
    array([ True, False, False])
    """
    if not 1 <= at_least <= len(masks):
        raise ValueError(f"at_least must lie in [1, {len(masks)}], got {at_least}.")
    table = np.array(masks)
    if table.dtype != bool or table.ndim != 2:
        raise ValueError(
            "votes are cast by masks, one entry per column and all of the same length, not by column numbers."
        )
    return table.sum(axis=0) >= at_least


def union(masks: Sequence[np.ndarray]) -> np.ndarray:
    """Features that any of the selections keeps.

    >>> union([np.array([True, False, False]), np.array([True, True, False])])
    array([ True,  True, False])
    """
    return votes(masks, 1)


def intersection(masks: Sequence[np.ndarray]) -> np.ndarray:
    """Features that all of the selections keep.

    >>> intersection([np.array([True, False, False]), np.array([True, True, False])])
    array([ True, False, False])
    """
    return votes(masks, len(masks))


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
    """The mean score over samples of the rows, of the columns or of both [1]_.

    Parameters
    ----------
    bootstrap : bool
        Draw rows with replacement, within each class, so that every sample has all classes in their proportions.
    columns : float
        The share of the columns in each sample, drawn anew for scores that look at many columns at once. The mean is over
        the samples that held a column; one that none held has NaN.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 7, aggregated
       scores.
    """
    if not 0 < columns <= 1:
        raise ValueError(f"columns must be a share in (0, 1], got {columns}.")
    if columns == 1.0:
        return _bags(score, X, y, n_bags, random_state, bootstrap).mean(axis=0)
    rng, n = np.random.default_rng(random_state), X.shape[1]
    total, times = np.zeros(n), np.zeros(n)
    for _ in range(n_bags):
        held = rng.choice(n, size=max(1, round(columns * n)), replace=False)
        total[held] += _bags(score, X[:, held], y, 1, rng, bootstrap)[0]
        times[held] += 1
    return np.divide(total, times, out=np.full(n, np.nan), where=times > 0)


def selection_frequency(
    score: ScoreFunction, X: Any, y: Any, k: int, n_bags: int = 50, random_state: Any = None
) -> np.ndarray:
    """The share of bootstrap samples in which each feature is among the k best [1]_.

    A feature that knows nothing comes to about k / n; copies of one feature share theirs. Samples as in
    :func:`bagged_scores`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, bagged feature rankings.
    """
    if not 1 <= k <= X.shape[1]:
        raise ValueError(f"k must lie in [1, {X.shape[1]}], got {k}.")
    scores = _bags(score, X, y, n_bags, random_state)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.bincount(best.ravel(), minlength=scores.shape[1]) / n_bags


def _bags(score: ScoreFunction, X: Any, y: Any, n_bags: int, random_state: Any, bootstrap: bool = True) -> np.ndarray:
    if n_bags < 1:
        raise ValueError(f"n_bags must be at least 1, got {n_bags}.")
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    if not bootstrap:
        return np.array([score(X, y) for _ in range(n_bags)])
    strata = [np.arange(len(y))]
    if guess_kind(y) == "classification":
        strata = [np.flatnonzero(y == label) for label in np.unique(y)]
    samples = (np.concatenate([rng.choice(rows, len(rows)) for rows in strata]) for _ in range(n_bags))
    return np.array([score(_safe_indexing(X, rows), y[rows]) for rows in samples])
