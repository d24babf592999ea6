"""Intervals and tests for means over folds and for frequencies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta, binom, chi2, norm, t

__all__ = [
    "McNemar",
    "check_confidence",
    "clopper_pearson",
    "corrected_error",
    "corrected_interval",
    "corrected_t_test",
    "correlation_interval",
    "holm",
    "mcnemar",
    "mcnemar_one_sided",
    "mean_interval",
    "score_limits",
    "variance_interval",
    "wilson",
]


def corrected_interval(
    scores: Any, test_share: float, confidence: float = 0.95
) -> tuple[float, float]:
    r"""Give the confidence interval of a mean over folds whose training parts overlap [1]_.

    .. math:: \bar s \pm t_{J-1}\, \hat\sigma \sqrt{\tfrac1J + \tfrac{n_{test}}{n_{train}}}

    for J scores, over one or several repeats. A cross-validated mean has no unbiased variance
    estimate [2]_: this one is a heuristic that errs on the wide side more often than not. Its
    estimand is the mean score of the procedure trained on as many rows as a fold trains on. A
    single score gives NaN.

    Parameters
    ----------
    test_share : float
        Test rows per training row, 1/4 for five folds; 0 gives Student's interval.

    References
    ----------
    .. [1] Nadeau and Bengio, *Inference for the generalization error*, Machine Learning 52, 2003.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> low, high = corrected_interval([0.8, 0.9, 0.7, 0.8, 0.8], test_share=0.25)
    >>> round(low, 3), round(high, 3)
    (0.668, 0.932)
    """
    scores = np.asarray(scores, dtype=float)
    mean, error = float(scores.mean()), corrected_error(scores, test_share)
    reach = float(t.ppf((1 + confidence) / 2, max(1, len(scores) - 1))) * error
    return mean - reach, mean + reach


def corrected_t_test(differences: Any, test_share: float) -> float:
    """Give the two-sided p-value of the corrected resampled t-test of fold differences.

    The test is that of Nadeau and Bengio, see :func:`corrected_interval`.

    If all differences are zero the p-value is 1. If they are all equal but not zero, it is that of
    the sign test, the probability that as many fair coins show the same side.

    Examples
    --------
    >>> round(corrected_t_test([0.1, 0.2, 0.0, 0.1, 0.1], test_share=0.25), 3)
    0.103
    """
    differences = np.asarray(differences, dtype=float)
    mean, error = float(differences.mean()), corrected_error(differences, test_share)
    if np.isnan(error):
        return np.nan
    if error == 0:
        return 1.0 if mean == 0 else 2.0 ** (1 - len(differences))
    return float(2 * t.sf(abs(mean) / error, len(differences) - 1))


def wilson(successes: Any, trials: Any, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Give Wilson's interval of a frequency, which lies in [0, 1] and suits small counts [1]_.

    References
    ----------
    .. [1] Wilson, *Probable inference, the law of succession, and statistical inference*, Journal
       of the American Statistical Association 22, 1927.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> low, high = wilson(10, 10)
    >>> round(float(low), 3), float(high)
    (0.722, 1.0)
    """
    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    z = norm.ppf((1 + confidence) / 2)
    share, weight = k / n, z**2 / n
    centre = (share + weight / 2) / (1 + weight)
    reach = z / (1 + weight) * np.sqrt(share * (1 - share) / n + weight / (4 * n))
    return np.where(k == 0, 0.0, centre - reach), np.where(k == n, 1.0, centre + reach)


