"""The split of one column that sends most rows to the same side as a given split."""

import numpy as np

from subsel._loops import compiled

__all__ = ["best_agreements"]


@compiled
def best_agreement(values, goes_left, n_left):
    """How many rows agree at best, the threshold, and whether the sides must be exchanged for it."""
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
def best_agreements(X, goes_left):
    """The same for every column of a table; -1 where a column is constant."""
    n_columns = X.shape[1]
    agree, threshold, reverse = np.empty(n_columns), np.empty(n_columns), np.empty(n_columns, np.bool_)
    n_left = goes_left.sum()
    for j in range(n_columns):
        agree[j], threshold[j], reverse[j] = best_agreement(X[:, j].copy(), goes_left, n_left)
    return agree, threshold, reverse
