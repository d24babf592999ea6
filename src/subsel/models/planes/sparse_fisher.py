"""The sparse Fisher discriminant: spread within classes plus a penalty on absolute weights."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Lasso

__all__ = ["sparse_fisher"]


def sparse_fisher(F: np.ndarray, positive: np.ndarray, penalty: float) -> tuple[np.ndarray, float]:
    r"""Compute the weights and the intercept of the sparse Fisher discriminant of two classes [1]_.

    .. math:: \min_{w, b, \xi} \; \tfrac1n \|\xi\|^2 + C \|w\|_1 \quad \text{with} \quad
              F w + b = y + \xi, \quad \textstyle\sum_{y_i = 1} \xi_i = \sum_{y_i = -1} \xi_i = 0

    With labels -1 and 1 the constraints say that the projected class means are -1 and 1, and the
    slack is the spread within classes: the criterion is :math:`w'Sw + C\|w\|_1`, subject to
    :math:`\langle w, d \rangle = 2`, with d the difference of class means. Its solutions for all C
    are the solutions u of the lasso of the labels on F, rescaled: if its penalty is
    :math:`\tfrac1n \|y - Fu - b\|^2 + r \|u\|_1`, then :math:`w = 2u / \langle d, u \rangle` has
    :math:`C = 2r / \langle d, u \rangle`. Columns of a kernel matrix give the sparse kernel Fisher
    discriminant, whose weights are non-zero for few rows.

    Parameters
    ----------
    F : ndarray of shape (n_rows, n_columns)
        Columns of a table, or of a kernel matrix.
    positive : ndarray of bool, shape (n_rows,)
        Which rows are of the second class.
    penalty : float
        The penalty r as a share of the smallest one at which all weights are zero, above 0 and
        below 1.

    Returns
    -------
    weights : ndarray of shape (n_columns,)
        The weights w.
    intercept : float
        The intercept b.

    References
    ----------
    .. [1] Mika, Rätsch and Müller, *A mathematical programming approach to the kernel Fisher
       algorithm*, NIPS 13, 2001.

    Examples
    --------
    >>> F = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]])
    >>> weights, intercept = sparse_fisher(F, np.array([False, False, True, True]), 0.5)
    >>> weights.round(6), round(intercept, 6)
    (array([0.5, 0. ]), -1.25)
    """
    one, other = F[positive].mean(axis=0), F[~positive].mean(axis=0)
    centred, labels = F - F.mean(axis=0), np.where(positive, 1.0, -1.0)
    largest = float(np.abs(centred.T @ (labels - labels.mean())).max()) / len(F)
    # equal class means, up to rounding: no direction separates them
    if largest <= 1e-12 * float(np.abs(F).max()):
        return np.zeros(F.shape[1]), 0.0
    lasso = Lasso(penalty * largest, fit_intercept=False, tol=1e-8, max_iter=100_000)
    direction = lasso.fit(centred, labels - labels.mean()).coef_
    weights = 2 * direction / float((one - other) @ direction)
    return weights, -float(weights @ (one + other)) / 2
