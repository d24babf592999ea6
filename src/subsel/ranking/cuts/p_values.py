"""P-values of any score from probes and from shuffled labels, and what they are worth among many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = [
    "bonferroni",
    "max_permutation_p_value",
    "probe_fdr",
    "probe_fdr_estimate",
    "probe_p_value",
    "q_values",
    "relabelled_bar",
    "uniformity_p_value",
]

# Scores that differ by less than this share are equal: a probe that ties with a feature must count.
ROUNDING = 1e-10


def bonferroni(p_values: np.ndarray) -> np.ndarray:
    """P-values times their number, at most one; NaN counts as one [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, multiple testing.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.5, np.nan]))
    array([0.03, 1.  , 1.  ])
    """
    return np.minimum(1.0, _known(p_values) * len(p_values))


def q_values(p_values: np.ndarray, *, any_dependence: bool = False) -> np.ndarray:
    r"""The smallest rate at which the procedure of Benjamini and Hochberg keeps each feature [1]_.

    .. math:: q_{(i)} = \min_{k \ge i} \frac{n\, p_{(k)}}{k}

    Bounds the false discovery rate when the p-values are independent or positively dependent; times
    :math:`1 + 1/2 + \dots + 1/n`, as Benjamini and Yekutieli take it, for ``any_dependence``. NaN counts as one.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, multiple testing.

    Examples
    --------
    >>> q_values(np.array([0.01, 0.5, 0.02, 0.9])).round(4)
    array([0.04  , 0.6667, 0.04  , 0.9   ])
    """
    q = _known(p_values)
    order = np.argsort(q)
    scaled = q[order]
    scaled *= len(q) * (np.sum(1.0 / np.arange(1, len(q) + 1)) if any_dependence else 1.0)
    scaled /= np.arange(1, len(q) + 1)
    from_the_end = scaled[::-1]
    np.minimum.accumulate(from_the_end, out=from_the_end)
    q[order] = np.minimum(scaled, 1.0, out=scaled)
    return q


def uniformity_p_value(p_values: np.ndarray) -> float:
    """How likely p-values so far from uniform are if no feature tells anything [1]_.

    The test of Kolmogorov and Smirnov against p-values that are too small: a large answer says that nothing was found
    and nothing should be selected. It supposes independent columns and laws without steps; exact tests of few rows, whose
    p-values are too large, make it careful. NaN counts as one.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks and Dirichlet
       Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 10, section 10.2, union of tests.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.random(500)
    >>> uniformity_p_value(noise) > 0.05, uniformity_p_value(np.append(noise, np.full(50, 1e-4))) < 1e-3
    (True, True)
    """
    from scipy.stats import kstest

    return float(kstest(_known(p_values), "uniform", alternative="greater").pvalue)


def probe_p_value(scores: np.ndarray, probe_scores: np.ndarray) -> np.ndarray:
    r"""The share of probes that score at least as high, the feature counted among them [1]_.

    .. math:: p = (1 + n_{sp}) / (1 + n_p)

    with :math:`n_{sp}` of :math:`n_p` probes at or above the score. The ones are added to equation 2.1 so that no
    p-value is zero. A score of NaN has the p-value one.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, equation 2.1, random probes.

    Examples
    --------
    >>> probe_p_value(np.array([3.0, 0.5]), np.array([0.0, 1.0, 2.0]))
    array([0.25, 0.75])
    """
    return (1 + n_reaching(probe_scores, scores)) / (1 + len(probe_scores))


def probe_fdr(scores: np.ndarray, probe_scores: np.ndarray) -> np.ndarray:
    r"""Bound the false discovery rate of keeping each feature and all above it, from probes [1]_.

    .. math:: \frac{1 + n_{sp}}{1 + n_p} \cdot \frac{n_c}{n_{sc}}

    with :math:`n_{sc}` of :math:`n_c` candidates at or above the score: equation 2.4 with the added ones of
    :func:`probe_p_value`, made to fall along the ranking. It is :func:`q_values` of those p-values.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, equations 2.4 and 2.5, false discovery rate from probes.

    Examples
    --------
    >>> probe_fdr(np.array([3.0, 0.5]), np.array([0.0, 1.0, 2.0]))
    array([0.5 , 0.75])
    """
    return q_values(probe_p_value(scores, probe_scores))


def probe_fdr_estimate(scores: np.ndarray, probe_scores: np.ndarray) -> np.ndarray:
    r"""Estimate the false discovery rate of keeping each feature and all above it, from probes [1]_.

    .. math:: \frac{1 + n_{sp}}{1 + n_p} \cdot \frac{n_c - n_{sc}}{n_{sc}}

    Equation 2.5 with the added ones of :func:`probe_p_value`: of the candidates, those not kept stand for the irrelevant
    ones. Nearer to the truth than the bound :func:`probe_fdr` where many are relevant, but no bound: it is 0 where all are
    kept, whatever they are. NaN is below everything.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, equations 2.4 and 2.5, false discovery rate from probes.

    Examples
    --------
    >>> probe_fdr_estimate(np.array([3.0, 0.5, 0.1]), np.array([0.0, 1.0, 2.0]))
    array([0.5  , 0.375, 0.   ])
    """
    kept = n_reaching(scores, scores)
    return np.minimum(1.0, probe_p_value(scores, probe_scores) * (len(scores) - kept) / kept)


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
    >>> from subsel.ranking.univariate import pearson
    >>> X = np.column_stack((np.arange(8.0), np.tile([0.0, 1.0], 4)))
    >>> pearson(X, np.arange(8.0)) > relabelled_bar(pearson, X, np.arange(8.0), random_state=0)
    array([ True, False])
    """
    mean = squares = np.zeros(X.shape[1])
    for b, scores in enumerate(
        _shuffled_scores(score, X, y, n_permutations, random_state, sample_weight, parameters), 1
    ):
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
    >>> from subsel.ranking.univariate import pearson
    >>> X = np.column_stack((np.arange(8.0), np.tile([0.0, 1.0], 4)))
    >>> max_permutation_p_value(pearson, X, np.arange(8.0), n_permutations=99, random_state=0)
    array([0.01, 0.86])
    """
    weighted = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
    observed = score(X, np.asarray(y), **weighted, **parameters)
    shuffled = _shuffled_scores(score, X, y, n_permutations, random_state, sample_weight, parameters)
    best = np.array([np.max(np.where(np.isnan(scores), -np.inf, scores)) for scores in shuffled])
    return (1 + n_reaching(best, observed)) / (1 + n_permutations)


def _shuffled_scores(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    n_permutations: int,
    random_state: Any,
    sample_weight: Any,
    parameters: dict[str, Any],
) -> Iterator[np.ndarray]:
    """The scores under labels in one random order after the other; a weight goes with its label."""
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    weighted = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
    for _ in range(n_permutations):
        rows = rng.permutation(len(y))
        yield score(X, y[rows], **{name: w[rows] for name, w in weighted.items()}, **parameters)


def n_reaching(values: np.ndarray, bars: np.ndarray) -> np.ndarray:
    """How many values reach each bar; to rounding, and NaN is below everything."""
    ordered = np.sort(np.where(np.isnan(values), -np.inf, values))
    bars = np.where(np.isnan(bars), -np.inf, bars)
    finite = np.where(np.isfinite(bars), bars, 0.0)
    return len(values) - np.searchsorted(ordered, bars - ROUNDING * np.abs(finite), side="left")


def _known(p_values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(p_values), 1.0, p_values).astype(float, copy=False)
