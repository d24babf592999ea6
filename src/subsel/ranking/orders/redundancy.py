"""Orders by information on the class, less the information shared with selected features."""

from typing import Any

import numpy as np

from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import greedy
from subsel.ranking.registry import order

__all__ = ["mifs", "mifs_max", "mrmr_difference", "mrmr_quotient"]


@order("mifs", sparse=True, weights=True, missing=True)
def mifs(
    X: Any,
    y: Any,
    n_features: int | None = None,
    beta: float = 0.7,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features informative on the class and not on each other (MIFS) [1]_ [2]_ [3]_.

    .. math:: s_k = I(X_k; Y) - \beta \sum_{j \in S} I(X_k; X_j)

    With ``beta=0`` this is the ranking by information. From ``beta=1`` on, a copy of a selected
    feature never comes before an independent relevant one.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The number of features to select; all by default.
    beta : float
        The weight of redundancy; the usual values are 0.5 to 1.

    References
    ----------
    .. [1] R. Battiti, "Using mutual information for selecting features in supervised neural net
       learning", *IEEE Transactions on Neural Networks* 5, 1994.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       relevance less redundancy.
    .. [3] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> mifs(X, [0, 1, 1, 1]).features
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    relevance, redundancy = table.with_class(), np.zeros(table.n_columns)

    def rescore(j: int) -> np.ndarray:
        """Add the information shared with feature j to `redundancy`, and give the scores."""
        redundancy[:] += table.with_column(j)
        return relevance - beta * redundancy

    return greedy(relevance, path_length(n_features, table.n_columns), rescore)


@order("mifs_max", sparse=True, weights=True, missing=True)
def mifs_max(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features by information less the most they share with one selected feature [1]_.

    .. math:: s_k = I(X_k; Y) - \max_{j \in S} I(X_k; X_j)

    It penalises less than :func:`mifs` and has no weight: many small overlaps do not add up.

    Parameters
    ----------
    X, y, n_features, discretiser, sample_weight : object
        As in :func:`mifs`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       relevance less redundancy.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> mifs_max(X, [0, 1, 1, 1]).features
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    relevance, overlap = table.with_class(), np.zeros(table.n_columns)

    def rescore(j: int) -> np.ndarray:
        """Include the information shared with feature j in `overlap`, and give the scores."""
        np.maximum(overlap, table.with_column(j), out=overlap)
        return relevance - overlap

    return greedy(relevance, path_length(n_features, table.n_columns), rescore)


@order("mrmr_difference", "mid", "mrmr_d", sparse=True, weights=True, missing=True)
def mrmr_difference(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features by information less the mean information on selected ones [1]_ [2]_ [3]_.

    .. math:: s_k = I(X_k; Y) - \frac{1}{|S|} \sum_{j \in S} I(X_k; X_j)

    This is :func:`mifs` with :math:`\beta = 1/|S|`.

    Parameters
    ----------
    X, y, n_features, discretiser, sample_weight : object
        As in :func:`mifs`.

    References
    ----------
    .. [1] H. Peng, F. Long and C. Ding, "Feature selection based on mutual information: criteria of
       max-dependency, max-relevance, and min-redundancy", *IEEE Transactions on Pattern Analysis
       and Machine Intelligence* 27, 2005.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       relevance less redundancy.
    .. [3] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> mrmr_difference(X, [0, 1, 1, 1]).features
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    relevance, mean = table.with_class(), _RunningMean(table.n_columns)
    return greedy(
        relevance,
        path_length(n_features, table.n_columns),
        lambda j: relevance - mean.include(table.with_column(j)),
    )


@order("mrmr_quotient", "miq", "mrmr_q", sparse=True, weights=True, missing=True)
def mrmr_quotient(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features by information over the mean information on selected ones [1]_ [2]_.

    .. math:: s_k = I(X_k; Y) \Big/ \Bigl(\frac{1}{|S|} \sum_{j \in S} I(X_k; X_j) + 0.01\Bigr)

    The constant keeps the score of a feature finite that shares nothing; constant features score 0.

    Parameters
    ----------
    X, y, n_features, discretiser, sample_weight : object
        As in :func:`mifs`.

    References
    ----------
    .. [1] C. Ding and H. Peng, "Minimum redundancy feature selection from microarray gene
       expression data", *Journal of Bioinformatics and Computational Biology* 3, 2005.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> mrmr_quotient(X, [0, 1, 1, 1]).features
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    relevance, mean = table.with_class(), _RunningMean(table.n_columns)
    return greedy(
        relevance,
        path_length(n_features, table.n_columns),
        lambda j: relevance / (mean.include(table.with_column(j)) + 0.01),
    )


class _RunningMean:
    """The mean of the arrays included so far, all of shape (size,)."""

    def __init__(self, size: int) -> None:
        self._total, self._n = np.zeros(size), 0

    def include(self, values: np.ndarray) -> np.ndarray:
        """Include one more array and give the mean."""
        self._total += values
        self._n += 1
        return self._total / self._n
