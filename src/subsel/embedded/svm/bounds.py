"""Bounds and estimates of the leave-one-out error of a support vector machine, and how they change with the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from subsel.embedded.svm.dual import enclosing_ball, hard_margin

__all__ = [
    "BOUNDS",
    "Bound",
    "kept_multipliers",
    "radius_margin",
    "span",
    "span_leave_one_out",
    "variance_margin",
]


class Bound(NamedTuple):
    r"""The value f of a bound, and its derivative :math:`M_{kl} = \partial f / \partial K_{kl}`, symmetric."""

    value: float
    slope: np.ndarray


def radius_margin(K: np.ndarray, sign: np.ndarray) -> Bound:
    r"""The radius-margin bound :math:`R^2 \|w\|^2`; four times it bounds the number of leave-one-out errors [1]_.

    R is the radius of the smallest ball around all rows, :math:`1/\|w\|` the margin. The machine
    has no slack; quadratic slack of price C is 1/C added to the diagonal of K.

    Parameters
    ----------
    K : ndarray
        The kernel matrix.
    sign : ndarray
        -1 or 1 for each row.

    References
    ----------
    .. [1] Chapelle, Vapnik, Bousquet and Mukherjee, *Choosing multiple parameters for support
       vector machines*, Machine Learning 46, 2002; Guyon et al. (eds.), *Feature Extraction*,
       2006, chapter 5, equation 5.14 and section 5.3.1.

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> round(radius_margin(x @ x.T, np.array([-1.0, -1.0, 1.0, 1.0])).value, 6)
    4.0
    """
    return _times_margin(K, sign, *enclosing_ball(K))


def variance_margin(K: np.ndarray, sign: np.ndarray) -> Bound:
    r"""The same with the variance of the rows in place of the squared radius, cheaper and calmer about outliers.

    .. math:: R^2 \approx \tfrac1m \sum_k K_{kk} - \tfrac1{m^2} \sum_{kl} K_{kl}

    Parameters
    ----------
    K, sign : ndarray
        As in :func:`radius_margin`.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.3.1, equation 5.17.

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> round(variance_margin(x @ x.T, np.array([-1.0, -1.0, 1.0, 1.0])).value, 6)
    2.5
    """
    even = np.full(len(K), 1.0 / len(K))
    return _times_margin(K, sign, float(even @ np.diagonal(K) - even @ K @ even), even)


def _times_margin(K: np.ndarray, sign: np.ndarray, square: float, beta: np.ndarray) -> Bound:
    """The envelope theorem: at the optimum only the explicit dependence on K counts."""
    coef = hard_margin(K, sign).coef
    length = float(
        2.0 * np.abs(coef).sum() - coef @ K @ coef
    )  # at the optimum the product alone, but to second order
    ball = np.diag(beta) - np.outer(beta, beta)
    return Bound(square * length, length * ball - square * np.outer(coef, coef))


def span(K: np.ndarray, sign: np.ndarray) -> Bound:
    r"""The span bound :math:`\sum_k \alpha_k S_k^2` on the number of leave-one-out errors.

    :math:`S_k^2 = 1 / (\tilde K^{-1})_{kk}`, with :math:`\tilde K` the kernel of the support
    vectors bordered by ones: the squared distance of a support vector from combinations of the
    others. It is no larger than four times :func:`radius_margin`. The derivative holds while the
    support vectors are the same.

    Parameters
    ----------
    K, sign : ndarray
        As in :func:`radius_margin`.

    References
    ----------
    .. [1] Vapnik and Chapelle, *Bounds on error expectation for support vector machines*, Neural
       Computation 12, 2000; Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 5, equation
       5.14.

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> round(span(x @ x.T, np.array([-1.0, -1.0, 1.0, 1.0])).value, 6)
    4.0
    """
    coef = hard_margin(K, sign).coef
    used = np.flatnonzero(coef)
    inverse = _bordered_inverse(K[np.ix_(used, used)])
    spans = 1.0 / np.diagonal(inverse)
    alpha, y = np.abs(coef[used]), sign[used]
    pull = inverse @ (y * spans)
    moved = inverse * (alpha * spans**2) @ inverse
    slope = np.zeros_like(K)
    slope[np.ix_(used, used)] = moved - (np.outer(pull, alpha * y) + np.outer(alpha * y, pull)) / 2
    return Bound(float(alpha @ spans), slope)


def span_leave_one_out(K: np.ndarray, sign: np.ndarray) -> np.ndarray:
    r"""The signed outputs :math:`y_k f^{(-k)}(x_k)` of the machine trained without each row, by its span.

    A row off the margin is predicted as before; a support vector loses :math:`\alpha_k S_k^2`.
    Exact where leaving a row out leaves the other support vectors what they are, too low
    otherwise; rows under 0 are estimated errors.

    Parameters
    ----------
    K, sign : ndarray
        As in :func:`radius_margin`.

    References
    ----------
    .. [1] Vapnik and Chapelle, *Bounds on error expectation for support vector machines*, Neural
       Computation 12, 2000.

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> span_leave_one_out(x @ x.T, np.array([-1.0, -1.0, 1.0, 1.0])).round(6) + 0.0
    array([ 2., -1., -1.,  2.])
    """
    coef, intercept = hard_margin(K, sign)
    outputs = sign * (K @ coef + intercept)
    used = np.flatnonzero(coef)
    outputs[used] -= np.abs(coef[used]) / np.diagonal(_bordered_inverse(K[np.ix_(used, used)]))
    return outputs


def kept_multipliers(K: np.ndarray, sign: np.ndarray, bound: str) -> Callable[[np.ndarray], float]:
    r"""A bound as a function of the kernel, with the multipliers of the machine and of the ball that belong to K.

    Of the margin and of the radius these are the values of their dual problems, from below, which
    agree with the bound at K to first order; with :math:`\alpha` kept, :math:`\|w\|^2` itself
    would fall where the margin shrinks.

    Parameters
    ----------
    K, sign : ndarray
        As in :func:`radius_margin`.
    bound : str
        A key of ``BOUNDS``.

    Examples
    --------
    >>> x, sign = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> round(kept_multipliers(x @ x.T, sign, "radius-margin")(x @ x.T), 6)
    4.0
    """
    coef = hard_margin(K, sign).coef
    if bound == "span":
        used = np.flatnonzero(coef)
        return lambda other: float(
            np.abs(coef[used]) @ (1 / np.diagonal(_bordered_inverse(other[np.ix_(used, used)])))
        )
    beta = np.full(len(K), 1.0 / len(K))
    if bound == "radius-margin":
        beta = enclosing_ball(K)[1]
    total = 2.0 * np.abs(coef).sum()
    return lambda other: float(
        (beta @ np.diagonal(other) - beta @ other @ beta) * max(total - coef @ other @ coef, 0.0)
    )


def _bordered_inverse(K: np.ndarray) -> np.ndarray:
    """The part of the inverse of K bordered by ones that belongs to the rows."""
    n = len(K)
    bordered = np.ones((n + 1, n + 1))
    bordered[:n, :n], bordered[n, n] = K, 0.0
    return np.linalg.pinv(bordered, hermitian=True)[:n, :n]


BOUNDS: dict[str, Callable[[np.ndarray, np.ndarray], Bound]] = {
    "radius-margin": radius_margin,
    "variance": variance_margin,
    "span": span,
}
