"""Inner loops of the moments of folds: the table by columns, sums and products by fold."""

import numpy as np

from subsel._loops.compiler import compiled, inner

_SUMS = {"reassoc", "nsz", "contract"}


@inner(fastmath=_SUMS)
def _sums(x, w, y):
    """The sums of a column and of its squares, weighted, and of its products with a target."""
    total, square, product = 0.0, 0.0, 0.0
    for i in range(len(x)):
        part = w[i] * x[i]
        total += part
        square += part * x[i]
        product += x[i] * y[i]
    return total, square, product


@compiled
def fold_sums(table, weights, targets, spans):
    """Sums of columns (p, n), their squares and their products with targets (T, n) over each span.

    Columns and squares are weighted, targets are so already. Gives (spans, 2 + T, p).
    """
    out = np.empty((len(spans) - 1, 2 + len(targets), len(table)))
    for f in range(len(spans) - 1):
        a, b = spans[f], spans[f + 1]
        for t in range(len(targets)):
            w, y = weights[a:b], targets[t, a:b]
            for k in range(len(table)):
                out[f, 0, k], out[f, 1, k], out[f, 2 + t, k] = _sums(table[k, a:b], w, y)
    return out


@inner(fastmath=_SUMS)
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
    """Inner products of rows (r, n) with rows of the table (p, n) over each span (spans, r, p)."""
    p = len(table)
    out = np.empty((len(spans) - 1, len(flat), p))
    for k in range(0, p, 4):
        # past the end the last again
        j, l, m = min(k + 1, p - 1), min(k + 2, p - 1), min(k + 3, p - 1)
        for f in range(len(spans) - 1):
            a, b = spans[f], spans[f + 1]
            rows = table[k, a:b], table[j, a:b], table[l, a:b], table[m, a:b]
            for i in range(len(flat)):
                out[f, i, k], out[f, i, j], out[f, i, l], out[f, i, m] = _four_dots(
                    flat[i, a:b], *rows
                )
    return out


@compiled(_nrt=False)
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


@compiled(_nrt=False)
def less_origin(table, origin, spans, out):
    """Fill ``out`` (p, n) with the table less the origins (spans, p) of columns over each span."""
    for k in range(len(table)):
        for b in range(len(spans) - 1):
            rows = slice(spans[b], spans[b + 1])
            x, o, here = table[k, rows], origin[b, k], out[k, rows]
            for i in range(len(x)):
                here[i] = x[i] - o
