"""Inner loops of the evaluators that sweep: moving residuals, and scoring flips without storing outputs."""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, choose, lesser, load, magnitude, select, splat, store, total

_SUMS = {
    "reassoc",
    "nsz",
}  # sums may be regrouped, not contracted: labels equal those of the plain path


@compiled
def add_outer(R, share, row, spans):
    """Add ``share[b, k] * row`` to row k of R over the span of each block."""
    for k in range(R.shape[0]):
        for b in range(len(spans) - 1):
            part = row[spans[b] : spans[b + 1]]
            u, r = share[b, k], R[k, spans[b] : spans[b + 1]]
            if u != 0.0:
                for i in range(len(part)):
                    r[i] += u * part[i]


@compiled(fastmath=_SUMS)
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


@compiled(fastmath=_SUMS)
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


@compiled
def flip_hits(R, first, weight, second, weight2, base, sign, spans):
    """Per block and candidate, rows of class 1 less others among those whose moved output is positive.

    ``sign`` is +1 for rows of class 1, else -1; the output moves along one or two residuals by weights (B, C). Gives
    (B, C).
    """
    out = np.empty(weight.shape)
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            r, q = R[first[c], start:stop], R[second[c], start:stop]
            out[b, c] = _signs_above(
                r, weight[b, c], q, weight2[b, c], base[start:stop], sign[start:stop]
            )
    return out


@inner
def _four_signs_above(R, rows, start, stop, w, base, sign, bound):
    """The sums of ``sign`` from start to stop where ``base + w`` times each of four rows is positive.

    The last number is 0 if none of these outputs lies within the bound.
    """
    n, whole, none, (k, l, m, o) = R.shape[1], start + (stop - start) // N * N, splat(0.0), rows
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
    p, q, r, s, near = (
        total(a),
        total(b),
        total(c),
        total(d),
        total(select(least, splat(bound), splat(1.0))),
    )
    for i in range(whole, stop):
        f, g = base[i], sign[i]
        t, u, v, x = f + w[0] * R[k, i], f + w[1] * R[l, i], f + w[2] * R[m, i], f + w[3] * R[o, i]
        p, q = p + (g if t > 0.0 else 0.0), q + (g if u > 0.0 else 0.0)
        r, s = r + (g if v > 0.0 else 0.0), s + (g if x > 0.0 else 0.0)
        near += 1.0 if min(abs(t), abs(u), abs(v), abs(x)) <= bound else 0.0
    return p, q, r, s, near


@compiled
def nudged_hits(R, first, w, second, weight2, size, base, sign, spans):
    """Signs as in ``flip_hits``, with one weight w, reading the second residual only where it can turn a sign.

    ``size`` is the largest magnitude in each block of the last rows of R, those that ``second`` (C, B) names.
    """
    n, skipped = len(first), len(R) - len(size)
    out = np.empty((n, len(spans) - 1))
    for c in range(0, n, 4):
        d, e, f = (
            min(c + 1, n - 1),
            min(c + 2, n - 1),
            min(c + 3, n - 1),
        )  # past the end the last again
        four, rows = (c, d, e, f), (first[c], first[d], first[e], first[f])
        for b in range(len(spans) - 1):
            start, stop, bound = spans[b], spans[b + 1], 0.0
            for j in four:
                bound = max(bound, abs(weight2[j, b]) * size[second[j, b] - skipped, b])
            hits = _four_signs_above(R, rows, start, stop, (w, w, w, w), base, sign, bound)
            out[c, b], out[d, b], out[e, b], out[f, b], near = hits
            if near > 0.0:
                for j in four:
                    r, q = R[first[j], start:stop], R[second[j, b], start:stop]
                    out[j, b] = _signs_above(
                        r, w, q, weight2[j, b], base[start:stop], sign[start:stop]
                    )
    return out


@compiled
def flip_squares(R, first, weight, second, weight2, base, y, spans):
    """Per candidate and block, the sum of squared errors of the output moved along residuals by weights (B, C)."""
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            r, q = R[first[c], start:stop], R[second[c], start:stop]
            out[c, b] = _squares(r, weight[b, c], q, weight2[b, c], base[start:stop], y[start:stop])
    return out


@inner
def _settle_four(R, rows, start, stop, u, row, w, base, sign):
    """Add ``u * row`` to four rows from start to stop; the sums of ``sign`` where ``base + w`` times each is then positive.

    Of a row that is named twice the second u is 0.
    """
    n, whole, none, (k, l, m, o) = R.shape[1], start + (stop - start) // N * N, splat(0.0), rows
    u0, u1, u2, u3 = splat(u[0]), splat(u[1]), splat(u[2]), splat(u[3])
    w0, w1, w2, w3 = splat(w[0]), splat(w[1]), splat(w[2]), splat(w[3])
    a, b, c, d = none, none, none, none
    for i in range(start, whole, N):
        part, f, g = load(row, i), load(base, i), load(sign, i)
        x = load(R, k * n + i) + u0 * part
        store(R, k * n + i, x)
        a = a + choose(f + w0 * x, none, g, none)
        x = load(R, l * n + i) + u1 * part
        store(R, l * n + i, x)
        b = b + choose(f + w1 * x, none, g, none)
        x = load(R, m * n + i) + u2 * part
        store(R, m * n + i, x)
        c = c + choose(f + w2 * x, none, g, none)
        x = load(R, o * n + i) + u3 * part
        store(R, o * n + i, x)
        d = d + choose(f + w3 * x, none, g, none)
    p, q, r, s = total(a), total(b), total(c), total(d)
    for i in range(whole, stop):
        p += _settle_one(R, k, i, u[0], row, w[0], base, sign)
        q += _settle_one(R, l, i, u[1], row, w[1], base, sign)
        r += _settle_one(R, m, i, u[2], row, w[2], base, sign)
        s += _settle_one(R, o, i, u[3], row, w[3], base, sign)
    return p, q, r, s


