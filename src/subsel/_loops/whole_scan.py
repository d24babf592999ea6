"""The nearest rows of candidates that add or take out a column each, from the distances to all rows.

Distances are first looked at roughly, to bound the k-th of them; the few rows that may lie within the bound, errors
allowed for, are then looked at in double precision.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import fused, lanes, lesser, load, magnitude, splat, store, under
from subsel._loops.nearest_neighbours import FAR, fill, rounding, sink
from subsel._loops.rough import (
    LEAST,
    bits_of_four,
    group_minima,
    note,
    roughen,
    shifted,
    widest,
    widest_shift,
)
from subsel._loops.votes import TIE, decide, insert, term

__all__ = ["scan_whole"]

FEW = 4  # candidates whose bounds are sorted one by one


class Rough(NamedTuple):
    """The rough distances of two queries, the smallest of every four of them, and what bounds the k-th."""

    near: np.ndarray
    low: np.ndarray
    group: np.ndarray
    groups: np.ndarray
    tops: np.ndarray
    least: np.ndarray


class Rows(NamedTuple):
    """Room for the rows that may count, those that do, their distances, and the smallest of these."""

    perhaps: np.ndarray
    kept: np.ndarray
    short: np.ndarray
    best: np.ndarray


@inner(forceinline=True)
def varied(near, at, x, a, c0, c1, c2, c3, absolute):
    """Rough distances of four times as many rows as stand side by side, with a column added (a > 0) or taken out."""
    w = lanes(near)
    e0, e1, e2, e3 = x - c0, x - c1, x - c2, x - c3
    d0, d1, d2, d3 = (
        load(near, at),
        load(near, at + w),
        load(near, at + 2 * w),
        load(near, at + 3 * w),
    )
    if absolute:
        d0, d1 = fused(a, magnitude(e0), d0), fused(a, magnitude(e1), d1)
        d2, d3 = fused(a, magnitude(e2), d2), fused(a, magnitude(e3), d3)
    else:
        d0, d1 = fused(a * e0, e0, d0), fused(a * e1, e1, d1)
        d2, d3 = fused(a * e2, e2, d2), fused(a * e3, e3, d3)
    return d0, d1, d2, d3


@inner
def minima(near, rough, first, n, x, y, a, b, absolute, low, at, beside):
    """The smallest of every four rough distances of two queries for one column, which is read once."""
    x, y, a, b, w = splat(x), splat(y), splat(a), splat(b), lanes(near)
    for i in range(0, n, 4 * w):
        j = first + i
        c0, c1, c2, c3 = (
            load(rough, j),
            load(rough, j + w),
            load(rough, j + 2 * w),
            load(rough, j + 3 * w),
        )
        d0, d1, d2, d3 = varied(near, i, x, a, c0, c1, c2, c3, absolute)
        store(low, at + i // 4, lesser(lesser(d0, d1), lesser(d2, d3)))
        d0, d1, d2, d3 = varied(near, n + i, y, b, c0, c1, c2, c3, absolute)
        store(low, beside + i // 4, lesser(lesser(d0, d1), lesser(d2, d3)))


@inner
def within(low, top, near, at, rough, first, x, a, absolute, index):
    """The rows whose rough distance with a column added or taken out is at most ``top``; gives how many."""
    m, tops, w = 0, splat(top), lanes(low)
    x, a = splat(x), splat(a)
    for i in range(0, 4 * len(low), 4 * w):
        if under(load(low, i // 4), tops):
            j = first + i
            c0, c1, c2, c3 = (
                load(rough, j),
                load(rough, j + w),
                load(rough, j + 2 * w),
                load(rough, j + 3 * w),
            )
            d0, d1, d2, d3 = varied(near, at + i, x, a, c0, c1, c2, c3, absolute)
            m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, index, m)
    return m


@inner
def bounds(low, n_candidates, group, groups, tops, least):
    """What bounds the k-th smallest distance of some candidates, given their minima."""
    k = len(least)
    for b in range(n_candidates):
        group_minima(low[b], group)
        if n_candidates >= FEW:
            for i in range(len(group)):
                groups[i, b] = group[i]
        else:
            least[:] = np.inf
            for i in range(len(group)):
                insert(group[i], least)
            tops[k - 1, b] = least[k - 1]
    if n_candidates >= FEW:
        w = groups.shape[1]
        fill(tops, np.inf)
        for i in range(0, w * len(group), 4 * w):
            sink(
                tops,
                load(groups, i),
                load(groups, i + w),
                load(groups, i + 2 * w),
                load(groups, i + 3 * w),
            )


@inner
def answer(
    q,
    t,
    row,
    first,
    some,
    weight,
    lost,
    state,
    shift,
    flipped,
    sign,
    summed,
    voting,
    found,
    rough,
    room,
):
    """Vote with the nearest rows of one query for some candidates; gives how many were tied."""
    column, columns, scale, spans, unit, grain = (  # once for all candidates: reading a tuple counts references
        flipped.rough, flipped.columns, flipped.scale, flipped.spans, flipped.unit, flipped.grain,
    )  # fmt: skip
    A, A_scale, signs, low, near, tops = (
        shift.columns,
        shift.scale,
        shift.signs,
        rough.low,
        rough.near,
        rough.tops,
    )
    perhaps, kept, short, best, votes, kth = (
        room.perhaps,
        room.kept,
        room.short,
        room.best,
        found.votes[q],
        found.kth,
    )
    n, k, absolute, skip, ties = columns.shape[1], voting.k, voting.absolute, flipped.skip, 0
    for b in range(some):
        c = first + b
        a, bound, margin = weight[t, c], float(tops[k - 1, b]), 0.0
        slack = grain * (abs(bound) + 2 * abs(a) + LEAST)
        bound = (bound + slack) / unit
        if sign < 0:
            wide = widest(columns[c, row], scale[q, c], spans[c], absolute)
            margin = rounding(summed.columns.shape[1]) * (lost + wide + abs(bound))
        limit = min(
            bound + 4 * TIE * abs(bound) + 2 * margin, FAR / 2
        )  # never a row that must not answer
        top = column.dtype.type(limit * unit * (1 + grain) + 2 * slack)
        seen = within(
            low[t, b], top, near, t * n, column, n * c, column[n * c + row], a, absolute, perhaps
        )
        m = 0
        for i in range(seen):
            r = perhaps[i]
            d = shifted(q, row, r, state[q * n + r], A, A_scale, signs, absolute)
            d += sign * term(scale[q, c] * (columns[c, row] - columns[c, r]), absolute)
            kept[m], short[m] = r, d
            m += d <= limit
        margin = 2 * margin + 4 * TIE * abs(bound)
        kth[q, c], tied = decide(
            q, row, kept, short, m, margin, sign < 0, summed, skip[c], best, voting, votes, c
        )
        ties += tied
    return ties


@compiled
def scan_whole(state, rows, shift, flipped, sign, summed, voting, found):
    """Votes of the k nearest rows with each of the flipped columns added (``sign`` 1) or taken out (-1).

    ``state`` is ``hi``, one row after another; the columns of ``shift`` are first added to it or taken out. The k-th
    smallest of the minima of groups of rows bounds the k-th distance; what rounding may have cost is allowed for, and
    where it could decide, or distances are asked for, they are summed afresh, all but the column that is taken out.
    Returns how many queries were tied.
    """
    column, k, absolute = flipped.rough, voting.k, voting.absolute
    (m, n), ties, w = flipped.columns.shape, 0, lanes(column)
    group = np.empty(w * min(n // (4 * w), 1 + k // 4), column.dtype)
    rough = Rough(
        np.empty((2, n), column.dtype), np.empty((2, w, n // 4), column.dtype), group,
        np.zeros((len(group), w), column.dtype), np.empty((k, w), column.dtype), np.empty(k, column.dtype),
    )  # fmt: skip
    room = Rows(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(k))
    weight, lost = np.empty((2, m), column.dtype), np.zeros(2)
    for p in range(0, len(rows), 2):
        for t in range(2):
            q = min(p + t, len(rows) - 1)
            roughen(q, rows[q], state, n, shift, flipped.unit, absolute, rough.near, t * n)
            lost[t] = widest_shift(q, rows[q], shift, absolute)
            for c in range(m):
                width = flipped.spans[c, 1] - flipped.spans[c, 0]
                weight[t, c] = sign * flipped.unit * term(flipped.scale[q, c] * width, absolute)
        x, y = rows[p], rows[min(p + 1, len(rows) - 1)]
        for first in range(0, m, w):
            some = min(w, m - first)
            for b in range(some):
                c, at = first + b, b * n // 4
                minima(
                    rough.near, column, n * c, n, column[n * c + x], column[n * c + y], weight[0, c], weight[1, c],
                    absolute, rough.low, at, at + w * n // 4,
                )  # fmt: skip
            for t in range(min(2, len(rows) - p)):
                bounds(rough.low[t], some, group, rough.groups, rough.tops, rough.least)
                ties += answer(
                    p + t, t, rows[p + t], first, some, weight, lost[t], state, shift, flipped, sign, summed, voting,
                    found, rough, room,
                )  # fmt: skip
    return ties
