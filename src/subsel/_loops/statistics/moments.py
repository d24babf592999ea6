"""Class means and scatters of many columns, and their cross moments with a target."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = [
    "ClassRows",
    "dense_cross",
    "dense_moments",
    "f_in_place",
    "f_of_two_classes",
    "sparse_moments",
]

_STROKE = 10_000  # columns at a time: their running sums stay in the cache


class ClassRows(NamedTuple):
    """The rows of each class."""

    rows: np.ndarray  # (m,) rows of positive weight, class after class, the heaviest of each first
    starts: np.ndarray  # (classes + 1,) first position of each class in `rows`, and the end
    weights: np.ndarray  # (n,) weights of all rows


@compiled
def _strokes(X, r, first, last):
    """Return twelve rows r (12,) of the columns ``first:last`` of X."""
    return (
        (X[r[0], first:last], X[r[1], first:last], X[r[2], first:last], X[r[3], first:last])
        + (X[r[4], first:last], X[r[5], first:last], X[r[6], first:last], X[r[7], first:last])
        + (X[r[8], first:last], X[r[9], first:last], X[r[10], first:last], X[r[11], first:last])
    )


@compiled(fastmath={"contract"})
def _add_rows(c, x, w, total, square):
    """Add twelve weighted rows, less the row c, to `total` and their squares to `square`; in place.

    c, `total`, `square` and the twelve arrays x are of shape (columns,); w holds twelve weights.
    """
    x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, xa, xb = x
    w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, wa, wb = w
    for j in range(len(total)):
        o = c[j]
        d0, d1, d2, d3, d4, d5 = x0[j] - o, x1[j] - o, x2[j] - o, x3[j] - o, x4[j] - o, x5[j] - o
        d6, d7, d8, d9, da, db = x6[j] - o, x7[j] - o, x8[j] - o, x9[j] - o, xa[j] - o, xb[j] - o
        e0, e1, e2, e3, e4, e5 = w0 * d0, w1 * d1, w2 * d2, w3 * d3, w4 * d4, w5 * d5
        e6, e7, e8, e9, ea, eb = w6 * d6, w7 * d7, w8 * d8, w9 * d9, wa * da, wb * db
        total[j] += (((e0 + e1) + (e2 + e3)) + ((e4 + e5) + (e6 + e7))) + ((e8 + e9) + (ea + eb))
        low = ((e0 * d0 + e1 * d1) + (e2 * d2 + e3 * d3)) + (
            (e4 * d4 + e5 * d5) + (e6 * d6 + e7 * d7)
        )
        square[j] += low + ((e8 * d8 + e9 * d9) + (ea * da + eb * db))


@compiled
def _next_twelve(rows, i, stop, origin, weights):
    """Return the next twelve rows and their weights.

    After the last row, the row `origin` fills up, with weight 0.
    """
    r = np.full(12, origin)
    w = np.zeros(12)
    for t in range(i, min(i + 12, stop)):
        r[t - i], w[t - i] = rows[t], weights[rows[t]]
    values = (w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11])
    return r, values


@compiled(fastmath={"contract"})
def dense_moments(X, first, last, classes, mean, scatter):
    """Fill `mean` and `scatter` with the class moments of the columns ``first:last``, in one pass.

    A column that is constant within a class has exactly that mean and no scatter.

    Parameters
    ----------
    X : ndarray of shape (n, p), C-ordered
        The table.
    first, last : int
        The block of columns.
    classes : ClassRows
        The rows of each class.
    mean, scatter : ndarray of shape (classes, last - first)
        Overwritten; 0 for a class without rows.

    Returns
    -------
    int
        How many scatters are not finite.
    """
    # The shifted one-pass formula, sum w (x - o)^2 - (sum w (x - o))^2 / sum w (T. Chan, G. Golub
    # and R. LeVeque, "Algorithms for computing the sample variance: analysis and recommendations",
    # The American Statistician 37, 1983). The origin o is the heaviest of the values averaged, so
    # that (o - mean)^2 is at most n / W times the scatter, with W the mass, and the first sum at
    # most n + 1 times the scatter: few digits cancel. Twelve rows are added at a time, since the
    # loop is bound by the traffic of the running sums.
    rows, starts, weights = classes
    width, n_not_finite = last - first, 0
    for k in range(mean.shape[0]):
        i, stop = starts[k], starts[k + 1]
        total, square = mean[k], scatter[k]
        for j in range(width):
            total[j] = square[j] = 0.0
        if i == stop:
            continue
        mass = 0.0
        for t in range(i, stop):
            mass += weights[rows[t]]
        begin = rows[i]
        origin = X[begin, first:last]
        while i < stop:
            r, w = _next_twelve(rows, i, stop, begin, weights)
            _add_rows(origin, _strokes(X, r, first, last), w, total, square)
            i += 12
        share = 1.0 / mass
        for j in range(width):
            shift = total[j] * share
            rest = square[j] - shift * total[j]
            n_not_finite += not rest < np.inf
            square[j] = max(rest, 0.0)
            total[j] = origin[j] + shift
    return n_not_finite


@compiled(fastmath={"contract"})
def dense_cross(X, first, last, rows, pull):
    """Return the sums (last - first,) of ``pull[i] * x[i, j]`` over `rows`; pulls sum to zero.

    X (n, p) is C-ordered, `pull` (n,) belongs to all rows.
    """
    # Since the pulls sum to zero, any origin may be subtracted from a column; the first row keeps
    # numbers small.
    width = last - first
    cross = np.zeros(width)
    origin = X[rows[0], first:last]
    i = 0
    while i < len(rows):
        r, w = _next_twelve(rows, i, len(rows), rows[0], pull)
        w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, wa, wb = w
        x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, xa, xb = _strokes(X, r, first, last)
        for j in range(width):
            o = origin[j]
            low = (w0 * (x0[j] - o) + w1 * (x1[j] - o)) + (w2 * (x2[j] - o) + w3 * (x3[j] - o))
            middle = (w4 * (x4[j] - o) + w5 * (x5[j] - o)) + (w6 * (x6[j] - o) + w7 * (x7[j] - o))
            high = (w8 * (x8[j] - o) + w9 * (x9[j] - o)) + (wa * (xa[j] - o) + wb * (xb[j] - o))
            cross[j] += low + middle + high
        i += 12
    return cross


@compiled(error_model="numpy")
def f_of_two_classes(mean, scatter, factor, f):
    """Fill f (p,) with a factor times the squared gap of the class means, over the scatter within.

    `mean` and `scatter` are of shape (2, p). Zero over zero is 0.
    """
    first, second, scatter_first, scatter_second = mean[0], mean[1], scatter[0], scatter[1]
    for j in range(len(f)):
        gap = second[j] - first[j]
        between = factor * gap * gap
        ratio = between / (scatter_first[j] + scatter_second[j])
        f[j] = ratio if between > 0.0 else 0.0


@compiled(error_model="numpy")
def f_in_place(X, classes, factor, f):
    """Fill f (p,) with the F statistic of two classes of the columns of a C-ordered table (n, p).

    Moments are computed block by block, as in `dense_moments`. Returns how many scatters are not
    finite.
    """
    n_not_finite = 0
    for first in range(0, len(f), _STROKE):
        last = min(first + _STROKE, len(f))
        mean, scatter = np.empty((2, last - first)), np.empty((2, last - first))
        n_not_finite += dense_moments(X, first, last, classes, mean, scatter)
        f_of_two_classes(mean, scatter, factor, f[first:last])
    return n_not_finite


@compiled
def sparse_moments(stored, codes, weights, mass, n_rows, pull):
    """Return class means and scatters of compressed columns, and the sums of ``pull[i] * x[i, j]``.

    Entries that are not stored are zeros, which are counted and never written. Where a column
    stores all rows of a class, one of them is the origin, as in `dense_moments`.

    Parameters
    ----------
    stored : Compressed
        The columns.
    codes, weights : ndarray of shape (n,)
        The class and the weight of each row.
    mass, n_rows : ndarray of shape (classes,)
        The weight and the number of rows of each class.
    pull : ndarray of shape (n,) or (0,)
        Factors that sum to zero within each class; empty where the sums are not needed.

    Returns
    -------
    mean, scatter : ndarray of shape (classes, columns)
        The moments.
    cross : ndarray of shape (columns,)
        The sums, 0 for an empty `pull`.
    """
    data, indices, indptr = stored
    n_classes, width = mass.shape[0], indptr.shape[0] - 1
    mean = np.zeros((n_classes, width))
    scatter = np.zeros((n_classes, width))
    cross = np.zeros(width)
    n_stored = np.empty(n_classes, np.int64)
    stored_mass = np.empty(n_classes)
    origin = np.empty(n_classes)
    for j in range(width):
        for k in range(n_classes):
            n_stored[k], stored_mass[k] = 0, 0.0
        for t in range(indptr[j], indptr[j + 1]):
            k = codes[indices[t]]
            n_stored[k] += 1
            stored_mass[k] += weights[indices[t]]
            origin[k] = data[t]
        for k in range(n_classes):
            if n_stored[k] < n_rows[k]:
                origin[k] = 0.0
        for t in range(indptr[j], indptr[j + 1]):
            i = indices[t]
            mean[codes[i], j] += weights[i] * (data[t] - origin[codes[i]])
            if pull.shape[0] > 0:
                cross[j] += pull[i] * (data[t] - origin[codes[i]])
        for k in range(n_classes):
            if mass[k] > 0.0:
                mean[k, j] = origin[k] + mean[k, j] / mass[k]
                if n_stored[k] < n_rows[k]:
                    scatter[k, j] = max(mass[k] - stored_mass[k], 0.0) * mean[k, j] ** 2
        for t in range(indptr[j], indptr[j + 1]):
            k = codes[indices[t]]
            gap = data[t] - mean[k, j]
            scatter[k, j] += weights[indices[t]] * gap * gap
    return mean, scatter, cross
