"""The nearest rows of many candidates that take out a column each, from the rows that any of them can bring near.

With a column taken out no row is farther away, so that the rows nearest before bound the k-th distance of every
candidate. One pass over all rows then finds those that some candidate brings within its bound: whose distance is at most
the largest of the columns' terms, each with the bound added. They are few, and are looked at for candidates side by side,
roughly, as in :mod:`subsel._loops.rough`, then in double precision.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, fetch, fused, greater, lanes, lesser, load, magnitude, root, splat, store, under
from subsel._loops.nearest_neighbours import fill, rounding, sink
from subsel._loops.removal_votes import Exact, add_up, count
from subsel._loops.rough import LEAST, bits_of_four, group_minima, note, roughen, widest_shift
from subsel._loops.votes import TIE, insert

__all__ = ["scan_removed"]

TOGETHER = 4  # queries that pass by a chunk of rows


class Near(NamedTuple):
    """Of queries together: rough distances, the smallest of every four, those within which enough rows lie, what moving
    the state added at most, and room for minima of groups and the smallest of these."""

    rough: np.ndarray
    low: np.ndarray
    bound: np.ndarray
    lost: np.ndarray
    group: np.ndarray
    least: np.ndarray


class Listed(NamedTuple):
    """Rows that may come near, for queries together: numbers, rough distances, which were seen to count; how many were
    nearest before, how many are listed, how many were seen."""

    rows: np.ndarray
    base: np.ndarray
    seen: np.ndarray
    first: np.ndarray
    length: np.ndarray
    n_seen: np.ndarray


class Beside(NamedTuple):
    """Of candidates side by side, for queries together, roughly: roots of weights, where the query lies by them, slack,
    widest terms, how near rows must come, the smallest distances; and how far rows may be for any of them."""

    root: np.ndarray
    place: np.ndarray
    slack: np.ndarray
    outer: np.ndarray
    reached: np.ndarray
    best: np.ndarray
    wide: np.ndarray


@inner
def bound_now(near, low, group, least):
    """A distance within which k rows lie or more, before any column is taken out: one of each of a few groups does.

    Where none of a group may answer it is the k-th of their minima.
    """
    w = lanes(near)
    for i in range(0, len(near), 4 * w):
        u, v = lesser(load(near, i), load(near, i + w)), lesser(load(near, i + 2 * w), load(near, i + 3 * w))
        store(low, i // 4, lesser(u, v))
    group_minima(low, group)
    m, most = len(group), near.dtype.type(2.0)  # never a row that must not answer
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


@inner
def list_nearest(near, low, bound, rows, base):
    """List the rows that are nearest before any column is taken out, and blot them out; gives how many."""
    m, tops, w = 0, splat(bound), lanes(near)
    for i in range(0, len(near), 4 * w):
        if under(load(low, i // 4), tops):
            d0, d1, d2, d3 = load(near, i), load(near, i + w), load(near, i + 2 * w), load(near, i + 3 * w)
            m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, rows, m)
    for i in range(m):
        base[i], near[rows[i]] = near[rows[i]], np.inf
    return m


@inner(forceinline=True)
def close(rows, base, m):
    """Let three rows infinitely far follow."""
    for i in range(m, m + 3):
        rows[i], base[i] = 0, np.inf


@inner(forceinline=True)
def reach(packed, at, q, some, t0, t1, t2, t3, absolute, roots, places, reached):
    """How far the rows of a chunk may be if a column, taken out, is to bring them within its bound."""
    w = lanes(packed)
    for c in range(some):
        r, x, t, i = splat(roots[q, c]), splat(places[q, c]), splat(reached[q, c]), at + 4 * w * c
        e0, e1 = fused(r, load(packed, i), x), fused(r, load(packed, i + w), x)
        e2, e3 = fused(r, load(packed, i + 2 * w), x), fused(r, load(packed, i + 3 * w), x)
        if absolute:
            t0, t1 = greater(t0, magnitude(e0) + t), greater(t1, magnitude(e1) + t)
            t2, t3 = greater(t2, magnitude(e2) + t), greater(t3, magnitude(e3) + t)
        else:
            t0, t1 = greater(t0, fused(e0, e0, t)), greater(t1, fused(e1, e1, t))
            t2, t3 = greater(t2, fused(e2, e2, t)), greater(t3, fused(e3, e3, t))
    return t0, t1, t2, t3


@inner
def list_others(queries, near, g, some, packed, absolute, beside, listed, state, after):
    """List the rows not yet listed that some candidate brings within its bound.

    Chunks of rows that are all too far for the widest column are passed over. The distances that stand in the state
    ``after`` those of these queries are asked for meanwhile.
    """
    rough, low, bounds, wide, rows, length = near.rough, near.low, near.bound, beside.wide, listed.rows, listed.length
    roots, places, reached = beside.root, beside.place, beside.reached
    n, w, width = rough.shape[1], lanes(rough), packed.shape[1]
    for i in range(0, n, 4 * w):
        for t in range(queries):
            at = t * n + i
            if g == 0:
                for j in range(after + at, after + at + 4 * w, N):
                    fetch(state, j)
            if under(load(low, at // 4), splat(wide[t])):
                edges = splat(bounds[t])
                t0, t1, t2, t3 = reach(
                    packed, i * width + 4 * w * g, t, some, edges, edges, edges, edges, absolute, roots, places, reached
                )
                d0, d1, d2, d3 = load(rough, at), load(rough, at + w), load(rough, at + 2 * w), load(rough, at + 3 * w)
                bits = under(d0, t0) | under(d1, t1) << w | under(d2, t2) << 2 * w | under(d3, t3) << 3 * w
                if bits:
                    length[t] = note(bits, i, rows[t], length[t])


@inner(forceinline=True)
def less(base, x, a, values, absolute):
    """The rough distances of a row for candidates side by side."""
    e = x - values
    return fused(a, magnitude(e), splat(base)) if absolute else fused(a * e, e, splat(base))


@inner
def take_in(first, listed, index, base, block, g, x, a, slack, best, seen, m, absolute):
    """Put rows of a list into the smallest distances of some candidates; note those that may count, give how many."""
    (k, w), width = best.shape, block.shape[1]
    for i in range(first, listed, 4):
        d0 = less(base[i], x, a, load(block, width * index[i] + g), absolute)
        d1 = less(base[i + 1], x, a, load(block, width * index[i + 1] + g), absolute)
        d2 = less(base[i + 2], x, a, load(block, width * index[i + 2] + g), absolute)
        d3 = less(base[i + 3], x, a, load(block, width * index[i + 3] + g), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), load(best, w * (k - 1)) + slack):
            for j in range(i, min(i + 4, listed)):
                seen[m] = j
                m += 1
            sink(best, d0, d1, d2, d3)
    return m


@inner(forceinline=True)
def widths(t, x, a, bound, lost, share, grain, absolute, beside):
    """Find what each candidate takes out at most, its slack, and how far rows may be.

    The slack covers rough errors of two distances and of a term, ties, and the share that rounding may have cost.
    """
    kind, near, w, slack, outer = beside.best.dtype.type, abs(bound), beside.root.shape[1], beside.slack, beside.outer
    size, e = magnitude(a), magnitude(x) + splat(kind(0.5 + 4 * grain))
    size_root = size if absolute else root(size)
    most = size * e if absolute else size * e * e
    part = splat(kind(4 * grain * (near + LEAST) + 4 * TIE * near + 2 * share * (lost + near)))
    store(slack, t * w, part + splat(kind(16 * grain)) * size + splat(kind(2 * share)) * most)
    store(outer, t * w, most)
    store(beside.root, t * w, size_root)
    store(beside.place, t * w, splat(kind(-1.0)) * size_root * x)
    top = kind(0.0)
    for c in range(w):
        top = max(top, outer[t, c] + kind(2.0) * slack[t, c])
    beside.wide[t] = bound + top


@inner
def look_first(q, t, row, g, share, removed, absolute, near, beside, listed):
    """Bound the k-th distances of candidates by the rows that are nearest before any column is taken out."""
    block, best, rows, base, w = removed.rough, beside.best[t], listed.rows[t], listed.base[t], lanes(removed.rough)
    x, a = load(block, block.shape[1] * row + g), load(removed.weight, block.shape[1] * q + g)
    k, m = len(best), listed.first[t]
    widths(t, x, a, near.bound[t], near.lost[t], share, removed.grain, absolute, beside)
    slack = load(beside.slack, t * w)
    fill(best, np.inf)
    close(rows, base, m)
    listed.n_seen[t] = take_in(0, m, rows, base, block, g, x, a, slack, best, listed.seen[t], 0, absolute)
    listed.length[t] = m
    store(beside.reached, t * w, load(best, w * (k - 1)) + slack)


@inner
def look_again(q, t, row, g, removed, absolute, near, beside, listed):
    """Note which of the other rows listed may count; gives how many do of all."""
    block, best, rows, base, m = removed.rough, beside.best[t], listed.rows[t], listed.base[t], listed.length[t]
    x, a = load(block, block.shape[1] * row + g), load(removed.weight, block.shape[1] * q + g)
    slack, seen, first, n_seen = load(beside.slack, t * lanes(block)), listed.seen[t], listed.first[t], listed.n_seen[t]
    rough = near.rough[t]
    for i in range(first, m):
        base[i] = rough[rows[i]]
    close(rows, base, m)
    return take_in(first, m, rows, base, block, g, x, a, slack, best, seen, n_seen, absolute)


@inner
def answer(low, queries, state, rows, shift, removed, summed, voting, found, near, listed, beside, exact):
    """Vote with the nearest rows of some queries for all candidates; gives how many were tied."""
    absolute, w, n, n_candidates, ties = voting.absolute, lanes(near.rough), near.rough.shape[1], len(removed.skip), 0
    share, lost = rounding(summed.columns.shape[1]), near.lost
    for g in range(0, n_candidates, w):
        some = min(w, n_candidates - g)
        for t in range(queries):
            look_first(low + t, t, rows[low + t], g, share, removed, absolute, near, beside, listed)
        list_others(queries, near, g, some, removed.packed, absolute, beside, listed, state, (low + queries) * n)
        for t in range(queries):
            q, row, outer = low + t, rows[low + t], beside.outer[t]
            m = look_again(q, t, row, g, removed, absolute, near, beside, listed)
            add_up(q, row, m, state, n, shift, absolute, listed.rows[t], listed.seen[t], exact)
            for c in range(0, some, N):
                few = min(N, some - c)
                ties += count(q, row, g + c, few, m, lost[t], share, outer[c:], removed, summed, voting, found, exact)
    return ties


@inner
def answer_all(state, rows, shift, removed, summed, voting, found, near, listed, beside, exact):
    """Vote for some queries after others; gives how many were tied."""
    n, unit, absolute, ties, rough, bound, lost = (
        near.rough.shape[1], removed.unit, voting.absolute, 0, near.rough, near.bound, near.lost,
    )  # fmt: skip
    for low in range(0, len(rows), TOGETHER):
        queries = min(TOGETHER, len(rows) - low)
        for t in range(queries):
            q, row = low + t, rows[low + t]
            lost[t] = widest_shift(q, row, shift, absolute) * unit
            roughen(q, row, state, n, shift, unit, absolute, rough, t * n)
            bound[t] = bound_now(rough[t], near.low[t], near.group, near.least)
            listed.first[t] = list_nearest(rough[t], near.low[t], bound[t], listed.rows[t], listed.base[t])
        ties += answer(low, queries, state, rows, shift, removed, summed, voting, found, near, listed, beside, exact)
    return ties


@compiled
def scan_removed(state, rows, shift, removed, summed, voting, found):
    """Votes of the k nearest rows with each of some columns taken out.

    As :func:`subsel._loops.whole_scan.scan_whole`, for many candidates at once. Returns how many queries were tied.
    """
    k, n, dtype, w, few = voting.k, shift.columns.shape[1], removed.rough.dtype, lanes(removed.rough), TOGETHER
    near = Near(
        np.empty((few, n), dtype), np.empty((few, n // 4), dtype), np.empty(few, dtype), np.empty(few),
        np.empty(w * min(n // (4 * w), 1 + k // 4), dtype), np.empty(k, dtype),
    )  # fmt: skip
    listed = Listed(
        np.empty((few, n + 3), np.int32), np.empty((few, n + 3), dtype), np.empty((few, n), np.int32),
        np.empty(few, np.int64), np.empty(few, np.int64), np.empty(few, np.int64),
    )  # fmt: skip
    beside = Beside(
        np.empty((few, w), dtype), np.empty((few, w), dtype), np.empty((few, w), dtype), np.empty((few, w), dtype),
        np.empty((few, w), dtype), np.empty((few, k, w), dtype), np.empty(few, dtype),
    )  # fmt: skip
    exact = Exact(
        np.empty(n + 3, np.int32), np.empty(n + 3), np.empty((found.votes.shape[1], N)), np.empty(N), np.empty(N),
        np.empty((k, N)), np.empty(n, np.int32), np.empty(n), np.empty(k),
    )  # fmt: skip
    return answer_all(state, rows, shift, removed, summed, voting, found, near, listed, beside, exact)
