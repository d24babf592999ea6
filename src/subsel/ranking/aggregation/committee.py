"""Several scores combined into one: mean ranks, votes, and unions of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from subsel.ranking.registry import find_score, score_function

__all__ = ["Committee", "UnionOfTests", "borda", "mean_rank", "voted_rank"]

ScoreFunction = Callable[[Any, np.ndarray], np.ndarray]


def mean_rank(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Give minus the mean rank of each feature over several rankings [1]_.

    Rank 1 is the best, ties share their mean rank, and NaN is last.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       7, aggregated scores.

    Examples
    --------
    >>> mean_rank([np.array([3.0, 1.0, 2.0]), np.array([9.0, 1.0, 1.0])])
    array([-1.  , -2.75, -2.25])
    """
    return -_ranks(scores).mean(axis=0)


def voted_rank(scores: Sequence[np.ndarray], at_least: int = 1) -> np.ndarray:
    """Give minus the number that each ranking must select for a feature to have enough votes [1]_.

    A feature needs ``at_least`` votes. A cut at any number is then a committee whose members select
    equally many features: with one vote it is their union, with as many as there are rankings their
    intersection. Ties share their mean rank.

    References
    ----------
    .. [1] Grabczewski and Jankowski, "Mining for Complex Models Comprising Feature Selection and
       Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, feature
       selection committee.

    Examples
    --------
    >>> rankings = [np.array([3.0, 1.0, 2.0]), np.array([7.0, 9.0, 1.0])]
    >>> voted_rank(rankings), voted_rank(rankings, at_least=2)
    (array([-1., -1., -2.]), array([-2., -3., -3.]))
    """
    if not 1 <= at_least <= len(scores):
        raise ValueError(f"at_least must lie in [1, {len(scores)}], got {at_least!r}.")
    return -np.sort(_ranks(scores), axis=0)[at_least - 1]


def _ranks(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Give the ranks of all features in each ranking, shape (n_rankings, n_columns), 1 the best."""
    table = np.array(scores, dtype=float)
    return rankdata(-np.where(np.isnan(table), -np.inf, table), axis=1)


def borda(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Give Borda points: the number of lower features, half for ties, summed over rankings.

    The order is that of :func:`mean_rank`.

    Examples
    --------
    >>> borda([np.array([3.0, 1.0, 2.0]), np.array([9.0, 1.0, 1.0])])
    array([4. , 0.5, 1.5])
    """
    return len(scores) * (len(scores[0]) + mean_rank(scores))


@dataclass(frozen=True)
class Committee:
    """A score that averages the ranks by several scores [1]_, or counts their votes [2]_.

    :class:`subsel.RankingSelector` takes it as any score function, with any cut that needs no
    p-value.

    Parameters
    ----------
    members : list of str or callable
        Names of scores, or functions ``f(X, y) -> scores``.
    at_least : int, optional
        The number of members that must select a feature, as in :func:`voted_rank`; None stands for
        the mean rank.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       7, aggregated scores.
    .. [2] Grabczewski and Jankowski, "Mining for Complex Models Comprising Feature Selection and
       Classification", the same, chapter 23, feature selection committee.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 6.0], [8.0, 5.0], [9.0, 7.0]])
    >>> Committee(("auc", "t-test"))(X, np.array([0, 0, 1, 1]))
    array([-1., -2.])
    """

    members: Sequence[str | ScoreFunction]
    at_least: int | None = None

    def __call__(self, X: Any, y: np.ndarray) -> np.ndarray:
        """Give minus the mean rank of each feature, or minus the rank at which it has its votes."""
        if not self.members:
            raise ValueError("a committee needs members: names of scores, or functions.")
        functions = [score_function(member) for member in self.members]
        scores = [function(X, y) for function in functions]
        if self.at_least is None:
            return mean_rank(scores)
        return voted_rank(scores, self.at_least)


@dataclass(frozen=True)
class UnionOfTests:
    r"""A score from several tests, each with its own threshold [1]_.

    .. math:: s_j = \max_t\; \ln(\alpha_t / p_{tj})

    A feature scores 0 or more if its p-value is at or below the threshold of any test: the cut is
    ``"threshold:0"``. The error probabilities of the tests add up.

    Parameters
    ----------
    thresholds : mapping
        The largest accepted p-value for each name of a score that has p-values.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, union of tests.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 6.0], [2.0, 5.0], [7.0, 6.0], [8.0, 5.0], [9.0, 7.0]])
    >>> UnionOfTests({"t-test": 0.01, "runs": 0.2})(X, np.array([0, 0, 0, 1, 1, 1])) >= 0
    array([ True, False])
    """

    thresholds: Mapping[str, float]

    def __call__(self, X: Any, y: np.ndarray) -> np.ndarray:
        """Give the score of each feature."""
        margins = []
        for name, alpha in self.thresholds.items():
            test = find_score(name).p_value
            if test is None:
                raise ValueError(f"{name!r} has no p-value and cannot be a test of a union.")
            with np.errstate(divide="ignore"):
                margins.append(np.log(alpha) - np.log(test(X, y)))
        return np.max(margins, axis=0)
