"""Bounds of the leave-one-out error of a support vector machine, and their derivatives."""

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
    """The value of a bound and its derivative by the kernel matrix."""

    value: float
    slope: np.ndarray  # shape (rows, rows), symmetric: the derivative by K_kl


def radius_margin(K: np.ndarray, sign: np.ndarray) -> Bound:
    r"""Compute the radius-margin bound :math:`R^2 \|w\|^2` [1]_.

    R is the radius of the smallest ball around all rows and :math:`1/\|w\|` the margin. Four times
    the value bounds the number of leave-one-out errors. The machine has no slack; quadratic slack
    of price C is 1/C added to the diagonal of K.

    Parameters
    ----------
    K : ndarray of shape (rows, rows)
        The kernel matrix.
    sign : ndarray of shape (rows,)
        -1 or 1, the class of each row.

    Returns
    -------
    Bound
        Its value, and its derivative by the kernel matrix.

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
    r"""Compute the radius-margin bound with the variance of the rows as squared radius [1]_.

    It is cheaper than :func:`radius_margin` and less sensitive to outliers.

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
    """Multiply a squared radius, of multipliers beta, by the squared length of the weights."""
    # R^2 and |w|^2 are optimal values of quadratic programmes in beta and in c = alpha y. By the
    # envelope theorem their derivatives by K are the explicit ones: diag(beta) - beta beta' and
    # -c c'. The dual value 2 sum alpha - c' K c equals c' K c at the optimum, and errors of c
    # change it to second order only (Chapelle, Vapnik, Bousquet and Mukherjee 2002).
    coef = hard_margin(K, sign).coef
    length = float(2.0 * np.abs(coef).sum() - coef @ K @ coef)
    ball = np.diag(beta) - np.outer(beta, beta)
    return Bound(square * length, length * ball - square * np.outer(coef, coef))


def span(K: np.ndarray, sign: np.ndarray) -> Bound:
    r"""Compute the span bound :math:`\sum_k \alpha_k S_k^2` on the number of leave-one-out errors.

    The span :math:`S_k^2 = 1 / (\tilde K^{-1})_{kk}`, with :math:`\tilde K` the kernel matrix of
    the support vectors bordered by ones, is the squared distance of a support vector from the
    affine combinations of the others [1]_. The bound is at most four times :func:`radius_margin`.
    The derivative is that for an unchanged set of support vectors.

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
    # With V the block of the bordered inverse, dV = -V dK V. The spans 1 / V_kk change by
    # S_k^4 (V dK V)_kk; the multipliers c = alpha y solve the bordered system, so dc = -V dK c.
    # The two terms are the derivative of sum alpha_k S_k^2, made symmetric.
    by_alpha = inverse @ (y * spans)
    by_spans = inverse * (alpha * spans**2) @ inverse
    slope = np.zeros_like(K)
    slope[np.ix_(used, used)] = (
        by_spans - (np.outer(by_alpha, alpha * y) + np.outer(alpha * y, by_alpha)) / 2
    )
    return Bound(float(alpha @ spans), slope)


def span_leave_one_out(K: np.ndarray, sign: np.ndarray) -> np.ndarray:
    r"""Estimate the signed outputs :math:`y_k f^{(-k)}(x_k)` of machines trained without each row.

    The output of a row off the margin does not change; that of a support vector falls by
    :math:`\alpha_k S_k^2`, see :func:`span`. The estimate is exact where the other support vectors
    stay the same without the row, and too low otherwise. Negative values are estimated errors.

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
    # Leave-one-out by the bordered inverse: without row k, the system of the other support vectors
    # is the Schur complement of row k, and the output at x_k falls by alpha_k / V_kk (Vapnik and
    # Chapelle 2000).
    coef, intercept = hard_margin(K, sign)
    outputs = sign * (K @ coef + intercept)
    used = np.flatnonzero(coef)
    outputs[used] -= np.abs(coef[used]) / np.diagonal(_bordered_inverse(K[np.ix_(used, used)]))
    return outputs


def kept_multipliers(K: np.ndarray, sign: np.ndarray, bound: str) -> Callable[[np.ndarray], float]:
    r"""Build a bound as a function of the kernel, with the multipliers that are optimal for K.

    Margin and radius are replaced by the values of their dual problems at these multipliers, which
    are lower bounds and agree with the bound at K to first order. (:math:`\|w\|^2` for fixed
    :math:`\alpha` would fall where the margin shrinks.)

    Parameters
    ----------
    K, sign : ndarray
        As in :func:`radius_margin`.
    bound : str
        A key of ``BOUNDS``.

    Returns
    -------
    callable
        Function of a kernel matrix of the same rows.

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
    """Invert K bordered by ones, by the pseudo-inverse, and return the block of the rows."""
    n = len(K)
    bordered = np.ones((n + 1, n + 1))
    bordered[:n, :n], bordered[n, n] = K, 0.0
    return np.linalg.pinv(bordered, hermitian=True)[:n, :n]


BOUNDS: dict[str, Callable[[np.ndarray, np.ndarray], Bound]] = {
    "radius-margin": radius_margin,
    "variance": variance_margin,
    "span": span,
}
