"""What p-values are worth among many: Bonferroni, Benjamini and Hochberg, uniformity."""

from __future__ import annotations

import numpy as np

__all__ = ["bonferroni", "q_values", "uniformity_p_value"]


def bonferroni(p_values: np.ndarray) -> np.ndarray:
    """P-values times their number, at most one; NaN counts as one [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.5, np.nan]))
    array([0.03, 1.  , 1.  ])
    """
    return np.minimum(1.0, known(p_values) * len(p_values))


def q_values(p_values: np.ndarray, *, any_dependence: bool = False) -> np.ndarray:
    r"""The smallest rate at which the procedure of Benjamini and Hochberg keeps each feature [1]_.

    .. math:: q_{(i)} = \min_{k \ge i} \frac{n\, p_{(k)}}{k}

    Bounds the false discovery rate when the p-values are independent or positively dependent; times
    :math:`1 + 1/2 + \dots + 1/n`, as Benjamini and Yekutieli take it, for ``any_dependence``. NaN
    counts as one.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing.

    Examples
    --------
    >>> q_values(np.array([0.01, 0.5, 0.02, 0.9])).round(4)
    array([0.04  , 0.6667, 0.04  , 0.9   ])
    """
    q = known(p_values)
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
    """How likely p-values so far from uniform are if no feature tells anything [1]_.

    The test of Kolmogorov and Smirnov against p-values that are too small: a large answer says that
    nothing was found and nothing should be selected. It supposes independent columns and laws
    without steps; exact tests of few rows, whose p-values are too large, make it careful. NaN
    counts as one.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, union of tests.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.random(500)
    >>> uniformity_p_value(noise) > 0.05, uniformity_p_value(np.append(noise, np.full(50, 1e-4))) < 1e-3
    (True, True)
    """
    from scipy.stats import kstest

    return float(kstest(known(p_values), "uniform", alternative="greater").pvalue)


def known(p_values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(p_values), 1.0, p_values).astype(float, copy=False)
