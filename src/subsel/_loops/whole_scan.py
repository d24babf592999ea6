"""The nearest rows of candidates that add or take out a column each, from the distances to all rows."""

import numpy as np

from subsel._loops import compiled
from subsel._loops.lanes import N, fused, lesser, load, lowest, magnitude, splat, store, under
from subsel._loops.nearest_neighbours import FAR, TIE, insert, rounding, settle, sink, sum_afresh, term

__all__ = ["CHUNK", "scan_whole"]

CHUNK = 4 * N  # rows looked at together; tables are filled up to a multiple of it


@compiled
def minima(distance, start, column, first, n, x, a, absolute, low, group):
    """The smallest of every four distances with a column added (a > 0) or taken out, and those of few large groups."""
    x, a = splat(x), splat(a)
    for i in range(0, n, CHUNK):
        e0, e1 = x - load(column, first + i), x - load(column, first + i + N)
        e2, e3 = x - load(column, first + i + 2 * N), x - load(column, first + i + 3 * N)
        d0, d1 = load(distance, start + i), load(distance, start + i + N)
        d2, d3 = load(distance, start + i + 2 * N), load(distance, start + i + 3 * N)
        if absolute:
            d0, d1 = fused(a, magnitude(e0), d0), fused(a, magnitude(e1), d1)
            d2, d3 = fused(a, magnitude(e2), d2), fused(a, magnitude(e3), d3)
        else:
            d0, d1 = fused(a * e0, e0, d0), fused(a * e1, e1, d1)
            d2, d3 = fused(a * e2, e2, d2), fused(a * e3, e3, d3)
        store(low, i // 4, lesser(lesser(d0, d1), lesser(d2, d3)))
    for g in range(0, len(group), N):
        least = load(low, g)
        for i in range(g, n // 4, len(group)):
            least = lesser(least, load(low, i))
        store(group, g, least)


@compiled
def shortlist(distance, start, column, first, n, x, w, sign, limit, absolute, low, index, short):
    """The rows whose distance is at most ``limit``; gives how many."""
    m, limits = 0, splat(limit)
    for i in range(0, n // 4, N):
        bits = under(load(low, i), limits)
        while bits:
            r = 4 * i + lowest(bits)
            bits &= bits - 1
            for _ in range(4):
                d = distance[start + r] + sign * term(w * (x - column[first + r]), absolute)
                if d <= limit:
                    index[m], short[m] = r, d
                    m += 1
                r += N
    return m


@compiled
def shifted(row, distance, start, n, A, A_scale, signs, absolute, out):
    """The distances with columns added or taken out."""
    for i in range(0, n, N):
        d = load(distance, start + i)
        for j in range(A.shape[0]):
            e = splat(A_scale[j]) * (splat(A[j, row]) - load(A, n * j + i))
            d = d + splat(signs[j]) * (magnitude(e) if absolute else e * e)
        store(out, i, d)


@compiled
def widest(x, w, span, absolute):
    """The largest term that a column of this span gives."""
    return term(w * max(x - span[0], span[1] - x), absolute)


@compiled
def doubtful(short, m, best, margin):
    """Whether more than one distance may be the k-th smallest, or it has little more than rounding left."""
    best[:] = np.inf
    for i in range(m):
        insert(short[i], best)
    close = 0
    for i in range(m):
        close += abs(short[i] - best[-1]) <= margin
    return close > 1 or best[-1] <= margin


@compiled
def scan_whole(
    state,
    rows,
    A,
    A_scale,
    A_spans,
    signs,
    X,
    columns,
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

    ``state`` and ``columns`` are ``hi`` and X again, one row after another.
    The columns A are first added to the state or taken out, by ``signs``. The k-th smallest of the minima of groups of rows
    bounds the k-th distance; what rounding may have cost is allowed for, and where it could decide, or distances are
    asked for, they are summed afresh over S, all but column ``skip[c]``. Returns how many queries were tied.
    """
    n, last, ties = X.shape[1], votes.shape[1] - 1, 0
    low, group = np.empty((N, n // 4)), np.empty(N * min(n // CHUNK, max(4, k)))
    groups, tops, best = np.zeros((len(group), N)), np.empty((k, N)), np.empty(k)
    index, short, moved = np.empty(n, np.int32), np.empty(n), np.empty(n)
    for q in range(len(rows)):
        row, distance, start, lost = rows[q], state, q * n, 0.0
        if A.shape[0] > 0:
            shifted(row, state, start, n, A, A_scale[q], signs, absolute, moved)
            distance, start = moved, 0
            for j in range(A.shape[0]):
                lost += widest(A[j, row], A_scale[q, j], A_spans[j], absolute)
        for c in range(X.shape[0]):
            if c % N == 0:
                for b in range(c, min(c + N, X.shape[0])):
                    a = sign * (scale[q, b] if absolute else scale[q, b] * scale[q, b])
                    minima(distance, start, columns, n * b, n, X[b, row], a, absolute, low[b - c], group)
                    for i in range(len(group)):
                        groups[i, b - c] = group[i]
                tops[:] = np.inf
                for i in range(0, N * len(group), 4 * N):
                    sink(tops, load(groups, i), load(groups, i + N), load(groups, i + 2 * N), load(groups, i + 3 * N))
            x, w, bound = X[c, row], scale[q, c], tops[k - 1, c % N]
            margin = 0.0
            if sign < 0:
                margin = rounding(S.shape[1]) * (lost + widest(x, w, spans[c], absolute) + abs(bound))
            limit = min(bound + 4 * TIE * abs(bound) + 2 * margin, FAR / 2)  # never a row that must not answer
            m = shortlist(distance, start, columns, n * c, n, x, w, sign, limit, absolute, low[c % N], index, short)
            if m == k and by_distance == 0 and last > 0:
                for channel in range(last):
                    votes[q, channel, c] = 0.0
                kth[q, c], votes[q, last, c] = short[0], k
                for i in range(m):
                    votes[q, codes[index[i]], c] += values[index[i]]
                    kth[q, c] = max(kth[q, c], short[i])
                continue
            if sign < 0 and (
                by_distance > 0 or last == 0 or doubtful(short, m, best, 2 * margin + 4 * TIE * abs(bound))
            ):
                sum_afresh(row, index, short, m, S, S_scale[q], skip[c], absolute)
            kth[q, c], tied = settle(short, index, m, best, codes, values, by_distance, votes[q], c)
            ties += tied
    return ties
