"""Inner loops for the moments of folds: the transposed table, and sums and products per fold.

p is the number of columns, n of rows, T of targets. ``spans``, of shape (folds + 1,), holds the
first position of each fold, and the end.
"""

import numpy as np

from subsel._loops.compiler import compiled, inner

_SUMS = {"reassoc", "nsz", "contract"}


@inner(fastmath=_SUMS)
def _sums(x, w, y):
    """Return the sums of x and x^2 under weights w, and of ``x * y``; all arrays of shape (n,)."""
    total, square, product = 0.0, 0.0, 0.0
    for i in range(len(x)):
        part = w[i] * x[i]
        total += part
        square += part * x[i]
        product += x[i] * y[i]
    return total, square, product


@compiled
def fold_sums(table, weights, targets, spans):
    """Sum the columns, their squares and their products with the targets over each span.

    Parameters
    ----------
    table : ndarray of shape (p, n)
        One column of the data in each row.
    weights : ndarray of shape (n,)
        The weights of rows, by which columns and squares are multiplied.
    targets : ndarray of shape (T, n)
        Targets that are multiplied by the weights already.
    spans : ndarray of shape (folds + 1,)
        The first position of each fold, and the end.

    Returns
    -------
    ndarray of shape (folds, 2 + T, p)
        The sums of the columns, those of their squares, then their products with each target.
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
    """Return the inner products of x with four other vectors, all of shape (n,)."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(len(x)):
        a += x[i] * p[i]
        b += x[i] * q[i]
        c += x[i] * r[i]
        d += x[i] * s[i]
    return a, b, c, d


@compiled
def products(flat, table, spans):
    """Return the inner products of rows of `flat` with rows of the table over each span.

    Parameters
    ----------
    flat : ndarray of shape (r, n)
        Columns multiplied by weights.
    table : ndarray of shape (p, n)
        All columns.
    spans : ndarray of shape (folds + 1,)
        The first position of each fold, and the end.

    Returns
    -------
    ndarray of shape (folds, r, p)
        One product for each fold, row and column.
    """
    p = len(table)
    out = np.empty((len(spans) - 1, len(flat), p))
    for k in range(0, p, 4):
        # beyond the last column, the last is computed again
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
def transpose_rows(X, rows, shift, out):
    """Fill `out` with the transposed rows of a table, less a shift of each column.

    Parameters
    ----------
    X : ndarray of shape (n_all, p), C-ordered
        The table.
    rows : ndarray of shape (n,)
        The rows to copy, in this order.
    shift : ndarray of shape (p,)
        What is subtracted from each column.
    out : ndarray of shape (p, n)
        Overwritten.
    """
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
def subtract_origin(table, origin, spans, out):
    """Fill `out` with the table less an origin that differs between spans.

    Parameters
    ----------
    table : ndarray of shape (p, n)
        One column of the data in each row.
    origin : ndarray of shape (folds, p)
        What is subtracted from each column within each span.
    spans : ndarray of shape (folds + 1,)
        The first position of each fold, and the end.
    out : ndarray of shape (p, n)
        Overwritten.
    """
    for k in range(len(table)):
        for b in range(len(spans) - 1):
            rows = slice(spans[b], spans[b + 1])
            x, o, here = table[k, rows], origin[b, k], out[k, rows]
            for i in range(len(x)):
                here[i] = x[i] - o
