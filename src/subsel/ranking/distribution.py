"""Whole distributions of two classes compared: AUC, Kolmogorov-Smirnov and the product T*KS.

All are unchanged by increasing maps of a column (the t part of T*KS apart). Tied values are one value with
both classes in it. Weights count rows; with weights the laws of large samples are used.
"""

from typing import Any

import numpy as np
from scipy import sparse, special, stats

from subsel.ranking.exact import kolmogorov_tail, rank_sum_tail
from subsel.ranking.moments import ClassMoments, over_moments
from subsel.ranking.registry import score
from subsel.ranking.table import classes_and_codes
from subsel.ranking.ties import over_sorted, over_ties
from subsel.ranking.univariate import t_test

__all__ = [
    "auc",
    "auc_p_value",
    "kolmogorov_smirnov",
    "kolmogorov_smirnov_p_value",
    "t_times_ks",
]

Array = np.ndarray
EXACT_PATHS = 10_000  # up to this product of the class sizes the Kolmogorov-Smirnov law is counted


def auc_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `auc`, the Mann-Whitney test (book-00 A4).

    Exact where a class has at most 8 rows and the column no ties; otherwise normal, with the variance
    corrected for ties and half a unit for continuity. A constant column gets 1. The normal law promises far too
    much for bits that are rarely set: take `hypergeometric_p_value` for them, the exact law of the same statistic.

    Examples
    --------
    >>> auc_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    wins, ties, n, m = _mann_whitney(X, y, sample_weight, n_results=2)
    larger = np.maximum(wins, n * m - wins)
    variance = n * m / 12 * ((n + m + 1) - ties / max((n + m) * (n + m - 1), 1.0))
    z = np.divide(larger - n * m / 2 - 0.5, np.sqrt(variance), out=np.full_like(larger, -np.inf), where=variance > 0)
    p = np.minimum(2 * special.ndtr(-z), 1.0)
    if sample_weight is None and min(n, m) <= 8:
        exact = ties == 0
        p[exact] = np.minimum(2 * rank_sum_tail(int(n), int(m))[larger[exact].astype(int)], 1.0)
    return p


@score("auc", "mann-whitney", "wilcoxon", p_value=auc_p_value, sparse=True, weights=True)
def auc(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the area under the ROC curve of the column itself, in its better direction [1]_.

    .. math:: A_j = P(x^+ > x^-) + P(x^+ = x^-)/2, \quad s_j = \max(A_j, 1 - A_j)

    From 1/2, which a constant column gets, to 1. The Mann-Whitney statistic is ``m^+ m^-`` times the area.
    For a feature of two values this is the balanced accuracy of the rule it makes.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, chapters 2 and 3 (book-00 A4, book-01 F02;
       book-03 A02 without ties).

    Examples
    --------
    >>> auc([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.75, 0.5 ])
    """
    wins, n, m = _mann_whitney(X, y, sample_weight, n_results=1)
    area = np.divide(wins, n * m, out=wins)
    return np.maximum(area, 1 - area)


def _mann_whitney(X: Any, y: Any, sample_weight: Any, n_results: int) -> tuple[Any, ...]:
    """Pairs the positive class wins, ties counting half; if two are asked for, sum of t^3 - t over ties; class sizes."""
    codes = classes_and_codes(X, y, 2)[1]
    n, m = np.bincount(codes, sample_weight)
    if sparse.issparse(X) or sample_weight is not None:
        results = over_ties(X, y, sample_weight, lambda masses: _rank_sums(masses)[:n_results], 2, n_results)
    else:
        from subsel._loops.distribution import rank_sums

        results = over_sorted(X, y, lambda *column: rank_sums(*column)[:n_results], n_results)
    return *np.atleast_2d(results), float(n), float(m)


def _rank_sums(masses: Array) -> Array:
    negative, positive = masses
    below = np.cumsum(negative, axis=1) - negative / 2
    tied = masses.sum(axis=0)
    ties = np.einsum("jv,jv,jv->j", tied, tied, tied) - tied.sum(axis=1)
    return np.stack([np.einsum("jv,jv->j", positive, below), ties])


def kolmogorov_smirnov_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `kolmogorov_smirnov` and of the best balanced threshold.

    Exact, by counting paths, where the product of the class sizes is at most 10,000; otherwise the law of
    one sample of the harmonic size. Both suppose no ties; with ties they err towards large p-values.

    Examples
    --------
    >>> kolmogorov_smirnov_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    return np.exp(_log_p_kolmogorov(X, y, sample_weight))


@score("kolmogorov-smirnov", "ks", p_value=kolmogorov_smirnov_p_value, sparse=True, weights=True)
def kolmogorov_smirnov(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the largest gap between the cumulative distributions of two classes [1]_.

    .. math:: s_j = \max_t |F_j^+(t) - F_j^-(t)|

    It is twice the best balanced accuracy of a threshold, less one. A constant column scores 0.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, chapters 3 and 30 (book-01 F06, book-06 30E).

    Examples
    --------
    >>> kolmogorov_smirnov([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.5, 0. ])
    """
    return over_ties(X, y, sample_weight, _largest_gap, 2)


def _largest_gap(masses: Array) -> Array:
    shares = masses / masses.sum(axis=2, keepdims=True)
    return np.abs(np.cumsum(shares[1] - shares[0], axis=1)).max(axis=1)


def _log_p_kolmogorov(X: Any, y: Any, sample_weight: Any) -> Array:
    gaps = kolmogorov_smirnov(X, y, sample_weight)
    gap = np.unique(gaps)
    codes = classes_and_codes(X, y, 2)[1]
    n, m = np.bincount(codes, sample_weight)
    if sample_weight is None and n * m <= EXACT_PATHS:
        return np.log(kolmogorov_tail(gap, int(n), int(m)))[np.searchsorted(gap, gaps)]
    size = n * m / (n + m)
    p = np.minimum(stats.kstwo.sf(gap, max(np.round(size), 1)), 1.0)
    tail = np.log(2) - 2 * size * gap**2  # the leading term, once the law itself underflows
    return np.where(p > 1e-280, np.log(np.maximum(p, 1e-300)), tail)[np.searchsorted(gap, gaps)]


@score("t-times-ks", "t-ks", sparse=True, weights=True)
def t_times_ks(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the product of the p-values of `t_test` and `kolmogorov_smirnov` [1]_.

    .. math:: s_j = -\ln p_j^T - \ln p_j^{KS}

    A score, not evidence: the two tests depend on each other. A column without any difference scores 0.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 30 (book-06 30E).

    Examples
    --------
    >>> t_times_ks([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(4)
    array([4.6099])
    """
    scores = over_moments(_log_p_t, X, y, sample_weight, 2)
    scores += _log_p_kolmogorov(X, y, sample_weight)
    return np.negative(scores, out=scores)


def _log_p_t(moments: ClassMoments) -> Array:
    return _log_p_student(t_test(moments), moments.mass.sum() - 2)


def _log_p_student(t: Array, freedom: float) -> Array:
    """Logarithm of the two-sided p-value, by the incomplete beta function's series where that underflows."""
    if freedom <= 0:
        return np.zeros_like(t)
    a, x = freedom / 2, freedom / (freedom + t**2)
    p = special.betainc(a, 0.5, x)
    with np.errstate(divide="ignore"):
        series = a * np.log(x) + 0.5 * np.log1p(-x) - np.log(a) - special.betaln(a, 0.5)
        series += np.log(special.hyp2f1(a + 0.5, 1.0, a + 1, np.minimum(x, 0.5)))
        return np.where(p > 1e-280, np.log(p), series)
