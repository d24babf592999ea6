"""Corrections of many p-values: Bonferroni, Benjamini and Hochberg, and a test of uniformity."""

from __future__ import annotations

import numpy as np

__all__ = ["bonferroni", "q_values", "uniformity_p_value"]


def bonferroni(p_values: np.ndarray) -> np.ndarray:
    """Give p-values times their number, at most 1; NaN counts as 1 [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.5, np.nan]))
    array([0.03, 1.  , 1.  ])
    """
    return np.minimum(1.0, nan_as_one(p_values) * len(p_values))


def q_values(p_values: np.ndarray, *, any_dependence: bool = False) -> np.ndarray:
    r"""Give the smallest rate at which Benjamini and Hochberg's procedure keeps each feature [1]_.

    .. math:: q_{(i)} = \min_{k \ge i} \frac{n\, p_{(k)}}{k}

    It bounds the false discovery rate if the p-values are independent or positively dependent. With
    ``any_dependence`` it is multiplied by :math:`1 + 1/2 + \dots + 1/n` (Benjamini and Yekutieli)
    and needs no such condition. NaN counts as 1.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing.

    Examples
    --------
    >>> q_values(np.array([0.01, 0.5, 0.02, 0.9])).round(4)
    array([0.04  , 0.6667, 0.04  , 0.9   ])
    """
    q = nan_as_one(p_values)
    order = np.argsort(q)
    scaled = q[order]
    factor = float(len(q))
    if any_dependence:
        factor *= np.sum(1.0 / np.arange(1, len(q) + 1))
    scaled *= factor
    scaled /= np.arange(1, len(q) + 1)
    from_the_end = scaled[::-1]
    np.minimum.accumulate(from_the_end, out=from_the_end)
    q[order] = np.minimum(scaled, 1.0, out=scaled)
    return q


def uniformity_p_value(p_values: np.ndarray) -> float:
    """Test whether many p-values are uniform, as they are if no feature is relevant [1]_.

    It is the test of Kolmogorov and Smirnov against p-values that are too small: a large answer
    means that there is no evidence of a relevant feature. It assumes independent columns and
    continuous laws; exact tests of few rows, whose p-values are too large, make it conservative.
    NaN counts as 1.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, union of tests.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.random(500)
    >>> some_relevant = np.append(noise, np.full(50, 1e-4))
    >>> uniformity_p_value(noise) > 0.05, uniformity_p_value(some_relevant) < 1e-3
    (True, True)
    """
    from scipy.stats import kstest

    return float(kstest(nan_as_one(p_values), "uniform", alternative="greater").pvalue)


def nan_as_one(p_values: np.ndarray) -> np.ndarray:
    """Copy p-values as floats, NaN becoming 1."""
    return np.where(np.isnan(p_values), 1.0, p_values).astype(float, copy=False)
