"""The two quadratic programmes behind bounds of support vector machines: the margin and the enclosing ball."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.svm import SVC, OneClassSVM

__all__ = ["Dual", "enclosing_ball", "hard_margin"]

_NO_BOUND = 1e12  # of the multipliers: slack is on the diagonal of the kernel
TOLERANCE = 1e-8
_ROUNDS = 20


class Dual(NamedTuple):
    """A machine :math:`f(x) = \\sum_k c_k k(x, x_k) + b`; ``coef`` is :math:`c_k = \\alpha_k y_k`, 0 off the margin."""

    coef: np.ndarray
    intercept: float


def hard_margin(K: np.ndarray, sign: np.ndarray) -> Dual:
    """The support vector machine without slack; quadratic slack of price C is 1/C added to the diagonal of K.

    Scikit-learn's solver, with multipliers as good as unbounded, finds the support vectors in
    single precision; the multipliers are then those of the equations that hold on the margin.

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0]])
    >>> dual = hard_margin(x @ x.T, np.array([-1.0, -1.0, 1.0]))
    >>> dual.coef.round(6), abs(round(dual.intercept, 6))
    (array([ 0. , -0.5,  0.5]), 0.0)
    """
    machine = SVC(C=_NO_BOUND, kernel="precomputed", tol=TOLERANCE).fit(K, sign > 0)
    coef = np.zeros(len(K))
    coef[machine.support_] = machine.dual_coef_[0]
    return _polished(K, sign, coef != 0) or Dual(coef, float(machine.intercept_[0]))


def _polished(K: np.ndarray, sign: np.ndarray, support: np.ndarray) -> Dual | None:
    """Solve on the margin, correct the support vectors, a few times; None where that does not settle."""
    for _ in range(_ROUNDS):
        used = np.flatnonzero(support)
        values = _on_equality(K[np.ix_(used, used)], sign[used], 0.0)
        coef = np.zeros(len(K))
        coef[used] = values[:-1]
        negative, inside = sign * coef < 0, sign * (K @ coef + values[-1]) < 1.0 - TOLERANCE
        if not (negative.any() or inside.any()):
            return Dual(coef, float(values[-1]))
        support = (support | inside) & ~negative
        if not support.any():
            break
    return None


def _on_equality(K: np.ndarray, right: np.ndarray, total: float) -> np.ndarray:
    """Solve :math:`K c + b = r` with the sum of c given; c and then b, of least norm where there are several."""
    n = len(K)
    bordered = np.ones((n + 1, n + 1))
    bordered[:n, :n], bordered[n, n] = K, 0.0
    sums = np.append(right, total)
    try:
        return np.linalg.solve(bordered, sums)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(bordered, sums, rcond=None)[0]


def enclosing_ball(K: np.ndarray) -> tuple[float, np.ndarray]:
    r"""The squared radius of the smallest ball around all rows, and its multipliers, which add up to 1.

    .. math:: R^2 = \max_\beta \sum_k \beta_k K_{kk} - \beta^T K \beta, \qquad \beta \ge 0, \; \sum_k \beta_k = 1

    Solved as a one-class machine: on the simplex the linear term goes into the matrix.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [4.0]])
    >>> square, beta = enclosing_ball(x @ x.T)
    >>> round(square, 6), beta.round(6)
    (4.0, array([0.5, 0. , 0.5]))
    """
    own = np.diagonal(K)
    distances = own[:, None] + own - 2.0 * K
    size = float(distances.max()) or 1.0
    machine = OneClassSVM(kernel="precomputed", nu=1 / len(K), tol=TOLERANCE).fit(
        1.0 - distances / size
    )
    beta = np.zeros(len(K))
    beta[machine.support_] = machine.dual_coef_[0]
    beta /= beta.sum()
    used = np.flatnonzero(beta)
    exact = _on_equality(K[np.ix_(used, used)], own[used] / 2.0, 1.0)[:-1]
    if (exact >= 0).all():
        beta[used] = exact
    return float(beta @ own - beta @ K @ beta), beta
