"""The largest gap between the distributions of two classes, alone and combined with the t-test.

Increasing maps of a column change nothing, except the t part of T*KS. Tied values are one value
with both classes in it. Weights count rows: whole weights leave the null distributions exact, with
others those of large samples are used.
"""

from typing import Any

import numpy as np
from scipy import special, stats

from subsel.data.statistics.class_moments import ClassMoments, over_moments
from subsel.data.statistics.score_input import classes_and_codes
from subsel.data.statistics.ties import over_ties
from subsel.ranking.laws.exact_tails import kolmogorov_tail
from subsel.ranking.laws.ties import tied_log_tails
from subsel.ranking.registry import score
from subsel.ranking.scores.moments.student_t import t_test

__all__ = ["kolmogorov_smirnov", "kolmogorov_smirnov_p_value", "t_times_ks"]

Array = np.ndarray
EXACT_PATHS = 10_000  # the product of the class sizes, a cell each, up to which paths are counted


def kolmogorov_smirnov_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Compute the two-sided p-value of `kolmogorov_smirnov` and of the best balanced threshold.

    It is exact where the ties of a column allow few tables (`subsel.ranking.laws.ties`), as for
    columns of two values. Otherwise it is that of a column without ties, which is too large where
    there are ties: by counting paths where the product of the class sizes is at most 10,000, else
    by the law of one sample whose size is ``n m / (n + m)``.

    Parameters
    ----------
    X, y, sample_weight : array-like
        As in `kolmogorov_smirnov`.

    Examples
    --------
    >>> kolmogorov_smirnov_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    return np.exp(_log_p_kolmogorov(X, y, sample_weight))


@score(
    "kolmogorov-smirnov",
    "ks",
    p_value=kolmogorov_smirnov_p_value,
    univariate=True,
    sparse=True,
    weights=True,
)
def kolmogorov_smirnov(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the largest gap between the cumulative distributions of two classes [1]_.

    .. math:: s_j = \max_t |F_j^+(t) - F_j^-(t)|

    It is twice the best balanced accuracy of a threshold, less one. A constant column scores 0.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Kolmogorov-Smirnov test.
    .. [2] I. Levner, V. Bulitko and G. Lin, "Feature Extraction for Classification of Proteomic
       Mass Spectra: A Comparative Study", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 30, univariate tests.

    Examples
    --------
    >>> kolmogorov_smirnov([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.5, 0. ])
    """
    return over_ties(X, y, sample_weight, _largest_gap, 2)


def _largest_gap(masses: Array) -> Array:
    """Give the statistic of each column of masses, of shape (2, n_columns, n_values)."""
    shares = masses / masses.sum(axis=2, keepdims=True)
    return np.abs(np.cumsum(shares[1] - shares[0], axis=1)).max(axis=1)


def _log_p_kolmogorov(X: Any, y: Any, sample_weight: Any) -> Array:
    """Give the logarithm of the p-value of each column."""
    gaps, log_p = over_ties(X, y, sample_weight, _gap_and_log_p, 2, n_results=2)
    rest = np.isnan(log_p)
    gap, which = np.unique(gaps[rest], return_inverse=True)
    n, m = np.bincount(classes_and_codes(X, y, 2, sample_weight)[1], sample_weight)
    are_rows = sample_weight is None or np.array_equal(sample_weight, np.rint(sample_weight))
    log_p[rest] = _log_p_untied(gap, n, m, are_rows)[which]
    return log_p


def _gap_and_log_p(masses: Array) -> Array:
    """Give the statistic, and the logarithm of its exact p-value or NaN: shape (2, n_columns)."""
    return np.stack([_largest_gap(masses), tied_log_tails(masses, _largest_gap)[1]])


def _log_p_untied(gap: Array, n: float, m: float, are_rows: bool) -> Array:
    """Give the logarithm of the p-value of gaps without ties, for classes of n and m rows.

    `are_rows` says that the weights are whole numbers.
    """
    # For large samples the two-sample statistic has the law of one sample of size nm / (n + m)
    # (Smirnov 1939; so does scipy.stats.ks_2samp). Where that underflows, the first term of
    # Kolmogorov's series, 2 exp(-2 size gap^2), has the digits of its logarithm.
    if are_rows and n * m <= EXACT_PATHS:
        return np.log(kolmogorov_tail(gap, int(n), int(m)))
    size = n * m / (n + m)
    p = np.minimum(stats.kstwo.sf(gap, max(np.round(size), 1)), 1.0)
    tail = np.log(2) - 2 * size * gap**2
    return np.where(p > 1e-280, np.log(np.maximum(p, 1e-300)), tail)


@score("t-times-ks", "t-ks", univariate=True, sparse=True, weights=True)
def t_times_ks(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the product of the p-values of `t_test` and `kolmogorov_smirnov` [1]_.

    .. math:: s_j = -\ln p_j^T - \ln p_j^{KS}

    It is a score and no evidence: the two tests depend on each other, and the p-value of t is by
    Student's law for all columns. A column without any difference scores 0.

    References
    ----------
    .. [1] I. Levner, V. Bulitko and G. Lin, "Feature Extraction for Classification of Proteomic
       Mass Spectra: A Comparative Study", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 30, univariate tests.

    Examples
    --------
    >>> t_times_ks([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(4)
    array([4.6099])
    """
    scores = over_moments(_log_p_t, X, y, sample_weight, 2)
    scores += _log_p_kolmogorov(X, y, sample_weight)
    return np.negative(scores, out=scores)


def _log_p_t(moments: ClassMoments) -> Array:
    """Give the logarithm of the p-value of `t_test` by Student's law."""
    return _log_p_student(t_test(moments), moments.mass.sum() - 2)


def _log_p_student(t: Array, freedom: float) -> Array:
    """Give the logarithm of the two-sided p-value of t by Student's law."""
    # P(|T| >= t) = I_x(f / 2, 1 / 2) with x = f / (f + t^2). Where it underflows, the logarithm of
    # I_x(a, b) = x^a (1 - x)^b F(a + b, 1; a + 1; x) / (a B(a, b)) (NIST Handbook of Mathematical
    # Functions, 2010, 8.17.8), with F at min(x, 1/2): beyond some thousand rows x may be larger,
    # and the logarithm is then up to about 1 % too small.
    if freedom <= 0:
        return np.zeros_like(t)
    a, x = freedom / 2, freedom / (freedom + t**2)
    p = special.betainc(a, 0.5, x)
    with np.errstate(divide="ignore"):
        series = a * np.log(x) + 0.5 * np.log1p(-x) - np.log(a) - special.betaln(a, 0.5)
        series += np.log(special.hyp2f1(a + 0.5, 1.0, a + 1, np.minimum(x, 0.5)))
        return np.where(p > 1e-280, np.log(p), series)
