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
    r"""Select features associated more with the class than with any better feature [1]_ [2]_ [3]_.

    The association is the symmetrical uncertainty :math:`SU = 2 I / (H + H')`. Features with
    :math:`SU(X_k, Y)` above the threshold are visited in descending order, and each selected
    feature k rules out every later j with :math:`SU(X_k, X_j) \ge SU(X_j, Y)`. The score of a
    feature is :math:`SU(X_k, Y)`.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The largest number of features; all by default.
    threshold : float
        Features whose association with the class is not above it are ignored.

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
    # Ten digits, so that the last bits of equal values decide neither the order nor the selection.
    with_class = with_class.round(10)
    waiting = np.argsort(-with_class, kind="stable")
    waiting = waiting[with_class[waiting] > threshold]
    selected: list[int] = []
    while len(waiting) and len(selected) < length:
        best, waiting = int(waiting[0]), waiting[1:]
        selected.append(best)
        if len(waiting):
            shared = table.with_column(best, waiting)
            with_best = table.uncertainty_with(shared, entropies[waiting], entropies[best])
            waiting = waiting[with_best.round(10) < with_class[waiting]]
    features = np.array(selected, dtype=np.intp)
    return FeatureOrder(features, with_class[features])
