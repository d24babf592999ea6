"""Inner loops that score flips from residuals, and store no outputs.

``held`` are :class:`subsel.criteria.linear.linear_evaluator.HeldRows`, ``moves`` are
:class:`subsel.criteria.linear.linear_evaluator.Moves`.
"""

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.lanes import N, choose, lesser, load, magnitude, select, splat, total

# sums may be regrouped, not contracted: labels equal those of outputs in numpy
_SUMS = {"reassoc", "nsz"}


@inner(fastmath=_SUMS)
def _signs_above(r, w, q, v, base, sign):
    """The sum of ``sign`` over the rows where ``base + w r + v q`` is positive."""
    total = 0.0
    if v == 0.0:
        for i in range(len(r)):
            total += sign[i] if base[i] + w * r[i] > 0.0 else 0.0
    else:
        for i in range(len(r)):
            total += sign[i] if base[i] + w * r[i] + v * q[i] > 0.0 else 0.0
    return total


@inner(fastmath=_SUMS)
def _squares(r, w, q, v, base, y):
    """The sum of the squares of ``base + w r + v q - y``."""
    total = 0.0
    if v == 0.0:
        for i in range(len(r)):
            e = base[i] + w * r[i] - y[i]
            total += e * e
    else:
        for i in range(len(r)):
            e = base[i] + w * r[i] + v * q[i] - y[i]
            total += e * e
    return total


@inner
def _four_signs_above(R, rows, block, w, held, bound):
    """The sums of signs over a block where the output, moved by ``w`` times each row, is positive.

    The last number is 0 if none of these outputs lies within the bound.
    """
    base, sign, spans = held
    start, stop, n, (k, l, m, o), none = (
        spans[block],
        spans[block + 1],
        R.shape[1],
        rows,
        splat(0.0),
    )
    whole = start + (stop - start) // N * N
    w0, w1, w2, w3 = splat(w[0]), splat(w[1]), splat(w[2]), splat(w[3])
    a, b, c, d, least = none, none, none, none, splat(np.inf)
    for i in range(start, whole, N):
        f, g = load(base, i), load(sign, i)
        value = f + w0 * load(R, k * n + i)
        a, least = a + choose(value, none, g, none), lesser(magnitude(value), least)
        value = f + w1 * load(R, l * n + i)
        b, least = b + choose(value, none, g, none), lesser(magnitude(value), least)
        value = f + w2 * load(R, m * n + i)
        c, least = c + choose(value, none, g, none), lesser(magnitude(value), least)
        value = f + w3 * load(R, o * n + i)
        d, least = d + choose(value, none, g, none), lesser(magnitude(value), least)
    p, q, r, s = total(a), total(b), total(c), total(d)
    near = total(select(least, splat(bound), splat(1.0)))
    for i in range(whole, stop):
        f, g = base[i], sign[i]
        t, u, v, x = f + w[0] * R[k, i], f + w[1] * R[l, i], f + w[2] * R[m, i], f + w[3] * R[o, i]
        p, q = p + (g if t > 0.0 else 0.0), q + (g if u > 0.0 else 0.0)
        r, s = r + (g if v > 0.0 else 0.0), s + (g if x > 0.0 else 0.0)
        near += 1.0 if min(abs(t), abs(u), abs(v), abs(x)) <= bound else 0.0
    return p, q, r, s, near


@compiled(error_model="numpy")
def score_hits(R, first, direction, tables, held):
    """Signs as in ``flip_hits`` of flips by one residual each.

    Four rows are read at a time, so that what they share stays in registers.
    Row k moves the output by ``direction * target / pivot``, (B, p, 1) over (B, p). Gives (B, C).
    """
    n, spans, pivot, target = len(first), held.spans, tables.pivot, tables.target
    out = np.empty((len(spans) - 1, n))
    for c in range(0, n, 4):
        # past the end the last again
        d, e, f = min(c + 1, n - 1), min(c + 2, n - 1), min(c + 3, n - 1)
        j, k, l, m = first[c], first[d], first[e], first[f]
        for b in range(len(spans) - 1):
            p, q = pivot[b], target[b]
            w = (
                direction * q[j, 0] / p[j],
                direction * q[k, 0] / p[k],
                direction * q[l, 0] / p[l],
                direction * q[m, 0] / p[m],
            )
            hits = _four_signs_above(R, (j, k, l, m), b, w, held, 0.0)
            out[b, c], out[b, d], out[b, e], out[b, f], _ = hits
    return out


@compiled
def flip_hits(R, moves, held):
    """Per block and candidate (B, C), rows of class 1 less others where the output is positive."""
    first, weight, second, weight2 = moves
    base, truth, spans = held
    out = np.empty(weight.shape)
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            rows = slice(spans[b], spans[b + 1])
            r, q = R[first[c], rows], R[second[c], rows]
            out[b, c] = _signs_above(r, weight[b, c], q, weight2[b, c], base[rows], truth[rows])
    return out


@compiled
def flip_squares(R, moves, held):
    """Per candidate and block (C, B), the sum of squared errors of the moved output."""
    first, weight, second, weight2 = moves
    base, truth, spans = held
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            rows = slice(spans[b], spans[b + 1])
            r, q = R[first[c], rows], R[second[c], rows]
            out[c, b] = _squares(r, weight[b, c], q, weight2[b, c], base[rows], truth[rows])
    return out


@compiled
def nudged_hits(R, sign, nudges, held):
    """Per candidate and fold (C, F), signs where the output moves by ``sign`` times a residual.

    A second one is read only where it can turn a sign: see
    :class:`subsel.criteria.linear.linear_evaluator.Nudges`.
    """
    first, second, weight2, size = nudges
    base, truth, spans = held
    n, skipped, w = len(first), len(R) - len(size), (sign, sign, sign, sign)
    out = np.empty((n, len(spans) - 1))
    for c in range(0, n, 4):
        # past the end the last again
        d, e, f = min(c + 1, n - 1), min(c + 2, n - 1), min(c + 3, n - 1)
        four, rows = (c, d, e, f), (first[c], first[d], first[e], first[f])
        for b in range(len(spans) - 1):
            start, stop, bound = spans[b], spans[b + 1], 0.0
            for j in four:
                bound = max(bound, abs(weight2[j, b]) * size[second[j, b] - skipped, b])
            hits = _four_signs_above(R, rows, b, w, held, bound)
            out[c, b], out[d, b], out[e, b], out[f, b], near = hits
            if near > 0.0:
                for j in four:
                    r, q = R[first[j], start:stop], R[second[j, b], start:stop]
                    here = base[start:stop], truth[start:stop]
                    out[j, b] = _signs_above(r, sign, q, weight2[j, b], *here)
    return out