@inner
def _settle_one(R, k, i, u, row, w, base, sign):
    R[k, i] += u * row[i]
    return sign[i] if base[i] + w * R[k, i] > 0.0 else 0.0


@compiled(error_model="numpy")
def score_hits(R, first, direction, pivot, target, base, sign, spans):
    """The signs of ``flip_hits`` of one residual each, four rows at a time: what they share stays in registers.

    Row k moves the output by ``direction * target / pivot``, (B, p, 1) over (B, p). Gives (B, C).
    """
    n = len(first)
    out = np.empty((len(spans) - 1, n))
    for c in range(0, n, 4):
        d, e, f = (
            min(c + 1, n - 1),
            min(c + 2, n - 1),
            min(c + 3, n - 1),
        )  # past the end the last again
        j, k, l, m = first[c], first[d], first[e], first[f]
        for b in range(len(spans) - 1):
            p, q = pivot[b], target[b, :, 0]
            w = (
                direction * q[j] / p[j],
                direction * q[k] / p[k],
                direction * q[l] / p[l],
                direction * q[m] / p[m],
            )
            hits = _four_signs_above(R, (j, k, l, m), spans[b], spans[b + 1], w, base, sign, 0.0)
            out[b, c], out[b, d], out[b, e], out[b, f], _ = hits
    return out


@compiled(error_model="numpy")
def settle_hits(R, share, row, first, direction, pivot, target, base, sign, spans):
    """``add_outer`` and then ``score_hits``, in one pass over the rows ``first`` of R.

    Rows that are not asked for are brought up to date alone. Gives (B, C).
    """
    n, alone, none = len(first), np.ones(len(R), dtype=np.bool_), 0.0
    out = np.empty((len(spans) - 1, n))
    for c in range(0, n, 4):
        d, e, f = (
            min(c + 1, n - 1),
            min(c + 2, n - 1),
            min(c + 3, n - 1),
        )  # past the end the last, not moved again
        j, k, l, m = first[c], first[d], first[e], first[f]
        alone[j] = alone[k] = alone[l] = alone[m] = False
        for b in range(len(spans) - 1):
            u, p, q = share[b], pivot[b], target[b, :, 0]
            w = (
                direction * q[j] / p[j],
                direction * q[k] / p[k],
                direction * q[l] / p[l],
                direction * q[m] / p[m],
            )
            moves = u[j], u[k] if d > c else none, u[l] if e > d else none, u[m] if f > e else none
            hits = _settle_four(R, (j, k, l, m), spans[b], spans[b + 1], moves, row, w, base, sign)
            out[b, c], out[b, d], out[b, e], out[b, f] = hits
    for k in range(len(R)):
        if alone[k]:
            add_outer(R[k : k + 1], share[:, k : k + 1], row, spans)
    return out


@compiled
def mean_of_hits(above, others, sizes):
    """The accuracy of each candidate, the mean over blocks, from sums of signs (B, C) and how many rows are of class 0."""
    out = np.zeros(above.shape[1])
    for b in range(len(above)):
        for c in range(len(out)):
            out[c] += (above[b, c] + others[b]) / sizes[b]
    for c in range(len(out)):
        out[c] /= len(above)
    return out


@compiled(fastmath=_SUMS | {"contract"})
def _four_dots(x, p, q, r, s):
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(len(x)):
        a += x[i] * p[i]
        b += x[i] * q[i]
        c += x[i] * r[i]
        d += x[i] * s[i]
    return a, b, c, d


@compiled
def products(flat, table, spans):
    """Inner products of rows (r, n) with rows of the table (p, n), over each span: (spans, r, p)."""
    p = len(table)
    out = np.empty((len(spans) - 1, len(flat), p))
    for k in range(0, p, 4):
        j, l, m = (
            min(k + 1, p - 1),
            min(k + 2, p - 1),
            min(k + 3, p - 1),
        )  # past the end the last again
        for f in range(len(spans) - 1):
            a, b = spans[f], spans[f + 1]
            rows = table[k, a:b], table[j, a:b], table[l, a:b], table[m, a:b]
            for i in range(len(flat)):
                out[f, i, k], out[f, i, j], out[f, i, l], out[f, i, m] = _four_dots(
                    flat[i, a:b], *rows
                )
    return out


@compiled
def turn(X, rows, shift, out):
    """Fill ``out`` (p, n) with these rows of a table less a shift, column after column."""
    fours = X.shape[1] - X.shape[1] % 4
    for a in range(0, len(rows), 64):  # a tile that stays in the cache
        b = min(a + 64, len(rows))
        for c in range(0, fours, 4):
            s, t, u, v = shift[c], shift[c + 1], shift[c + 2], shift[c + 3]
            for i in range(a, b):
                r = rows[i]
                out[c, i], out[c + 1, i] = X[r, c] - s, X[r, c + 1] - t
                out[c + 2, i], out[c + 3, i] = X[r, c + 2] - u, X[r, c + 3] - v
        for j in range(fours, X.shape[1]):
            for i in range(a, b):
                out[j, i] = X[rows[i], j] - shift[j]


@compiled
def less_origin(table, origin, spans, out):
    """Fill ``out`` (p, n) with the table less the origin of each column over each span: (spans, p)."""
    for k in range(len(table)):
        for b in range(len(spans) - 1):
            x, o, here = (
                table[k, spans[b] : spans[b + 1]],
                origin[b, k],
                out[k, spans[b] : spans[b + 1]],
            )
            for i in range(len(x)):
                here[i] = x[i] - o
