"""Inner loops of the evaluators that sweep: moving residuals, and scoring flips without storing outputs."""

import numpy as np

from subsel._loops import compiled

_SUMS = {"reassoc", "nsz"}  # sums may be regrouped, not contracted: labels equal those of the plain path


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
            out[b, c] = _signs_above(r, weight[b, c], q, weight2[b, c], base[start:stop], sign[start:stop])
    return out


@compiled(fastmath=_SUMS)
def _four_if_clear(r, s, t, v, w, base, sign, bound):
    """The sums of ``sign`` where ``base + w`` times each row is positive, and how many places lie within its bound."""
    a, b, c, d, near = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(r)):
        f, g = base[i], sign[i]
        value = f + w * r[i]
        a += g if value > 0.0 else 0.0
        near += 0.0 if abs(value) > bound else 1.0
        value = f + w * s[i]
        b += g if value > 0.0 else 0.0
        near += 0.0 if abs(value) > bound else 1.0
        value = f + w * t[i]
        c += g if value > 0.0 else 0.0
        near += 0.0 if abs(value) > bound else 1.0
        value = f + w * v[i]
        d += g if value > 0.0 else 0.0
        near += 0.0 if abs(value) > bound else 1.0
    return a, b, c, d, near


@compiled
def nudged_hits(R, first, w, second, weight2, size, base, sign, spans):
    """Signs as in ``flip_hits``, with one weight w, reading the second residual only where it can turn a sign.

    ``size`` is the largest magnitude in each block of the last rows of R, those that ``second`` (C, B) names.
    """
    n, skipped = len(first), len(R) - len(size)
    out = np.empty((n, len(spans) - 1))
    for c in range(0, n, 4):
        d, e, f = min(c + 1, n - 1), min(c + 2, n - 1), min(c + 3, n - 1)  # past the end the last again
        four = c, d, e, f
        for b in range(len(spans) - 1):
            start, stop, bound = spans[b], spans[b + 1], 0.0
            here, signs = base[start:stop], sign[start:stop]
            for j in four:
                bound = max(bound, abs(weight2[j, b]) * size[second[j, b] - skipped, b])
            rows = R[first[c], start:stop], R[first[d], start:stop], R[first[e], start:stop], R[first[f], start:stop]
            out[c, b], out[d, b], out[e, b], out[f, b], near = _four_if_clear(*rows, w, here, signs, bound)
            if near > 0.0:
                for j in four:
                    r, q = R[first[j], start:stop], R[second[j, b], start:stop]
                    out[j, b] = _signs_above(r, w, q, weight2[j, b], here, signs)
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


@compiled(fastmath=_SUMS)
def _settle_four(r, s, t, v, u, part, w, base, sign):
    """Add ``u * part`` to four rows; the sums of ``sign`` over the places where ``base + w`` times each is positive."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    u0, u1, u2, u3 = u[0], u[1], u[2], u[3]
    w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
    for i in range(len(r)):
        p, f, g = part[i], base[i], sign[i]
        value = r[i] + u0 * p
        r[i] = value
        a += g if f + w0 * value > 0.0 else 0.0
        value = s[i] + u1 * p
        s[i] = value
        b += g if f + w1 * value > 0.0 else 0.0
        value = t[i] + u2 * p
        t[i] = value
        c += g if f + w2 * value > 0.0 else 0.0
        value = v[i] + u3 * p
        v[i] = value
        d += g if f + w3 * value > 0.0 else 0.0
    return a, b, c, d


@compiled(fastmath=_SUMS)
def _four_signs_above(r, s, t, v, w, base, sign):
    """The sums of ``sign`` over the places where ``base + w`` times each row is positive."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
    for i in range(len(r)):
        f, g = base[i], sign[i]
        a += g if f + w0 * r[i] > 0.0 else 0.0
        b += g if f + w1 * s[i] > 0.0 else 0.0
        c += g if f + w2 * t[i] > 0.0 else 0.0
        d += g if f + w3 * v[i] > 0.0 else 0.0
    return a, b, c, d


@compiled(error_model="numpy")
def score_hits(R, first, direction, pivot, target, base, sign, spans):
    """The signs of ``flip_hits`` of one residual each, four rows at a time: what they share stays in registers.

    Row k moves the output by ``direction * target / pivot``, (B, p, 1) over (B, p). Gives (B, C).
    """
    n = len(first)
    out = np.empty((len(spans) - 1, n))
    for c in range(0, n, 4):
        d, e, f = min(c + 1, n - 1), min(c + 2, n - 1), min(c + 3, n - 1)  # past the end the last again
        j, k, l, m = first[c], first[d], first[e], first[f]
        for b in range(len(spans) - 1):
            start, stop, p, q = spans[b], spans[b + 1], pivot[b], target[b, :, 0]
            w = direction * q[j] / p[j], direction * q[k] / p[k], direction * q[l] / p[l], direction * q[m] / p[m]
            rows = R[j, start:stop], R[k, start:stop], R[l, start:stop], R[m, start:stop]
            hits = _four_signs_above(*rows, w, base[start:stop], sign[start:stop])
            out[b, c], out[b, d], out[b, e], out[b, f] = hits
    return out


@compiled(error_model="numpy")
def settle_hits(R, share, row, first, direction, pivot, target, base, sign, spans):
    """``add_outer`` and then ``score_hits``, in one pass over the rows ``first`` of R.

    Rows that are not asked for are brought up to date alone. Gives (B, C).
    """
    whole, alone = len(first) - len(first) % 4, np.ones(len(R), dtype=np.bool_)
    out = np.empty((len(spans) - 1, len(first)))
    for c in range(0, whole, 4):
        j, k, l, m = first[c], first[c + 1], first[c + 2], first[c + 3]
        alone[j] = alone[k] = alone[l] = alone[m] = False
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            r, s, t, v = R[j, start:stop], R[k, start:stop], R[l, start:stop], R[m, start:stop]
            u, p, q = share[b], pivot[b], target[b, :, 0]
            w = direction * q[j] / p[j], direction * q[k] / p[k], direction * q[l] / p[l], direction * q[m] / p[m]
            here = row[start:stop], w, base[start:stop], sign[start:stop]
            hits = _settle_four(r, s, t, v, (u[j], u[k], u[l], u[m]), *here)
            out[b, c], out[b, c + 1], out[b, c + 2], out[b, c + 3] = hits
    for k in range(len(R)):
        if alone[k]:
            add_outer(R[k : k + 1], share[:, k : k + 1], row, spans)
    rest = score_hits(R, first[whole:], direction, pivot, target, base, sign, spans)
    for b in range(len(out)):
        for c in range(whole, len(first)):
            out[b, c] = rest[b, c - whole]
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
        j, l, m = min(k + 1, p - 1), min(k + 2, p - 1), min(k + 3, p - 1)  # past the end the last again
        for f in range(len(spans) - 1):
            a, b = spans[f], spans[f + 1]
            rows = table[k, a:b], table[j, a:b], table[l, a:b], table[m, a:b]
            for i in range(len(flat)):
                out[f, i, k], out[f, i, j], out[f, i, l], out[f, i, m] = _four_dots(flat[i, a:b], *rows)
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
            x, o, here = table[k, spans[b] : spans[b + 1]], origin[b, k], out[k, spans[b] : spans[b + 1]]
            for i in range(len(x)):
                here[i] = x[i] - o
