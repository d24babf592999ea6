"""A column enters a sweep, and all others are scored, in one pass over the residuals.

Row j of the blocks needs the products of column j with each column k. Over the rows that fold f holds out, the residual
of k is the column (about its origin) less its coupling times the columns inside, so that the products with residuals
give those with columns: the table need not be read beside the residuals.
"""

import numpy as np

from subsel._loops import compiled
from subsel._loops.least_squares import _SUMS, _four_dots, _settle_four, settle_hits
from subsel._loops.moves import leave as _leave

leave = compiled(_leave)


@compiled
def enter(j, rows, inside, coupling, pivot, target, sign):
    """``moves.enter`` number by number: where columns are few, making arrays would take longer than filling them."""
    s, p = len(inside), len(sign)
    for b in range(len(rows)):
        row, own, here, added = rows[b], pivot[b], pivot[b, j], coupling[b, s]
        taken = row[inside]
        for i in range(s):
            couple = coupling[b, i]
            for k in range(p):
                row[k] -= taken[i] * couple[k]
        for i in range(s):
            row[inside[i]] = coupling[b, i, j]
        for k in range(p):
            row[k] /= -here
        row[j] = 0.0
        for k in range(p):
            added[k] = -row[k] * sign[k]
            own[k] += here * added[k] * row[k]
        for t in range(target.shape[2]):
            goal = target[b, j, t]
            for k in range(p):
                target[b, k, t] += goal * row[k]
            target[b, j, t] = goal / here
        own[j] = added[j] = 1.0 / here
        for i in range(s):
            couple, lost = coupling[b, i], coupling[b, i, j]
            for k in range(p):
                couple[k] -= lost * added[k]
            couple[j] = -lost / here


@compiled(error_model="numpy")
def enter_known_hits(
    R, row, rows, j, inside, coupling, pivot, target, units, first, base, sign, spans
):
    """Let column j enter by its rows (B, p) of the blocks, and give the signs of ``flip_hits`` after that.

    ``row`` is the residual of j, ``units`` is +1 for columns outside, else -1. All residuals are brought up to date.
    """
    before = pivot[:, j].copy()
    enter(j, rows, inside, coupling, pivot, target, units)
    for b in range(len(spans) - 1):
        for i in range(spans[b], spans[b + 1]):
            R[j, i] = row[i] / before[b]
    return settle_hits(R, rows, row, first, 1.0, pivot, target, base, sign, spans)


@compiled(fastmath=_SUMS | {"contract"})
def _known(x, j, table, inside, coupling, origin, means, rest, sums, factor, spans):
    """What is known of row j of the blocks without the residuals.

    Gives the entries at the columns inside (B, s), and, (B, p) each, what products with residuals lack to be products
    with columns, what means take off a row, and what the columns inside take off it.
    """
    n_folds, s, p = len(spans) - 1, len(inside), len(table)
    held, entries = np.zeros((n_folds, s)), np.zeros((n_folds, s))
    lacks, means_take, inside_takes = (
        np.zeros((n_folds, p)),
        np.zeros((n_folds, p)),
        np.zeros((n_folds, p)),
    )
    for f in range(n_folds):
        part = x[spans[f] : spans[f + 1]]
        total = 0.0
        for i in range(len(part)):
            total += part[i]
        for k in range(p):
            lacks[f, k] = total * origin[f, k]
            means_take[f, k] = means[f, j] * rest[f, k] + sums[f, j] * means[f, k]
        for i in range(s):
            column, product = table[inside[i], spans[f] : spans[f + 1]], 0.0
            for r in range(len(part)):
                product += part[r] * column[r]
            held[f, i] = product
    for f in range(n_folds):
        taken, lacking = inside_takes[f], lacks[f].copy()
        for i in range(s):
            k, couple, others = inside[i], coupling[f, i], 0.0
            for g in range(n_folds):
                others += held[g, i] if g != f else 0.0
            a = held[f, i] - lacks[f, k]
            b = factor[f] * others - means_take[f, k]
            entries[f, i] = b
            for k in range(p):
                lacking[k] += a * couple[k]
                taken[k] += b * couple[k]
        lacks[f] = lacking
    return entries, lacks, means_take, inside_takes


@compiled(error_model="numpy")
def enter_hits(
    R,
    row,
    x,
    j,
    table,
    inside,
    coupling,
    pivot,
    target,
    origin,
    means,
    rest,
    sums,
    factor,
    first,
    base,
    sign,
    spans,
):
    """Row j of the blocks (B, p), by which it enters, and per block and candidate the signs of ``flip_hits`` after that.

    ``row`` is the residual of j, ``x`` its column times the weights of the rows. The residuals of ``first``, columns
    outside other than j, are brought up to date, four at a time; those of others are not.
    """
    n_folds, n_asked = len(spans) - 1, len(first)
    entries, lacks, less, taken = _known(
        x, j, table, inside, coupling, origin, means, rest, sums, factor, spans
    )
    rows, out, part = np.zeros(pivot.shape), np.empty((n_folds, n_asked)), np.empty((n_folds, 4))
    four, u, w = np.empty(4, dtype=np.int64), np.empty(4), np.empty(4)
    for c in range(0, n_asked, 4):
        width = min(4, n_asked - c)
        for i in range(4):
            four[i] = first[c + i] if i < width else first[c]
        p, q, r, s = R[four[0]], R[four[1]], R[four[2]], R[four[3]]
        total = np.zeros(4)
        for f in range(n_folds):
            a, b = spans[f], spans[f + 1]
            part[f] = _four_dots(x[a:b], p[a:b], q[a:b], r[a:b], s[a:b])
            for i in range(4):
                part[f, i] += lacks[f, four[i]]
                total[i] += part[f, i]
        for f in range(n_folds):
            here = pivot[f, j]
            for i in range(4):
                k = four[i]
                rows[f, k] = factor[f] * (total[i] - part[f, i]) - less[f, k]
                u[i] = (rows[f, k] - taken[f, k]) / -here
                w[i] = (target[f, k, 0] + target[f, j, 0] * u[i]) / (
                    pivot[f, k] - here * u[i] * u[i]
                )
            for i in range(width, 4):
                u[i] = 0.0  # the first once more
            hits = _settle_four(R, four, spans[f], spans[f + 1], u, row, w, base, sign)
            for i in range(width):
                out[f, c + i] = hits[i]
    _rest_of_rows(rows, R, x, j, inside, entries, lacks, less, factor, first, spans)
    return rows, out


@compiled
def _rest_of_rows(rows, R, x, j, inside, entries, lacks, less, factor, first, spans):
    """Entries at columns that are not asked for; the one at j is not used."""
    part, done = np.empty(len(spans) - 1), np.zeros(len(R), dtype=np.bool_)
    done[first] = True
    done[j] = True
    for i in range(len(inside)):
        rows[:, inside[i]] = entries[:, i]
        done[inside[i]] = True
    for k in range(len(R)):
        if not done[k]:
            for f in range(len(part)):
                held, r = x[spans[f] : spans[f + 1]], R[k, spans[f] : spans[f + 1]]
                part[f] = lacks[f, k]
                for i in range(len(r)):
                    part[f] += held[i] * r[i]
            for f in range(len(part)):
                rows[f, k] = factor[f] * (part.sum() - part[f]) - less[f, k]
