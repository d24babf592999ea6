"""Inner loops for subsets without a base: factor small blocks, and predict from coefficients."""

import numpy as np

from subsel._loops import compiled


@compiled(fastmath={"reassoc", "nsz", "contract"})
def _less_dot(total, x, y):
    """``total`` less the scalar product of two rows."""
    for m in range(len(x)):
        total -= x[m] * y[m]
    return total


@compiled
def _factor(A, pivots):
    """Cholesky in the lower triangle, its diagonal mirrored above; False at the first pivot that is too small."""
    for j in range(len(A)):
        for k in range(j):
            A[j, k] = _less_dot(A[j, k], A[j, :k], A[k, :k]) / A[k, k]
        square = _less_dot(A[j, j], A[j, :j], A[j, :j])
        if not square > pivots[j]:
            return False
        A[j, j] = np.sqrt(square)
    return True


@compiled
def _solve(A, x):
    """Solve with the factor, in place; x of shape (T, s)."""
    s = len(A)
    for t in range(len(x)):
        y = x[t]
        for j in range(s):
            y[j] = _less_dot(y[j], A[j, :j], y[:j]) / A[j, j]
        for j in range(s - 1, -1, -1):
            y[j] /= A[j, j]
            for m in range(j):
                y[m] -= A[j, m] * y[j]


@compiled
def _add_two(target, w, x, v, z):
    for i in range(len(target)):
        target[i] += w * x[i] + v * z[i]


@compiled
def subset_outputs(whole, targets, moment, tolerance, held, origin, scale, start, spans, half, flat, ends, out):
    """Outputs (C, T, M) of subsets ``flat[ends[c - 1]:ends[c]]``; gives which of them had sound pivots."""
    sound = np.ones(len(ends), dtype=np.bool_)
    for c in range(len(ends)):
        columns = flat[(ends[c - 1] if c else 0) : ends[c]]
        s, n_targets = len(columns), targets.shape[2]
        A, x, pivots = np.empty((s, s)), np.empty((n_targets, s)), np.empty(s)
        for b in range(len(spans) - 1):
            first, last = spans[b], spans[b + 1]
            for j in range(s):
                pivots[j] = tolerance * moment[b, columns[j]]
                row = whole[b, columns[j]]
                for k in range(j + 1):
                    A[j, k] = row[columns[k]]
                for t in range(n_targets):
                    x[t, j] = targets[b, columns[j], t]
            if not _factor(A, pivots):
                sound[c] = False
                break
            _solve(A, x)
            for t in range(n_targets):
                part, constant = out[c, t, first:last], 0.0
                part[:] = start[t, first:last]
                for j in range(s):
                    constant -= half * x[t, j] * targets[b, columns[j], t]
                    x[t, j] /= scale[b, columns[j]]
                    constant -= x[t, j] * origin[b, columns[j]]
                for j in range(0, s - 1, 2):
                    pair = held[columns[j], first:last], held[columns[j + 1], first:last]
                    _add_two(part, x[t, j], pair[0], x[t, j + 1], pair[1])
                if s % 2:
                    _add_two(part, x[t, s - 1], held[columns[s - 1], first:last], 0.0, part)
                for i in range(len(part)):
                    part[i] += constant
    return sound
