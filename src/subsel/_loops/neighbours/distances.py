"""The nearest rows for many candidates, each of which adds a column to a base or removes one.

Rough distances come first: in single precision, in units of the largest possible one. The rows that
may be among the nearest for any of sixteen candidates, with an allowance for rounding, are listed,
and these candidates examine them in one vector. Where exactly k rows are within the k-th distance,
with that allowance, they are the nearest; elsewhere the few rows of a candidate are measured in
double precision.

Whatever column is removed, a row comes no nearer than the sum of its terms but the largest.
Distances are never subtracted from each other: with m the largest term and r the sum of the others,
r + (m - t) is what is left without term t, and as accurate as r, whichever term that is.

In this module ``near``, ``listed``, ``seen`` and ``close`` are parts of a
:class:`subsel._loops.neighbours.arguments.Room`; "lanes" are the 16 entries of a vector.
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
from subsel._loops.neighbours.arguments import GRAIN, QUERIES_AT_ONCE
from subsel._loops.neighbours.arguments import LANES as W
from subsel._loops.neighbours.votes import count_hits, settle, term

__all__ = ["accumulate", "scan"]

GROUPS = 12  # ranks per sixteen groups of rows: the bound then has about rank * 1.5 rows within it
FARTHEST = 2.0  # in units of the largest distance: only rows that are not neighbours are farther
MOST = 3e38  # about the largest number in single precision
ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)  # signed places might be negative


class Query(NamedTuple):
    """A row whose nearest rows are searched."""

    q: int  # number of the query
    t: int  # its place among the queries whose distances are summed at the same time
    row: int  # row of the table
    page: int  # page of `Found.votes` that holds its votes


class Group(NamedTuple):
    """The candidates of one vector, in relation to a query."""

    at: int  # first candidate
    root: np.ndarray  # lanes: factors of differences
    x: np.ndarray  # lanes: minus the scaled values of the query in their columns
    size: np.ndarray  # lanes: sums of squares or magnitudes of the scaled values of the query


@inner(forceinline=True)
def grown(distance, e, absolute):
    """Return distances (lanes) with the terms of differences e (lanes) added."""
    if absolute:
        return distance + magnitude(e)
    return fused(e, e, distance)


@inner(forceinline=True)
def term_of(e, absolute):
    """Return the terms of differences e (lanes).

    Unlike in `grown`, the product is rounded, so that equal differences have equal terms wherever
    they are computed.
    """
    if absolute:
        return magnitude(e)
    return e * e


@inner(forceinline=True)
def locate(query, base, near):
    """Write minus the scaled values of a query, and their size, into `near.place` and `near.size`.

    The size enters the bounds on rounding.
    """
    packed, scale, f, size = base.packed, base.root, base.scaled[query.q], 0.0
    chunk, i = query.row // packed.shape[2], query.row % packed.shape[2]
    for j in range(scale.shape[1]):
        near.place[query.t, j] = -scale[f, j] * packed[chunk, j, i]
        size += term(float(near.place[query.t, j]), base.absolute)
    near.size[query.t] = size


@inner(forceinline=True)
def sum_columns(first, queries, base, removed, near):
    """Write the distances of some queries over the base into `near`, chunk of rows after chunk.

    The queries are ``first`` to ``first + queries - 1``. If columns are to be removed, the largest
    terms are written to ``near.most`` and the sums of the others to ``near.rest``.
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
                r, x, column = splat(scale[f, j]), splat(place[t, j]), i * s + j * 4 * W
                e0, e1 = fused(r, load(packed, column), x), fused(r, load(packed, column + W), x)
                e2 = fused(r, load(packed, column + 2 * W), x)
                e3 = fused(r, load(packed, column + 3 * W), x)
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
    """Write four vectors into a table from flat position `at` on."""
    store(table, at, a)
    store(table, at + W, b)
    store(table, at + 2 * W, c)
    store(table, at + 3 * W, d)


