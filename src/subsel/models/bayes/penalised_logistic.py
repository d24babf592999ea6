"""The mode of a logistic posterior whose prior has a width per weight, and what the data say about each weight."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

__all__ = ["penalised_logistic"]


def penalised_logistic(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, precisions: np.ndarray, tol: float = 1e-10
) -> tuple[np.ndarray, np.ndarray]:
    r"""Give the mode of a logistic posterior and how far the data determine each weight.

    Newton's method in coordinates in which the prior is the unit sphere, :math:`v = \sqrt\beta w`; with more of them
    than rows, on the span of the rows.

    Parameters
    ----------
    X : ndarray of shape (m, n)
        The columns of the weights; an intercept is one of them.
    y : ndarray of shape (m,)
        Zeros and ones.
    weights : ndarray of shape (m,)
        Of the rows.
    precisions : ndarray of shape (n,)
        :math:`\beta` of the prior of each weight.
    tol : float
        Of the last Newton step, relative to the coordinates.

    Returns
    -------
    mode, determination : ndarrays of shape (n,)
        The weights w, and :math:`1 - \beta_j (H^{-1})_{jj}`.

    Examples
    --------
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])
    >>> w, gamma = penalised_logistic(X, y, np.ones(2), np.ones(1))
    >>> w.round(4), np.allclose(w, 2 / (1 + np.exp(w))), gamma.round(3)
    (array([0.6748]), True, array([0.309]))
    """
    Z = X / np.sqrt(precisions)
    A, basis = Z, None
    if Z.shape[1] > Z.shape[0]:
        basis = np.linalg.qr(Z.T)[0]
        A = Z @ basis

    def value(v: np.ndarray) -> float:
        return weights @ (y * (A @ v) - np.logaddexp(0, A @ v)) - 0.5 * v @ v

    v = np.zeros(A.shape[1])
    present = value(v)
    for _ in range(100):
        p = expit(A @ v)
        factor = cho_factor(np.eye(len(v)) + A.T @ ((weights * p * (1 - p))[:, None] * A))
        step = cho_solve(factor, A.T @ (weights * (y - p)) - v)
        if np.abs(step).max() <= tol * (1 + np.abs(v).max()):
            break
        floor = present - 1e-12 * (1 + abs(present))  # rounding is no descent
        while (ahead := value(v + step)) < floor and np.abs(step).max() > tol:
            step /= 2
        v, present = v + step, ahead
    inverse = cho_solve(factor, np.eye(len(v)))
    if basis is None:
        return v / np.sqrt(precisions), 1 - np.diag(inverse)
    known = np.einsum("jk,kl,jl->j", basis, np.eye(len(v)) - inverse, basis, optimize=True)
    return basis @ v / np.sqrt(precisions), known
