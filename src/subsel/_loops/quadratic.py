"""A column enters the sweeps of all classes or leaves them, and quadratic discriminants are scored, in one pass.

Row k of the residuals holds, class after class, what the columns inside leave of column k over the held-out rows. One
flip more moves the output of a class by the square of that over its pivot, and by the logarithm of the pivot.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.entering import _known, _rest_of_rows
from subsel._loops.lanes import N, choose, fused, load, magnitude, select, splat, store, total
from subsel._loops.least_squares import _four_dots, add_outer


@inner
def _two_rows(R, k, l, start, stop, u, v, a, b, above, row, ahead, sign):
    """Add u and v times ``row`` to rows k and l of R, for two classes: the sums of ``sign`` over rows that go to the second.

    The lead of the second is ``ahead`` and a[1], or b[1], times the square of its residual less the same of the first; a
    row goes to it where that is more than ``above``.
    """
    n, whole = len(sign), start + (stop - start) // N * N
    p, q, none = 2 * k * n, 2 * l * n, splat(0.0)
    u0, u1, v0, v1 = splat(u[0]), splat(u[1]), splat(v[0]), splat(v[1])
    a0, a1, b0, b1 = splat(-a[0]), splat(a[1]), splat(-b[0]), splat(b[1])
    s, t, s_above, t_above = none, none, splat(above[0]), splat(above[1])
    for i in range(start, whole, N):
        row0, row1, here, g = load(row, i), load(row, n + i), load(ahead, i), load(sign, i)
        x, y = fused(u0, row0, load(R, p + i)), fused(u1, row1, load(R, p + n + i))
        store(R, p + i, x)
        store(R, p + n + i, y)
        s = s + choose(fused(a1 * y, y, fused(a0 * x, x, here)), s_above, g, none)
        x, y = fused(v0, row0, load(R, q + i)), fused(v1, row1, load(R, q + n + i))
        store(R, q + i, x)
        store(R, q + n + i, y)
        t = t + choose(fused(b1 * y, y, fused(b0 * x, x, here)), t_above, g, none)
    first, second = total(s), total(t)
    for i in range(whole, stop):
        first += sign[i] if _lead(R, k, i, u, a, row, ahead) > above[0] else 0.0
        second += sign[i] if _lead(R, l, i, v, b, row, ahead) > above[1] else 0.0
    return first, second


@inner
def _lead(R, k, i, u, a, row, ahead):
    """Bring place i of row k up to date; how far the output of the second class is then beyond that of the first."""
    n = len(row) // 2
    x, y = R[k, i] + u[0] * row[i], R[k, n + i] + u[1] * row[n + i]
    R[k, i], R[k, n + i] = x, y
    return ahead[i] - a[0] * x * x + a[1] * y * y


@inner
def _row_of_many(R, k, start, stop, u, a, c, row, base, codes, tie):
    """Add u times ``row`` to row k of R: how many rows have their own class's output as the first largest.

    That of class m is ``base`` and a[m] times the square, and c[m].
    """
    n, whole, place = len(codes), start + (stop - start) // N * N, k * len(row)
    hits, none, one, margin = splat(0.0), splat(0.0), splat(1.0), splat(tie)
    for i in range(start, whole, N):
        best, label = splat(-np.inf), none
        for m in range(len(u)):
            at = m * n + i
            x = fused(splat(u[m]), load(row, at), load(R, place + at))
            store(R, place + at, x)
            value = fused(splat(a[m]) * x, x, load(base, at) + splat(c[m]))
            label = choose(value, best + margin, splat(float(m)), label)
            best = choose(value, best + margin, value, best)
        hits = hits + select(magnitude(label - load(codes, i)), none, one)
    count = total(hits)
    for i in range(whole, stop):
        highest, named = -np.inf, 0
        for m in range(len(u)):
            R[k, m * n + i] += u[m] * row[m * n + i]
            output = base[m * n + i] + a[m] * R[k, m * n + i] ** 2 + c[m]
            if output > highest + tie:
                highest, named = output, m
        count += 1.0 if named == codes[i] else 0.0
    return count


class Four(NamedTuple):
    """Room for what there is of four columns: their numbers, sums over each fold (F, 4), what is counted (4, F), and of
    each class in one fold (4, K) the share, the factor of the square and what is added; ``above`` for two classes."""

    columns: np.ndarray
    dots: np.ndarray
    hits: np.ndarray
    u: np.ndarray
    a: np.ndarray
    c: np.ndarray
    above: np.ndarray


@compiled
def _room(n_classes, n_folds):
    each = np.empty((4, n_classes)), np.empty((4, n_classes)), np.empty((4, n_classes))
    return Four(
        np.empty(4, dtype=np.int64),
        np.empty((n_folds, 4)),
        np.empty((4, n_folds)),
        *each,
        np.empty(4),
    )


@inner
def _take_four(first, c, four):
    """Take four of ``first`` from place c on, the first again past the end; how many there are."""
    width = min(4, len(first) - c)
    for i in range(4):
        four.columns[i] = first[c + i] if i < width else first[c]
    return width


@inner(error_model="numpy")
def _score_four(R, row, four, width, share, pivot, direction, offset, base, truth, bounds, tie):
    """Add ``share`` (B, p) times ``row`` to ``width`` rows of R; what is to be counted once ``pivot`` (B, p) are theirs."""
    (n_classes, n_folds), k = offset.shape, four.columns
    for f in range(n_folds):
        for i in range(4):
            for m in range(n_classes):
                b = m * n_folds + f
                four.u[i, m], four.a[i, m] = (
                    share[b, k[i]] if i < width else 0.0,
                    -0.5 * direction / pivot[b, k[i]],
                )
                if n_classes > 2:
                    four.c[i, m] = offset[m, f] - 0.5 * np.log(pivot[b, k[i]])
            if n_classes == 2:
                four.above[i] = (
                    tie
                    + offset[0, f]
                    - offset[1, f]
                    + 0.5 * np.log(pivot[n_folds + f, k[i]] / pivot[f, k[i]])
                )
        if n_classes == 2:
            for i in range(0, width, 2):
                move = (
                    four.u[i],
                    four.u[i + 1],
                    four.a[i],
                    four.a[i + 1],
                    four.above[i : i + 2],
                    row,
                    base,
                    truth,
                )
                hits = _two_rows(R, k[i], k[i + 1], bounds[f], bounds[f + 1], *move)
                four.hits[i, f], four.hits[i + 1, f] = hits
        else:
            for i in range(width):
                move = four.u[i], four.a[i], four.c[i], row, base, truth, tie
                four.hits[i, f] = _row_of_many(R, k[i], bounds[f], bounds[f + 1], *move)


@compiled
def settle_class_hits(R, share, row, first, direction, pivot, offset, base, truth, bounds, tie):
    """Add ``share[b, k] * row`` to row k of R over the span of each block b, and score each of ``first`` flipped.

    Blocks run over the folds of the first class, then of the second, and so on; so do ``row`` and ``base``, the outputs
    without what all rows of a fold share, ``offset`` (K, F). Two classes have one ``base``, how far the output of the second
    is beyond that of the first, ``truth`` -1 and 1, and its sums over rows that go to the second are given; more have their
    codes, and how many rows go to their own class (C, F).
    """
    n_blocks, n_folds = len(share), len(bounds) - 1
    four, hits, alone = (
        _room(len(offset), n_folds),
        np.empty((len(first), n_folds)),
        np.ones(len(R), dtype=np.bool_),
    )
    for c in range(0, len(first), 4):
        width = _take_four(first, c, four)
        _score_four(R, row, four, width, share, pivot, direction, offset, base, truth, bounds, tie)
        for i in range(width):
            alone[four.columns[i]] = False
            for f in range(n_folds):
                hits[c + i, f] = four.hits[i, f]
    spans = np.empty(n_blocks + 1, dtype=np.int64)
    for b in range(n_blocks + 1):
        spans[b] = b // n_folds * len(truth) + bounds[b % n_folds]
    for k in range(len(R)):
        if alone[k]:
            add_outer(R[k : k + 1], share[:, k : k + 1], row, spans)
    return hits


@inner(error_model="numpy")
def _enter_four(R, x, j, four, width, lacks, less, factor, bounds, pivot, rows, share, after):
    """Entries of ``width`` columns in row j of the blocks, their shares and their pivots after j has entered.

    ``share`` comes as what the columns inside take off an entry.
    """
    n_folds, n, k, dots = len(bounds) - 1, x.shape[1], four.columns, four.dots
    for m in range(len(x)):
        for f in range(n_folds):
            at, end = m * n + bounds[f], m * n + bounds[f + 1]
            part = R[k[0], at:end], R[k[1], at:end], R[k[2], at:end], R[k[3], at:end]
            dots[f, 0], dots[f, 1], dots[f, 2], dots[f, 3] = _four_dots(
                x[m, bounds[f] : bounds[f + 1]], *part
            )
        for i in range(width):
            whole = 0.0
            for f in range(n_folds):
                dots[f, i] += lacks[m * n_folds + f, k[i]]
                whole += dots[f, i]
            for f in range(n_folds):
                b = m * n_folds + f
                here, entry = pivot[b, j], factor[b] * (whole - dots[f, i]) - less[b, k[i]]
                u = (entry - share[b, k[i]]) / -here
                rows[b, k[i]], share[b, k[i]], after[b, k[i]] = (
                    entry,
                    u,
                    pivot[b, k[i]] - here * u * u,
                )


@compiled
def enter_class_hits(
    R,
    row,
    x,
    j,
    table,
    inside,
    coupling,
    pivot,
    origin,
    means,
    rest,
    sums,
    factor,
    first,
    offset,
    base,
    truth,
    bounds,
    tie,
):
    """Row j of the blocks (B, p), by which it enters, and what ``settle_class_hits`` gives of additions after that.

    As in :mod:`subsel._loops.entering`: ``row`` is the residual of j, ``x`` (K, n) its column over the rows of each class.
    The residuals of ``first``, columns outside other than j, are brought up to date; those of others are not.
    """
    n_folds, n, shape = len(bounds) - 1, len(truth), pivot.shape
    four, hits, rows, after = (
        _room(len(x), n_folds),
        np.empty((len(first), n_folds)),
        np.zeros(shape),
        np.empty(shape),
    )
    lacks, less, share = np.empty(shape), np.empty(shape), np.empty(shape)
    for m in range(len(x)):
        b = slice(m * n_folds, (m + 1) * n_folds)
        known = _known(
            x[m],
            j,
            table,
            inside,
            coupling[b],
            origin[b],
            means[b],
            rest[b],
            sums[b],
            factor[b],
            bounds,
        )
        lacks[b], less[b], share[b] = known[1], known[2], known[3]
        part = R[:, m * n : (m + 1) * n]
        _rest_of_rows(
            rows[b], part, x[m], j, inside, known[0], lacks[b], less[b], factor[b], first, bounds
        )
    for c in range(0, len(first), 4):
        width = _take_four(first, c, four)
        _enter_four(R, x, j, four, width, lacks, less, factor, bounds, pivot, rows, share, after)
        _score_four(R, row, four, width, share, after, 1.0, offset, base, truth, bounds, tie)
        for i in range(width):
            for f in range(n_folds):
                hits[c + i, f] = four.hits[i, f]
    return rows, hits
