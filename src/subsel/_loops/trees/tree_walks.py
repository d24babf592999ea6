"""Rows that descend a tree in flat arrays, and descend it again with one group of columns shuffled.

A tree is a tuple of arrays of shape (nodes,): left and right children (-1 at leaves), columns,
thresholds, and whether missing values go left.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Sample", "Shuffle", "add_rises"]


class Sample(NamedTuple):
    """The rows that a tree was not grown on."""

    X: np.ndarray  # (n, columns) all rows
    truth: np.ndarray  # (n,) target or class codes
    weight: np.ndarray  # (n,) weights of rows
    rows: np.ndarray  # (rows,) those that the tree was not grown on


class Shuffle(NamedTuple):
    """How the columns are shuffled, group by group."""

    group: np.ndarray  # (columns,) the group of each column
    orders: np.ndarray  # (orders, rows) permutations of `Sample.rows`, by place
    place: np.ndarray  # (groups,) which of the orders a group is shuffled by


@compiled
def child(x, node, tree):
    """Return the child of a node to which a row x (columns,) goes."""
    left, right, column, threshold, missing_left = tree
    value = x[column[node]]
    goes_left = value <= threshold[node]
    if np.isnan(value):
        goes_left = missing_left[node] != 0
    if goes_left:
        return left[node]
    return right[node]


@compiled
def shuffled_leaf(x, donor, group, shuffled, node, tree):
    """Return the leaf below `node` of a row x whose columns of one group are read from `donor`.

    x and `donor` are of shape (columns,), ``group[j]`` is the group of column j, and `shuffled` the
    group that is exchanged.
    """
    left, column = tree[0], tree[2]
    while left[node] >= 0:
        if group[column[node]] == shuffled:
            node = child(donor, node, tree)
        else:
            node = child(x, node, tree)
    return node


@compiled
def loss(prediction, truth, squared):
    """Return the squared error, or for classes 1 where the prediction is wrong."""
    if squared:
        return (prediction - truth) ** 2
    if prediction == truth:
        return 0.0
    return 1.0


@compiled
def group_on_path(g, group, column, path, step):
    """Return whether a node of `path` before `step` divides by a column of group g."""
    earlier = 0
    while earlier < step and group[column[path[earlier]]] != g:
        earlier += 1
    return earlier < step


@compiled
def add_rises(sample, shuffle, tree, values, squared, out):
    """Add to `out` by how much the loss of the rows rises when a group of columns is shuffled.

    Only groups on a row's own path can change its leaf, so that the row descends again from the
    first node that divides by the group.

    Parameters
    ----------
    sample : Sample
        The rows.
    shuffle : Shuffle
        The groups and their permutations.
    tree : tuple of ndarray
        The nodes.
    values : ndarray of shape (nodes,)
        The prediction of each node.
    squared : bool
        Whether the loss is the squared error, or the error of a class.
    out : ndarray of shape (groups, classes)
        Weighted rises of the loss by group and true class are added; a numeric target has one
        class.
    """
    X, truth, weight, rows = sample
    group, orders, place = shuffle
    left, column = tree[0], tree[2]
    path = np.empty(len(left), np.int64)
    for i in range(len(rows)):
        row = rows[i]
        x = X[row]
        n, node = 0, 0
        while left[node] >= 0:
            path[n] = node
            n += 1
            node = child(x, node, tree)
        own = loss(values[node], truth[row], squared)
        kind = 0
        if not squared:
            kind = int(truth[row])
        for step in range(n):
            g = group[column[path[step]]]
            if not group_on_path(g, group, column, path, step):
                end = shuffled_leaf(x, X[rows[orders[place[g], i]]], group, g, path[step], tree)
                out[g, kind] += weight[row] * (loss(values[end], truth[row], squared) - own)
