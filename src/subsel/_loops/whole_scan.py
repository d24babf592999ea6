"""The nearest rows from the distances to all rows: of candidates that add or take out a column each, or of one subset.

Distances are first computed roughly, in single precision and in units of the largest that there can be, to bound the
k-th of them; the few rows that may lie within the bound, errors allowed for, are then looked at in double precision.
Where single precision would leave too many, because a column has values far out, the rough distances are doubles too.
"""

import numpy as np

from subsel._loops import compiled
from subsel._loops.lanes import FLOATS, N, fused, lesser, load, lowest, magnitude, splat, store, under
from subsel._loops.nearest_neighbours import FAR, TIE, insert, rounding, settle, sink, sum_afresh, term

__all__ = ["CHUNK", "scan_subset", "scan_whole"]

CHUNK = 4 * FLOATS  # rows looked at together; tables are filled up to a multiple of it
GRAIN = 2.0**-22  # four times what single precision keeps
LEAST, MOST = 1e-37, 3e38  # beyond these it keeps less
FEW = 4  # candidates whose bounds are sorted one by one
TOGETHER = 16  # queries that pass by a chunk of rows


@compiled(forceinline=True)
def lanes(table):
    """How many numbers of a table stand side by side."""
    return 64 // table.itemsize


@compiled(forceinline=True)
def term_of(e, sign, absolute):
    """What a column adds to distances, or takes from them."""
    return sign * magnitude(e) if absolute else (sign * e) * e


@compiled
def roughen(row, distance, start, n, A, A_scale, signs, unit, absolute, near, at):
    """The distances with columns A added or taken out, in another unit and perhaps precision.

    Those of rows that must not answer stay large in it.
    """
    units, most = splat(unit), splat(MOST)
    for i in range(0, n, 4 * N):
        d0, d1 = load(distance, start + i), load(distance, start + i + N)
        d2, d3 = load(distance, start + i + 2 * N), load(distance, start + i + 3 * N)
        for j in range(A.shape[0]):
            x, v, sign, of = splat(A[j, row]), splat(A_scale[j]), splat(signs[j]), n * j + i
            d0 = d0 + term_of(v * (x - load(A, of)), sign, absolute)
            d1 = d1 + term_of(v * (x - load(A, of + N)), sign, absolute)
            d2 = d2 + term_of(v * (x - load(A, of + 2 * N)), sign, absolute)
            d3 = d3 + term_of(v * (x - load(A, of + 3 * N)), sign, absolute)
        store(near, at + i, lesser(units * d0, most))
        store(near, at + i + N, lesser(units * d1, most))
        store(near, at + i + 2 * N, lesser(units * d2, most))
        store(near, at + i + 3 * N, lesser(units * d3, most))


@compiled(forceinline=True)
def varied(near, at, x, a, c0, c1, c2, c3, absolute):
    """Rough distances of four times as many rows as stand side by side, with a column added (a > 0) or taken out."""
    w = lanes(near)
    e0, e1, e2, e3 = x - c0, x - c1, x - c2, x - c3
    d0, d1, d2, d3 = load(near, at), load(near, at + w), load(near, at + 2 * w), load(near, at + 3 * w)
    if absolute:
        d0, d1 = fused(a, magnitude(e0), d0), fused(a, magnitude(e1), d1)
        d2, d3 = fused(a, magnitude(e2), d2), fused(a, magnitude(e3), d3)
    else:
        d0, d1 = fused(a * e0, e0, d0), fused(a * e1, e1, d1)
        d2, d3 = fused(a * e2, e2, d2), fused(a * e3, e3, d3)
    return d0, d1, d2, d3


