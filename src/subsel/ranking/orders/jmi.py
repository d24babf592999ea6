"""Orders by joint mutual information, and by its symmetrical relative form."""

from typing import Any

import numpy as np

from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import greedy
from subsel.ranking.registry import order

__all__ = ["disr", "jmi"]


@order("jmi", sparse=True, weights=True, missing=True)
def jmi(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features by their joint information on the class with each selected one [1]_ [2]_.

    .. math::

        s_k = \sum_{j \in S} I(X_k, X_j; Y), \qquad
        I(X_k, X_j; Y) = I(X_j; Y) + I(X_k; Y | X_j)

    Unlike :func:`mifs` it sees pairs that are informative only jointly.

    Parameters
    ----------
    X, y, n_features, discretiser, sample_weight : object
        As in :func:`mifs`.

    References
    ----------
    .. [1] H. H. Yang and J. Moody, "Data visualization and feature selection: new algorithms for
       nongaussian data", *NIPS* 12, 1999.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> jmi(X, [0, 1, 1, 0]).features  # exclusive or of the first (or second) and the third
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    relevance, total = table.with_class(), np.zeros(table.n_columns)

    def rescore(j: int) -> np.ndarray:
        """Add the terms of feature j to `total`, which is returned."""
        total[:] += relevance[j] + table.conditional(j)
        return total

    return greedy(relevance, path_length(n_features, table.n_columns), rescore)


@order("disr", sparse=True, weights=True, missing=True)
def disr(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features as :func:`jmi` does, with information relative to joint entropy [1]_ [2]_.

    .. math:: s_k = \sum_{j \in S} I(X_k, X_j; Y) \,/\, H(X_k, X_j, Y)

    Features of many values have less advantage.

    Parameters
    ----------
    X, y, n_features, discretiser, sample_weight : object
        As in :func:`mifs`.

    References
    ----------
    .. [1] P. E. Meyer and G. Bontempi, "On the use of variable complementarity for feature
       selection in cancer classification", *EvoWorkshops*, 2006.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> disr(X, [0, 1, 1, 0]).features
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    relevance, total = table.with_class(), np.zeros(table.n_columns)
    entropies, class_entropy = table.entropies(), table.class_entropy()

    def rescore(j: int) -> np.ndarray:
        """Add the terms of feature j to `total`, which is returned."""
        # both = I(X_k; (X_j, Y)) and alone = I(X_k; X_j). By the chain rule (Cover and Thomas,
        # Elements of Information Theory, 1991, section 2.5) I(X_k, X_j; Y) = I(X_j; Y) + both -
        # alone, and H(X_k, X_j, Y) = H(X_k) + H(X_j, Y) - both: no table of three is counted twice.
        both, alone = table.with_column_and_class(j)
        pair_entropy = entropies[j] + class_entropy - relevance[j]
        total[:] += (relevance[j] + both - alone) / (entropies + pair_entropy - both)
        return total

    return greedy(relevance, path_length(n_features, table.n_columns), rescore)
