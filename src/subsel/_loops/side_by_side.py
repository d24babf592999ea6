"""One small symmetric system in each of several blocks, solved by Cholesky side by side, a lane each.

Number (j, k) of all systems, the upper triangle and right-hand sides after it, is one vector. What a row lacks of whole
groups of four is room that is written and never read.
"""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, fused, load, root, splat, store, under

_GROUP = 4  # numbers of a row that are worked on together


@compiled
def room_of_lanes(s, n_targets):
    """Room for systems of up to s unknowns, and for limits of their pivots."""
    return np.zeros(s * (s + n_targets + _GROUP) * N + N), np.zeros((s, N))


@inner
def solve_side_by_side(A, limits, whole, targets, moment, tolerance, columns, first, x):
    """Coefficients x (B, T, s) of these columns in up to N blocks from ``first`` on; False where a pivot is too small."""
    s, n_targets = len(columns), targets.shape[2]
    width, last = s + n_targets + _GROUP - 1, min(first + N, len(whole))
    for b in range(first, last):
        gram, lane = whole[b], b - first
        for j in range(s):
            row, at = gram[columns[j]], j * width * N + lane
            limits[j, lane] = tolerance * moment[b, columns[j]]
            for k in range(j, s):
                A[at + k * N] = row[np.uint64(columns[k])]  # which is not looked at for being negative
            for t in range(n_targets):
                A[at + (s + t) * N] = targets[b, columns[j], t]
    if not _factor(A, limits, s, n_targets, width, (1 << last - first) - 1):
        return False
    for t in range(n_targets):
        for j in range(s - 1, -1, -1):
            at, even, odd = j * width * N, splat(0.0), splat(0.0)
            for k in range(j + 1, s - 1, 2):
                even = fused(load(A, at + k * N), load(A, (k * width + s + t) * N), even)
                odd = fused(load(A, at + (k + 1) * N), load(A, ((k + 1) * width + s + t) * N), odd)
            if (s - j) % 2 == 0:
                even = fused(load(A, at + (s - 1) * N), load(A, ((s - 1) * width + s + t) * N), even)
            here = at + (s + t) * N
            store(A, here, (load(A, here) - even - odd) * load(A, at + j * N))
            for b in range(first, last):
                x[b, t, j] = A[here + b - first]
    return True


@inner
def _factor(A, limits, s, n_targets, width, lanes):
    """Cholesky, right-hand sides carried along and one over the diagonal in its place; False where a pivot is too small."""
    for j in range(s):
        scale = splat(1.0)
        for m in range(j, s + n_targets, _GROUP):
            at = (j * width + m) * N
            a, b, c, d = load(A, at), load(A, at + N), load(A, at + 2 * N), load(A, at + 3 * N)
            for k in range(j):
                above, row = (k * width + m) * N, splat(0.0) - load(A, (k * width + j) * N)
                a, b = fused(row, load(A, above), a), fused(row, load(A, above + N), b)
                c, d = fused(row, load(A, above + 2 * N), c), fused(row, load(A, above + 3 * N), d)
            if m == j:
                if under(a, load(limits, j * N)) & lanes:
                    return False
                scale = splat(1.0) / root(a)
                a = splat(1.0)
            store(A, at, a * scale)
            store(A, at + N, b * scale)
            store(A, at + 2 * N, c * scale)
            store(A, at + 3 * N, d * scale)
    return True