@compiled
def minima(near, rough, first, n, x, y, a, b, absolute, low, at, beside):
    """The smallest of every four rough distances of two queries for one column, which is read once."""
    x, y, a, b, w = splat(x), splat(y), splat(a), splat(b), lanes(near)
    for i in range(0, n, 4 * w):
        j = first + i
        c0, c1, c2, c3 = load(rough, j), load(rough, j + w), load(rough, j + 2 * w), load(rough, j + 3 * w)
        d0, d1, d2, d3 = varied(near, i, x, a, c0, c1, c2, c3, absolute)
        store(low, at + i // 4, lesser(lesser(d0, d1), lesser(d2, d3)))
        d0, d1, d2, d3 = varied(near, n + i, y, b, c0, c1, c2, c3, absolute)
        store(low, beside + i // 4, lesser(lesser(d0, d1), lesser(d2, d3)))


@compiled
def group_minima(low, group):
    """The smallest of the minima in each of a few large groups of rows."""
    w = lanes(low)
    for g in range(0, len(group), w):
        least = load(low, g)
        for i in range(g + len(group), len(low), len(group)):
            least = lesser(least, load(low, i))
        store(group, g, least)


@compiled(forceinline=True)
def bits_of_four(d0, d1, d2, d3, tops, w):
    """One bit per row: whether its distance is at most the top."""
    return under(d0, tops) | under(d1, tops) << w | under(d2, tops) << 2 * w | under(d3, tops) << 3 * w


@compiled(forceinline=True)
def note(bits, i, index, m):
    """Add the rows whose bits are set to the list; give its length."""
    while bits:
        index[m] = i + lowest(bits)
        bits &= bits - 1
        m += 1
    return m


@compiled
def within(low, top, near, at, rough, first, x, a, absolute, index):
    """The rows whose rough distance with a column added or taken out is at most ``top``; gives how many."""
    m, tops, w = 0, splat(top), lanes(low)
    x, a = splat(x), splat(a)
    for i in range(0, 4 * len(low), 4 * w):
        if under(load(low, i // 4), tops):
            j = first + i
            c0, c1, c2, c3 = load(rough, j), load(rough, j + w), load(rough, j + 2 * w), load(rough, j + 3 * w)
            d0, d1, d2, d3 = varied(near, at + i, x, a, c0, c1, c2, c3, absolute)
            m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, index, m)
    return m


@compiled
def widest(x, w, span, absolute):
    """The largest term that a column of this span gives."""
    return term(w * max(x - span[0], span[1] - x), absolute)


@compiled
def widest_shift(row, A, A_scale, A_spans, absolute):
    """The largest terms that columns which are added or taken out give together."""
    total = 0.0
    for j in range(A.shape[0]):
        total += widest(A[j, row], A_scale[j], A_spans[j], absolute)
    return total


@compiled(forceinline=True)
def shift(row, r, A, A_scale, signs, absolute):
    """What columns that are added or taken out make of the distance of two rows."""
    total = 0.0
    for j in range(A.shape[0]):
        total += signs[j] * term(A_scale[j] * (A[j, row] - A[j, r]), absolute)
    return total


@compiled
def doubtful(short, m, best, margin):
    """Find the smallest distances; say whether others may be the k-th too, or it has little more than rounding left."""
    k = len(best)
    if m == k:
        best[k - 1] = short[0]
        for i in range(1, m):
            best[k - 1] = max(best[k - 1], short[i])
        return False
    best[:] = np.inf
    for i in range(m):
        insert(short[i], best)
    close = 0
    for i in range(m):
        close += abs(short[i] - best[-1]) <= margin
    return close > 1 or best[-1] <= margin


@compiled
def vote(short, index, m, top, codes, values, votes, c):
    """Equal votes of the rows within ``top``."""
    last = votes.shape[0] - 1
    for channel in range(last):
        votes[channel, c] = 0.0
    near = 0
    for i in range(m):
        if short[i] <= top:
            votes[codes[index[i]], c] += values[index[i]]
            near += 1
    votes[last, c] = near


@compiled(forceinline=True)
def decide(
    row, index, short, m, margin, afresh, S, S_scale, skip, best, codes, values, by_distance, absolute, votes, c
):  # fmt: skip
    """Vote with the k nearest of m rows; gives the k-th distance and whether it was tied.

    Where rounding could decide, or distances are asked for, they are first summed ``afresh`` if a column was taken out.
    """
    if by_distance == 0 and votes.shape[0] > 1 and not doubtful(short, m, best, margin):
        vote(short, index, m, best[-1], codes, values, votes, c)
        return best[-1], False
    if afresh:
        sum_afresh(row, index, short, m, S, S_scale, skip, absolute)
    return settle(short, index, m, best, codes, values, by_distance, votes, c)


@compiled
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
        tops[:] = np.inf
        for i in range(0, w * len(group), 4 * w):
            sink(tops, load(groups, i), load(groups, i + w), load(groups, i + 2 * w), load(groups, i + 3 * w))


@compiled
def scan_whole(
    state,
    rows,
    A,
    A_scale,
    A_spans,
    signs,
    X,
    rough,
    grain,
    unit,
    scale,
    spans,
    sign,
    S,
    S_scale,
    skip,
    k,
    codes,
    values,
    by_distance,
    absolute,
    votes,
    kth,
):
    """Votes of the k nearest rows with each of the columns X added (``sign`` 1) or taken out (-1).

    ``state`` is ``hi``, one row after another, ``rough`` the columns X likewise, moved and divided by their spans;
    ``grain`` is the share that rounding to its precision may cost.
    The columns A are first added to the state or taken out, by ``signs``. The k-th smallest of the minima of groups of rows
    bounds the k-th distance; what rounding may have cost is allowed for, and where it could decide, or distances are
    asked for, they are summed afresh over S, all but column ``skip[c]``. Returns how many queries were tied.
    """
    n, ties, w = X.shape[1], 0, lanes(rough)
    near, low = np.empty((2, n), rough.dtype), np.empty((2, w, n // 4), rough.dtype)
    group = np.empty(w * min(n // (4 * w), 1 + k // 4), rough.dtype)
    groups, tops = np.zeros((len(group), w), rough.dtype), np.empty((k, w), rough.dtype)
    a, least, best = np.empty((2, X.shape[0]), rough.dtype), np.empty(k, rough.dtype), np.empty(k)
    index, kept, short = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
    lost = np.zeros(2)
    for p in range(0, len(rows), 2):
        for t in range(2):
            q = min(p + t, len(rows) - 1)
            roughen(rows[q], state, q * n, n, A, A_scale[q], signs, unit, absolute, near, t * n)
            lost[t] = widest_shift(rows[q], A, A_scale[q], A_spans, absolute)
            for c in range(X.shape[0]):
                a[t, c] = sign * unit * term(scale[q, c] * (spans[c, 1] - spans[c, 0]), absolute)
        x, y = rows[p], rows[min(p + 1, len(rows) - 1)]
        for first in range(0, X.shape[0], w):
            some = min(w, X.shape[0] - first)
            for b in range(some):
                c, at = first + b, b * n // 4
                minima(
                    near, rough, n * c, n, rough[n * c + x], rough[n * c + y], a[0, c], a[1, c], absolute, low, at,
                    at + w * n // 4,
                )  # fmt: skip
            for t in range(min(2, len(rows) - p)):
                q, row = p + t, rows[p + t]
                bounds(low[t], some, group, groups, tops, least)
                for c in range(first, first + some):
                    bound = float(tops[k - 1, c - first])
                    slack = grain * (abs(bound) + 2 * abs(a[t, c]) + LEAST)
                    bound = (bound + slack) / unit
                    margin = 0.0
                    if sign < 0:
                        wide = widest(X[c, row], scale[q, c], spans[c], absolute)
                        margin = rounding(S.shape[1]) * (lost[t] + wide + abs(bound))
                    limit = min(bound + 4 * TIE * abs(bound) + 2 * margin, FAR / 2)  # never a row that must not answer
                    seen = within(
                        low[t, c - first], rough.dtype.type(limit * unit * (1 + grain) + 2 * slack), near, t * n, rough,
                        n * c, rough[n * c + row], a[t, c], absolute, index,
                    )  # fmt: skip
                    m = 0
                    for i in range(seen):
                        r = index[i]
                        d = state[q * n + r] + shift(row, r, A, A_scale[q], signs, absolute)
                        d += sign * term(scale[q, c] * (X[c, row] - X[c, r]), absolute)
                        kept[m], short[m] = r, d
                        m += d <= limit
                    kth[q, c], tied = decide(
                        row, kept, short, m, 2 * margin + 4 * TIE * abs(bound), sign < 0, S, S_scale[q], skip[c], best,
                        codes, values, by_distance, absolute, votes[q], c,
                    )  # fmt: skip
                    ties += tied
    return ties


@compiled
def sum_rough(packed, first, last, queries, absolute, near, low):
    """Add the rough terms of all columns to the distances of some queries, and give the smallest of every four.

    ``packed`` (chunks, s, CHUNK) and ``queries`` (n, s) are the same numbers: a chunk of rows stays near while all
    queries pass by.
    """
    n, s, w = near.shape[1], packed.shape[1], lanes(near)
    for i in range(0, n, 4 * w):
        for q in range(last - first):
            at = q * n + i
            d0, d1 = load(near, at), load(near, at + w)
            d2, d3 = load(near, at + 2 * w), load(near, at + 3 * w)
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


@compiled
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


@compiled
def scan_subset(
    blocked, part, alone, rows, packed, queries, S, S_scale, k, codes, values, by_distance, absolute, votes, kth
):
    """Votes of the k nearest rows for one subset, the columns S (one row per row).

    ``packed`` (chunks, s, CHUNK) are its columns in single precision, scaled, in such a unit that distances keep to 1,
    and ``queries`` (queries, s) those of the queries; ``blocked[part[q]]`` is 0 for the rows that may answer, infinite
    for the others; ``alone`` says that a query's own row must not. Returns how many queries were tied.
    """
    n, w, ties = blocked.shape[1], lanes(packed), 0
    near, low = np.empty((TOGETHER, n), packed.dtype), np.empty((TOGETHER, n // 4), packed.dtype)
    group = np.empty(w * min(n // (4 * w), 1 + k // 4), packed.dtype)
    least, best = np.empty(k, packed.dtype), np.empty(k)
    kept, short = np.empty(n, np.int32), np.empty(n)
    for first in range(0, len(rows), TOGETHER):
        last = min(first + TOGETHER, len(rows))
        for q in range(first, last):
            near[q - first] = blocked[part[q]]
            if alone:
                near[q - first, rows[q]] = np.inf
        sum_rough(packed, first, last, queries, absolute, near, low)
        for q in range(first, last):
            group_minima(low[q - first], group)
            least[:] = np.inf
            for i in range(len(group)):
                insert(group[i], least)
            bound = min(float(least[k - 1]), 2.0)  # never a row that must not answer
            top = packed.dtype.type(bound + 2 * subset_slack(queries[q], bound, absolute))
            m, tops = 0, splat(top)
            for i in range(0, n, 4 * w):
                if under(load(low, ((q - first) * n + i) // 4), tops):
                    at = (q - first) * n + i
                    d0, d1, d2, d3 = load(near, at), load(near, at + w), load(near, at + 2 * w), load(near, at + 3 * w)
                    m = note(bits_of_four(d0, d1, d2, d3, tops, w), i, kept, m)
            sum_afresh(rows[q], kept, short, m, S, S_scale[q], -1, absolute)
            kth[q, 0], tied = settle(short, kept, m, best, codes, values, by_distance, votes[q], 0)
            ties += tied
    return ties
