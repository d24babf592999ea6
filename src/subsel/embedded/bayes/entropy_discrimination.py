"""Maximum entropy discrimination: the weights of a linear classifier under a prior that switches inputs off."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit

__all__ = ["expected_weights"]


def expected_weights(weights: Any, p0: float, factor: float = 0.5) -> np.ndarray:
    r"""The expectation of weights whose inputs are on with prior probability p0.

    .. math:: \frac{w_t}{1 + \frac{1 - p_0}{p_0} e^{-f w_t^2}}

    Weights with :math:`f w_t^2` well under :math:`\log((1 - p_0)/p_0)` vanish, large ones stay.

    Parameters
    ----------
    weights : array-like
        Of a linear classifier.
    p0 : float
        In (0, 1]; 1 leaves the weights as they are.
    factor : float
        f: 1/2 for a normal prior of unit variance on the weights; the book prints 1.

    References
    ----------
    .. [1] Jebara and Jaakkola, *Feature selection and dualities in maximum entropy discrimination*, UAI 2000; Guyon et
       al. (eds.), *Feature Extraction*, 2006, section 5.3.3.

    Examples
    --------
    >>> expected_weights([-4.0, 0.5, 4.0], 0.1).round(3)
    array([-3.988,  0.056,  3.988])
    """
    if not 0 < p0 <= 1:
        raise ValueError(f"p0 must lie in (0, 1], got {p0!r}.")
    w = np.asarray(weights, dtype=float)
    return w * expit(factor * w**2 + logit(p0))
