"""Quadratic programmes of support vector machines: the largest margin, the smallest ball."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.svm import SVC, OneClassSVM

__all__ = ["Dual", "enclosing_ball", "hard_margin"]

_NO_BOUND = (
    1e12  # upper bound of the multipliers, in effect none: slack is on the kernel's diagonal
)
TOLERANCE = 1e-8  # of the optimality conditions
_MAX_ROUNDS = 20  # active-set rounds; one or two suffice where the solver found the support vectors


class Dual(NamedTuple):
    r"""A machine :math:`f(x) = \sum_k c_k k(x, x_k) + b` by its coefficients."""

    coef: np.ndarray  # shape (rows,): c_k = alpha_k y_k, 0 for rows off the margin
    intercept: float


def hard_margin(K: np.ndarray, sign: np.ndarray) -> Dual:
    """Train a support vector machine without slack on a kernel matrix.

    Quadratic slack of price C is 1/C added to the diagonal of K. The solver of scikit-learn finds
    the support vectors; the multipliers are then computed to full precision from the equations that
    hold on the margin.

    Parameters
    ----------
    K : ndarray of shape (rows, rows)
        The kernel matrix.
    sign : ndarray of shape (rows,)
        -1 or 1, the class of each row.


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
    """Solve the equations of the margin exactly, and correct the set of support vectors.

    Parameters
    ----------
    support : ndarray of bool of shape (rows,)
        The support vectors, approximately.

    Returns
    -------
    Dual or None
        None if the corrections do not converge.
    """
    # An active-set method for the optimality conditions (Karush, Kuhn and Tucker): y_k f(x_k) = 1
    # and alpha_k >= 0 on the support, y_k f(x_k) >= 1 off it. On a given support they are linear:
    # K c + b = y and sum c = 0. Rows that violate the inequalities enter or leave the support.
    for _ in range(_MAX_ROUNDS):
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
    """Solve :math:`K c + b = r` under a given sum of c.

    Returns
    -------
    ndarray of shape (rows + 1,)
        c and then b, of least norm if the system is singular.
    """
    n = len(K)
    bordered = np.ones((n + 1, n + 1))
    bordered[:n, :n], bordered[n, n] = K, 0.0
    sums = np.append(right, total)
    try:
        return np.linalg.solve(bordered, sums)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(bordered, sums, rcond=None)[0]


def enclosing_ball(K: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Compute the squared radius of the smallest ball around all rows, and its multipliers.

    .. math:: R^2 = \max_\beta \sum_k \beta_k K_{kk} - \beta^T K \beta,
        \qquad \beta \ge 0, \; \sum_k \beta_k = 1

    The centre of the ball is the mean of the rows with weights :math:`\beta`.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [4.0]])
    >>> square, beta = enclosing_ball(x @ x.T)
    >>> round(square, 6), beta.round(6)
    (4.0, array([0.5, 0. , 0.5]))
    """
    # A one-class machine minimises beta' Q beta over the same simplex. With squared distances D and
    # sum beta = 1, beta' D beta = 2 (sum_k beta_k K_kk - beta' K beta), so Q = 1 - D / max D has
    # the same optimum. At it, 2 (K beta)_k + const = K_kk on the support, solved exactly below.
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
