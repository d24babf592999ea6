"""The nearest rows of many candidates that add or take out a column each, from lists of the rows nearest without that."""

import numpy as np

from subsel._loops import compiled
from subsel._loops.lanes import N, greater, lesser, load, magnitude, root, select, splat, store, under
from subsel._loops.nearest_neighbours import FAR, TIE, rounding, settle, sink, sum_afresh, term

__all__ = ["WIDTH", "scan_listed"]

WIDTH = 4 * N  # candidates of a block, scanned eight at a time


@compiled(forceinline=True)
def terms(e, sign, absolute):
    """What eight columns add to the distance of a row, or take from it."""
    return sign * magnitude(e) if absolute else (sign * e) * e


@compiled
def take_in(listed, index, base, g, x, w, sign, wide, lost, block, best, seen, at, m, absolute):
    """Put the rows of a list into the sorted smallest distances of eight candidates; give how many rows were seen.

    ``wide`` is how much nearer than the row at hand, without terms, any later row may lie with them: added terms are not
    negative. The scan stops when none counts any more. Rows that may count are noted in ``seen``.
    """
    k, width, slack = best.shape[0], block.shape[1], splat(1 + 2 * TIE)
    for i in range(0, listed, 4):
        limit = load(best, N * (k - 1)) * slack + lost
        if not under(splat(base[i]) - wide, limit):
            break
        d0 = splat(base[i]) + terms(w * (x - load(block, width * index[i] + g)), sign, absolute)
        d1 = splat(base[i + 1]) + terms(w * (x - load(block, width * index[i + 1] + g)), sign, absolute)
        d2 = splat(base[i + 2]) + terms(w * (x - load(block, width * index[i + 2] + g)), sign, absolute)
        d3 = splat(base[i + 3]) + terms(w * (x - load(block, width * index[i + 3] + g)), sign, absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), limit):
            for j in range(i, min(i + 4, listed)):
                seen[m], at[m] = index[j], base[j]
                m += 1
            sink(best, d0, d1, d2, d3)
    return m


@compiled
def vote(m, seen, at, g, x, w, sign, block, top, codes, values, by_distance, absolute, tally):
    """Votes of the rows seen that lie within ``top``, and how many they are, for eight candidates."""
    last, width, one, near = tally.shape[0] - 1, block.shape[1], splat(1.0), splat(0.0)
    for i in range(m):
        r = seen[i]
        d = splat(at[i]) + terms(w * (x - load(block, width * r + g)), sign, absolute)
        near = near + select(d, top, one)
        weight = one
        if by_distance == 1:
            weight = one / root(d)
        elif by_distance == 2:
            weight = one / d
        weight = select(d, top, weight)
        store(tally, N * codes[r], load(tally, N * codes[r]) + splat(values[r]) * weight)
        store(tally, N * last, load(tally, N * last) + weight)
    return near


@compiled
def beyond(hi, q, edge, reach, index, base):
    """The rows that a list left out and that may count, followed by three that cannot; gives how many."""
    m = 0
    for r in range(hi.shape[1]):
        if hi[q, r] >= edge and hi[q, r] <= reach and hi[q, r] < FAR:
            index[m], base[m] = r, hi[q, r]
            m += 1
    for i in range(m, m + 3):
        index[i], base[i] = 0, np.inf
    return m


@compiled
def scan_listed(
    hi,
    order,
    base,
    count,
    edge,
    grain,
    rows,
    block,
    scale,
    spans,
    chosen,
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
    """Votes of the k nearest rows for a block (n, WIDTH) of columns, each added to those of the state or taken out.

    Rows come in order of ``hi`` from the lists, then from beyond them. The first ``chosen`` columns are candidates, the
    others fill the block; ``spans`` (2, WIDTH) are their least and greatest values. Where a column is taken out and
    rounding could decide, or distances are asked for, they are summed afresh over S, all but column ``skip[c]``.
    Returns how many queries were tied.
    """
    n, last, ties, rough, signs = hi.shape[1], votes.shape[1] - 1, 0, sign < 0, splat(sign)
    best, tally, least = np.empty((k, N)), np.empty((last + 1, N)), np.empty(k)
    nears, tops, wides = np.empty(N), np.empty(N), np.empty(N)
    index, far, seen, at = np.empty(n + 3, np.int32), np.empty(n + 3), np.empty(n, np.int32), np.empty(n)
    distance, kept = np.empty(n), np.empty(n, np.int32)
    for q in range(hi.shape[0]):
        row, gathered, more = rows[q], -1.0, 0
        for g in range(0, chosen, N):
            x, w = load(block, WIDTH * row + g), load(scale, WIDTH * q + g)
            wide, lost = splat(0.0), splat(0.0)
            if rough:
                wide = terms(w * greater(x - load(spans, g), load(spans, WIDTH + g) - x), splat(1.0), absolute)
                lost = splat(rounding(S.shape[1])) * (wide + splat(edge[q]))
                wide = wide + lost
            best[:] = np.inf
            near = wide + splat(grain[q])
            m = take_in(count[q], order[q], base[q], g, x, w, signs, near, lost, block, best, seen, at, 0, absolute)
            store(wides, 0, wide + lost)
            reach = 0.0
            for c in range(N):
                reach = max(reach, best[k - 1, c] * (1 + 2 * TIE) + wides[c])
            if edge[q] <= reach:
                if reach > gathered:
                    more, gathered = beyond(hi, q, edge[q], reach, index, far), reach
                m = take_in(more, index, far, g, x, w, signs, splat(np.inf), lost, block, best, seen, at, m, absolute)
            tally[:] = 0.0
            top = load(best, N * (k - 1)) * splat(1 + TIE) + lost
            store(tops, 0, top)
            if last > 0:
                store(
                    nears, 0, vote(m, seen, at, g, x, w, signs, block, top, codes, values, by_distance, absolute, tally)
                )
            for c in range(min(N, chosen - g)):
                kth[q, g + c] = best[k - 1, c]
                if last > 0 and nears[c] == k and not (by_distance > 0 and (rough or best[0, c] == 0.0)):
                    for channel in range(last + 1):
                        votes[q, channel, g + c] = tally[channel, c]
                elif last > 0 or rough:
                    some = 0
                    for i in range(m):
                        t = term(scale[q, g + c] * (block[row, g + c] - block[seen[i], g + c]), absolute)
                        kept[some], distance[some] = seen[i], at[i] + sign * t
                        some += distance[some] <= tops[c]
                    if rough:
                        sum_afresh(row, kept, distance, some, S, S_scale[q], skip[g + c], absolute)
                    kth[q, g + c], tied = settle(
                        distance, kept, some, least, codes, values, by_distance, votes[q], g + c
                    )
                    ties += tied
    return ties
