"""Maximum relevance, minimum redundancy on numbers: F statistics and correlations."""

from typing import Any

import numpy as np

from subsel.data.statistics.centred_table import CentredTable
from subsel.data.statistics.class_moments import quotient
from subsel.data.statistics.score_input import columns, target
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import greedy
from subsel.ranking.registry import order

__all__ = ["mrmr", "mrmr_regression"]

# Correlations below this count as this, so that a lucky zero does not decide.
FLOOR = 0.001


@order("mrmr", "mrmr_f", "fcq", sparse=True)
def mrmr(
    X: Any, y: Any, n_features: int | None = None, *, device: str | None = None
) -> FeatureOrder:
    r"""Take features by their F statistic over their mean absolute correlation with the features taken [1]_ [2]_.

    .. math:: s_k = F_k \Big/ \frac{1}{|S|} \sum_{j \in S} \max(|\rho_{kj}|, 0.001)

    Ding and Peng's FCQ (2005), for classes; the sequence is that of the package ``mrmr_selection``.
    A copy of all features taken scores 0, a constant feature too. One product of the table with a
    column per step: a sparse table stays sparse.

    Parameters
    ----------
    X, y : array-like
        The table and the classes.
    n_features : int, optional
        How many features to take; all by default.
    device : str, optional
        ``"cpu"`` or ``"cuda"``: where the products of a dense table are computed through PyTorch
        (the extra ``accelerator``).

    References
    ----------
    .. [1] C. Ding and H. Peng, "Minimum redundancy feature selection from microarray gene
       expression data", *Journal of Bioinformatics and Computational Biology* 3, 2005.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       relevance less redundancy.

    Examples
    --------
    >>> X = np.array([[0.0, 0, 1], [1, 1, 0], [5, 5, 1], [6, 6, 3]])
    >>> mrmr(X, [0, 0, 1, 1]).features
    array([0, 2, 1])
    """
    from subsel.ranking.scores.moments.anova import anova_f

    X = columns(X)
    return _quotient(_centred(X, device), anova_f(X, y), n_features)


@order("mrmr_regression", classification=False, multiclass=False, regression=True, sparse=True)
def mrmr_regression(
    X: Any, y: Any, n_features: int | None = None, *, device: str | None = None
) -> FeatureOrder:
    r"""Take features as :func:`mrmr` does, for a numeric target: :math:`F_k = (m - 2)\,r_k^2 / (1 - r_k^2)` [1]_.

    Parameters
    ----------
    X, y : array-like
        The table and the target.
    n_features : int, optional
        How many features to take; all by default.
    device : str, optional
        Where products are computed, as of :func:`mrmr`.

    References
    ----------
    .. [1] C. Ding and H. Peng, "Minimum redundancy feature selection from microarray gene
       expression data", *Journal of Bioinformatics and Computational Biology* 3, 2005.

    Examples
    --------
    >>> X = np.array([[0.0, 0, 1], [1, 1, 0], [5, 5, 1], [6, 6, 3]])
    >>> mrmr_regression(X, [0.0, 1.0, 5.0, 7.0]).features
    array([0, 2, 1])
    """
    X = columns(X)
    table, response = _centred(X, device), target(X, y)
    response = response - response.mean()
    norms = table.squared_norms * (response @ response)
    squares = np.divide(
        table.products(response) ** 2, norms, out=np.zeros_like(norms), where=norms > 0
    )
    return _quotient(
        table, quotient((X.shape[0] - 2) * squares, np.maximum(1 - squares, 0.0)), n_features
    )


def _centred(X: Any, device: str | None) -> CentredTable:
    """The table about its means, on a device where one is named."""
    if device is None:
        return CentredTable(X)
    from subsel._loops.device import find_device
    from subsel.data.statistics.centred_table import CentredOnDevice

    return CentredOnDevice(X, find_device(device))


def _quotient(table: CentredTable, relevance: np.ndarray, n_features: int | None) -> FeatureOrder:
    total, n_taken = np.zeros(len(relevance)), 0

    def rescore(taken: int) -> np.ndarray:
        nonlocal n_taken
        total[:] += np.maximum(np.abs(table.correlations(taken)), FLOOR)
        n_taken += 1
        mean = total / n_taken
        return np.where(mean < 1 - 1e-12, relevance / mean, 0.0)

    return greedy(relevance, path_length(n_features, len(relevance)), rescore)
