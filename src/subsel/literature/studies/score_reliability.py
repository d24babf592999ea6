"""How far a score can be trusted: ties, and its taste for columns of many values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from subsel.ranking.registry import score_function

__all__ = ["SecondOpinion", "second_opinion", "value_bias"]

ScoreFunction = Callable[[Any, np.ndarray], np.ndarray]


def second_opinion(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Give scores that order features by the first, and among its equals by the second [1]_.

    Whole numbers from 0, equal only where both are equal; scores are compared to ten digits of the largest. NaN is last.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, bias and
       reliability of indices.

    Examples
    --------
    >>> second_opinion(np.array([0.5, 0.5, 0.62]), np.array([0.3113, 0.2141, 0.2987]))
    array([1., 0., 2.])
    """
    pairs = _levels(first) * (len(first) + 1) + _levels(second)
    return rankdata(pairs, "dense") - 1.0


def _levels(scores: np.ndarray) -> np.ndarray:
    """Number the distinct scores upwards, equal to ten digits of the largest being equal."""
    scores = np.where(np.isnan(scores), -np.inf, scores)
    largest = np.max(np.abs(scores), initial=0.0, where=np.isfinite(scores))
    return rankdata(np.round(scores / (largest or 1.0), 10), "dense")


@dataclass(frozen=True)
class SecondOpinion:
    """A score whose ties another score decides: most indices give many features the same number [1]_.

    Can be given to :class:`subsel.RankingSelector` as any score function, with any cut that needs only the order.

    Parameters
    ----------
    first, second : str or callable
        Names of scores, or functions ``f(X, y) -> scores``.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, bias and
       reliability of indices.

    Examples
    --------
    >>> X, y = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, 1], [0, 1]]), np.array([0, 0, 1, 1, 1, 1])
    >>> SecondOpinion("bayesian-accuracy", "mutual-information")(X, y)
    array([0., 1.])
    """

    first: str | ScoreFunction
    second: str | ScoreFunction

    def __call__(self, X: Any, y: np.ndarray) -> np.ndarray:
        """The place of each feature in the order of both, the best highest."""
        first, second = score_function(self.first), score_function(self.second)
        return second_opinion(first(X, y), second(X, y))


def value_bias(
    score: str | ScoreFunction,
    n_values: Sequence[int] = (2, 5, 10, 20, 40),
    n_classes: int = 2,
    n_samples: int = 600,
    n_features: int = 50,
    random_state: Any = None,
) -> np.ndarray:
    """Give the mean score of columns that know nothing, by their number of values [1]_ (Kononenko 1995).

    An unbiased score has the same mean whatever the number of values. Information, Gini and their like rise in
    proportion to it, the faster the more classes; Relief, the description length and symmetrical uncertainty hardly do.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, bias and
       reliability of indices.

    Examples
    --------
    >>> rising = value_bias("mutual-information", (2, 10), random_state=0)
    >>> bool(rising[1] > 5 * rising[0])
    True
    """
    rng = np.random.default_rng(random_state)
    function = score_function(score)
    y = rng.permutation(np.arange(n_samples) % n_classes)
    tables = (rng.integers(0, v, (n_samples, n_features)).astype(float) for v in n_values)
    return np.array([np.mean(function(X, y)) for X in tables])
