"""Rough distances of one query to all rows over the columns of a base, and lists of the rows nearest by them.

They are summed afresh where the columns are few, which takes less time than to fetch them, and else come from those that
are held. Lists are sorted as far as a scan needs that is to stop early.
"""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import fused, lanes, load, lowest, magnitude, number, splat, store
from subsel._loops.rough import bits_of_four, roughen
from subsel._loops.votes import term

__all__ = ["lay", "list_near", "near_row", "pair_of", "places"]

BUCKETS = 64
SAMPLE = 128  # distances from which a quantile is guessed, at least
TINY = 1e-30  # nearer to each other than this, in these units, rows are not sorted
SPOILT = 1e-6  # the share of a term that is taken from a distance which must be left of it
NEAREST, TRIALS = 1e-20, 16  # where the search for a quantile begins, and how often it halves
TOGETHER = 4  # queries that pass by a chunk of rows
FARTHEST = (
    2.0  # in units of the largest distance there can be: beyond are only rows that must not answer
)


@compiled
def lay(rows, columns, middles, widths, block):
    """Lay some columns of a table side by side, moved and divided by their spans; zeros fill the block up."""
    for r in range(len(rows)):
        for c in range(len(columns)):
            block[r, c] = (rows[r, columns[c]] - middles[c]) / widths[c]
        for c in range(len(columns), block.shape[1]):
            block[r, c] = 0.0


@inner(forceinline=True)
def places(q, row, base, absolute, place):
    """Where a query lies by each column that is summed; gives its size, by which rounding costs."""
    packed, root, f, size = base.packed, base.root, base.scaled[q], 0.0
    chunk, i = row // packed.shape[2], row % packed.shape[2]
    for j in range(root.shape[1]):
        place[j] = -root[f, j] * packed[chunk, j, i]
        size += term(float(place[j]), absolute)
    return size


@inner
def pair_of(X, a, b, columns, scale, absolute):
    """The distance of two rows of a table over some columns."""
    total = 0.0
    for j in columns:
        total += term(scale[j] * (X[a, j] - X[b, j]), absolute)
    return total


@inner
def mend(q, row, base, table, absolute, near):
    """Sum distances afresh where so little is left of them without a column that rounding may have spoilt it."""
    columns, scale, signs = base.shift.columns, base.shift.scale, base.shift.signs
    for j in range(len(signs)):
        if signs[j] < 0:
            x, v, few, share = columns[j, row], scale[q, j], 0, SPOILT * base.unit
            for r in range(len(near)):
                few += near[r] < share * term(v * (x - columns[j, r]), absolute)
            if few > 0:
                for r in range(table.rows.shape[0]):
                    if near[r] < share * term(v * (x - columns[j, r]), absolute):
                        distance = pair_of(
                            table.rows, row, r, table.base, table.scale[base.scaled[q]], absolute
                        )
                        near[r] = base.unit * distance


@inner
def near_row(q, row, base, table, absolute, place, near):
    """The rough distances of a query over the columns of the base."""
    packed, root, blocked, n, f = base.packed, base.root, base.blocked, len(near), base.scaled[q]
    if len(base.state) > 0:
        roughen(q, row, base.state, n, base.shift, base.unit, absolute, near, 0)
        mend(q, row, base, table, absolute, near)
        return
    s, w, first = packed.shape[1], lanes(near), n * base.part[q]
    for i in range(0, n, 4 * w):
        d0, d1 = load(blocked, first + i), load(blocked, first + i + w)
        d2, d3 = load(blocked, first + i + 2 * w), load(blocked, first + i + 3 * w)
        for j in range(s):
            r, x, of = splat(root[f, j]), splat(place[j]), i * s + j * 4 * w
            e0, e1 = fused(r, load(packed, of), x), fused(r, load(packed, of + w), x)
            e2, e3 = fused(r, load(packed, of + 2 * w), x), fused(r, load(packed, of + 3 * w), x)
            if absolute:
                d0, d1, d2, d3 = (
                    d0 + magnitude(e0),
                    d1 + magnitude(e1),
                    d2 + magnitude(e2),
                    d3 + magnitude(e3),
                )
            else:
                d0, d1, d2, d3 = (
                    fused(e0, e0, d0),
                    fused(e1, e1, d1),
                    fused(e2, e2, d2),
                    fused(e3, e3, d3),
                )
        store(near, i, d0)
        store(near, i + w, d1)
        store(near, i + 2 * w, d2)
        store(near, i + 3 * w, d3)
    if base.alone:
        near[row] = np.inf


