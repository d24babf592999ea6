"""How well a column is predicted from all others.

Real columns share causes and predict each other; independent probes do not.
"""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from subsel.data.statistics.score_input import columns
from subsel.ranking.registry import score

__all__ = ["multiple_correlation"]


@score("multiple-correlation", "smc", multiclass=True, regression=True)
def multiple_correlation(X: Any, y: Any, *, ridge: float = 0.1) -> np.ndarray:  # noqa: ARG001
    r"""Score features by how well ridge regression on all other columns predicts them.

    .. math:: s_j = 1 - \sum_i e_{ij}^2 / \sum_i z_{ij}^2

    where :math:`e_{ij}` is the leave-one-out residual of row i. The target is ignored. This is the
    squared multiple correlation [1]_ on rows that the regression was not fitted to [2]_: a column
    that is independent of the others scores about zero or less, whatever the number of columns.
    Columns are standardised. Constant columns score 0.

    Parameters
    ----------
    X : array-like
        The table.
    y : object
        Ignored.
    ridge : float
        The penalty, which must be positive, in units of the mean eigenvalue of the correlation
        matrix: 0.1 is small whatever the number of columns.

    References
    ----------
    .. [1] L. Guttman, "Image theory for the structure of quantitative variates", *Psychometrika*
       18, 1953.
    .. [2] D. M. Allen, "The relationship between variable selection and data augmentation and a
       method for prediction", *Technometrics* 16, 1974.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, probe = rng.normal(size=(3, 200))
    >>> (multiple_correlation(np.column_stack([a, b, a + b, probe]), y=None) > 0.5).tolist()
    [True, True, True, False]
    """
    if not ridge > 0:
        raise ValueError(f"ridge must be positive, got {ridge!r}.")
    X = columns(X, accept_sparse=False).astype(np.float64)
    n, p = X.shape
    varying = np.ptp(X, axis=0) > 0
    Z = X[:, varying] - X[:, varying].mean(axis=0)
    Z /= np.sqrt(np.einsum("ij,ij->j", Z, Z))
    scores = np.zeros(p)
    if Z.shape[1]:
        penalty = ridge * max(1.0, Z.shape[1] / n)
        products = _by_columns if Z.shape[1] < n else _by_rows
        # With K = Z Z^T + penalty I, S = K^-1 Z and a_j = 1 - z_j . s_j, Sherman and Morrison give
        # (K - z_j z_j^T)^-1 = K^-1 + s_j s_j^T / a_j, the inverse without column j (Hager,
        # "Updating the inverse of a matrix", SIAM Review 31, 1989). The dual weights of column j on
        # the others are s_j / a_j; the leave-one-out residual of row i is its weight over the i-th
        # diagonal entry of that inverse (Allen 1974), that is S_ij / (K^-1_ii a_j + S_ij^2).
        solved, diagonal = products(Z, penalty)
        alone = 1 - np.einsum("ij,ij->j", Z, solved)
        residuals = solved / (diagonal[:, None] * alone + solved**2)
        scores[varying] = 1 - np.einsum("ij,ij->j", residuals, residuals)
    return scores


def _by_rows(Z: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Give K^-1 Z, of shape (n, p), and the diagonal of K^-1, for K = Z Z^T + penalty I."""
    inverse = np.linalg.inv(Z @ Z.T + penalty * np.eye(len(Z)))
    return inverse @ Z, np.diag(inverse)


def _by_columns(Z: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Give what `_by_rows` does by the correlation matrix, smaller with more rows than columns."""
    # K^-1 Z = Z (Z^T Z + penalty I)^-1, and Woodbury's K^-1 = (I - Z (Z^T Z + penalty I)^-1 Z^T) /
    # penalty (Hager, "Updating the inverse of a matrix", SIAM Review 31, 1989).
    solved = cho_solve(cho_factor(Z.T @ Z + penalty * np.eye(Z.shape[1])), Z.T).T
    return solved, (1 - np.einsum("ij,ij->i", solved, Z)) / penalty
