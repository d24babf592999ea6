"""What a score makes of shuffled labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from subsel.ranking.cuts.probe_p_values import n_reaching

__all__ = ["max_permutation_p_value", "relabelled_bar"]


def relabelled_bar(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    n_deviations: float = 2.0,
    *,
    n_permutations: int = 199,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> np.ndarray:
    """The mean of each feature's score when the labels are shuffled, plus so many standard deviations [1]_.

    Under labels that have nothing to do with the features about one in twenty passes two deviations. Weights are shuffled
    with the labels.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein Function", in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 31, difference of frequencies.

    Examples
    --------
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> X = np.column_stack((np.arange(8.0), np.tile([0.0, 1.0], 4)))
    >>> pearson(X, np.arange(8.0)) > relabelled_bar(pearson, X, np.arange(8.0), random_state=0)
    array([ True, False])
    """
    mean = squares = np.zeros(1)
    shuffled = _shuffled_scores(
        partial(score, **parameters), X, y, sample_weight, n_permutations, random_state
    )
    for b, scores in enumerate(shuffled, 1):
        step = scores - mean
        mean = mean + step / b
        squares = squares + step * (scores - mean)
    return mean + n_deviations * np.sqrt(squares / max(n_permutations - 1, 1))


def max_permutation_p_value(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    *,
    n_permutations: int = 199,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> np.ndarray:
    """Family-wise p-value of any score: how often the best of all features does as well when the labels are shuffled.

    Weights are shuffled with the labels. The correlations of the features stay, so that many copies of a feature cost
    no more than one [1]_ (Westfall and Young 1993, single step). The scores of different features must share
    one scale: where their laws differ, use :func:`subsel.ranking.laws.permutation.permutation_p_value` and a correction.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, significance by
       permutation.

    Examples
    --------
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> X = np.column_stack((np.arange(8.0), np.tile([0.0, 1.0], 4)))
    >>> max_permutation_p_value(pearson, X, np.arange(8.0), n_permutations=99, random_state=0)
    array([0.01, 0.86])
    """
    score, y = partial(score, **parameters), np.asarray(y)
    if sample_weight is None:
        observed = score(X, y)
    else:
        observed = score(X, y, sample_weight=np.asarray(sample_weight))
    shuffled = _shuffled_scores(score, X, y, sample_weight, n_permutations, random_state)
    best = np.array([np.max(np.where(np.isnan(scores), -np.inf, scores)) for scores in shuffled])
    return (1 + n_reaching(best, observed)) / (1 + n_permutations)


def _shuffled_scores(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    sample_weight: Any,
    n_permutations: int,
    random_state: Any,
) -> Iterator[np.ndarray]:
    """The scores under labels in one random order after the other; a weight goes with its label."""
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    for _ in range(n_permutations):
        rows = rng.permutation(len(y))
        if sample_weight is None:
            yield score(X, y[rows])
        else:
            yield score(X, y[rows], sample_weight=np.asarray(sample_weight)[rows])
