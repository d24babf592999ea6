"""The nearest rows of many candidates that add a column to a base each, or take one out.

Distances are first rough: in single precision, in units of the largest there can be. The rows that may
count for any of sixteen candidates, rounding allowed for, are listed, and these candidates look at them side
by side. Where as many rows as are asked for lie within the k-th distance, rounding allowed for, they are
the nearest; elsewhere a candidate's few rows are looked at in double precision.

Whatever column is taken out, a row comes no nearer than the sum of its terms but the largest. No distance is
taken from another: with m the largest term and r the sum of the others, r + (m - t) is what is left without
term t, and as exact as r, whichever it is.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.lanes import (
    N,
    fused,
    greater,
    lesser,
    load,
    lowest,
    magnitude,
    number,
    root,
    select,
    splat,
    store,
    under,
)
from subsel._loops.neighbours.arguments import GRAIN, TOGETHER
from subsel._loops.neighbours.arguments import LANES as W
from subsel._loops.neighbours.votes import count_hits, settle, term

__all__ = ["accumulate", "scan"]

GROUPS = 12  # ranks for each sixteen groups of rows: about half as many rows again are within
FARTHEST = 2.0  # in units of the largest distance: beyond are only rows that must not answer
MOST = 3e38  # what single precision holds
ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)  # signed places might be negative


class Query(NamedTuple):
    """A row that looks for its nearest rows."""

    q: int  # its number
    t: int  # its place among the queries whose distances are summed together
    row: int
    page: int  # where its votes are written


class Group(NamedTuple):
    """Candidates side by side, as a query sees them."""

    at: int  # the first of them
    root: np.ndarray  # what multiplies differences
    x: np.ndarray  # where the query is by their columns
    size: np.ndarray  # how far out that is


@inner(forceinline=True)
def grown(distance, e, absolute):
    """Distances with the terms of differences added."""
    if absolute:
        return distance + magnitude(e)
    return fused(e, e, distance)


@inner(forceinline=True)
def term_of(e, absolute):
    """The terms of differences, rounded wherever they are computed to the same numbers."""
    if absolute:
        return magnitude(e)
    return e * e


@inner(forceinline=True)
def locate(query, base, near):
    """Write where a query is by each column that is summed, and how far out: what rounding costs grows with it."""
    packed, scale, f, size = base.packed, base.root, base.scaled[query.q], 0.0
    chunk, i = query.row // packed.shape[2], query.row % packed.shape[2]
    for j in range(scale.shape[1]):
        near.place[query.t, j] = -scale[f, j] * packed[chunk, j, i]
        size += term(float(near.place[query.t, j]), base.absolute)
    near.size[query.t] = size


@inner(forceinline=True)
def sum_columns(first, queries, base, removed, near):
    """Write the distances of some queries over the base, a chunk of rows after another.

    Where columns are to be taken out, the largest terms are written apart from the others.
    """
    packed, scale, place, absolute = base.packed, base.root, near.place, base.absolute
    n, s = near.whole.shape[1], packed.shape[1]
    for i in range(0, n, 4 * W):
        for t in range(queries):
            f, at = base.scaled[first + t], n * t + i
            start = n * base.part[first + t] + i
            d0, d1 = load(base.blocked, start), load(base.blocked, start + W)
            d2, d3 = load(base.blocked, start + 2 * W), load(base.blocked, start + 3 * W)
            zero = splat(np.float32(0.0))
            m0, m1, m2, m3 = zero, zero, zero, zero
            for j in range(s):
                r, x, of = splat(scale[f, j]), splat(place[t, j]), i * s + j * 4 * W
                e0, e1 = fused(r, load(packed, of), x), fused(r, load(packed, of + W), x)
                e2 = fused(r, load(packed, of + 2 * W), x)
                e3 = fused(r, load(packed, of + 3 * W), x)
                if removed:
                    e0, e1 = term_of(e0, absolute), term_of(e1, absolute)
                    e2, e3 = term_of(e2, absolute), term_of(e3, absolute)
                    d0, d1 = d0 + lesser(m0, e0), d1 + lesser(m1, e1)
                    d2, d3 = d2 + lesser(m2, e2), d3 + lesser(m3, e3)
                    m0, m1 = greater(m0, e0), greater(m1, e1)
                    m2, m3 = greater(m2, e2), greater(m3, e3)
                else:
                    d0, d1 = grown(d0, e0, absolute), grown(d1, e1, absolute)
                    d2, d3 = grown(d2, e2, absolute), grown(d3, e3, absolute)
            if removed:
                store_four(near.rest, at, d0, d1, d2, d3)
                store_four(near.most, at, m0, m1, m2, m3)
            store_four(near.whole, at, d0 + m0, d1 + m1, d2 + m2, d3 + m3)


@inner(forceinline=True)
def store_four(table, at, a, b, c, d):
    """Write into a table from place ``at`` on."""
    store(table, at, a)
    store(table, at + W, b)
    store(table, at + 2 * W, c)
    store(table, at + 3 * W, d)


@inner(forceinline=True)
def read_state(query, base, whole):
    """Write the distances of a query that are kept; those of rows that must not answer stay large."""
    n, units, most = whole.shape[1], splat(base.unit), splat(MOST)
    for i in range(0, n, N):
        kept = units * load(base.state, n * query.q + i)
        store(whole, n * query.t + i, lesser(kept, most))


@inner(forceinline=True)
def bound_of(whole, group, rank):
    """A distance within which so many rows lie or a few more: one row of each of so many groups does."""
    # if the smallest distances of so many groups, which have no row in common, are within, so many rows are
    m, top = min(len(group), W * (1 + rank // GROUPS)), np.float32(FARTHEST)
    for g in range(0, m, W):
        least = load(whole, g)
        for i in range(g + m, len(whole), m):
            least = lesser(least, load(whole, i))
        store(group, g, least)
    for i in range(m):
        near, bound = 0, splat(group[i])
        for g in range(0, m, W):
            near += number(under(load(group, g), bound))
        if near >= rank and group[i] < top:
            top = group[i]
    return top


@inner(forceinline=True)
def bits_of_four(table, i, tops):
    """One bit per row of a chunk: whether its distance is at most the top."""
    low = under(load(table, i), tops) | under(load(table, i + W), tops) << W
    high = under(load(table, i + 2 * W), tops) | under(load(table, i + 3 * W), tops) << W
    return low | high << 2 * W


@inner
def list_rows(outer, reach, bound, first, t, room):
    """List the rows within reach by ``outer`` distances, but not those within a bound; gives how many are listed then.

    They follow the ``first`` ones; rows that are infinitely far fill the list up to a multiple of four.
    """
    m, tops, bounds = first, splat(min(reach, np.float32(FARTHEST))), splat(bound)
    whole, rest, most = room.near.whole[t], room.near.rest[t], room.near.most[t]
    listed = room.listed
    for i in range(0, len(outer), 4 * W):
        bits = bits_of_four(outer, i, tops)
        if bits:
            bits &= ~bits_of_four(whole, i, bounds)
        while bits:
            r = np.uintp(i + lowest(bits))
            bits &= bits - 1
            listed.rows[m], listed.rest[m], listed.most[m] = r, rest[r], most[r]
            m += 1
    while m % 4:
        listed.rows[m], listed.rest[m], listed.most[m] = 0, np.inf, 0.0
        m += 1
    return m


@inner(forceinline=True)
def outermost(bound, size, base):
    """How far a row may seem, at most, that is as near as one that seems at ``bound``."""
    # a difference e of x and another number is off by a grain of both, its square by 2 |e| times that,
    # which is at most a grain of e^2 + x^2; the share is that of e^2, summed over the columns
    pad = fused(splat(np.float32(GRAIN)), size, splat(np.float32(base.least)))
    return fused(splat(np.float32(1 + base.share)), bound, pad)


@inner(forceinline=True)
def reach_of(bound, size, base):
    """The same, more closely: the error of a squared difference is one of the difference, times that."""
    if base.absolute:
        return outermost(bound, size, base)
    around = root(size) * root(bound) + splat(np.float32(GRAIN)) * size
    return outermost(bound, around, base)


@inner(forceinline=True)
def distances(i, listed, group, moved, absolute):
    """The distances of a listed row for candidates side by side."""
    values = load(moved.block, moved.block.shape[1] * listed.rows[i] + group.at)
    e = fused(group.root, values, group.x)
    if moved.removed:
        return splat(listed.rest[i]) + (splat(listed.most[i]) - term_of(e, absolute))
    return grown(splat(listed.rest[i]), e, absolute)


@inner(forceinline=True)
def sink(best, d0, d1, d2, d3):
    """Put four distances into the k smallest: each level keeps the least and hands on the others."""
    for j in range(best.shape[0]):
        u = load(best, W * j)
        v, d0 = lesser(u, d0), greater(u, d0)
        u, d1 = lesser(v, d1), greater(v, d1)
        v, d2 = lesser(u, d2), greater(u, d2)
        u, d3 = lesser(v, d3), greater(v, d3)
        store(best, W * j, u)


@inner(forceinline=True)
def look_at(first, last, m, group, request, room):
    """Let candidates side by side look at some listed rows; gives how many were noted by now.

    Noted are those that may count for any; ``reach`` is then how far a row may be that counts.
    """
    base, moved, absolute = request.base, request.moved, request.base.absolute
    listed, seen, rows, best = room.listed, room.seen, room.seen.rows, room.seen.best
    kth = W * (best.shape[0] - 1)
    limit = outermost(load(best, kth), group.size, base)
    for i in range(first, last, 4):
        i0, m0 = np.uintp(i), np.uintp(m)
        d0 = distances(i0, listed, group, moved, absolute)
        d1 = distances(i0 + ONE, listed, group, moved, absolute)
        d2 = distances(i0 + TWO, listed, group, moved, absolute)
        d3 = distances(i0 + THREE, listed, group, moved, absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), limit):
            rows[m0], rows[m0 + ONE] = listed.rows[i0], listed.rows[i0 + ONE]
            rows[m0 + TWO], rows[m0 + THREE] = listed.rows[i0 + TWO], listed.rows[i0 + THREE]
            store_four(seen.distance, W * m, d0, d1, d2, d3)
            sink(best, d0, d1, d2, d3)
            limit = outermost(load(best, kth), group.size, base)
            m += 4
    store(seen.reach, 0, limit)
    return m


@inner(forceinline=True)
def count(m, top, codes, at, votes, seen):
    """Write equal votes of the rows noted within ``top``; gives how many rows they are."""
    distance, tally, one = seen.distance, seen.tally, np.float32(1.0)
    last, width = votes.shape[0] - 1, votes.shape[1]
    near, ones = splat(np.float32(0.0)), splat(np.float32(0.0))
    if last == 2:
        for i in range(m):
            counts = select(load(distance, W * i), top, splat(one))
            near = near + counts
            ones = fused(splat(np.float32(codes[seen.rows[i]])), counts, ones)
        store(votes, at, near - ones)
        store(votes, at + width, ones)
    else:
        for channel in range(last):
            store(tally, W * channel, splat(np.float32(0.0)))
        for i in range(m):
            counts = select(load(distance, W * i), top, splat(one))
            channel = W * codes[seen.rows[i]]
            near = near + counts
            store(tally, channel, load(tally, channel) + counts)
        for channel in range(last):
            store(votes, at + width * channel, load(tally, W * channel))
    store(votes, at + width * last, near)
    return near


@inner
def gather(m, top, seen):
    """Write down the rows within ``top`` candidate by candidate."""
    for c in range(W):
        seen.number[c] = 0
    for i in range(m):
        bits = under(load(seen.distance, W * i), top)
        while bits:
            c = lowest(bits)
            bits &= bits - 1
            seen.kept[c, seen.number[c]] = seen.rows[i]
            seen.number[c] += 1


@inner
def measure(query, kept, m, column, request, close):
    """Write the distances of some rows in double precision, those over a base that is added to once for all."""
    removed, absolute, base = request.moved.removed, request.base.absolute, request.base
    X, scale, row, whole = base.table.rows, base.table.scale, query.row, close.whole
    f = base.scaled[query.q]
    for i in range(m):
        r = kept[i]
        if removed or close.asked[r] != query.q:
            close.asked[r], whole[r] = query.q, 0.0
            for j in base.table.base:
                if not removed or j != column:
                    whole[r] += term(scale[f, j] * (X[row, j] - X[r, j]), absolute)
        close.short[i] = whole[r]
        if not removed and column >= 0:
            close.short[i] += term(scale[f, column] * (X[row, column] - X[r, column]), absolute)


@inner(forceinline=True)
def answer(query, group, m, request, room):
    """Vote with the rows noted for candidates side by side; gives for how many of them rows were tied."""
    columns, voting, found, seen = request.moved.columns, request.voting, request.found, room.seen
    votes, k, ties = found.votes[query.page], voting.k, 0
    doubtful, last = (1 << min(W, len(columns) - group.at)) - 1, len(votes) - 1
    top = reach_of(load(seen.best, W * (k - 1)), group.size, request.base)
    if last > 1 and voting.by_distance == 0:
        near = count(m, top, voting.codes, group.at, votes, seen)
        doubtful &= ~under(near, splat(np.float32(k + 0.5)))
    if doubtful:
        gather(m, top, seen)
    while doubtful:
        c = lowest(doubtful)
        doubtful &= doubtful - 1
        kept, several, at = seen.kept[c], seen.number[c], group.at + c
        if several == k and voting.by_distance == 0 and last > 0:
            vote_alike(kept, several, voting, votes, at)
        else:
            measure(query, kept, several, columns[at], request, room.close)
            kth, tied = settle(room.close, kept, several, voting, votes, at)
            found.kth[query.q, at] = kth
            ties += tied
    return ties


@inner
def vote_alike(kept, m, voting, votes, c):
    """Write equal votes of m rows."""
    for channel in range(len(votes)):
        votes[channel, c] = 0.0
    for i in range(m):
        votes[voting.codes[kept[i]], c] += voting.values[kept[i]]
    votes[len(votes) - 1, c] = m


@inner
def sum_up(first, queries, base, removed, near):
    """Write the distances of some queries over the base."""
    for t in range(queries):
        query = Query(first + t, t, base.rows[first + t], 0)
        locate(query, base, near)
        if len(base.state):
            read_state(query, base, near.whole)
    if not len(base.state):
        sum_columns(first, queries, base, removed, near)
    if base.alone:
        for t in range(queries):
            row = base.rows[first + t]
            near.whole[t, row] = near.rest[t, row] = np.inf


@compiled(_nrt=False)
def scan(request, room):
    """Write the votes of the k nearest rows of all queries for each candidate; gives how many were tied."""
    base, moved, found, near, ties = request.base, request.moved, request.found, room.near, 0
    nothing, none, n = np.int64(0), np.float32(-1.0), len(base.rows)
    room.close.asked[:] = -1
    for q in range(n):
        t, row = q % TOGETHER, base.rows[q]
        if t == 0:
            sum_up(q, min(TOGETHER, n - q), base, moved.removed, near)
        query, f = Query(q, t, row, min(q, len(found.votes) - 1)), base.scaled[q]
        bound = bound_of(near.whole[t], near.group, base.rank)
        first = list_rows(near.whole[t], bound, none, nothing, t, room)
        gathered, last = bound, first  # how far rows are listed by now, and how many they are
        if moved.removed:
            gathered = none
        for g in range(0, len(moved.columns), W):
            r = load(moved.root, moved.root.shape[1] * f + g)
            x = splat(none) * r * load(moved.block, moved.block.shape[1] * row + g)
            group = Group(g, r, x, grown(splat(near.size[t]), x, base.absolute))
            for j in range(request.voting.k):
                store(room.seen.best, W * j, splat(np.float32(np.inf)))
            begin, end, m = nothing, first, nothing
            for _ in range(2):  # the nearest, then the others within reach
                m = look_at(begin, end, m, group, request, room)
                reach = room.seen.reach[0]
                for c in range(1, min(W, len(moved.columns) - g)):
                    reach = max(reach, room.seen.reach[c])
                if reach > gathered:
                    gathered = reach
                    last = list_rows(near.rest[t], reach, bound, first, t, room)
                begin, end = first, last
            ties += answer(query, group, m, request, room)
        if len(found.hits):
            count_hits(query.page, found.own[q], found.fold[q], found.votes, found.hits)
    return ties


@compiled(_nrt=False)
def accumulate(state, rows, X, scale, signs, absolute):
    """Add columns X (m, n) to the distances of queries to all rows, or take them out (sign -1); changes ``state``."""
    for q in range(len(rows)):
        for j in range(len(X)):
            x, w, sign = X[j, rows[q]], scale[q, j], signs[j]
            for r in range(X.shape[1]):
                state[q, r] += sign * term(w * (x - X[j, r]), absolute)
