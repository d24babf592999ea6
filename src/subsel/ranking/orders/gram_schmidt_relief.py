"""Relief on residuals: the part that a feature shares with selected features is projected out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.data.statistics.centred_table import CentredTable
from subsel.data.statistics.score_input import columns
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import greedy
from subsel.ranking.registry import order

__all__ = ["gram_schmidt_relief"]


@order("gram_schmidt_relief", "gs_relief")
def gram_schmidt_relief(
    X: Any,
    y: Any,
    n_features: int | None = None,
    score: Callable[[np.ndarray, Any], np.ndarray] | None = None,
) -> FeatureOrder:
    """Select features by ReliefF on the parts orthogonal to the features selected so far [1]_.

    Relief alone gives copies of a feature the same score. The book gives the idea only; this is its
    simplest reading. A column that depends linearly on selected features is set to 0 and scores as
    a constant. Each selected feature costs one run of Relief.

    Parameters
    ----------
    X, y : array-like
        Numeric features and classes.
    n_features : int, optional
        The number of features to select; all by default.
    score : callable, optional
        ``score(X, y)``; :func:`subsel.ranking.relieff` by default.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       Gram-Schmidt Relief.

    Examples
    --------
    >>> X = np.array([[0.0, 0, 1], [1, 2, 0], [5, 10, 1], [6, 12, 0]])
    >>> gram_schmidt_relief(X, [0, 0, 1, 1], score=lambda X, y: np.abs(np.ptp(X, axis=0))).features
    array([1, 2, 0])
    """
    from subsel.ranking.scores.neighbours.relieff import relieff

    if score is None:
        score = relieff
    X = columns(X, accept_sparse=False)
    table = CentredTable(X)
    residuals = table.columns(slice(None)).copy()

    def rescore(j: int) -> np.ndarray:
        """Remove feature j from `residuals`, in place, and score them."""
        # Modified Gram-Schmidt: each selected residual is removed from the residuals of all columns
        # (Björck, "Solving linear least squares problems by Gram-Schmidt orthogonalization", BIT
        # 7, 1967). A squared norm below 1e-10 of its start may be rounding and is set to zero.
        norm = np.linalg.norm(residuals[:, j])
        if norm > 0:
            q = residuals[:, j] / norm
            residuals[...] -= np.outer(q, q @ residuals)
        squares = (residuals**2).sum(axis=0)
        residuals[:, squares <= 1e-10 * table.squared_norms] = 0.0
        return score(residuals, y)

    return greedy(score(X, y), path_length(n_features, X.shape[1]), rescore)
