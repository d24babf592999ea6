"""Likelihoods of a class given a latent value, and their derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

__all__ = ["LIKELIHOODS", "Derivatives", "logistic", "trigonometric"]


class Derivatives(NamedTuple):
    """The log likelihood of each row and its derivatives by the latent value.

    Attributes
    ----------
    value : ndarray of shape (m,)
        The log likelihood.
    first : ndarray of shape (m,)
        Its first derivative.
    curvature : ndarray of shape (m,)
        Minus its second derivative.
    third : ndarray of shape (m,)
        Its third derivative.
    """

    value: np.ndarray
    first: np.ndarray
    curvature: np.ndarray
    third: np.ndarray


def logistic(y: np.ndarray, f: np.ndarray) -> Derivatives:
    r"""Give the derivatives of :math:`-\ln(1 + e^{-y f})` for classes y of -1 and 1.

    >>> logistic(np.array([1.0]), np.array([0.0])).curvature
    array([0.25])
    """
    p = expit(f)
    curvature = p * (1 - p)
    return Derivatives(
        -np.logaddexp(0, -y * f), (y + 1) / 2 - p, curvature, (2 * p - 1) * curvature
    )


def trigonometric(y: np.ndarray, f: np.ndarray) -> Derivatives:
    r"""Give the derivatives of :math:`2 \ln \cos(\frac{\pi}{4} (1 - y f))` for classes -1 and 1.

    It is 0 where :math:`y f \ge 1`, as with the hinge loss, and minus infinity where
    :math:`y f \le -1`. The probabilities of both classes add to one.

    >>> trigonometric(np.array([1.0, 1.0, 1.0]), np.array([-1.0, 0.0, 2.0])).value.round(4)
    array([   -inf, -0.6931,  0.    ])
    """
    slack = np.maximum(1 - y * f, 0)
    inside = np.minimum(slack, 2 - 1e-9)
    alpha = np.pi / 2 * np.tan(np.pi / 4 * inside)
    curvature = np.where(slack > 0, np.pi**2 / 8 + alpha**2 / 2, 0.0)
    with np.errstate(divide="ignore"):
        value = np.where(slack < 2, 2 * np.log(np.cos(np.pi / 4 * np.minimum(slack, 2))), -np.inf)
    return Derivatives(value, y * alpha, curvature, y * alpha * curvature)


LIKELIHOODS = {"logistic": logistic, "trigonometric": trigonometric}
