"""Inner loops of the nearest-neighbour criteria: distances that add over columns, and scans for the nearest rows.

A *query* is a held-out row together with the rows that may answer it; ``hi[q, r]`` is the distance (squared if
Euclidean) of query q to row r over the columns of the state, ``FAR`` where r is not in the training part. ``lo``
holds what rounding took from ``hi``, so that a column can be taken out again without loss. Columns come as
rows of an array (m, n); ``scale[q, j]`` multiplies differences in column j. Votes have one channel per class (or
one for the target) and a last one for the sum of the weights.
"""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, greater, lesser, load, lowest, splat, store, under
from subsel._loops.votes import TIE, insert, settle, term

__all__ = ["FAR", "accumulate", "list_nearest", "rounding", "scan_lines", "sink", "take_out"]

FAR = 1e300
BUCKETS = 256
SAMPLE = 128  # distances from which a quantile is guessed, every eighth at most


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


@inner
def take_out(hi, lo, rows, column, scale, rest, rest_scale, absolute, out):
    """The distances without one column; pairs that it dominates are summed afresh over ``rest``, the columns that remain."""
    exact = lo.shape[0] > 0
    for q in range(hi.shape[0]):
        x, w, few = column[rows[q]], scale[q], 0
        for r in range(len(column)):
            t = term(w * (x - column[r]), absolute)
            out[q, r] = (hi[q, r] - t) + lo[q, r] if exact else hi[q, r] - t
            few += out[q, r] < 0.05 * t
        if few > 0:
            for r in range(len(column)):
                if out[q, r] < 0.05 * term(w * (x - column[r]), absolute):
                    out[q, r] = pair(rows[q], r, rest, rest_scale[q], absolute)


@compiled
def list_nearest(hi, share, lists):
    """List for each query the rows nearest by ``hi``: all those under the edge, about a ``share`` of the rows.

    They are sorted up to the grain: no row is nearer than any before it by more. Three rows infinitely far follow.
    """
    n = hi.shape[1]
    step = max(8, n // SAMPLE)
    sample = np.empty(int(n / step * share) + 2)
    index = np.empty(n + 1, np.int32)
    key = np.empty(n, np.int32)
    start = np.empty(BUCKETS + 1, np.int32)
    for q in range(hi.shape[0]):
        top = quantile(hi, q, step, sample)
        found = under_top(hi, q, top, index)
        lists.length[q], lists.edge[q], lists.grain[q] = sort_row(
            hi, q, index, found, top, key, start, lists.order, lists.base
        )


@inner
def under_top(hi, q, top, index):
    """The rows whose distance is under ``top``; gives how many."""
    n, found, limit = hi.shape[1], 0, splat(top)
    for i in range(q * n, (q + 1) * n, 4 * N):
        bits = under(load(hi, i), limit) | under(load(hi, i + N), limit) << N
        bits |= under(load(hi, i + 2 * N), limit) << 2 * N | under(load(hi, i + 3 * N), limit) << 3 * N
        while bits > 0:
            r = i - q * n + lowest(bits)
            bits &= bits - 1
            index[found] = r
            found += hi[q, r] < top
    return found


@inner
def quantile(hi, q, step, sample):
    """About a quantile of a row of distances: the last of the smallest in a sample."""
    sample[:] = np.inf
    for r in range(q % step, hi.shape[1], step):
        insert(hi[q, r], sample)
    return sample[-1]


@inner
def sort_row(hi, q, index, found, top, key, start, order, base):
    """Sort the rows found under ``top`` into buckets; give how many were kept, what they lie under, the widest bucket."""
    low = top
    for i in range(found):
        low = min(low, hi[q, index[i]])
    scale = (BUCKETS - 1) ** 2 / (top - low) if top > low else 0.0
    start[:] = 0
    for i in range(found):
        key[i] = np.int32(np.sqrt((hi[q, index[i]] - low) * scale))  # finer where rows are near
        start[key[i] + 1] += 1
    whole = 0  # buckets that fit into the list as a whole
    for b in range(BUCKETS):
        start[b + 1] += start[b]
        whole += start[b + 1] <= order.shape[1] - 3
    kept = start[whole]
    for i in range(found):
        if key[i] >= whole:
            top = min(top, hi[q, index[i]])
            continue
        place = start[key[i]]
        start[key[i]] = place + 1
        order[q, place] = index[i]
        base[q, place] = hi[q, index[i]]
    for i in range(kept, kept + 3):
        order[q, i], base[q, i] = 0, np.inf
    return kept, top, 2 * BUCKETS / scale if scale > 0.0 else 0.0


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
    """Votes of the k nearest rows in each single column, sorted by ``order``, by two pointers.

    ``train[f, r]`` says whether row r may answer in part f, ``query[f, r]`` which query it is there (-1: none).
    """
    n, ties = X.shape[1], 0
    v, ids = np.empty(n), np.empty(n, np.int32)
    room, votes, kth = (np.empty(n), np.empty(n, np.int32), np.empty(voting.k)), found.votes, found.kth
    for c in range(X.shape[0]):
        for f in range(len(train)):
            m = 0
            for i in range(n):
                if train[f, order[c, i]]:
                    ids[m] = order[c, i]
                    v[m] = X[c, ids[m]]
                    m += 1
            before = 0
            for i in range(n):
                row = order[c, i]
                q = query[f, row]
                if q >= 0:
                    own = alone and train[f, row]
                    kth[q, c], tied = answer_line(
                        v, m, ids, X[c, row], row, before, alone, own, scale[q, c], voting, votes[q], c, room
                    )
                    ties += tied
                before += train[f, row]
    return ties


@inner(forceinline=True)
def answer_line(v, m, ids, x, row, before, alone, own, scale, voting, votes, c, room):
    """Vote with the k nearest of sorted values; gives the k-th distance and whether rows had to be chosen among tied ones."""
    distance, index, best = room
    left, right, b, tied = window(v, m, x, before, own, voting.k, scale, voting.absolute)
    if not tied and voting.by_distance == 0:
        vote_window(left, right, ids, row, alone, voting.codes, voting.values, votes, c)
        return b, False
    kept = 0
    for j in range(left + 1, right):
        if not (alone and ids[j] == row):
            index[kept] = ids[j]
            distance[kept] = term(scale * (x - v[j]), voting.absolute)
            kept += 1
    return settle(distance, index, kept, best, voting, votes, c)


@inner
def window(v, m, x, before, alone, k, scale, absolute):
    """The k nearest of sorted values as an open interval of places, widened by what is tied with the k-th."""
    left, right = before - 1, before + alone
    for _ in range(k):
        on_left = x - v[left] if left >= 0 else np.inf
        on_right = v[right] - x if right < m else np.inf
        if on_left <= on_right:
            left -= 1
        else:
            right += 1
    b = max(term(scale * (x - v[left + 1]), absolute), term(scale * (v[right - 1] - x), absolute))
    top, wide = b * (1 + TIE), right - left
    while left >= 0 and term(scale * (x - v[left]), absolute) <= top:
        left -= 1
    while right < m and term(scale * (v[right] - x), absolute) <= top:
        right += 1
    return left, right, b, right - left > wide


@inner
def vote_window(left, right, ids, row, alone, codes, values, votes, c):
    """Votes of a window without ties."""
    last = votes.shape[0] - 1
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    for j in range(left + 1, right):
        if not (alone and ids[j] == row):
            votes[codes[ids[j]], c] += values[ids[j]]
            votes[last, c] += 1.0