def clopper_pearson(
    successes: Any, trials: Any, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Give the exact interval of a frequency, whose coverage is at least ``confidence`` [1]_.

    References
    ----------
    .. [1] Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of
       the binomial*, Biometrika 26, 1934.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       A.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    risk = (1 - confidence) / 2
    low = np.where(k == 0, 0.0, beta.ppf(risk, np.maximum(k, 1), n - k + 1))
    return low, np.where(k == n, 1.0, beta.isf(risk, k + 1, np.maximum(n - k, 1)))


def mcnemar(wrong_first: Any, wrong_second: Any) -> tuple[int, int, float]:
    """Compare two classifiers on the same rows by the exact two-sided McNemar test [1]_.

    Returns how often the first alone and the second alone was wrong, and the p-value.

    If both have the same error, the rows on which only one is wrong follow a binomial distribution
    with probability one half, used here in place of the normal approximation of [2]_. Without such
    rows the p-value is 1. It is a test of two fitted models on rows that neither saw. Over the
    pooled rows of cross-validation, where models share their training rows, it rejects equally good
    procedures about twice as often as its level says; :func:`compare` does not use it.

    References
    ----------
    .. [1] McNemar, *Note on the sampling error of the difference between correlated proportions or
       percentages*, Psychometrika 12, 1947.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> mcnemar([1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0])
    (5, 1, 0.21875)
    """
    first, second = np.asarray(wrong_first, dtype=bool), np.asarray(wrong_second, dtype=bool)
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    tosses = only_first + only_second
    tail = float(binom.cdf(min(only_first, only_second), tosses, 0.5))
    return only_first, only_second, min(1.0, 2 * tail)


class McNemar(NamedTuple):
    """The result of the one-sided McNemar test.

    Attributes
    ----------
    only_first, only_second : int
        How often the first alone, or the second alone, was wrong.
    z : float
        The normal deviate.
    p_value : float
        The p-value of the alternative that the first is better.

    Examples
    --------
    >>> mcnemar_one_sided([0, 0, 0], [1, 1, 0]).p_value
    0.25
    """

    only_first: int
    only_second: int
    z: float
    p_value: float


def mcnemar_one_sided(wrong_first: Any, wrong_second: Any, exact_below: int = 25) -> McNemar:
    r"""Test whether the first of two classifiers is better on the same rows [1]_.

    .. math:: z = (n_2 - n_1) / \sqrt{n_1 + n_2}, \qquad p = 1 - \Phi(z)

    with :math:`n_1` the rows that the first alone gets wrong. A p-value below 0.05 says that the
    first is better, one above 0.95 that it is worse. With fewer than ``exact_below`` rows on which
    only one is wrong, p comes from the binomial distribution; without any it is one half.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> first, second = np.repeat([True, False], [12, 25]), np.repeat([False, True], [12, 25])
    >>> test = mcnemar_one_sided(first, second)
    >>> round(test.z, 3), round(test.p_value, 4)
    (2.137, 0.0163)
    """
    one, two, _ = mcnemar(wrong_first, wrong_second)
    tosses = one + two
    if tosses == 0:
        return McNemar(0, 0, 0.0, 0.5)
    z = (two - one) / float(np.sqrt(tosses))
    if tosses < exact_below:
        return McNemar(one, two, z, float(binom.cdf(one, tosses, 0.5)))
    return McNemar(one, two, z, float(norm.sf(z)))


def mean_interval(values: Any, confidence: float = 0.95) -> tuple[float, float]:
    """Give Student's interval of the mean of a sample of normal values [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       A.

    Examples
    --------
    >>> low, high = mean_interval([1.0, 2.0, 3.0])
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    return corrected_interval(values, 0.0, confidence)


def variance_interval(values: Any, confidence: float = 0.95) -> tuple[float, float]:
    r"""Give the interval of the variance of a sample of normal values.

    Its ends are :math:`(m-1) s^2 / \chi^2_{m-1}` at two quantiles of the chi-squared distribution.

    Examples
    --------
    >>> low, high = variance_interval([1.0, 2.0, 3.0])
    >>> round(low, 3), round(high, 3)
    (0.271, 39.498)
    """
    check_confidence(confidence)
    values = np.asarray(values, dtype=float)
    freedom, total = len(values) - 1, np.nan
    if freedom > 0:
        total = freedom * float(values.var(ddof=1))
    risk = (1 - confidence) / 2
    return float(total / chi2.isf(risk, freedom)), float(total / chi2.ppf(risk, freedom))


def correlation_interval(
    r: Any, n_rows: int, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    r"""Give Fisher's interval of Pearson's correlation [1]_.

    .. math:: \tanh(\mathrm{artanh}\, r \pm z / \sqrt{m - 3})

    ``r`` may hold any number of signed correlations, as ``CoMoments.correlation`` gives them.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2,
       significance of Pearson's correlation, and appendix A.

    Examples
    --------
    >>> low, high = correlation_interval(0.5, 30)
    >>> round(float(low), 4), round(float(high), 4)
    (0.1704, 0.729)
    """
    check_confidence(confidence)
    if n_rows < 4:
        raise ValueError(f"n_rows must be at least 4, got {n_rows}.")
    with np.errstate(divide="ignore"):
        middle = np.arctanh(np.clip(np.asarray(r, dtype=float), -1, 1))
    reach = norm.ppf((1 + confidence) / 2) / np.sqrt(n_rows - 3)
    return np.tanh(middle - reach), np.tanh(middle + reach)


def holm(p_values: Any) -> np.ndarray:
    """Correct p-values for their number by Holm's method, more powerful than Bonferroni's [1]_.

    References
    ----------
    .. [1] Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of
       Statistics 6, 1979.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> holm([0.04, 0.01, 0.03])
    array([0.06, 0.03, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def score_limits(scoring: str) -> tuple[float, float]:
    """Give the bounds of a measure as far as its name determines them."""
    unit = (
        "accuracy",
        "balanced_accuracy",
        "roc_auc",
        "f1",
        "precision",
        "recall",
        "jaccard",
        "average_precision",
    )
    if scoring.startswith(unit):
        return 0.0, 1.0
    if scoring.startswith("neg_"):
        return -np.inf, 0.0
    if scoring in ("r2", "explained_variance"):
        return -np.inf, 1.0
    return -np.inf, np.inf


def check_confidence(confidence: float) -> None:
    """Refuse a confidence level outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1, got {confidence!r}.")


def corrected_error(scores: np.ndarray, test_share: float) -> float:
    """Give the standard error of :func:`corrected_interval`; NaN for a single score."""
    if len(scores) < 2:
        return np.nan
    return float(scores.std(ddof=1) * np.sqrt(1 / len(scores) + test_share))
