"""Rows walked down a tree whose nodes stand in flat arrays, and walked again where one group of columns is shuffled.

A tree is a tuple: left and right children (-1 at leaves), columns, thresholds and whether missing values go left.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Sample", "Shuffle", "add_rises"]


class Sample(NamedTuple):
    """The rows that a tree has not seen."""

    X: np.ndarray  # (n, columns), all rows
    truth: np.ndarray  # (n,)
    weight: np.ndarray  # (n,)
    rows: np.ndarray  # those that it has not seen


class Shuffle(NamedTuple):
    """How the columns are shuffled, group by group."""

    group: np.ndarray  # (columns,) the group of each column
    orders: np.ndarray  # (orders, rows) in which the rows are read
    place: np.ndarray  # (groups,) the order that a group has


@compiled
def child(x, node, tree):
    """The child that a row goes to."""
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
    """The leaf that a row ends in from a node on, with the columns of one group read from another row."""
    left, column = tree[0], tree[2]
    while left[node] >= 0:
        if group[column[node]] == shuffled:
            node = child(donor, node, tree)
        else:
            node = child(x, node, tree)
    return node


@compiled
def loss(prediction, truth, squared):
    """The squared error, or 1 where a class is wrong."""
    if squared:
        return (prediction - truth) ** 2
    if prediction == truth:
        return 0.0
    return 1.0


@compiled
def asked_before(g, group, column, path, step):
    """Whether an earlier node of the path asks for the same group."""
    earlier = 0
    while earlier < step and group[column[path[earlier]]] != g:
        earlier += 1
    return earlier < step


@compiled
def add_rises(sample, shuffle, tree, values, squared, out):
    """Add to ``out`` (groups, classes) by how much the loss of the rows rises when a group of columns is shuffled.

    Only nodes on a row's own path matter: it is walked again from the first of them that asks for the group.
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
            if not asked_before(g, group, column, path, step):
                end = shuffled_leaf(x, X[rows[orders[place[g], i]]], group, g, path[step], tree)
                out[g, kind] += weight[row] * (loss(values[end], truth[row], squared) - own)
