"""Trees of a forest on columns cut into levels: a node counts levels in place of sorting values."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Size", "grow_binned", "walk_binned"]

TIE = 1e-10  # of the squares in a node: gains that agree so far are tied, and the first is taken


class Size(NamedTuple):
    """How large a tree may grow."""

    n_levels: int  # of each column
    n_seen: int  # columns looked at in each node
    max_depth: int
    min_leaf: int  # rows


class Levels(NamedTuple):
    """Room for what each level of one column holds, overwritten by `best_level`."""

    sums: np.ndarray  # (levels, targets) weighted
    masses: np.ndarray  # (levels,)
    counts: np.ndarray  # (levels,) rows


@compiled
def best_level(levels, rows, sample, node, room, min_leaf):
    """The level after which a column is best divided, and what that takes from the squares; -1 where nothing does.

    ``sample`` holds the targets and weights of all rows, ``node`` the weighted sums of targets in the node and its mass.
    """
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
    whole, low_mass, low_count = 0.0, 0.0, 0
    low = np.zeros(n_targets)
    for k in range(n_targets):
        whole += total[k] ** 2 / mass
    best, cut = 0.0, -1
    for level in range(n_levels - 1):
        if counts[level] == 0:
            continue
        low_count += counts[level]
        low_mass += masses[level]
        gain = -whole
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
    """Put the rows of levels up to the cut first; give the place where the others begin."""
    middle = start
    for at in range(start, stop):
        row = rows[at]
        if levels[row] <= cut:
            rows[at], rows[middle] = rows[middle], row
            middle += 1
    return middle


@compiled
def grow_binned(codes, targets, weight, size, rng):
    """Left, right, column, level, values and fall of the squares of every node; -1 marks leaves.

    ``codes`` holds a row of levels for every column; at a node ``n_seen`` columns that can divide it are looked at, without
    repetition, and more where none of these can.
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
    """The leaf of every row."""
    found = np.empty(codes.shape[1], np.int64)
    for i in range(codes.shape[1]):
        node = 0
        while left[node] >= 0:
            if codes[column[node], i] <= cut[node]:
                node = left[node]
            else:
                node = right[node]
        found[i] = node
    return found
