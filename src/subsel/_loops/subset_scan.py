"""The nearest rows for one subset, from the distances to all rows: roughly first, the few that may count then closely."""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import fused, lanes, lesser, load, magnitude, splat, store, under
from subsel._loops.near_rows import FARTHEST, TOGETHER, pair_of, places
from subsel._loops.rough import bits_of_four, group_minima, note
from subsel._loops.side_by_side import choose, errors_over, must_be_exact, reach_of
from subsel._loops.votes import insert

__all__ = ["scan_subset"]


@inner(forceinline=True)
def sum_rough(first, queries, base, absolute, place, near, low):
    """Sum the distances of some queries over all columns, and note the smallest of every four.

    A chunk of rows stays near while all queries pass by.
    """
    packed, root, blocked = base.packed, base.root, base.blocked
    n, s, w = near.shape[1], packed.shape[1], lanes(near)
    for i in range(0, n, 4 * w):
        for t in range(queries):
            f, start, at = base.scaled[first + t], n * base.part[first + t] + i, n * t + i
            d0, d1 = load(blocked, start), load(blocked, start + w)
            d2, d3 = load(blocked, start + 2 * w), load(blocked, start + 3 * w)
            for j in range(s):
                r, x, of = splat(root[f, j]), splat(place[t, j]), i * s + j * 4 * w
                e0, e1 = fused(r, load(packed, of), x), fused(r, load(packed, of + w), x)
                e2, e3 = (
                    fused(r, load(packed, of + 2 * w), x),
                    fused(r, load(packed, of + 3 * w), x),
                )
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
    u, v = (
        lesser(load(near, i), load(near, i + w)),
        lesser(load(near, i + 2 * w), load(near, i + 3 * w)),
    )
    store(low, i // 4, lesser(u, v))


@inner(forceinline=True)
def within_bound(near, low, tops, kept):
    """List the rows of a query whose rough distance is at most ``tops``, the same in all lanes; gives how many."""
    m, w = 0, lanes(near)
    for i in range(0, len(near), 4 * w):
        if under(load(low, i // 4), tops):
            d0, d1, d2, d3 = (
                load(near, i),
                load(near, i + w),
                load(near, i + 2 * w),
                load(near, i + 3 * w),
            )
            m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, kept, m)
    return m


@inner
def answer_all(
    base, rows, table, voting, found, place, size, near, low, group, least, kept, short, smallest
):
    """Vote for some queries after others; gives how many were tied."""
    k, absolute, errors = voting.k, voting.absolute, errors_over(base.root.shape[1], 0.0)
    ties, last, kind = 0, found.votes.shape[1] - 1, near.dtype.type
    for first in range(0, len(rows), TOGETHER):
        queries = min(TOGETHER, len(rows) - first)
        for t in range(queries):
            size[t] = places(first + t, rows[first + t], base, absolute, place[t])
        sum_rough(first, queries, base, absolute, place, near, low)
        for t in range(queries):
            q, row = first + t, rows[first + t]
            if base.alone:
                leave_out(row, near[t], low[t])
            group_minima(low[t], group)
            least[:] = np.inf
            for i in range(len(group)):
                insert(group[i], least)
            bound = min(least[k - 1], kind(FARTHEST))
            m = within_bound(
                near[t],
                low[t],
                reach_of(splat(bound), splat(size[t]), errors, absolute, kind),
                kept,
            )
            found.kth[q, 0] = bound / base.unit
            if must_be_exact(m, voting, last):
                for i in range(m):
                    short[i] = pair_of(
                        table.rows, row, kept[i], table.base, table.scale[base.scaled[q]], absolute
                    )
            ties += choose(kept, short, m, smallest, voting, found, q, 0)
    return ties


@compiled
def scan_subset(base, rows, table, voting, found):
    """Votes of the k nearest rows over the columns of the base, over which distances are summed.

    Returns how many queries were tied.
    """
    k, n, s, w, dtype = (
        voting.k,
        base.blocked.shape[1],
        base.root.shape[1],
        lanes(base.blocked),
        base.blocked.dtype,
    )
    place, size = np.empty((TOGETHER, s), dtype), np.empty(TOGETHER, dtype)
    near, low = np.empty((TOGETHER, n), dtype), np.empty((TOGETHER, n // 4), dtype)
    group, least = np.empty(w * min(n // (4 * w), 1 + k // 4), dtype), np.empty(k, dtype)
    kept, short, smallest = np.empty(n, np.int32), np.empty(n), np.empty(k)
    return answer_all(
        base,
        rows,
        table,
        voting,
        found,
        place,
        size,
        near,
        low,
        group,
        least,
        kept,
        short,
        smallest,
    )
