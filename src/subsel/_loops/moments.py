"""Class means and scatters, and the cross moment with a target, of many columns at once."""

import numpy as np

from subsel._loops import compiled

__all__ = ["dense_cross", "dense_moments", "sparse_moments"]


@compiled(fastmath={"contract"})
def dense_moments(X, first, last, rows, starts, weights, mean, scatter, at):
    """Class means and scatters of the columns ``first:last`` of a C-ordered table, in one pass.

    They are written from column `at` on.

    ``rows[starts[k]:starts[k + 1]]`` are the rows of class k, the heaviest first. That row is the origin: a
    column constant within a class has exactly that mean and no scatter, and because the origin is one of
    the values averaged, the sum of squares about it is at most (number of rows + 1) times the scatter:
    nothing cancels. Eight rows go together because the loop is bound by the traffic of the running sums.
    """
    width = last - first
    for k in range(mean.shape[0]):
        i, stop = starts[k], starts[k + 1]
        for j in range(at, at + width):
            mean[k, j] = scatter[k, j] = 0.0
        if i == stop:
            continue
        mass = 0.0
        for t in range(i, stop):
            mass += weights[rows[t]]
        origin, total, square = X[rows[i], first:last], mean[k, at : at + width], scatter[k, at : at + width]
        while i + 8 <= stop:
            r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            r4, r5, r6, r7 = rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7]
            w0, w1, w2, w3 = weights[r0], weights[r1], weights[r2], weights[r3]
            w4, w5, w6, w7 = weights[r4], weights[r5], weights[r6], weights[r7]
            x0, x1, x2, x3 = X[r0, first:last], X[r1, first:last], X[r2, first:last], X[r3, first:last]
            x4, x5, x6, x7 = X[r4, first:last], X[r5, first:last], X[r6, first:last], X[r7, first:last]
            for j in range(width):
                c = origin[j]
                d0, d1, d2, d3 = x0[j] - c, x1[j] - c, x2[j] - c, x3[j] - c
                d4, d5, d6, d7 = x4[j] - c, x5[j] - c, x6[j] - c, x7[j] - c
                e0, e1, e2, e3 = w0 * d0, w1 * d1, w2 * d2, w3 * d3
                e4, e5, e6, e7 = w4 * d4, w5 * d5, w6 * d6, w7 * d7
                total[j] += ((e0 + e1) + (e2 + e3)) + ((e4 + e5) + (e6 + e7))
                square[j] += ((e0 * d0 + e1 * d1) + (e2 * d2 + e3 * d3)) + ((e4 * d4 + e5 * d5) + (e6 * d6 + e7 * d7))
            i += 8
        while i < stop:
            w, row = weights[rows[i]], X[rows[i], first:last]
            for j in range(width):
                d = row[j] - origin[j]
                total[j] += w * d
                square[j] += w * d * d
            i += 1
        for j in range(width):
            shift = total[j] / mass
            square[j] = max(square[j] - shift * total[j], 0.0)
            total[j] = origin[j] + shift


@compiled
def dense_cross(X, first, last, rows, pull):
    """Sums of ``pull[i] * x[i, j]``, the pulls summing to zero, measured from the first of the rows."""
    cross = np.zeros(last - first)
    origin = X[rows[0], first:last]
    for i in rows:
        row = X[i, first:last]
        for j in range(last - first):
            cross[j] += pull[i] * (row[j] - origin[j])
    return cross


@compiled
def sparse_moments(data, indices, indptr, codes, weights, mass, n_rows, pull):
    """Class means and scatters of compressed columns, and the sums of ``pull[i] * x[i, j]``.

    The entries not stored are zeros: counted, never written. `n_rows` holds the rows of each class: where a
    column stores all of them, one of them is the origin, as in the dense loop. An empty `pull` asks for no
    cross moment.
    """
    n_classes, width = mass.shape[0], indptr.shape[0] - 1
    mean = np.zeros((n_classes, width))
    scatter = np.zeros((n_classes, width))
    cross = np.zeros(width)
    stored = np.empty(n_classes, np.int64)
    stored_mass = np.empty(n_classes)
    origin = np.empty(n_classes)
    for j in range(width):
        for k in range(n_classes):
            stored[k], stored_mass[k] = 0, 0.0
        for t in range(indptr[j], indptr[j + 1]):
            k = codes[indices[t]]
            stored[k] += 1
            stored_mass[k] += weights[indices[t]]
            origin[k] = data[t]
        for k in range(n_classes):
            if stored[k] < n_rows[k]:
                origin[k] = 0.0
        for t in range(indptr[j], indptr[j + 1]):
            i = indices[t]
            mean[codes[i], j] += weights[i] * (data[t] - origin[codes[i]])
            if pull.shape[0] > 0:
                cross[j] += pull[i] * (data[t] - origin[codes[i]])
        for k in range(n_classes):
            if mass[k] > 0.0:
                mean[k, j] = origin[k] + mean[k, j] / mass[k]
                if stored[k] < n_rows[k]:
                    scatter[k, j] = max(mass[k] - stored_mass[k], 0.0) * mean[k, j] ** 2
        for t in range(indptr[j], indptr[j + 1]):
            k = codes[indices[t]]
            gap = data[t] - mean[k, j]
            scatter[k, j] += weights[indices[t]] * gap * gap
    return mean, scatter, cross
