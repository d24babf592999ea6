"""The nearest rows for one subset, from the distances to all rows: roughly first, the few that may count then in double."""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import fused, lanes, lesser, load, magnitude, splat, store, under
from subsel._loops.rough import GRAIN, LEAST, bits_of_four, group_minima, note
from subsel._loops.side_by_side import choose, must_be_exact
from subsel._loops.votes import insert, sum_afresh, term

__all__ = ["scan_subset"]

TOGETHER = 4  # queries that pass by a chunk of rows


@inner(forceinline=True)
def sum_rough(packed, first, last, queries, blocked, part, absolute, near, low):
    """Sum the rough terms of all columns for some queries, and give the smallest of every four distances.

    ``packed`` (chunks, s, CHUNK) and ``queries`` (n, s) are the same numbers: a chunk of rows stays near while all
    queries pass by.
    """
    n, s, w = near.shape[1], packed.shape[1], lanes(near)
    for i in range(0, n, 4 * w):
        for q in range(last - first):
            at, start = q * n + i, n * part[first + q] + i
            d0, d1 = load(blocked, start), load(blocked, start + w)
            d2, d3 = load(blocked, start + 2 * w), load(blocked, start + 3 * w)
            for j in range(s):
                x, of = splat(queries[first + q, j]), i * s + j * 4 * w
                e0, e1 = x - load(packed, of), x - load(packed, of + w)
                e2, e3 = x - load(packed, of + 2 * w), x - load(packed, of + 3 * w)
                if absolute:
                    d0, d1, d2, d3 = d0 + magnitude(e0), d1 + magnitude(e1), d2 + magnitude(e2), d3 + magnitude(e3)
                else:
                    d0, d1, d2, d3 = fused(e0, e0, d0), fused(e1, e1, d1), fused(e2, e2, d2), fused(e3, e3, d3)
            store(near, at, d0)
            store(near, at + w, d1)
            store(near, at + 2 * w, d2)
            store(near, at + 3 * w, d3)
            store(low, at // 4, lesser(lesser(d0, d1), lesser(d2, d3)))


@inner
def leave_out(row, near, low):
    """Let a query not be answered by its own row."""
    near[row], w = np.inf, lanes(near)
    i = row - row % (4 * w)
    u, v = lesser(load(near, i), load(near, i + w)), lesser(load(near, i + 2 * w), load(near, i + 3 * w))
    store(low, i // 4, lesser(u, v))


@inner
def subset_slack(values, bound, absolute):
    """Four times what single precision may cost a distance of about ``bound`` from a row with these values.

    The error of a difference is a share of the two values, which are as large as those of the row and the difference
    together; squared differences have it twice over, times the difference.
    """
    size = 0.0
    for j in range(len(values)):
        size += term(float(values[j]), absolute)
    if absolute:
        return GRAIN * (size + (len(values) + 2) * bound + LEAST)
    return GRAIN * (np.sqrt(size * bound) + (len(values) + 2) * bound + GRAIN * size) + LEAST


@inner(forceinline=True)
def within_bound(near, low, at, n, top, kept):
    """List the rows of a query whose rough distance is at most ``top``; gives how many."""
    m, tops, w = 0, splat(top), lanes(near)
    for i in range(0, n, 4 * w):
        if under(load(low, (at + i) // 4), tops):
            j = at + i
            d0, d1, d2, d3 = load(near, j), load(near, j + w), load(near, j + 2 * w), load(near, j + 3 * w)
            m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, kept, m)
    return m


@compiled
def scan_subset(blocked, part, alone, rows, packed, queries, unit, summed, voting, found):
    """Votes of the k nearest rows for one subset, whose columns are ``summed``.

    ``packed`` (chunks, s, CHUNK) are its columns in single precision, scaled, in such a unit that distances keep to 1,
    and ``queries`` (queries, s) those of the queries; ``blocked[part[q]]`` is 0 for the rows that may answer, infinite
    for the others; ``alone`` says that a query's own row must not. Returns how many queries were tied.
    """
    k, n, w = voting.k, blocked.shape[1], lanes(packed)
    near, low = np.empty((TOGETHER, n), packed.dtype), np.empty((TOGETHER, n // 4), packed.dtype)
    group = np.empty(w * min(n // (4 * w), 1 + k // 4), packed.dtype)
    least, smallest = np.empty(k, packed.dtype), np.empty(k)
    kept, short = np.empty(n, np.int32), np.empty(n)
    return answer_all(
        blocked, part, alone, rows, packed, queries, unit, summed, voting, found, near, low, group, least, smallest,
        kept, short,
    )  # fmt: skip


@inner
def answer_all(
    blocked, part, alone, rows, packed, queries, unit, summed, voting, found, near, low, group, least, smallest, kept,
    short,
):  # fmt: skip
    """Vote for some queries after others; gives how many were tied."""
    k, absolute, n, ties, last_channel = voting.k, voting.absolute, near.shape[1], 0, found.votes.shape[1] - 1
    for first in range(0, len(rows), TOGETHER):
        last = min(first + TOGETHER, len(rows))
        sum_rough(packed, first, last, queries, blocked, part, absolute, near, low)
        for q in range(first, last):
            if alone:
                leave_out(rows[q], near[q - first], low[q - first])
            group_minima(low[q - first], group)
            least[:] = np.inf
            for i in range(len(group)):
                insert(group[i], least)
            bound = min(float(least[k - 1]), 2.0)  # never a row that must not answer
            top = packed.dtype.type(bound + 2 * subset_slack(queries[q], bound, absolute))
            m = within_bound(near, low, (q - first) * n, n, top, kept)
            found.kth[q, 0] = bound / unit
            if must_be_exact(m, voting, last_channel):
                sum_afresh(rows[q], kept, short, m, summed.columns, summed.scale[q], -1, absolute)
            ties += choose(kept, short, m, smallest, voting, found, q, 0)
    return ties
