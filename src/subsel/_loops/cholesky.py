"""Small symmetric systems solved by Cholesky, four rows of the factor at a time, in vector registers.

A matrix (rows, n) holds the upper triangle of a system in its first s columns and right-hand sides after them. It has room
for whole lanes in each row and for three rows more.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, fused, load, splat, store, total


class System(NamedTuple):
    """A matrix and room for what is found on the way: four rows and columns, one over the diagonal, unknowns."""

    A: np.ndarray
    corner: np.ndarray
    roots: np.ndarray
    known: np.ndarray


@compiled
def room(s, n_targets):
    """Room for a system of up to s unknowns, at an address from which whole lanes are loaded quickest."""
    n = (s + 3 + n_targets + N - 1) // N * N
    numbers = np.zeros((s + 3) * n + N)
    first = -(numbers.ctypes.data // numbers.itemsize) % N
    return System(numbers[first : first + (s + 3) * n].reshape(s + 3, n), np.empty((4, 4)), np.empty(n), np.empty(n))


@inner
def put(system, gram, targets, columns):
    """Write the sub-block of these columns, and their rows of the right-hand sides (p, T)."""
    A, s, n_targets = system.A, len(columns), targets.shape[1]
    end = (s + n_targets + N - 1) // N * N
    for j in range(s):
        row = gram[columns[j]]
        for k in range(j // N * N, s):
            A[j, k] = row[np.uint64(columns[k])]  # which is not looked at for being negative
        for t in range(n_targets):
            A[j, s + t] = targets[columns[j], t]
        for k in range(s + n_targets, end):
            A[j, k] = 0.0


@inner
def solve(system, s, pivots, x):
    """Put the solutions of what was put there into ``x`` (T, s); False at the first of ``pivots`` (s,) that is not reached."""
    (A, corner, roots, known), n_targets = system, len(x)
    for top in range(0, s, 4):
        m, width = top // N * N, s + n_targets
        _take_earlier(A, top, m)
        if not _factor_corner(A, top, min(4, s - top), pivots, corner, roots):
            return False
        _finish(A, top, m, corner, roots)
        m += N
        while m + N < width:
            _take_and_finish(A, top, m, corner, roots)
            m += 2 * N
        if m < width:
            _take_earlier(A, top, m)
            _finish(A, top, m, corner, roots)
    for t in range(n_targets):
        _substitute(A, s, t, roots, known, x[t])
    return True


@inner
def _take_earlier(A, top, m):
    """Take the rows above, each times its entry above the diagonal, from one lane of four rows."""
    n, a, b, c, d = A.shape[1], splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for k in range(top):
        u = load(A, k * n + m)
        a, b = fused(splat(A[k, top]), u, a), fused(splat(A[k, top + 1]), u, b)
        c, d = fused(splat(A[k, top + 2]), u, c), fused(splat(A[k, top + 3]), u, d)
    at = top * n + m
    store(A, at, load(A, at) - a)
    store(A, at + n, load(A, at + n) - b)
    store(A, at + 2 * n, load(A, at + 2 * n) - c)
    store(A, at + 3 * n, load(A, at + 3 * n) - d)


@inner(error_model="numpy")
def _factor_corner(A, top, count, pivots, corner, roots):
    """Factor four rows and columns from ``top`` on, whatever follows the first ``count`` being no part of the system."""
    for i in range(4):
        for k in range(i, 4):
            corner[i, k] = A[top + i, top + k] if k < count else 0.0
    for i in range(count):
        if not corner[i, i] > pivots[top + i]:
            return False
        root = 1.0 / np.sqrt(corner[i, i])
        roots[top + i] = root
        for k in range(i + 1, 4):
            corner[i, k] *= root
        for k in range(i + 1, 4):
            for m in range(k, 4):
                corner[k, m] -= corner[i, k] * corner[i, m]
    for i in range(count, 4):
        roots[top + i] = 0.0
    return True


@inner
def _solved(a, b, c, d, top, corner, roots):
    """Four rows times the inverse of the corner's factor."""
    a = a * splat(roots[top])
    b = (b - splat(corner[0, 1]) * a) * splat(roots[top + 1])
    c = (c - splat(corner[0, 2]) * a - splat(corner[1, 2]) * b) * splat(roots[top + 2])
    d = d - splat(corner[0, 3]) * a - splat(corner[1, 3]) * b
    return a, b, c, (d - splat(corner[2, 3]) * c) * splat(roots[top + 3])


@inner
def _finish(A, top, m, corner, roots):
    """What is left to do in one lane of four rows once those above are taken off."""
    n = A.shape[1]
    at = top * n + m
    rows = load(A, at), load(A, at + n), load(A, at + 2 * n), load(A, at + 3 * n)
    a, b, c, d = _solved(rows[0], rows[1], rows[2], rows[3], top, corner, roots)
    store(A, at, a)
    store(A, at + n, b)
    store(A, at + 2 * n, c)
    store(A, at + 3 * n, d)


@inner
def _take_and_finish(A, top, m, corner, roots):
    """Both in two lanes of four rows, which stay in registers."""
    n, a, b, c, d = A.shape[1], splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    e, f, g, h = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for k in range(top):
        u, v, factor = load(A, k * n + m), load(A, k * n + m + N), splat(A[k, top])
        a, e = fused(factor, u, a), fused(factor, v, e)
        factor = splat(A[k, top + 1])
        b, f = fused(factor, u, b), fused(factor, v, f)
        factor = splat(A[k, top + 2])
        c, g = fused(factor, u, c), fused(factor, v, g)
        factor = splat(A[k, top + 3])
        d, h = fused(factor, u, d), fused(factor, v, h)
    at = top * n + m
    a, b, c, d = load(A, at) - a, load(A, at + n) - b, load(A, at + 2 * n) - c, load(A, at + 3 * n) - d
    a, b, c, d = _solved(a, b, c, d, top, corner, roots)
    store(A, at, a)
    store(A, at + n, b)
    store(A, at + 2 * n, c)
    store(A, at + 3 * n, d)
    at += N
    e, f, g, h = load(A, at) - e, load(A, at + n) - f, load(A, at + 2 * n) - g, load(A, at + 3 * n) - h
    e, f, g, h = _solved(e, f, g, h, top, corner, roots)
    store(A, at, e)
    store(A, at + n, f)
    store(A, at + 2 * n, g)
    store(A, at + 3 * n, h)


@inner
def _substitute(A, s, t, roots, known, x):
    """Solve the triangle for right-hand side t, four unknowns at a time from the last."""
    n = A.shape[1]
    for k in range(n):
        known[k] = 0.0
    for top in range((s - 1) // 4 * 4, -1, -4):
        a, b, c, d = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        for m in range((top + 4) // N * N, s, N):
            u, at = load(known, m), top * n + m
            a, b = fused(load(A, at), u, a), fused(load(A, at + n), u, b)
            c, d = fused(load(A, at + 2 * n), u, c), fused(load(A, at + 3 * n), u, d)
        taken = total(a), total(b), total(c), total(d)
        for i in range(min(4, s - top) - 1, -1, -1):
            left = A[top + i, s + t] - taken[i]
            for k in range(top + i + 1, min(top + 4, s)):
                left -= A[top + i, k] * known[k]
            known[top + i] = left * roots[top + i]
    for k in range(s):
        x[k] = known[k]
