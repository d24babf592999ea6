"""Losses by name, and the risks defined by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.models.penalties import PENALTIES, Penalty

__all__ = ["LOSSES", "empirical_risk", "regularised_risk"]

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]


def zero_one(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return 1 where the sign of f is not that of the label, -1 or 1; a zero is wrong."""
    return (y * f <= 0).astype(float)


def hinge(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return how much the margin y f falls short of 1."""
    return np.maximum(0.0, 1 - y * f)


def squared(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return the squared difference."""
    return (y - f) ** 2


def insensitive(y: np.ndarray, f: np.ndarray, epsilon: float = 0.1) -> np.ndarray:
    """Return by how much the absolute difference exceeds epsilon."""
    return np.maximum(0.0, np.abs(f - y) - epsilon)


def cross_entropy(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return the negative log probability of labels 0 and 1, where f is the probability of 1."""
    return -xlogy(y, f) - xlogy(1 - y, 1 - f)


def logistic(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    r"""Return :math:`\ln(1 + e^{-yf})`, without overflow."""
    return np.logaddexp(0.0, -y * f)


def exponential(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return :math:`e^{-yf}`."""
    return np.exp(-y * f)


LOSSES: dict[str, Loss] = {
    "zero-one": zero_one,
    "hinge": hinge,
    "squared": squared,
    "insensitive": insensitive,
    "cross-entropy": cross_entropy,
    "logistic": logistic,
    "exponential": exponential,
}
"""Losses by name, as functions of a target and the output of a model [1]_.

With a penalty they define known methods: the squared loss with decay ridge regression and with the
sum of absolute weights the lasso; the hinge loss with decay the support vector machine, and the
insensitive loss its regression; the exponential loss with absolute weights regularised AdaBoost.

References
----------
.. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature Extraction*,
   2006, chapter 1, section 1.2 and Table 1.1.
"""


def empirical_risk(loss: str | Loss, y: Any, outputs: Any, sample_weight: Any = None) -> float:
    """Return the (weighted) mean loss, which on training rows is the empirical risk.

    Parameters
    ----------
    loss : str or callable
        A key of ``LOSSES``, or a function of targets and outputs.
    y, outputs : array of shape (n_rows,)
        Targets and outputs of the model.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> empirical_risk("hinge", [1, -1, 1], [2.0, -0.5, -1.0])
    0.8333333333333334
    """
    values = _find_loss(loss)(np.asarray(y, dtype=float), np.asarray(outputs, dtype=float))
    return float(np.average(values, weights=sample_weight))


def regularised_risk(
    loss: str | Loss,
    y: Any,
    outputs: Any,
    weights: Any,
    strength: float,
    *,
    penalty: str | Penalty = "decay",
    sample_weight: Any = None,
) -> float:
    r"""Return the regularised risk :math:`R_{emp} + \lambda \Omega(w)`.

    Parameters
    ----------
    loss : str or callable
        A key of ``LOSSES``, or a function of targets and outputs.
    y, outputs : array of shape (n_rows,)
        Targets and outputs of the model.
    weights : array
        The weights w of the model.
    strength : float
        The factor :math:`\lambda` of the penalty.
    penalty : str or callable
        The penalty :math:`\Omega`: a key of :data:`subsel.models.penalties.PENALTIES`, or a
        function that returns the penalty first.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> regularised_risk("squared", [1.0, 2.0], [1.0, 1.0], [2.0], 0.5)
    1.5
    """
    if isinstance(penalty, str):
        if penalty not in PENALTIES:
            raise ValueError(f"penalty must be one of {', '.join(PENALTIES)}, got {penalty!r}.")
        penalty = PENALTIES[penalty]
    value = penalty(np.atleast_2d(np.asarray(weights, dtype=float)))[0]
    return empirical_risk(loss, y, outputs, sample_weight) + strength * value


def _find_loss(loss: str | Loss) -> Loss:
    """Return a loss by its name; a function is returned as it is."""
    if not isinstance(loss, str):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}.")
    return LOSSES[loss]
