"""Regularised least-squares classification: leave-one-out outputs in closed form, and a bound."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

__all__ = ["rlsc_error_bound", "rlsc_leave_one_out"]


def rlsc_leave_one_out(K: np.ndarray, sign: np.ndarray, ridge: float = 1.0) -> np.ndarray:
    r"""Compute the outputs :math:`y_k f^{(-k)}(x_k)` of kernel ridge trained without each row [1]_.

    Labels are -1 and 1. With :math:`Q = (K + \lambda I)^{-1}` the leave-one-out error of row k is
    :math:`(Qy)_k / Q_{kk}`; the ridge :math:`\lambda` stays the same when a row is left out.
    Negative outputs are errors.

    Parameters
    ----------
    K : ndarray of shape (rows, rows)
        The kernel matrix.
    sign : ndarray of shape (rows,)
        -1 or 1, the class of each row.
    ridge : float
        :math:`\lambda`, the number of rows times the gamma of [1]_.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for
       high-dimensional problems*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 11,
       section 11.5.2 (which prints the inverse in place of the hat matrix).

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0]])
    >>> rlsc_leave_one_out(x @ x.T, np.array([-1.0, -1.0, 1.0])).round(4)
    array([1.3333, 0.5   , 0.5   ])
    """
    # With c = Q y, y_k - f^(-k)(x_k) = c_k / Q_kk: the k-th column of Q, divided by Q_kk, is what
    # changes the coefficients so that c_k becomes 0 while all other equations still hold (block
    # inversion; Rifkin and Lippert, Notes on regularized least squares, MIT, 2007).
    inverse = cho_solve(cho_factor(K + ridge * np.eye(len(K))), np.eye(len(K)))
    return 1.0 - sign * (inverse @ sign) / np.diagonal(inverse)


def rlsc_error_bound(K: np.ndarray, sign: np.ndarray, ridge: float = 1.0) -> int:
    r"""Bound the number of leave-one-out errors by the outputs of the model of all rows [1]_.

    .. math:: \#\Bigl\{k : y_k f(x_k) \le \frac{K_{kk}}{K_{kk} + \lambda}\Bigr\}

    Parameters
    ----------
    K, sign, ridge : ndarray, ndarray, float
        As in :func:`rlsc_leave_one_out`.

    References
    ----------
    .. [1] Torkkola and Tuv, as in :func:`rlsc_leave_one_out`.

    Examples
    --------
    >>> x = np.array([[-2.0], [-1.0], [1.0]])
    >>> rlsc_error_bound(x @ x.T, np.array([-1.0, -1.0, 1.0]))
    0
    """
    # With Q = (K + ridge I)^-1, an error means y_k (Q y)_k >= Q_kk, and Q_kk >= 1 / (K_kk + ridge)
    # for a positive definite matrix; as y_k f(x_k) = 1 - ridge y_k (Q y)_k, the output is then at
    # most K_kk / (K_kk + ridge).
    own = np.diagonal(K)
    outputs = sign * (K @ cho_solve(cho_factor(K + ridge * np.eye(len(K))), sign))
    return int(np.count_nonzero(outputs <= own / (own + ridge)))
