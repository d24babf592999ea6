"""Maximum relevance, minimum redundancy for numbers: F statistics and correlations."""

from typing import Any

import numpy as np

from subsel.data.statistics.centred_table import CentredTable
from subsel.data.statistics.class_moments import quotient
from subsel.data.statistics.score_input import columns, target
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import greedy
from subsel.ranking.registry import order

__all__ = ["mrmr", "mrmr_regression"]

# Smaller absolute correlations are raised to this value, as in the package mrmr_selection: without
# it a correlation that happens to be zero would make a score infinite.
FLOOR = 0.001


@order("mrmr", "mrmr_f", "fcq", sparse=True)
def mrmr(
    X: Any, y: Any, n_features: int | None = None, *, device: str | None = None
) -> FeatureOrder:
    r"""Select features by F over their mean correlation with the selected features [1]_ [2]_.

    .. math:: s_k = F_k \Big/ \frac{1}{|S|} \sum_{j \in S} \max(|\rho_{kj}|, 0.001)

    This is FCQ of Ding and Peng (2005), for classes; the sequence is that of the package
    ``mrmr_selection``. A feature that is a copy of all selected ones scores 0, as does a constant
    one. Each step needs one product of the table with a column, so that a sparse table stays
    sparse.

    Parameters
    ----------
    X, y : array-like
        The table and the classes.
    n_features : int, optional
        The number of features to select; all by default.
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
    r"""Select features as :func:`mrmr` does, for a numeric target [1]_.

    The F statistic is that of a correlation, :math:`F_k = (m - 2)\,r_k^2 / (1 - r_k^2)`, with m
    rows.

    Parameters
    ----------
    X, y : array-like
        The table and the target.
    n_features : int, optional
        The number of features to select; all by default.
    device : str, optional
        Where products are computed, as in :func:`mrmr`.

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
    """Give the table about its means, on a device if one is named."""
    if device is None:
        return CentredTable(X)
    from subsel._loops.device import find_device
    from subsel.data.statistics.centred_table import CentredOnDevice

    return CentredOnDevice(X, find_device(device))


def _quotient(table: CentredTable, relevance: np.ndarray, n_features: int | None) -> FeatureOrder:
    """Order features by relevance, of shape (n_columns,), over mean absolute correlation."""
    total, n_selected = np.zeros(len(relevance)), 0

    def rescore(j: int) -> np.ndarray:
        """Add the correlations with feature j to `total`, and give the scores."""
        # The mean over selected features is kept as a running sum, one term per step. It is 1 for a
        # copy of all of them; 1e-12 is above the rounding of that sum.
        nonlocal n_selected
        total[:] += np.maximum(np.abs(table.correlations(j)), FLOOR)
        n_selected += 1
        mean = total / n_selected
        return np.where(mean < 1 - 1e-12, relevance / mean, 0.0)

    return greedy(relevance, path_length(n_features, len(relevance)), rescore)
