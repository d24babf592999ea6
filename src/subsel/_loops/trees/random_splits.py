"""A regression tree that tries, at every node, columns drawn with given weights."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Rules", "grow", "leaves"]


class Rules(NamedTuple):
    """Parameters of the growth of a tree."""

    cumulative: np.ndarray  # (columns,) cumulative sums of the weights by which columns are drawn
    n_draws: int  # draws at each node, with replacement
    max_depth: int  # depth at which nodes are leaves; the root has depth 0
    min_leaf: int  # least number of rows in a leaf


TIE = 1e-10  # share of the squares in a node by which a gain must exceed an earlier one to win


@compiled
def draw_columns(cumulative, n_draws, seen, node, rng):
    """Draw columns with replacement by their weights, and return the distinct ones as drawn.

    All columns are returned where `n_draws` is at least their number. ``seen[j]`` (columns,) is the
    last node for which column j was drawn; overwritten.
    """
    n_columns = len(cumulative)
    if n_draws >= n_columns:
        return np.arange(n_columns)
    drawn, n = np.empty(n_draws, np.int64), 0
    for _ in range(n_draws):
        j = min(
            np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"), n_columns - 1
        )
        if seen[j] != node:
            seen[j] = node
            drawn[n] = j
            n += 1
    return drawn[:n]


@compiled
def best_split(values, targets, weight, min_leaf):
    """Return the fall of the weighted squares by the best threshold, the threshold, and the tie.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The column.
    targets : ndarray of shape (n, targets)
        What is predicted.
    weight : ndarray of shape (n,)
        The weights of rows.
    min_leaf : int
        Least number of rows on either side.

    Returns
    -------
    best : float
        How much the weighted sum of squares about the mean falls, 0 where no division is allowed.
    threshold : float
        The middle between two values, NaN where no division is allowed.
    tie : float
        The difference up to which two gains in this node are equal.
    """
    # The gain is S_l^2 / W_l + S_r^2 / W_r - S^2 / W, as in `binned_forest.best_level` (L. Breiman
    # et al., *Classification and Regression Trees*, 1984, chapter 8).
    order, n, n_targets = np.argsort(values, kind="mergesort"), len(values), targets.shape[1]
    whole, total, tie = np.zeros(n_targets), weight.sum(), 0.0
    for i in range(n):
        whole += weight[i] * targets[i]
        tie += TIE * weight[i] * (targets[i] ** 2).sum()
    below, low_weight, best, threshold = np.zeros(n_targets), 0.0, 0.0, np.nan
    whole_part = (whole**2).sum() / total
    for k in range(1, n):
        i = order[k - 1]
        below += weight[i] * targets[i]
        low_weight += weight[i]
        low, high = values[i], values[order[k]]
        if (
            low < high
            and k >= min_leaf
            and n - k >= min_leaf
            and low_weight > 0
            and low_weight < total
        ):
            gain = (
                (below**2).sum() / low_weight
                + ((whole - below) ** 2).sum() / (total - low_weight)
                - whole_part
            )
            if gain > best + tie:
                best, threshold = gain, low / 2.0 + high / 2.0
    return best, threshold, tie


@compiled
def varied(targets, rows):
    """Return whether the targets of these rows differ; if not, the node uses up no draws."""
    first, i = targets[rows[0]], 1
    while i < len(rows) and (np.abs(targets[rows[i]] - first) <= TIE * np.abs(first)).all():
        i += 1
    return i < len(rows)


@compiled
def partition(rows, start, stop, X, column, threshold):
    """Put the rows of ``rows[start:stop]`` that go left first, keeping their order; in place.

    Returns the place where the other rows begin.
    """
    part = rows[start:stop].copy()
    goes_left = np.array([X[row, column] <= threshold for row in part])
    middle = start + goes_left.sum()
    rows[start:middle] = part[goes_left]
    rows[middle:stop] = part[~goes_left]
    return middle


@compiled
def grow(X, targets, weight, rows, rules, rng):
    """Grow a tree, breadth first, and return its nodes.

    Parameters
    ----------
    X : ndarray of shape (n_all, columns)
        The table.
    targets : ndarray of shape (n_all, targets)
        What is predicted.
    weight : ndarray of shape (n_all,)
        The weights of rows.
    rows : ndarray of shape (n,)
        The rows to grow the tree on.
    rules : Rules
        Parameters of the growth.
    rng : numpy.random.Generator
        Draws the columns.

    Returns
    -------
    left, right : ndarray of shape (nodes,)
        The children of each node, -1 for leaves.
    column, threshold : ndarray of shape (nodes,)
        The column that divides a node and the largest value that goes left; -2 and NaN for leaves.
    fall : ndarray of shape (nodes,)
        How much the division lowers the weighted sum of squares.
    """
    cumulative, n_draws, max_depth, min_leaf = rules
    most = 2 * len(rows)
    left, right = np.full(most, -1), np.full(most, -1)
    column, threshold, fall = np.full(most, -2), np.full(most, np.nan), np.zeros(most)
    start, stop = np.zeros(most, np.int64), np.zeros(most, np.int64)
    depth = np.zeros(most, np.int64)
    seen = np.full(X.shape[1], -1)
    rows = rows.copy()
    stop[0], n = len(rows), 1
    node = 0
    while node < n:
        inside = rows[start[node] : stop[node]]
        if depth[node] < max_depth and len(inside) >= 2 * min_leaf and varied(targets, inside):
            for j in draw_columns(cumulative, n_draws, seen, node, rng):
                gain, cut, tie = best_split(X[inside, j], targets[inside], weight[inside], min_leaf)
                if gain > fall[node] + tie:
                    fall[node], column[node], threshold[node] = gain, j, cut
        if column[node] >= 0:
            middle = partition(rows, start[node], stop[node], X, column[node], threshold[node])
            left[node], right[node] = n, n + 1
            start[n], stop[n], start[n + 1], stop[n + 1] = start[node], middle, middle, stop[node]
            depth[n] = depth[n + 1] = depth[node] + 1
            n += 2
        node += 1
    return left[:n], right[:n], column[:n], threshold[:n], fall[:n]


@compiled
def leaves(X, left, right, column, threshold):
    """Return the leaf (n,) of every row of X (n, columns), given the nodes of `grow`."""
    leaf = np.empty(len(X), np.int64)
    for i in range(len(X)):
        node = 0
        while left[node] >= 0:
            if X[i, column[node]] <= threshold[node]:
                node = left[node]
            else:
                node = right[node]
        leaf[i] = node
    return leaf
