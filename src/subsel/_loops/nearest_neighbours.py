"""Inner loops of the nearest-neighbour criteria: distances that add over columns, and scans for the nearest rows.

A *query* is a held-out row together with the rows that may answer it; ``hi[q, r]`` is the distance (squared if
Euclidean) of query q to row r over the columns of the state, ``FAR`` where r is not in the training part. ``lo``
holds what rounding took from ``hi``, so that a column can be taken out again without loss. Columns come as
rows of an array (m, n); ``scale[q, j]`` multiplies differences in column j. Votes have one channel per class (or
one for the target) and a last one for the sum of the weights.
"""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import greater, lanes, lesser, load, splat, store
from subsel._loops.votes import TIE, settle, term

__all__ = ["FAR", "accumulate", "fill", "rounding", "scan_lines", "sink"]

FAR = 1e300


@inner
def pair(a, b, X, scale, absolute):
    """The distance of two rows over the columns X."""
    total = 0.0
    for j in range(X.shape[0]):
        total += term(scale[j] * (X[j, a] - X[j, b]), absolute)
    return total


@inner
def rounding(n_columns):
    """The share of what was added to a distance, or taken from it, that rounding may have cost."""
    return 1e-14 + 2.3e-16 * n_columns


@inner
def accumulate(hi, lo, rows, X, scale, sign, rest, rest_scale, absolute):
    """Add (or take out, sign -1) columns to the distances, keeping the rounding errors in ``lo`` if it is given.

    A pair that keeps less than a thousandth of a taken-out term is summed afresh over ``rest``, the columns that
    remain: its rounding errors could no longer be told from its distance.
    """
    exact = lo.shape[0] > 0
    for q in range(hi.shape[0]):
        for j in range(X.shape[0]):
            x, w = X[j, rows[q]], scale[q, j]
            if not exact:
                for r in range(X.shape[1]):
                    hi[q, r] += term(w * (x - X[j, r]), absolute)
                continue
            for r in range(X.shape[1]):
                a, t = hi[q, r], sign * term(w * (x - X[j, r]), absolute)
                s = a + t
                part = s - a
                e = ((a - (s - part)) + (t - part)) + lo[q, r]
                total = s + e
                lo[q, r] = e - (total - s)
                hi[q, r] = total
            if sign < 0:
                for r in range(X.shape[1]):
                    if hi[q, r] < 1e-3 * term(w * (x - X[j, r]), absolute):
                        hi[q, r] = pair(rows[q], r, rest, rest_scale[q], absolute)
                        lo[q, r] = 0.0


@inner(forceinline=True)
def fill(table, number):
    """Set rows of numbers side by side to one number: the compiler would scatter it."""
    for i in range(0, table.shape[0] * table.shape[1], lanes(table)):
        store(table, i, splat(table.dtype.type(number)))


@inner(forceinline=True)
def sink(best, d0, d1, d2, d3):
    """Put four distances of candidates side by side into the k smallest: each level keeps the least, hands on others."""
    k, w = best.shape
    for j in range(k):
        u = load(best, w * j)
        v, d0 = lesser(u, d0), greater(u, d0)
        u, d1 = lesser(v, d1), greater(v, d1)
        v, d2 = lesser(u, d2), greater(u, d2)
        u, d3 = lesser(v, d3), greater(v, d3)
        store(best, w * j, u)


@compiled
def scan_lines(X, order, scale, train, query, alone, voting, found):
    """Votes of the k nearest rows in each single column, sorted by ``order``: they are neighbours there.

    ``train[f, r]`` says whether row r may answer in part f, ``query[f, r]`` which query it is there (-1: none).
    """
    n, ties = X.shape[1], 0
    line = (
        np.empty(n),
        np.empty(n + 1),
        np.empty(n + 1, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n + 1, np.int32),
    )
    room = np.empty(n), np.empty(n, np.int32), np.empty(voting.k)
    for c in range(X.shape[0]):
        ties += answer_column(
            X[c], order[c], scale, c, train, query, alone, voting, found, line, room
        )
    return ties


@inner
def answer_column(x, order, scale, c, train, query, alone, voting, found, line, room):
    """Vote for all queries in one column, part by part; gives how many were tied."""
    (in_order, v, ids, held, before), votes, kth, ties, n = line, found.votes, found.kth, 0, len(x)
    for i in range(n):
        in_order[i] = x[order[i]]
    for f in range(len(train)):
        m, h = 0, 0
        for i in range(n):  # without branches: which rows are held out cannot be foretold
            row = order[i]
            v[m], ids[m], held[h], before[h] = in_order[i], row, row, m
            m += train[f, row]
            h += query[f, row] >= 0
        for i in range(h):
            row = held[i]
            q, own = query[f, row], 1 if alone and train[f, row] else 0
            kth[q, c], tied = answer_line(
                v, m, ids, x[row], row, before[i], own, scale[q, c], voting, votes[q], c, room
            )
            ties += tied
    return ties


@inner(forceinline=True)
def answer_line(v, m, ids, x, row, before, own, scale, voting, votes, c, room):
    """Vote with the k nearest of sorted values; gives the k-th distance and whether rows had to be chosen among tied ones."""
    distance, index, best = room
    left, right, b, tied = window(v, m, x, before, own, voting.k, scale, voting.absolute)
    if not tied and voting.by_distance == 0:
        vote_window(left, right, ids, before, own, voting.codes, voting.values, votes, c)
        return b, False
    kept = 0
    for j in range(left, right):
        if not (own and j == before):
            index[kept] = ids[j]
            distance[kept] = term(scale * (x - v[j]), voting.absolute)
            kept += 1
    return settle(distance, index, kept, best, voting, votes, c)


@inner(forceinline=True)
def window(v, m, x, before, own, k, scale, absolute):
    """The k nearest of sorted values, as the places from one to before another, widened by what is tied with the k-th.

    Place ``before`` is passed over if it is the query's ``own``.
    """
    low, high = max(0, before - k), min(before, m - own - k)  # where the first of them may stand
    while low < high:
        middle = (low + high) // 2
        first, after = middle + own * (middle >= before), middle + k + own * (middle + k >= before)
        nearer = x - v[first] <= v[after] - x
        low, high = (low if nearer else middle + 1), (middle if nearer else high)
    first, last = low + own * (low >= before), low + k - 1 + own * (low + k - 1 >= before)
    b = max(term(scale * (x - v[first]), absolute), term(scale * (v[last] - x), absolute))
    top, left, right = b * (1 + TIE), min(first, before), max(last + 1, before + own)
    wide = right - left
    while left > 0 and term(scale * (x - v[left - 1]), absolute) <= top:
        left -= 1
    while right < m and term(scale * (v[right] - x), absolute) <= top:
        right += 1
    return left, right, b, right - left > wide


@inner(forceinline=True)
def vote_window(left, right, ids, before, own, codes, values, votes, c):
    """Votes of a window without ties."""
    last = votes.shape[0] - 1
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    for j in range(left, right):
        if not (own and j == before):
            votes[codes[ids[j]], c] += values[ids[j]]
            votes[last, c] += 1.0
