"""Columns leave a linear model: what recursive elimination asks of it, step by step."""

from math import sqrt

import numpy as np

from subsel._loops import compiled


@compiled(fastmath={"contract"})
def _row_of(inverse, left, n_left, k, row):
    """Fill ``row`` with row k of an inverse, given by its upper triangle, off which the vectors ``left`` are still to be taken."""
    for j in range(k):
        row[j] = inverse[j, k]
    for j in range(k, len(row)):
        row[j] = inverse[k, j]
    i = 0
    while i + 4 <= n_left:
        a, b, c, d = left[i, k], left[i + 1, k], left[i + 2, k], left[i + 3, k]
        for j in range(len(row)):
            row[j] -= a * left[i, j] + b * left[i + 1, j] + c * left[i + 2, j] + d * left[i + 3, j]
        i += 4
    while i < n_left:
        a = left[i, k]
        for j in range(len(row)):
            row[j] -= a * left[i, j]
        i += 1


@compiled(fastmath={"contract"})
def leave_one(before, after, places, inverse, left, n_left, weights, scale, out):
    """Let the one column leave that is among ``before`` and not among ``after``; fills ``out`` with the weights (T, s) after.

    ``places`` (one more than are left) says where columns stand in the upper triangle ``inverse`` and in ``left``, the
    vectors of those that have left; it is closed up, a vector is added, and ``weights`` (T, base) are moved. A pivot p
    keeps enough digits if 0 < p * scale < 1. False where it does not, or where not just one column leaves; then
    nothing has changed.
    """
    n, at = len(after), 0
    while at < n and before[at] == after[at]:
        at += 1
    for i in range(at, n):
        if before[i + 1] != after[i]:
            return False
    k, row = places[at], left[n_left]
    _row_of(inverse, left, n_left, k, row)
    pivot = row[k]
    if not 0.0 < pivot * scale[k] < 1.0:
        return False
    root = sqrt(pivot)
    for j in range(len(row)):
        row[j] /= root
    for i in range(at, n):
        places[i] = places[i + 1]
    for t in range(len(weights)):
        share = weights[t, k] / row[k]
        for j in range(len(row)):
            weights[t, j] -= row[j] * share
        for i in range(n):
            out[t, i] = weights[t, places[i]]
    return True


@compiled
def upper_part(inverse, kept):
    """The upper triangle of these rows and columns; what lies below it is not filled."""
    out = np.empty((len(kept), len(kept)))
    for a in range(len(kept)):
        column = inverse[:, kept[a]]
        for b in range(a + 1):
            out[a, b] = column[kept[b]]
    return out.T
