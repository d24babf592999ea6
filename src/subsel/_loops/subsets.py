"""Inner loops for subsets without a base: eliminate in small blocks, and predict from coefficients."""

import numpy as np

from subsel._loops import compiled

_SUMS = {"reassoc", "nsz", "contract"}


@compiled(fastmath=_SUMS)
def _add_four(row, a, p, b, q, c, r, d, t):
    for i in range(len(row)):
        row[i] += a * p[i] + b * q[i] + c * r[i] + d * t[i]


@compiled(fastmath=_SUMS)
def _dot(x, y):
    total = 0.0
    for m in range(len(x)):
        total += x[m] * y[m]
    return total


@compiled
def _eliminate(A, s, width, pivots):
    """Cholesky in the upper triangle of the first s columns, four rows at a time, the other columns carried along.

    False at the first pivot that is too small.
    """
    for top in range(0, s, 4):
        end = min(top + 4, s)
        for j in range(top, end):
            for k in range(top, j):
                _add_one(A[j, j:width], -A[k, j], A[k, j:width])
            if not A[j, j] > pivots[j]:
                return False
            factor = 1.0 / np.sqrt(A[j, j])
            for i in range(j, width):
                A[j, i] *= factor
        for i in range(end, s):
            p, q, r, t = A[top, i:width], A[top + 1, i:width], A[top + 2, i:width], A[top + 3, i:width]
            _add_four(A[i, i:width], -p[0], p, -q[0], q, -r[0], r, -t[0], t)
    return True


@compiled
def _coefficients(gram, targets, moment, tolerance, columns, A, x):
    """Solve for the coefficients x (T, s) of these columns in one block; False where a pivot is too small."""
    s, n_targets = len(columns), targets.shape[1]
    for j in range(s):
        x[0, j] = tolerance * moment[columns[j]]
        row = gram[columns[j]]
        for k in range(j, s):
            A[j, k] = row[columns[k]]
        for t in range(n_targets):
            A[j, s + t] = targets[columns[j], t]
    if not _eliminate(A, s, s + n_targets, x[0]):
        return False
    for t in range(n_targets):
        for j in range(s - 1, -1, -1):
            x[t, j] = (A[j, s + t] - _dot(A[j, j + 1 : s], x[t, j + 1 : s])) / A[j, j]
    return True


@compiled
def _add_one(row, a, p):
    for i in range(len(row)):
        row[i] += a * p[i]


@compiled
def _predict(part, base, held, columns, first, w, constant):
    """Put ``base + constant`` and the columns times w into ``part``, whose rows are held out from ``first`` on."""
    last, s = first + len(part), len(columns)
    for i in range(len(part)):
        part[i] = base[i] + constant
    for j in range(0, s - 3, 4):
        p, q = held[columns[j], first:last], held[columns[j + 1], first:last]
        r, t = held[columns[j + 2], first:last], held[columns[j + 3], first:last]
        _add_four(part, w[j], p, w[j + 1], q, w[j + 2], r, w[j + 3], t)
    for j in range(s - s % 4, s):
        _add_one(part, w[j], held[columns[j], first:last])


@compiled
def subset_outputs(
    whole, targets, moment, tolerance, held, origin, scale, start, spans, half, flat, ends, out, codes, hits
):
    """Outputs (C, T, M) of subsets ``flat[ends[c - 1]:ends[c]]``; gives which of them had sound pivots.

    Where ``codes`` are given, outputs are not kept (``out`` is room for one subset) but the rows of each block are
    counted in ``hits`` (C, B) whose class is that of the output: its sign, or the first largest of several.
    """
    n_targets, most, counted = targets.shape[2], 0, len(codes) > 0
    for c in range(len(ends)):
        most = max(most, ends[c] - (ends[c - 1] if c else 0))
    A, x, sound = np.empty((most, most + n_targets)), np.empty((n_targets, most)), np.ones(len(ends), dtype=np.bool_)
    for b in range(len(spans) - 1):
        first, last = spans[b], spans[b + 1]
        for c in range(len(ends)):
            columns = flat[(ends[c - 1] if c else 0) : ends[c]]
            if not _coefficients(whole[b], targets[b], moment[b], tolerance, columns, A, x):
                sound[c] = False
                continue
            for t in range(n_targets):
                constant, part = 0.0, out[0 if counted else c, t, first:last]
                for j in range(len(columns)):
                    constant -= half * x[t, j] * targets[b, columns[j], t]
                    x[t, j] /= scale[b, columns[j]]
                    constant -= x[t, j] * origin[b, columns[j]]
                _predict(part, start[t, first:last], held, columns, first, x[t], constant)
            if counted:
                hits[c, b] = _hits(out[0], first, last, codes)
    return sound


@compiled
def _hits(output, first, last, codes):
    """How many rows have the class of their output."""
    if len(output) == 1:
        return _right_signs(output[0, first:last], codes[first:last])
    total = 0
    for i in range(first, last):
        best = 0
        for k in range(1, len(output)):
            best = k if output[k, i] > output[best, i] else best
        total += 1 if best == codes[i] else 0
    return total


@compiled(fastmath={"reassoc", "nsz"})
def _right_signs(output, codes):
    total = 0.0
    for i in range(len(output)):
        total += 1.0 if (output[i] > 0.0) == (codes[i] == 1.0) else 0.0
    return total
