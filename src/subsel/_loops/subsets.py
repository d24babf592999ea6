"""Inner loops for subsets without a base: solve for coefficients, and predict from them."""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.cholesky import put, room, solve
from subsel._loops.lanes import N, fused, load, splat, store
from subsel._loops.side_by_side import room_of_lanes, solve_side_by_side

SMALL = 32  # columns up to which the systems of all blocks are solved side by side
NEAR = 256  # rows of all columns that stay in the cache while the subsets pass by


@inner
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
    whole, targets, moment, tolerance, held, origin, scale, start, spans, half, flat, ends, out, codes, hits
):
    """Outputs (C, T, M) of subsets ``flat[ends[c - 1]:ends[c]]``; gives which of them had sound pivots.

    Where ``codes`` are given, outputs are not kept (``out`` is room for one subset) but the rows of each block are
    counted in ``hits`` (C, B) whose class is that of the output: its sign, or the first largest of several.
    """
    n_targets, counted, starts = targets.shape[2], len(codes) > 0, np.append(0, ends)
    x, sound = _coefficients(whole, targets, moment, tolerance, flat, starts)
    constants = np.zeros((len(ends), n_targets))
    for b in range(len(spans) - 1):
        for c in range(len(ends)):
            columns, w = flat[starts[c] : ends[c]], x[b, :, starts[c] : ends[c]]
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
                        part, w = out[0 if counted else c, t, first:last], x[b, t, starts[c] : ends[c]]
                        _predict(part, start[t, first:last], held, columns, first, w, constants[c, t])
                    if counted:
                        hits[c, b] += _hits(out[0], first, last, codes)
    return sound


@compiled
def _coefficients(whole, targets, moment, tolerance, flat, starts):
    """Coefficients (B, T, n) of all subsets one after another, and which of these had sound pivots."""
    n_subsets, n_targets, most = len(starts) - 1, targets.shape[2], 0
    for c in range(n_subsets):
        most = max(most, starts[c + 1] - starts[c])
    x, sound = np.zeros((len(whole), n_targets, len(flat))), np.ones(n_subsets, dtype=np.bool_)
    small = SMALL if len(whole) > 2 else 0
    (A, limits), system, pivots = room_of_lanes(min(small, most), n_targets), room(most, n_targets), np.empty(most)
    for c in range(n_subsets):
        columns, w = flat[starts[c] : starts[c + 1]], x[:, :, starts[c] : starts[c + 1]]
        if len(columns) <= small:
            for first in range(0, len(whole), N):
                if not solve_side_by_side(A, limits, whole, targets, moment, tolerance, columns, first, w):
                    sound[c] = False
    for b in range(len(whole)):
        for c in range(n_subsets):
            columns = flat[starts[c] : starts[c + 1]]
            if len(columns) > small and sound[c]:
                for j in range(len(columns)):
                    pivots[j] = tolerance * moment[b, columns[j]]
                put(system, whole[b], targets[b], columns)
                sound[c] = solve(system, len(columns), pivots, x[b, :, starts[c] : starts[c + 1]])
    return x, sound


@inner
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


@inner(fastmath={"reassoc", "nsz"})
def _right_signs(output, codes):
    total = 0.0
    for i in range(len(output)):
        total += 1.0 if (output[i] > 0.0) == (codes[i] == 1.0) else 0.0
    return total
