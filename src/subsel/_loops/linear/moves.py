"""A column enters a sweep or leaves it, number by number.

Where columns are few, arrays take longer to make than to fill.

``tables`` are those of :class:`subsel.criteria.linear.sweep.Tables`.
"""

from subsel._loops.compiler import compiled


@compiled(_nrt=False, error_model="numpy")
def enter(tables, j, rows, inside):
    """Let column j enter beside those ``inside``; updates the tables and ``rows``.

    These are rows j of the blocks (B, p), and become minus the share that each column has in the
    residual of j: one pivot of Gauss-Jordan elimination (the sweep operator, Goodnight 1979).
    """
    coupling, pivot, target, sign = tables
    s, p = len(inside), len(sign)
    for b in range(len(rows)):
        row, own, here, added = rows[b], pivot[b], pivot[b, j], coupling[b, s]
        for i in range(s):
            added[i] = row[inside[i]]  # kept there until the slot is filled
        for i in range(s):
            taken, couple = added[i], coupling[b, i]
            for k in range(p):
                row[k] -= taken * couple[k]
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


@compiled(_nrt=False, error_model="numpy")
def leave(tables, i, slot, inside, shares):
    """Let column i leave; updates the tables and fills ``shares`` (B, p) as ``enter`` does rows.

    Its slot goes to the last of those ``inside`` that stay.
    """
    coupling, pivot, target, sign = tables
    s, p = len(inside), len(sign)
    for b in range(len(shares)):
        stays, row = coupling[b, slot], coupling[b, s]
        own, here, share = pivot[b], pivot[b, i], shares[b]
        for k in range(p):
            stays[k], row[k] = row[k], stays[k]
            share[k] = sign[k] * (row[k] / here)
        share[i] = 0.0
        for k in range(p):
            own[k] += here * sign[k] * share[k] * share[k]
        for t in range(target.shape[2]):
            goal = target[b, i, t]
            for k in range(p):
                target[b, k, t] += goal * share[k]
            target[b, i, t] = goal / here
        own[i] = 1.0 / here
        for m in range(s):
            couple, lost = coupling[b, m], -share[inside[m]]
            for k in range(p):
                couple[k] -= lost * row[k]
            couple[i] = -lost


@compiled(_nrt=False, error_model="numpy")
def add_outer(R, share, row, spans):
    """Add ``share[b, k] * row`` to row k of R over the span of each block."""
    for k in range(R.shape[0]):
        for b in range(len(spans) - 1):
            part, r = row[spans[b] : spans[b + 1]], R[k, spans[b] : spans[b + 1]]
            u = share[b, k]
            if u != 0.0:
                for i in range(len(part)):
                    r[i] += u * part[i]
