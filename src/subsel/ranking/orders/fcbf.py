"""The fast correlation-based filter."""

from typing import Any

import numpy as np

from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order

__all__ = ["fcbf"]


@order("fcbf", sparse=True, weights=True, missing=True)
def fcbf(
    X: Any,
    y: Any,
    n_features: int | None = None,
    threshold: float = 0.0,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Keep features that no better feature knows more of than the class does [1]_ [2]_ [3]_.

    With the symmetrical uncertainty :math:`SU = 2 I / (H + H')`, features with :math:`SU(X_k, Y)`
    above the threshold are visited in falling order; each one kept strikes out every later j with
    :math:`SU(X_k, X_j) \ge SU(X_j, Y)`. The path holds the features kept, the score is
    :math:`SU(X_k, Y)`.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        Stop after so many.
    threshold : float
        What a feature must exceed to be looked at.

    References
    ----------
    .. [1] L. Yu and H. Liu, "Feature selection for high-dimensional data: a fast correlation-based
       filter solution", *ICML*, 2003.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.
    .. [3] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       entropy distance and symmetrical uncertainty.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> fcbf(X, [0, 1, 1, 1]).features
    array([0, 2])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    length = path_length(n_features, table.n_columns)
    entropies = table.entropies()
    with_class = table.uncertainty_with(table.with_class(), entropies, table.class_entropy())
    # Ten digits, so that the last bits of equal values decide neither order nor strike.
    with_class = with_class.round(10)
    waiting = np.argsort(-with_class, kind="stable")
    waiting = waiting[with_class[waiting] > threshold]
    kept: list[int] = []
    while len(waiting) and len(kept) < length:
        best, waiting = int(waiting[0]), waiting[1:]
        kept.append(best)
        if len(waiting):
            shared = table.with_column(best, waiting)
            known = table.uncertainty_with(shared, entropies[waiting], entropies[best])
            waiting = waiting[known.round(10) < with_class[waiting]]
    features = np.array(kept, dtype=np.intp)
    return FeatureOrder(features, with_class[features])
