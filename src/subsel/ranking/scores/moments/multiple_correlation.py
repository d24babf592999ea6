"""How well a column is predicted from all others: real columns share causes, independent probes do not."""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from subsel.data.statistics.score_input import columns
from subsel.ranking.registry import score

__all__ = ["multiple_correlation"]


@score("multiple-correlation", "smc", multiclass=True, regression=True)
def multiple_correlation(X: Any, y: Any, *, ridge: float = 0.1) -> np.ndarray:  # noqa: ARG001
    r"""Score features by how well ridge regression on all other columns predicts them; the target is not looked at.

    .. math:: s_j = 1 - \sum_i e_{ij}^2 / \sum_i z_{ij}^2, \qquad e_{ij}: \text{what is left of row i, which was left out}

    This is the squared multiple correlation [1]_, of rows that the regression did not see [2]_: a
    column that has nothing to do with the others scores about zero or less, whatever the number of
    columns. Columns are standardised. All regressions and all rows left out come from one inverse.
    Constant columns score 0.

    Parameters
    ----------
    ridge : float
        The penalty, in units of the mean eigenvalue of the correlation matrix, so that 0.1 is a
        little for few columns and for many. Must be positive.

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
        shared, diagonal = products(Z, penalty)
        alone = 1 - np.einsum("ij,ij->j", Z, shared)
        left = shared / (diagonal[:, None] * alone + shared**2)
        scores[varying] = 1 - np.einsum("ij,ij->j", left, left)
    return scores


def _by_rows(Z: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of the penalised products of rows, times the columns; and its diagonal."""
    inverse = np.linalg.inv(Z @ Z.T + penalty * np.eye(len(Z)))
    return inverse @ Z, np.diag(inverse)


def _by_columns(Z: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """The same by the matrix of correlations, which is smaller where there are more rows than columns."""
    shared = cho_solve(cho_factor(Z.T @ Z + penalty * np.eye(Z.shape[1])), Z.T).T
    return shared, (1 - np.einsum("ij,ij->i", shared, Z)) / penalty
