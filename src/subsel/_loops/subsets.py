"""Inner loops for subsets without a base: eliminate in small blocks, and predict from coefficients."""

import numpy as np

from subsel._loops import compiled
from subsel._loops.lanes import N, fused, load, splat, store

_SUMS = {"reassoc", "nsz", "contract"}
NEAR = 256  # rows of all columns that stay in the cache while the subsets pass by


@compiled(fastmath=_SUMS)
def _dot(x, y):
    total = 0.0
    for m in range(len(x)):
        total += x[m] * y[m]
    return total


@compiled
def _eliminate(A, s, width, pivots):
    """Cholesky in the upper triangle of the first s columns, four rows at a time, the other columns carried along.

    Whole lanes are worked on: A has room for more rows and columns. False at the first pivot that is too small.
    """
    n = A.shape[1]
    for top in range(0, s, 4):
        end = min(top + 4, s)
        for j in range(top, end):
            for k in range(top, j):
                factor = splat(-A[k, j])
                for m in range(j - j % N, width, N):
                    store(A, j * n + m, fused(factor, load(A, k * n + m), load(A, j * n + m)))
            if not A[j, j] > pivots[j]:
                return False
            root = splat(1.0 / np.sqrt(A[j, j]))
            for m in range(j - j % N, width, N):
                store(A, j * n + m, root * load(A, j * n + m))
        for i in range(end, s, 4):
            _take_from_four(A, top, i, width)
    return True


@compiled
def _take_from_four(A, top, i, width):
    """Take four rows of the factor, each times its entry above the diagonal, from four rows below."""
    n = A.shape[1]
    a0, b0, c0, d0 = (
        splat(-A[top, i]),
        splat(-A[top + 1, i]),
        splat(-A[top + 2, i]),
        splat(-A[top + 3, i]),
    )
    a1, b1 = splat(-A[top, i + 1]), splat(-A[top + 1, i + 1])
    c1, d1 = splat(-A[top + 2, i + 1]), splat(-A[top + 3, i + 1])
    a2, b2 = splat(-A[top, i + 2]), splat(-A[top + 1, i + 2])
    c2, d2 = splat(-A[top + 2, i + 2]), splat(-A[top + 3, i + 2])
    a3, b3 = splat(-A[top, i + 3]), splat(-A[top + 1, i + 3])
    c3, d3 = splat(-A[top + 2, i + 3]), splat(-A[top + 3, i + 3])
    for m in range(i - i % N, width, N):
        at, to = top * n + m, i * n + m
        p, q, r, t = load(A, at), load(A, at + n), load(A, at + 2 * n), load(A, at + 3 * n)
        store(A, to, fused(a0, p, fused(b0, q, fused(c0, r, fused(d0, t, load(A, to))))))
        store(A, to + n, fused(a1, p, fused(b1, q, fused(c1, r, fused(d1, t, load(A, to + n))))))
        store(
            A,
            to + 2 * n,
            fused(a2, p, fused(b2, q, fused(c2, r, fused(d2, t, load(A, to + 2 * n))))),
        )
        store(
            A,
            to + 3 * n,
            fused(a3, p, fused(b3, q, fused(c3, r, fused(d3, t, load(A, to + 3 * n))))),
        )


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
def _predict(part, base, held, columns, first, w, constant):
    """Put ``base + constant`` and the columns times w into ``part``, whose rows are held out from ``first`` on."""
    n, whole = held.shape[1], len(part) - len(part) % (4 * N)
    more = splat(constant)
    for i in range(0, whole, 4 * N):
        u0, u1 = load(base, i) + more, load(base, i + N) + more
        u2, u3 = load(base, i + 2 * N) + more, load(base, i + 3 * N) + more
        for j in range(len(columns)):
            v, at = splat(w[j]), columns[j] * n + first + i
            u0, u1 = fused(v, load(held, at), u0), fused(v, load(held, at + N), u1)
            u2, u3 = fused(v, load(held, at + 2 * N), u2), fused(v, load(held, at + 3 * N), u3)
        store(part, i, u0)
        store(part, i + N, u1)
        store(part, i + 2 * N, u2)
        store(part, i + 3 * N, u3)
    lanes = len(part) - len(part) % N
    for i in range(whole, lanes, N):
        u = load(base, i) + more
        for j in range(len(columns)):
            u = fused(splat(w[j]), load(held, columns[j] * n + first + i), u)
        store(part, i, u)
    for i in range(lanes, len(part)):
        total = base[i] + constant
        for j in range(len(columns)):
            total += w[j] * held[columns[j], first + i]
        part[i] = total


@compiled
def subset_outputs(
    whole,
    targets,
    moment,
    tolerance,
    held,
    origin,
    scale,
    start,
    spans,
    half,
    flat,
    ends,
    out,
    codes,
    hits,
):
    """Outputs (C, T, M) of subsets ``flat[ends[c - 1]:ends[c]]``; gives which of them had sound pivots.

    Where ``codes`` are given, outputs are not kept (``out`` is room for one subset) but the rows of each block are
    counted in ``hits`` (C, B) whose class is that of the output: its sign, or the first largest of several.
    """
    n_targets, most, counted = targets.shape[2], 0, len(codes) > 0
    starts = np.append(0, ends)
    for c in range(len(ends)):
        most = max(most, starts[c + 1] - starts[c])
    A = np.zeros((most + 4, N * ((most + 4 + n_targets) // N + 1)))
    x, constants = np.empty((n_targets, len(flat))), np.empty((len(ends), n_targets))
    sound = np.ones(len(ends), dtype=np.bool_)
    for b in range(len(spans) - 1):
        for c in range(len(ends)):
            columns, w = flat[starts[c] : ends[c]], x[:, starts[c] : ends[c]]
            if not _coefficients(whole[b], targets[b], moment[b], tolerance, columns, A, w):
                sound[c] = False
                continue
            for t in range(n_targets):
                constants[c, t] = 0.0
                for j in range(len(columns)):
                    constants[c, t] -= half * w[t, j] * targets[b, columns[j], t]
                    w[t, j] /= scale[b, columns[j]]
                    constants[c, t] -= w[t, j] * origin[b, columns[j]]
        for first in range(spans[b], spans[b + 1], NEAR):
            last = min(first + NEAR, spans[b + 1])
            for c in range(len(ends)):
                if sound[c]:
                    columns = flat[starts[c] : ends[c]]
                    for t in range(n_targets):
                        part = out[0 if counted else c, t, first:last]
                        _predict(
                            part,
                            start[t, first:last],
                            held,
                            columns,
                            first,
                            x[t, starts[c] : ends[c]],
                            constants[c, t],
                        )
                    if counted:
                        hits[c, b] += _hits(out[0], first, last, codes)
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
