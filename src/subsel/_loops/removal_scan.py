"""The nearest rows of many candidates that take out a column each, from distances without their largest term.

Whatever column is taken out, a row comes no nearer than the sum of its terms but the largest: what this leaves beyond the
farthest that any candidate needs is passed over. The rows nearest before bound how far that is. No distance is ever
taken from another: with m the largest term and r the sum of the others, r + (m - t) is what is left without term t, and
as exact as r, whichever it is.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import (
    fused,
    greater,
    lanes,
    lesser,
    load,
    lowest,
    magnitude,
    splat,
    store,
    under,
)
from subsel._loops.near_rows import FARTHEST, TOGETHER, places
from subsel._loops.nearest_neighbours import fill
from subsel._loops.rough import bits_of_four, group_minima, note
from subsel._loops.side_by_side import (
    choose,
    errors_over,
    keep,
    make_room,
    must_be_exact,
    outermost,
    vote,
)
from subsel._loops.votes import insert, term

__all__ = ["scan_removed"]


class Near(NamedTuple):
    """Of queries together: where they lie, and how far out that is; of their distances to all rows the largest terms and
    the sums of the others; the smallest of every four distances; and room for minima of groups and the least of these."""

    place: np.ndarray
    size: np.ndarray
    most: np.ndarray
    rest: np.ndarray
    low: np.ndarray
    group: np.ndarray
    least: np.ndarray


class Listed(NamedTuple):
    """Rows that may count: their numbers, largest terms and the sums of the others."""

    rows: np.ndarray
    most: np.ndarray
    rest: np.ndarray


@inner(forceinline=True)
def term_of(r, values, x, absolute):
    """The terms of a column."""
    e = fused(r, values, x)
    return magnitude(e) if absolute else e * e


@inner(forceinline=True)
def sum_apart(first, queries, rows, base, absolute, near):
    """Sum the distances of some queries, the largest terms apart from the others: a chunk of rows stays near meanwhile."""
    packed, root, blocked, n, w = (
        base.packed,
        base.root,
        base.blocked,
        near.rest.shape[1],
        lanes(near.rest),
    )
    place, most, rest, s = near.place, near.most, near.rest, base.packed.shape[1]
    for i in range(0, n, 4 * w):
        for t in range(queries):
            f, start, at = base.scaled[first + t], n * base.part[first + t] + i, n * t + i
            d0, d1 = load(blocked, start), load(blocked, start + w)
            d2, d3 = load(blocked, start + 2 * w), load(blocked, start + 3 * w)
            zero = splat(rest.dtype.type(0.0))
            m0, m1, m2, m3 = zero, zero, zero, zero
            for j in range(s):
                r, x, of = splat(root[f, j]), splat(place[t, j]), i * s + j * 4 * w
                t0, t1 = (
                    term_of(r, load(packed, of), x, absolute),
                    term_of(r, load(packed, of + w), x, absolute),
                )
                t2 = term_of(r, load(packed, of + 2 * w), x, absolute)
                t3 = term_of(r, load(packed, of + 3 * w), x, absolute)
                d0, d1, d2, d3 = (
                    d0 + lesser(m0, t0),
                    d1 + lesser(m1, t1),
                    d2 + lesser(m2, t2),
                    d3 + lesser(m3, t3),
                )
                m0, m1, m2, m3 = greater(m0, t0), greater(m1, t1), greater(m2, t2), greater(m3, t3)
            store(most, at, m0)
            store(most, at + w, m1)
            store(most, at + 2 * w, m2)
            store(most, at + 3 * w, m3)
            store(rest, at, d0)
            store(rest, at + w, d1)
            store(rest, at + 2 * w, d2)
            store(rest, at + 3 * w, d3)
            note_least(at, near)


@inner(forceinline=True)
def whole(at, near):
    """The distances of a chunk of rows, over all columns."""
    rest, most, w = near.rest, near.most, lanes(near.rest)
    return (
        load(rest, at) + load(most, at),
        load(rest, at + w) + load(most, at + w),
        load(rest, at + 2 * w) + load(most, at + 2 * w),
        load(rest, at + 3 * w) + load(most, at + 3 * w),
    )


@inner(forceinline=True)
def note_least(at, near):
    """Note the smallest of every four distances."""
    d0, d1, d2, d3 = whole(at, near)
    store(near.low, at // 4, lesser(lesser(d0, d1), lesser(d2, d3)))


@inner(forceinline=True)
def leave_out(t, row, near):
    """Let a query not be answered by its own row."""
    near.rest[t, row] = np.inf
    note_least(near.rest.shape[1] * t + row - row % (4 * lanes(near.rest)), near)


@inner(forceinline=True)
def bound_of(low, group, least):
    """A distance within which k rows lie or more, before any column is taken out: one of each of a few groups does.

    Where none of a group may answer it is the k-th of their minima.
    """
    group_minima(low, group)
    m, most = len(group), low.dtype.type(FARTHEST)
    while m >= 2 * max(len(least), 4):
        m //= 2
        for i in range(m):
            group[i] = min(group[2 * i], group[2 * i + 1])
    top = group[0]
    for i in range(1, m):
        top = max(top, group[i])
    if top < most and m >= len(least):
        return top
    least[:] = np.inf
    for i in range(m):
        insert(group[i], least)
    return min(least[-1], most)


@inner(forceinline=True)
def list_nearest(t, bound, near, listed):
    """List the rows that are nearest before any column is taken out; gives how many."""
    n, w, m, tops = near.rest.shape[1], lanes(near.rest), 0, splat(bound)
    for i in range(0, n, 4 * w):
        at = n * t + i
        if under(load(near.low, at // 4), tops):
            d0, d1, d2, d3 = whole(at, near)
            m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, listed.rows, m)
    return fetch_terms(t, 0, m, near, listed)


@inner(forceinline=True)
def list_others(t, bound, reach, m, near, listed):
    """List the other rows that may come within ``reach``, after those within ``bound``; gives how many there are then."""
    rest, n, w, first = near.rest, near.rest.shape[1], lanes(near.rest), m
    tops, bounds = splat(min(reach, rest.dtype.type(FARTHEST))), splat(bound)
    for i in range(0, n, 4 * w):
        at = n * t + i
        d0, d1, d2, d3 = (
            load(rest, at),
            load(rest, at + w),
            load(rest, at + 2 * w),
            load(rest, at + 3 * w),
        )
        bits = bits_of_four(d0, d1, d2, d3, tops, w)
        if bits:
            d0, d1, d2, d3 = whole(at, near)
            m = note(bits & ~bits_of_four(d0, d1, d2, d3, bounds, w), i, listed.rows, m)
    return fetch_terms(t, first, m, near, listed)


@inner(forceinline=True)
def close(m, listed):
    """Let three rows follow that are infinitely far."""
    for i in range(m, m + 3):
        listed.rows[i], listed.most[i], listed.rest[i] = 0, 0.0, np.inf


@inner(forceinline=True)
def fetch_terms(t, first, m, near, listed):
    """Let the rows listed have their terms; gives how many are listed."""
    rows, most, rest = listed.rows, listed.most, listed.rest
    for i in range(first, m):
        most[i], rest[i] = near.most[t, rows[i]], near.rest[t, rows[i]]
    close(m, listed)
    return m


@inner(forceinline=True)
def nearer(rest, most, r, x, values, absolute):
    """The distances of a row for candidates side by side."""
    return splat(rest) + (splat(most) - term_of(r, values, x, absolute))


@inner(forceinline=True)
def take_in(first, last, listed, g, r, x, size, errors, block, seen, m, absolute):
    """Put some rows of a list into the smallest distances of some candidates; give how many rows were seen."""
    best, (k, w), width, kind = seen.best, seen.best.shape, block.shape[1], seen.best.dtype.type
    index, rest, most = listed.rows, listed.rest, listed.most
    limit = outermost(load(best, w * (k - 1)), size, errors, kind)
    for i in range(first, last, 4):
        d0 = nearer(rest[i], most[i], r, x, load(block, width * index[i] + g), absolute)
        d1 = nearer(rest[i + 1], most[i + 1], r, x, load(block, width * index[i + 1] + g), absolute)
        d2 = nearer(rest[i + 2], most[i + 2], r, x, load(block, width * index[i + 2] + g), absolute)
        d3 = nearer(rest[i + 3], most[i + 3], r, x, load(block, width * index[i + 3] + g), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), limit):
            m = keep(seen, m, index, i, d0, d1, d2, d3)
            limit = outermost(load(best, w * (k - 1)), size, errors, kind)
    store(seen.reach, 0, limit)
    return m


@inner
def measure(row, kept, m, column, table, scale, absolute, short):
    """Sum the distances of some rows without a column in double precision."""
    X, base = table.rows, table.base
    for i in range(m):
        r, total = kept[i], 0.0
        for j in base:
            if j != column:
                total += term(scale[j] * (X[row, j] - X[r, j]), absolute)
        short[i] = total


@inner(forceinline=True)
def answer(q, t, row, base, removed, table, voting, found, seen, errors, near, listed):
    """Vote for all candidates with the rows nearest to a query; gives how many were tied."""
    block, columns, absolute, f, kind = (
        removed.block, removed.columns, voting.absolute, base.scaled[q], near.rest.dtype.type,
    )  # fmt: skip
    width, w, ties, scale = block.shape[1], lanes(block), 0, table.scale[f]
    size, bound = splat(near.size[t]), bound_of(near.low[t], near.group, near.least)
    first = list_nearest(t, bound, near, listed)
    for g in range(0, len(columns), w):
        some, r = min(w, len(columns) - g), load(removed.root, width * f + g)
        x = splat(kind(-1.0)) * r * load(block, width * row + g)
        fill(seen.best, np.inf)
        close(first, listed)
        m = take_in(0, first, listed, g, r, x, size, errors, block, seen, 0, absolute)
        reach = seen.reach[0]
        for c in range(1, some):
            reach = max(reach, seen.reach[c])
        last = list_others(t, bound, reach, first, near, listed)
        m = take_in(first, last, listed, g, r, x, size, errors, block, seen, m, absolute)
        doubtful = vote(q, g, some, m, size, errors, base.unit, voting, seen, found)
        while doubtful:
            c = lowest(doubtful)
            doubtful &= doubtful - 1
            kept, number = seen.kept[c], seen.number[c]
            if must_be_exact(number, voting, found.votes.shape[1] - 1):
                measure(row, kept, number, columns[g + c], table, scale, absolute, seen.short)
            ties += choose(kept, seen.short, number, seen.smallest, voting, found, q, g + c)
    return ties


@inner
def answer_all(base, rows, removed, table, voting, found, seen, near, listed):
    """Vote for some queries after others; gives how many were tied."""
    ties, errors = 0, errors_over(base.root.shape[1], 0.0)
    for low in range(0, len(rows), TOGETHER):
        queries = min(TOGETHER, len(rows) - low)
        for t in range(queries):
            near.size[t] = places(low + t, rows[low + t], base, voting.absolute, near.place[t])
        sum_apart(low, queries, rows, base, voting.absolute, near)
        for t in range(queries):
            if base.alone:
                leave_out(t, rows[low + t], near)
            ties += answer(
                low + t,
                t,
                rows[low + t],
                base,
                removed,
                table,
                voting,
                found,
                seen,
                errors,
                near,
                listed,
            )
    return ties


@compiled
def scan_removed(base, rows, removed, table, voting, found):
    """Votes of the k nearest rows with each of some columns taken out of the base, over which distances are summed.

    Returns how many queries were tied.
    """
    k, n, w, few, dtype = (
        voting.k,
        base.blocked.shape[1],
        lanes(removed.block),
        TOGETHER,
        removed.block.dtype,
    )
    near = Near(
        np.empty((few, base.root.shape[1]), dtype), np.empty(few, dtype), np.empty((few, n), dtype),
        np.empty((few, n), dtype), np.empty((few, n // 4), dtype),
        np.empty(w * min(n // (4 * w), 1 + k // 4), dtype), np.empty(k, dtype),
    )  # fmt: skip
    listed = Listed(np.empty(n + 3, np.int32), np.empty(n + 3, dtype), np.empty(n + 3, dtype))
    seen = make_room(removed.block, n, k, found.votes.shape[1])
    return answer_all(base, rows, removed, table, voting, found, seen, near, listed)
