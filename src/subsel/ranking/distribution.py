"""Whole distributions of two classes compared: AUC, Kolmogorov-Smirnov and the product T*KS.

All are unchanged by increasing maps of a column (the t part of T*KS apart). Tied values are one value with
both classes in it. Weights count rows: whole ones leave the laws exact, with others those of large samples are used.
"""

from typing import Any

import numpy as np
from scipy import sparse, special, stats

from subsel.ranking.exact import kolmogorov_tail, rank_sum_tail
from subsel.ranking.moments import ClassMoments, over_moments
from subsel.ranking.registry import score
from subsel.ranking.table import classes_and_codes
from subsel.ranking.tied_law import are_whole, tied_log_tails, two_sided
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
FEW_ROWS = 8  # of a class up to which the Mann-Whitney law of untied columns is counted
EXACT_PATHS = 10_000  # up to this product of the class sizes the Kolmogorov-Smirnov law is counted


def auc_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `auc`, the Mann-Whitney test (book-00 A4): twice the smaller tail under permuted labels.

    Exact where the ties of a column leave few outcomes (`subsel.ranking.tied_law`), so for columns of two values, where
    it is `hypergeometric_p_value`, and for counts that are mostly zero; exact too where a class has at most 8 rows and
    the column no ties. Otherwise normal, with the variance corrected for ties and half a unit for continuity. Whole
    weights repeat rows; with other weights the law is always the normal one, which promises too much for columns that
    are rarely not zero. A constant column gets 1.

    Examples
    --------
    >>> auc_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    return over_ties(X, y, sample_weight, _rank_sum_p_value, 2)


def _rank_sum_p_value(masses: Array) -> Array:
    wins, ties = _rank_sums(masses)
    n, m = masses[:, 0].sum(axis=1)
    larger = np.maximum(wins, n * m - wins)
    variance = n * m / 12 * ((n + m + 1) - ties / max((n + m) * (n + m - 1), 1.0))
    z = np.divide(larger - n * m / 2 - 0.5, np.sqrt(variance), out=np.full_like(larger, -np.inf), where=variance > 0)
    p = np.minimum(2 * special.ndtr(-z), 1.0)
    exact = two_sided(*tied_log_tails(masses, _wins))
    p = np.where(np.isnan(exact), p, exact)
    if min(n, m) <= FEW_ROWS:
        untied = (ties == 0) & np.isnan(exact) & are_whole(masses)
        p[untied] = np.minimum(2 * rank_sum_tail(int(n), int(m))[larger[untied].astype(int)], 1.0)
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
    n, m = np.bincount(classes_and_codes(X, y, 2, sample_weight)[1], sample_weight)
    if sparse.issparse(X) or sample_weight is not None:
        wins = over_ties(X, y, sample_weight, _wins, 2)
    else:
        from subsel._loops.distribution import wins_of_second

        wins = over_sorted(X, y, wins_of_second)
    area = np.divide(wins, n * m, out=wins)
    return np.maximum(area, 1 - area)


def _wins(masses: Array) -> Array:
    return _rank_sums(masses)[0]


def _rank_sums(masses: Array) -> Array:
    """Pairs the positive class wins, ties counting half, and the sum of t^3 - t over ties."""
    negative, positive = masses
    below = np.cumsum(negative, axis=1) - negative / 2
    tied = masses.sum(axis=0)
    ties = np.einsum("jv,jv,jv->j", tied, tied, tied) - tied.sum(axis=1)
    return np.stack([np.einsum("jv,jv->j", positive, below), ties])


def kolmogorov_smirnov_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `kolmogorov_smirnov` and of the best balanced threshold.

    Exact where the ties of a column leave few outcomes (`subsel.ranking.tied_law`), so for columns of two values.
    Otherwise as if there were no ties, which errs towards large p-values where there are: by counting paths where the
    product of the class sizes is at most 10,000, else by the law of one sample of the harmonic size.

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
    gaps, log_p = over_ties(X, y, sample_weight, _gap_and_log_p, 2, n_results=2)
    rest = np.isnan(log_p)
    gap, which = np.unique(gaps[rest], return_inverse=True)
    n, m = np.bincount(classes_and_codes(X, y, 2, sample_weight)[1], sample_weight)
    are_rows = sample_weight is None or np.array_equal(sample_weight, np.rint(sample_weight))
    log_p[rest] = _log_p_untied(gap, n, m, are_rows)[which]
    return log_p


def _gap_and_log_p(masses: Array) -> Array:
    return np.stack([_largest_gap(masses), tied_log_tails(masses, _largest_gap)[1]])


def _log_p_untied(gap: Array, n: float, m: float, are_rows: bool) -> Array:
    if are_rows and n * m <= EXACT_PATHS:
        return np.log(kolmogorov_tail(gap, int(n), int(m)))
    size = n * m / (n + m)
    p = np.minimum(stats.kstwo.sf(gap, max(np.round(size), 1)), 1.0)
    tail = np.log(2) - 2 * size * gap**2  # the leading term, once the law itself underflows
    return np.where(p > 1e-280, np.log(np.maximum(p, 1e-300)), tail)


@score("t-times-ks", "t-ks", sparse=True, weights=True)
def t_times_ks(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the product of the p-values of `t_test` and `kolmogorov_smirnov` [1]_.

    .. math:: s_j = -\ln p_j^T - \ln p_j^{KS}

    A score, not evidence: the two tests depend on each other, and t has Student's law whatever its values. A column
    without any difference scores 0.

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
