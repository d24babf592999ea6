"""Losses and penalties of the literature by name, and the risks made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.models.penalties import PENALTIES, Penalty

__all__ = ["LOSSES", "empirical_risk", "regularised_risk"]

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]


def zero_one(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """1 where the sign is wrong (labels -1 and 1); zero is wrong."""
    return (y * f <= 0).astype(float)


def hinge(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """What is missing from a margin of 1."""
    return np.maximum(0.0, 1 - y * f)


def squared(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The squared difference."""
    return (y - f) ** 2


def insensitive(y: np.ndarray, f: np.ndarray, epsilon: float = 0.1) -> np.ndarray:
    """What the difference exceeds epsilon by."""
    return np.maximum(0.0, np.abs(f - y) - epsilon)


def cross_entropy(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Minus the log of the probability f given to labels 0 and 1."""
    return -xlogy(y, f) - xlogy(1 - y, 1 - f)


def logistic(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """:math:`\\ln(1 + e^{-yf})`, without overflow."""
    return np.logaddexp(0.0, -y * f)


def exponential(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """:math:`e^{-yf}`."""
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
"""The losses of a target and a model's output [1]_; squared with ``"decay"`` is ridge regression, with the sum of sizes
the lasso; hinge with decay the support vector machine, insensitive its regression; logistic with either; exponential with
the sum of sizes regularised AdaBoost.

References
----------
.. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 1, section
   1.2 and Table 1.1.
"""


def empirical_risk(loss: str | Loss, y: Any, outputs: Any, sample_weight: Any = None) -> float:
    """Return the (weighted) mean loss: the empirical risk on training rows, the test risk on others.

    >>> empirical_risk("hinge", [1, -1, 1], [2.0, -0.5, -1.0])
    0.8333333333333334
    """
    values = _of(loss)(np.asarray(y, dtype=float), np.asarray(outputs, dtype=float))
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
    r"""Return the empirical risk plus a multiple of a penalty on the weights, :math:`R_{emp} + \lambda \Omega(w)`.

    Penalties are those of :data:`subsel.models.penalties.PENALTIES`.

    >>> regularised_risk("squared", [1.0, 2.0], [1.0, 1.0], [2.0], 0.5)
    1.5
    """
    if isinstance(penalty, str):
        if penalty not in PENALTIES:
            raise ValueError(f"penalty must be one of {', '.join(PENALTIES)}, got {penalty!r}.")
        penalty = PENALTIES[penalty]
    value = penalty(np.atleast_2d(np.asarray(weights, dtype=float)))[0]
    return empirical_risk(loss, y, outputs, sample_weight) + strength * value


def _of(loss: str | Loss) -> Loss:
    if not isinstance(loss, str):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}.")
    return LOSSES[loss]
