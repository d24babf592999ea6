"""The best split of a node, and the splits of other columns that imitate it best."""

import numpy as np

from subsel._loops.compiler import compiled
from subsel._loops.trees.random_splits import best_split

__all__ = ["best_column", "best_surrogates"]


@compiled
def best_column(X, targets, weight, min_leaf):
    """Return the column and threshold that lower the weighted squares most, and by how much.

    X (n, columns) may hold NaN: the rows where a column is missing do not count for it. `targets`
    is of shape (n, targets), `weight` of shape (n,). Gives -1, NaN and 0 where no division is
    allowed.
    """
    most, column, threshold = 0.0, -1, np.nan
    for j in range(X.shape[1]):
        known = np.flatnonzero(~np.isnan(X[:, j]))
        if len(known) > 1:
            gain, cut, tie = best_split(X[known, j], targets[known], weight[known], min_leaf)
            if gain > most + tie:
                most, column, threshold = gain, j, cut
    return column, threshold, most


@compiled
def best_agreement(values, goes_left, n_left):
    """Return how many rows a threshold on `values` can send to the side of `goes_left`, at best.

    `values` and `goes_left` are of shape (n,), and `n_left` rows go left. Also returns the
    threshold, and whether the sides must be exchanged for it; -1, NaN and False where all values
    are equal.
    """
    order, n = np.argsort(values), len(values)
    best, threshold, reverse = -1, np.nan, False
    left_below = 0
    for k in range(1, n):
        left_below += goes_left[order[k - 1]]
        low, high = values[order[k - 1]], values[order[k]]
        if low < high:
            agree = left_below + (n - n_left) - (k - left_below)
            if max(agree, n - agree) > best:
                best, reverse = max(agree, n - agree), agree < n - agree
                threshold = low + (high - low) / 2
    return best, threshold, reverse


@compiled
def best_surrogates(X, goes_left):
    """Return the predictive association of every column's best surrogate for a given split.

    Only the rows where a column is known count for it.

    Parameters
    ----------
    X : ndarray of shape (n, columns)
        The columns, NaN where missing.
    goes_left : ndarray of shape (n,)
        Which rows the given split sends left.

    Returns
    -------
    association : ndarray of shape (columns,)
        Minus infinity where a column is constant, or known on one side of the split only.
    threshold : ndarray of shape (columns,)
        The largest value that goes to the first side.
    reverse : ndarray of shape (columns,)
        Whether small values go right.
    """
    # The association is the share of the errors of sending all rows to the larger side that the
    # surrogate avoids (L. Breiman et al., *Classification and Regression Trees*, 1984, section
    # 5.3).
    n_columns = X.shape[1]
    association, threshold = np.full(n_columns, -np.inf), np.full(n_columns, np.nan)
    reverse = np.zeros(n_columns, np.bool_)
    for j in range(n_columns):
        known = np.flatnonzero(~np.isnan(X[:, j]))
        sides = goes_left[known]
        n_left = sides.sum()
        smaller = min(n_left, len(known) - n_left)
        agree, threshold[j], reverse[j] = best_agreement(X[known, j], sides, n_left)
        if agree >= 0 and smaller > 0:
            association[j] = (smaller - (len(known) - agree)) / smaller
    return association, threshold, reverse