@inner(forceinline=True)
def read_state(query, base, whole):
    """Write the stored distances of a query into its line of `whole` (few, n), in single precision.

    Those of rows that are not neighbours are infinite or large and become about 3e38.
    """
    n, units, most = whole.shape[1], splat(base.unit), splat(MOST)
    for i in range(0, n, N):
        kept = units * load(base.state, n * query.q + i)
        store(whole, n * query.t + i, lesser(kept, most))


@inner(forceinline=True)
def bound_of(whole, group, rank):
    """Return a distance within which there are at least `rank` rows of `whole` (n,).

    Overwrites `group` with the smallest distance of each group of rows.
    """
    # The groups are disjoint: if the smallest distances of `rank` groups are within the bound, so
    # are at least `rank` rows.
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
    """Return one bit per row of a chunk: whether its distance is at most `tops` (lanes)."""
    low = under(load(table, i), tops) | under(load(table, i + W), tops) << W
    high = under(load(table, i + 2 * W), tops) | under(load(table, i + 3 * W), tops) << W
    return low | high << 2 * W


@inner
def list_rows(outer, reach, bound, first, t, room):
    """Append to the list the rows within `reach` by `outer` (n,) distances, but beyond `bound`.

    They follow the `first` ones of ``room.listed``, whose arrays are overwritten from there on, and
    the list is padded to a multiple of four with rows at an infinite distance. `bound` refers to
    the distances over the base of the t-th query. Returns the length of the list.
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
    """Return how far away a row may appear that is in truth as near as one that appears at `bound`.

    `size` is that of the query, see `locate`; all are lanes.
    """
    # With u = 2^-24 the unit roundoff, values and factors are rounded, so that a scaled difference
    # e of x and another number is off by at most 5u |x| + 3u |e|, and its square by 2 |e| times
    # that, at most 11u e^2 + 5u x^2 by 2 |e| |x| <= e^2 + x^2: less than GRAIN = 16u times e^2 +
    # x^2. `base.share` covers the part in e^2 and the rounding of the sum over columns, GRAIN *
    # size the part in x^2.
    pad = fused(splat(np.float32(GRAIN)), size, splat(np.float32(base.least)))
    return fused(splat(np.float32(1 + base.share)), bound, pad)


@inner(forceinline=True)
def reach_of(bound, size, base):
    """Return a closer bound than `outermost` for squared differences, else the same."""
    # The errors 2 |e_j| (5u |x_j| + 3u |e_j|) of `outermost` sum to 10u sum |e_j| |x_j| + 6u sum
    # e_j^2, and by the Cauchy-Schwarz inequality sum |e_j| |x_j| <= sqrt(sum e_j^2) sqrt(sum
    # x_j^2). GRAIN * size covers the error of `bound` in the first root.
    if base.absolute:
        return outermost(bound, size, base)
    around = root(size) * root(bound) + splat(np.float32(GRAIN)) * size
    return outermost(bound, around, base)


@inner(forceinline=True)
def distances(i, listed, group, moved, absolute):
    """Return the distances (lanes) of the i-th listed row for the candidates of one vector."""
    values = load(moved.block, moved.block.shape[1] * listed.rows[i] + group.at)
    e = fused(group.root, values, group.x)
    if moved.removed:
        return splat(listed.rest[i]) + (splat(listed.most[i]) - term_of(e, absolute))
    return grown(splat(listed.rest[i]), e, absolute)


@inner(forceinline=True)
def sink(best, d0, d1, d2, d3):
    """Insert four distances (lanes) into `best` (k, lanes), the k smallest in each lane; in place.

    Each level keeps the smallest and passes the others on.
    """
    for j in range(best.shape[0]):
        u = load(best, W * j)
        v, d0 = lesser(u, d0), greater(u, d0)
        u, d1 = lesser(v, d1), greater(v, d1)
        v, d2 = lesser(u, d2), greater(u, d2)
        u, d3 = lesser(v, d3), greater(v, d3)
        store(best, W * j, u)


@inner(forceinline=True)
def look_at(first, last, m, group, request, room):
    """Let the candidates of one vector examine the listed rows ``first`` to ``last - 1``.

    Rows that may be among the nearest for any candidate are noted in ``room.seen``, after the m
    noted before; ``seen.best`` is updated and ``seen.reach`` overwritten. Returns the number of
    noted rows.
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
    """Write equal votes of the noted rows within `top` (lanes) into `votes`, from column `at` on.

    m is the number of noted rows, and `codes` (n,) are the channels of rows; `votes` is of shape
    (channels + 1, width). Returns how many rows vote (lanes).
    """
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
    """Write the noted rows within `top` (lanes) into ``seen.kept``, candidate by candidate."""
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
    """Write the distances of the m rows `kept` in double precision into ``close.short``.

    For candidates that add a column, those over the base are summed once per query and row and
    kept in ``close.whole``. `column` is that of the candidate, -1 for none.
    """
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
    """Write the votes of the noted rows for the candidates of one vector into ``request.found``.

    m is the number of noted rows. Returns for how many candidates rows were tied.
    """
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
    """Write the equal votes of m rows into column c of `votes` (channels + 1, width)."""
    for channel in range(len(votes)):
        votes[channel, c] = 0.0
    for i in range(m):
        votes[voting.codes[kept[i]], c] += voting.values[kept[i]]
    votes[len(votes) - 1, c] = m