@compiled
def list_near(base, rows, table, absolute, share, lists):
    """List for each query the rows that are nearest over the columns of the base: about a ``share`` of all.

    Listed are those under the edge, sorted up to the grain: no row is nearer than any before it by more. Three rows
    infinitely far follow.
    """
    n, dtype = base.blocked.shape[1], base.packed.dtype
    near, place, room = (
        np.empty(n, dtype),
        np.empty(base.root.shape[1], dtype),
        np.empty(n, np.int32),
    )
    step = max(1, n // SAMPLE)
    sample, distance = (
        np.full(n // step + -(n // step) % (4 * lanes(near)), np.inf, dtype),
        np.empty(n, dtype),
    )
    key, start, wanted = (
        np.empty(n, np.int32),
        np.empty(BUCKETS + 1, np.int64),
        int(share * (n // step)) + 1,
    )
    list_all(
        base,
        rows,
        table,
        absolute,
        step,
        wanted,
        lists,
        near,
        place,
        room,
        sample,
        distance,
        key,
        start,
    )


@inner
def list_all(
    base,
    rows,
    table,
    absolute,
    step,
    wanted,
    lists,
    near,
    place,
    room,
    sample,
    distance,
    key,
    start,
):
    """List the rows nearest to one query after the other."""
    for q in range(len(rows)):
        places(q, rows[q], base, absolute, place)
        near_row(q, rows[q], base, table, absolute, place, near)
        top = quantile(near, q % step, step, wanted, sample)
        found = under_top(near, top, room, distance)
        lists.length[q], lists.edge[q], lists.grain[q] = sort_row(
            distance, room, found, top, key, start, lists.order[q], lists.base[q]
        )


@inner
def quantile(near, first, step, wanted, sample):
    """About a quantile of a row of distances: under it, in a sample, lie as many as are wanted, or a few more."""
    kind, w, few = near.dtype.type, lanes(near), 0
    low, high = kind(NEAREST), kind(FARTHEST)
    for i in range(len(near) // step):
        sample[i] = near[first + step * i]
    top = high
    while few < TRIALS:
        top, found = np.sqrt(low * high), 0
        tops = splat(top)
        for i in range(0, len(sample), 4 * w):
            d0, d1, d2, d3 = (
                load(sample, i),
                load(sample, i + w),
                load(sample, i + 2 * w),
                load(sample, i + 3 * w),
            )
            found += number(bits_of_four(d0, d1, d2, d3, tops, w))
        if found < wanted:
            low = top
        else:
            high = top
        few = TRIALS if found >= wanted and found <= wanted + wanted // 4 else few + 1
    return high


@inner
def under_top(near, top, room, distance):
    """The rows whose distance is under ``top``, and their distances; gives how many."""
    m, tops, w = 0, splat(top), lanes(near)
    for i in range(0, len(near), 4 * w):
        d0, d1, d2, d3 = (
            load(near, i),
            load(near, i + w),
            load(near, i + 2 * w),
            load(near, i + 3 * w),
        )
        bits = bits_of_four(d0, d1, d2, d3, tops, w)
        while bits:
            r = np.uintp(i + lowest(bits))
            bits &= bits - 1
            room[m], distance[m] = r, near[r]
            m += near[r] < top
    return m


@inner
def sort_row(distance, index, found, top, key, start, order, base):
    """Sort the rows found under ``top`` into buckets; give how many were kept, what they lie under, the widest bucket."""
    low, edge = top, top
    for i in range(found):
        low = min(low, distance[i])
    if top - low < TINY:
        found, edge = 0, low
    scale = distance.dtype.type((BUCKETS - 1) ** 2) / max(top - low, distance.dtype.type(TINY))
    for i in range(found):
        key[i] = np.int32(np.sqrt((distance[i] - low) * scale))  # finer where rows are near
    start[:] = 0
    for i in range(found):
        start[key[i] + 1] += 1
    whole = 0  # buckets that fit into the list as a whole
    for b in range(BUCKETS):
        start[b + 1] += start[b]
        whole += start[b + 1] <= len(order) - 3
    kept = start[whole]
    for i in range(found):
        b = key[i]
        if b < whole:
            place = start[b]
            start[b] = place + 1
            order[place], base[place] = index[i], distance[i]
        else:
            edge = min(edge, distance[i])
    for i in range(kept, kept + 3):
        order[i], base[i] = 0, np.inf
    return kept, edge, 2.1 * (top - low) / (BUCKETS - 1) + 1e-6 * top
