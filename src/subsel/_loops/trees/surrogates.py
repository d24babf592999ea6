"""The best split of a node, and the split of one column that sends most rows to the same side as a given split."""

import numpy as np

from subsel._loops.compiler import compiled
from subsel._loops.trees.random_splits import best_split

__all__ = ["best_column", "best_surrogates"]


@compiled
def best_column(X, targets, weight, min_leaf):
    """The column and the threshold that take most from the weighted squares, and how much; rows where a column is missing do not count for it."""
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
def best_surrogates(X, goes_left):
    """Predictive association, threshold and sides of every column's best surrogate, among rows where the column is known.

    Minus infinity where a column is constant, or known on one side only.
    """
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
