"""Trees of a forest on binned columns: a node counts levels instead of sorting values."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Size", "grow_binned", "walk_binned"]

TIE = 1e-10  # share of the squares in a node by which a gain must exceed an earlier one to win


class Size(NamedTuple):
    """Limits on the growth of a tree."""

    n_levels: int  # number of levels of each column
    n_seen: int  # columns tried in each node
    max_depth: int  # depth at which nodes are leaves; the root has depth 0
    min_leaf: int  # least number of rows in a leaf


class Levels(NamedTuple):
    """Sums over each level of one column; `best_level` overwrites all of them."""

    sums: np.ndarray  # (levels, targets) weighted sums of the targets
    masses: np.ndarray  # (levels,) sums of weights
    counts: np.ndarray  # (levels,) number of rows


@compiled
def best_level(levels, rows, sample, node, room, min_leaf):
    """Return the fall of the squares by the best division of a column, and the level it is after.

    Parameters
    ----------
    levels : ndarray of shape (n_all,)
        The level of every row in the column.
    rows : ndarray of shape (n,)
        The rows in the node.
    sample : tuple of ndarray
        The targets (n_all, targets) and weights (n_all,) of all rows.
    node : tuple
        The weighted sums of the targets in the node (targets,) and its mass.
    room : Levels
        Overwritten.
    min_leaf : int
        Least number of rows on either side.

    Returns
    -------
    gain : float
        How much the weighted sum of squares about the mean falls, 0 where no division is allowed.
    cut : int
        The last level that goes left, -1 where no division is allowed.
    """
    # With S the weighted sum of a target and W the mass of a part, the sum of squares about the
    # mean is sum w y^2 - S^2 / W, so that a division gains S_l^2 / W_l + S_r^2 / W_r - S^2 / W (L.
    # Breiman et al., *Classification and Regression Trees*, 1984, chapter 8).
    targets, weight = sample
    total, mass = node
    sums, masses, counts = room
    n_levels, n_targets = sums.shape
    sums[:], masses[:], counts[:] = 0.0, 0.0, 0
    for i in rows:
        level = levels[i]
        counts[level] += 1
        masses[level] += weight[i]
        for k in range(n_targets):
            sums[level, k] += weight[i] * targets[i, k]
    before, low_mass, low_count = 0.0, 0.0, 0
    low = np.zeros(n_targets)
    for k in range(n_targets):
        before += total[k] ** 2 / mass
    best, cut = 0.0, -1
    for level in range(n_levels - 1):
        if counts[level] == 0:
            continue
        low_count += counts[level]
        low_mass += masses[level]
        gain = -before
        for k in range(n_targets):
            low[k] += sums[level, k]
            gain += low[k] ** 2 / low_mass + (total[k] - low[k]) ** 2 / max(mass - low_mass, 1e-300)
        if (
            gain > best
            and low_count >= min_leaf
            and len(rows) - low_count >= min_leaf
            and low_count < len(rows)
        ):
            best, cut = gain, level
    return best, cut


@compiled
def divide(rows, start, stop, levels, cut):
    """Put the rows of levels up to the cut first in ``rows[start:stop]``, in place.

    `levels` (n_all,) are those of all rows. Returns the place where the other rows begin.
    """
    middle = start
    for at in range(start, stop):
        row = rows[at]
        if levels[row] <= cut:
            rows[at], rows[middle] = rows[middle], row
            middle += 1
    return middle


@compiled
def grow_binned(codes, targets, weight, size, rng):
    """Grow a tree, breadth first, and return its nodes.

    At each node `n_seen` columns are tried in random order, without repetition, and further ones
    while none of them can divide it.

    Parameters
    ----------
    codes : ndarray of shape (columns, n)
        The level of each row in each column.
    targets : ndarray of shape (n, targets)
        What is predicted.
    weight : ndarray of shape (n,)
        The weights of rows; those of weight 0 are left out.
    size : Size
        Limits on the growth.
    rng : numpy.random.Generator
        Draws the columns.

    Returns
    -------
    left, right : ndarray of shape (nodes,)
        The children of each node, -1 for leaves.
    column, cut : ndarray of shape (nodes,)
        The column that divides a node and the last level that goes left; -2 and -1 for leaves.
    values : ndarray of shape (nodes, targets)
        The weighted means.
    fall : ndarray of shape (nodes,)
        How much the division lowers the weighted sum of squares.
    """
    n_levels, n_seen, max_depth, min_leaf = size
    n_columns, n_targets = len(codes), targets.shape[1]
    rows = np.flatnonzero(weight > 0)
    most = 2 * len(rows)
    left, right = np.full(most, -1), np.full(most, -1)
    column, cut = np.full(most, -2), np.full(most, -1)
    fall, values = np.zeros(most), np.zeros((most, n_targets))
    start, stop = np.zeros(most, np.int64), np.zeros(most, np.int64)
    depth = np.zeros(most, np.int64)
    sums = np.zeros((n_levels, n_targets))
    room = Levels(sums, np.zeros(n_levels), np.zeros(n_levels, np.int64))
    order = np.arange(n_columns)
    stop[0], n, node = len(rows), 1, 0
    while node < n:
        inside = rows[start[node] : stop[node]]
        total, mass, squares = np.zeros(n_targets), 0.0, 0.0
        for i in inside:
            mass += weight[i]
            for k in range(n_targets):
                total[k] += weight[i] * targets[i, k]
                squares += weight[i] * targets[i, k] ** 2
        values[node] = total / mass
        rest = squares - (total**2).sum() / mass
        if depth[node] < max_depth and len(inside) >= 2 * min_leaf and rest > TIE * squares:
            seen = 0
            while seen < n_columns and (seen < n_seen or column[node] < 0):
                other = seen + int(rng.random() * (n_columns - seen))
                order[seen], order[other] = order[other], order[seen]
                j = order[seen]
                here = (total, mass)
                gain, level = best_level(codes[j], inside, (targets, weight), here, room, min_leaf)
                if gain > fall[node] + TIE * squares:
                    fall[node], column[node], cut[node] = gain, j, level
                seen += 1
        if column[node] >= 0:
            middle = divide(rows, start[node], stop[node], codes[column[node]], cut[node])
            left[node], right[node] = n, n + 1
            start[n], stop[n], start[n + 1], stop[n + 1] = start[node], middle, middle, stop[node]
            depth[n] = depth[n + 1] = depth[node] + 1
            n += 2
        node += 1
    return left[:n], right[:n], column[:n], cut[:n], values[:n], fall[:n]


@compiled
def walk_binned(codes, left, right, column, cut):
    """Return the leaf (n,) of every row of `codes` (columns, n); the other arrays are the nodes."""
    leaf = np.empty(codes.shape[1], np.int64)
    for i in range(codes.shape[1]):
        node = 0
        while left[node] >= 0:
            if codes[column[node], i] <= cut[node]:
                node = left[node]
            else:
                node = right[node]
        leaf[i] = node
    return leaf
