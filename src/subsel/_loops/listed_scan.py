"""The nearest rows of many candidates that add a column each, from lists of the rows nearest without it.

Distances are rough, in single precision if that tells rows apart. Where as many rows as are asked for lie within the k-th
of them, errors allowed for, these are the nearest; elsewhere distances are summed in double precision.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import fused, lanes, lesser, load, lowest, magnitude, splat, store, under
from subsel._loops.near_rows import FARTHEST, SPOILT, near_row, pair_of, places
from subsel._loops.nearest_neighbours import fill, rounding
from subsel._loops.rough import bits_of_four
from subsel._loops.side_by_side import (
    ONE,
    THREE,
    TWO,
    choose,
    errors_over,
    keep,
    make_room,
    must_be_exact,
    outermost,
    vote,
)
from subsel._loops.votes import term

__all__ = ["scan_listed"]


class Sums(NamedTuple):
    """Of a query: the rows whose distances over the base were summed in double precision, and these."""

    asked: np.ndarray
    exact: np.ndarray


@inner(forceinline=True)
def farther(base, r, x, values, absolute):
    """The distances of a row for candidates side by side."""
    e = fused(r, values, x)
    return splat(base) + magnitude(e) if absolute else fused(e, e, splat(base))


@inner(forceinline=True)
def take_in(listed, index, base, grain, g, r, x, size, errors, block, seen, m, absolute):
    """Put the rows of a list into the smallest distances of some candidates; give how many rows were seen.

    Added terms are not negative and no row of the list is nearer than one before it by more than ``grain``: the scan
    stops when none counts any more.
    """
    best, (k, w), width, kind = seen.best, seen.best.shape, block.shape[1], seen.best.dtype.type
    limit = outermost(load(best, w * (k - 1)), size, errors, kind)
    for i in range(0, listed, 4):
        i0 = np.uintp(i)
        i1, i2, i3 = i0 + ONE, i0 + TWO, i0 + THREE
        if not under(splat(base[i0] - grain), limit):
            break
        d0 = farther(base[i0], r, x, load(block, width * index[i0] + g), absolute)
        d1 = farther(base[i1], r, x, load(block, width * index[i1] + g), absolute)
        d2 = farther(base[i2], r, x, load(block, width * index[i2] + g), absolute)
        d3 = farther(base[i3], r, x, load(block, width * index[i3] + g), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), limit):
            m = keep(seen, m, index, i, d0, d1, d2, d3)
            limit = outermost(load(best, w * (k - 1)), size, errors, kind)
    store(seen.reach, 0, limit)
    return m


@inner
def beyond(near, edge, reach, index, base):
    """The rows that a list left out and that may count, followed by three that cannot; gives how many."""
    found, w, tops = 0, lanes(near), splat(min(reach, near.dtype.type(FARTHEST)))
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
            index[found], base[found] = r, near[r]
            found += near[r] >= edge
    for i in range(found, found + 3):
        index[i], base[i] = 0, np.inf
    return found


@inner
def measure(q, row, kept, m, column, base, table, scale, absolute, sums, short):
    """Sum the distances of some rows with a column added in double precision."""
    X = table.rows
    for i in range(m):
        r = kept[i]
        if sums.asked[r] != q:  # for the first time by this query
            sums.asked[r] = q
            if len(base.state) > 0 and len(base.shift.signs) == 0:
                sums.exact[r] = base.state[q * base.blocked.shape[1] + r]
            else:
                sums.exact[r] = pair_of(X, row, r, table.base, scale, absolute)
        short[i] = sums.exact[r] + term(scale[column] * (X[row, column] - X[r, column]), absolute)


@inner(forceinline=True)
def answer(q, row, g, some, m, size, errors, base, columns, table, voting, seen, sums, found):
    """Vote with the rows seen for candidates side by side; gives how many were tied."""
    scale, ties = table.scale[base.scaled[q]], 0
    doubtful = vote(q, g, some, m, size, errors, base.unit, voting, seen, found)
    while doubtful:
        c = lowest(doubtful)
        doubtful &= doubtful - 1
        kept, number = seen.kept[c], seen.number[c]
        if must_be_exact(number, voting, found.votes.shape[1] - 1):
            measure(
                q,
                row,
                kept,
                number,
                columns[g + c],
                base,
                table,
                scale,
                voting.absolute,
                sums,
                seen.short,
            )
        ties += choose(kept, seen.short, number, seen.smallest, voting, found, q, g + c)
    return ties


@inner
def answer_all(base, lists, rows, added, table, voting, found, seen, sums, near, place, index, far):
    """Vote for one query after the other; gives how many were tied."""
    block, columns, absolute, width, s = (
        added.block,
        added.columns,
        voting.absolute,
        added.block.shape[1],
        len(place),
    )
    errors = errors_over(s, 4 * rounding(len(table.base)) / SPOILT)
    kind, w, ties = seen.best.dtype.type, lanes(block), 0
    for q in range(len(rows)):
        row, f, gathered, more = rows[q], base.scaled[q], kind(-1.0), 0
        ready, edge = False, lists.edge[q]
        size = kind(places(q, row, base, absolute, place))
        for g in range(0, len(columns), w):
            r = load(added.root, width * f + g)
            x = splat(kind(-1.0)) * r * load(block, width * row + g)
            sizes = splat(size) + (magnitude(x) if absolute else x * x)
            fill(seen.best, np.inf)
            m = take_in(
                lists.length[q], lists.order[q], lists.base[q], lists.grain[q], g, r, x, sizes, errors, block, seen, 0,
                absolute,
            )  # fmt: skip
            if under(splat(edge), load(seen.reach, 0)):
                reach = edge
                for c in range(w):
                    reach = max(reach, seen.reach[c])
                if not ready:
                    near_row(q, row, base, table, absolute, place, near)
                    ready = True
                if reach > gathered:
                    gathered = kind(1.25) * reach if reach < kind(1.0) else kind(np.inf)
                    more = beyond(near, edge, gathered, index, far)
                m = take_in(
                    more, index, far, kind(np.inf), g, r, x, sizes, errors, block, seen, m, absolute
                )
            some = min(w, len(columns) - g)
            ties += answer(
                q, row, g, some, m, sizes, errors, base, columns, table, voting, seen, sums, found
            )
    return ties


@compiled
def scan_listed(base, lists, rows, added, table, voting, found):
    """Votes of the k nearest rows for columns that are ``added``, each to those of the base.

    Rows come in order of their distance from the lists, then from beyond them. Returns how many queries were tied.
    """
    n, dtype = base.blocked.shape[1], added.block.dtype
    seen, sums = (
        make_room(added.block, n, voting.k, found.votes.shape[1]),
        Sums(np.full(n, -1), np.empty(n)),
    )
    near, place = np.empty(n, dtype), np.empty(base.root.shape[1], dtype)
    index, far = np.empty(n + 3, np.int32), np.empty(n + 3, dtype)
    return answer_all(
        base, lists, rows, added, table, voting, found, seen, sums, near, place, index, far
    )
