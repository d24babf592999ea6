"""P-values and false discovery rates of any score from probes."""

from __future__ import annotations

import numpy as np

from subsel.ranking.cuts.multiple_testing import q_values

__all__ = ["probe_fdr", "probe_fdr_estimate", "probe_p_value"]

# Scores that differ by less than this share are equal: a probe that ties with a feature must count.
ROUNDING = 1e-10


def probe_p_value(scores: np.ndarray, probe_scores: np.ndarray) -> np.ndarray:
    r"""Give the share of probes that score at least as high, counting the feature as one [1]_.

    .. math:: p = (1 + n_{sp}) / (1 + n_p)

    with :math:`n_{sp}` of :math:`n_p` probes at or above the score. The ones are added to equation
    2.1 so that no p-value is zero. A score of NaN has p-value 1.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equation 2.1, random probes.

    Examples
    --------
    >>> probe_p_value(np.array([3.0, 0.5]), np.array([0.0, 1.0, 2.0]))
    array([0.25, 0.75])
    """
    return (1 + n_reaching(probe_scores, scores)) / (1 + len(probe_scores))


def probe_fdr(scores: np.ndarray, probe_scores: np.ndarray) -> np.ndarray:
    r"""Bound the false discovery rate of keeping each feature and all above it, from probes [1]_.

    .. math:: \frac{1 + n_{sp}}{1 + n_p} \cdot \frac{n_c}{n_{sc}}

    with :math:`n_{sc}` of :math:`n_c` candidates at or above the score: equation 2.4 with the added
    ones of :func:`probe_p_value`, made to fall along the ranking. It is :func:`q_values` of those
    p-values.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equations 2.4 and 2.5, false discovery rate from probes.

    Examples
    --------
    >>> probe_fdr(np.array([3.0, 0.5]), np.array([0.0, 1.0, 2.0]))
    array([0.5 , 0.75])
    """
    return q_values(probe_p_value(scores, probe_scores))


def probe_fdr_estimate(scores: np.ndarray, probe_scores: np.ndarray) -> np.ndarray:
    r"""Estimate the false discovery rate of keeping each feature and all above it [1]_.

    .. math:: \frac{1 + n_{sp}}{1 + n_p} \cdot \frac{n_c - n_{sc}}{n_{sc}}

    This is equation 2.5 with the added ones of :func:`probe_p_value`: the number of irrelevant
    candidates is estimated by that of the candidates not kept. Where many are relevant it is closer
    than the bound :func:`probe_fdr`. It is no bound: it is 0 where all are kept, whatever they are.
    NaN is below everything.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equations 2.4 and 2.5, false discovery rate from probes.

    Examples
    --------
    >>> probe_fdr_estimate(np.array([3.0, 0.5, 0.1]), np.array([0.0, 1.0, 2.0]))
    array([0.5  , 0.375, 0.   ])
    """
    kept = n_reaching(scores, scores)
    return np.minimum(1.0, probe_p_value(scores, probe_scores) * (len(scores) - kept) / kept)


def n_reaching(values: np.ndarray, bars: np.ndarray) -> np.ndarray:
    """Count the values that reach each bar, up to rounding; NaN is below everything."""
    ordered = np.sort(np.where(np.isnan(values), -np.inf, values))
    bars = np.where(np.isnan(bars), -np.inf, bars)
    finite = np.where(np.isfinite(bars), bars, 0.0)
    return len(values) - np.searchsorted(ordered, bars - ROUNDING * np.abs(finite), side="left")
