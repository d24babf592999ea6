"""Regularised least-squares classification: leave-one-out in closed form, and a bound on its errors."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

__all__ = ["rlsc_error_bound", "rlsc_leave_one_out"]


def rlsc_leave_one_out(K: np.ndarray, sign: np.ndarray, ridge: float = 1.0) -> np.ndarray:
    r"""The signed outputs :math:`y_k f^{(-k)}(x_k)` of kernel ridge on labels -1 and 1, trained without each row.

    With :math:`Q = (K + \lambda I)^{-1}` the error of row k is :math:`(Qy)_k / Q_{kk}`; the ridge
    stays the same when a row is left out. Rows under 0 are errors.

    Parameters
    ----------
    K : ndarray
        The kernel matrix.
    sign : ndarray
        -1 or 1 for each row.
    ridge : float
        :math:`\lambda`, the number of rows times the book's gamma.

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
    inverse = cho_solve(cho_factor(K + ridge * np.eye(len(K))), np.eye(len(K)))
    return 1.0 - sign * (inverse @ sign) / np.diagonal(inverse)


def rlsc_error_bound(K: np.ndarray, sign: np.ndarray, ridge: float = 1.0) -> int:
    r"""A bound on the number of leave-one-out errors that needs the model of all rows only.

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
    own = np.diagonal(K)
    outputs = sign * (K @ cho_solve(cho_factor(K + ridge * np.eye(len(K))), sign))
    return int(np.count_nonzero(outputs <= own / (own + ridge)))