@inner
def sum_up(first, queries, base, removed, near):
    """Write the distances of some queries, from `first` on, over the base into `near`."""
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
    """Write the votes of the k nearest rows of all queries, per candidate, into ``request.found``.

    Parameters
    ----------
    request : Request
        The base, the candidates and how rows vote; `found` is overwritten.
    room : Room
        Working memory, overwritten.

    Returns
    -------
    int
        How often rows were tied.
    """
    base, moved, found, near, ties = request.base, request.moved, request.found, room.near, 0
    nothing, none, n = np.int64(0), np.float32(-1.0), len(base.rows)
    room.close.asked[:] = -1
    for q in range(n):
        t, row = q % QUERIES_AT_ONCE, base.rows[q]
        if t == 0:
            sum_up(q, min(QUERIES_AT_ONCE, n - q), base, moved.removed, near)
        query, f = Query(q, t, row, min(q, len(found.votes) - 1)), base.scaled[q]
        bound = bound_of(near.whole[t], near.group, base.rank)
        first = list_rows(near.whole[t], bound, none, nothing, t, room)
        listed_reach, last = bound, first  # how far rows are listed by now, and how many they are
        if moved.removed:
            listed_reach = none
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
                if reach > listed_reach:
                    listed_reach = reach
                    last = list_rows(near.rest[t], reach, bound, first, t, room)
                begin, end = first, last
            ties += answer(query, group, m, request, room)
        if len(found.hits):
            count_hits(query.page, found.own[q], found.fold[q], found.votes, found.hits)
    return ties


@compiled(_nrt=False)
def accumulate(state, rows, X, scale, signs, absolute):
    """Add columns to the distances of queries to all rows, or remove them; updates `state`.

    Parameters
    ----------
    state : ndarray of shape (queries, n)
        The distances, updated.
    rows : ndarray of shape (queries,)
        The row of each query.
    X : ndarray of shape (m, n)
        The columns.
    scale : ndarray of shape (queries, m)
        Factors of differences.
    signs : ndarray of shape (m,)
        1 for columns that are added, -1 for those that are removed.
    absolute : bool
        Whether absolute differences are summed, not squared ones.
    """
    for q in range(len(rows)):
        for j in range(len(X)):
            x, w, sign = X[j, rows[q]], scale[q, j], signs[j]
            for r in range(X.shape[1]):
                state[q, r] += sign * term(w * (x - X[j, r]), absolute)
