"""The nearest rows of many candidates that add a column each, from lists of the rows nearest without it."""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, lesser, load, magnitude, root, select, splat, store, under
from subsel._loops.nearest_neighbours import FAR, sink
from subsel._loops.votes import TIE, settle, term

__all__ = ["WIDTH", "scan_listed"]

WIDTH = 4 * N  # candidates of a block, scanned eight at a time


@inner(forceinline=True)
def terms(e, absolute):
    """What eight columns add to the distance of a row."""
    return magnitude(e) if absolute else e * e


@inner
def take_in(listed, index, base, grain, g, x, w, block, best, seen, at, m, absolute):
    """Put the rows of a list into the sorted smallest distances of eight candidates; give how many rows were seen.

    Added terms are not negative and no row of the list is nearer than one before it by more than ``grain``: the scan
    stops when none counts any more. Rows that may count are noted in ``seen``.
    """
    k, width, slack = best.shape[0], block.shape[1], splat(1 + 2 * TIE)
    for i in range(0, listed, 4):
        limit = load(best, N * (k - 1)) * slack
        if not under(splat(base[i] - grain), limit):
            break
        d0 = splat(base[i]) + terms(w * (x - load(block, width * index[i] + g)), absolute)
        d1 = splat(base[i + 1]) + terms(w * (x - load(block, width * index[i + 1] + g)), absolute)
        d2 = splat(base[i + 2]) + terms(w * (x - load(block, width * index[i + 2] + g)), absolute)
        d3 = splat(base[i + 3]) + terms(w * (x - load(block, width * index[i + 3] + g)), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), limit):
            for j in range(i, min(i + 4, listed)):
                seen[m], at[m] = index[j], base[j]
                m += 1
            sink(best, d0, d1, d2, d3)
    return m


@inner
def vote(m, seen, at, g, x, w, block, top, voting, tally):
    """Votes of the rows seen that lie within ``top``, and how many they are, for eight candidates."""
    last, width, one, near = tally.shape[0] - 1, block.shape[1], splat(1.0), splat(0.0)
    for i in range(m):
        r = seen[i]
        d = splat(at[i]) + terms(w * (x - load(block, width * r + g)), voting.absolute)
        near = near + select(d, top, one)
        weight = one
        if voting.by_distance == 1:
            weight = one / root(d)
        elif voting.by_distance == 2:
            weight = one / d
        weight = select(d, top, weight)
        channel = N * voting.codes[r]
        store(tally, channel, load(tally, channel) + splat(voting.values[r]) * weight)
        store(tally, N * last, load(tally, N * last) + weight)
    return near


@inner
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


@inner
def choose(q, row, c, m, top, seen, at, block, scale, voting, found, room):
    """Vote for one candidate with the rows seen, one by one, where some are tied or lie on the query."""
    kept, distance, least = room
    some = 0
    for i in range(m):
        t = term(scale[q, c] * (block[row, c] - block[seen[i], c]), voting.absolute)
        kept[some], distance[some] = seen[i], at[i] + t
        some += distance[some] <= top
    found.kth[q, c], tied = settle(distance, kept, some, least, voting, found.votes[q], c)
    return tied


@compiled
def scan_listed(hi, lists, rows, block, scale, chosen, voting, found):
    """Votes of the k nearest rows for a block (n, WIDTH) of columns, each added to those of the state.

    Rows come in order of ``hi`` from the lists, then from beyond them. The first ``chosen`` columns are candidates, the
    others fill the block. Returns how many queries were tied.
    """
    n, last, ties, k, absolute = hi.shape[1], found.votes.shape[1] - 1, 0, voting.k, voting.absolute
    best, tally, nears, tops = np.empty((k, N)), np.empty((last + 1, N)), np.empty(N), np.empty(N)
    index, far, seen, at = np.empty(n + 3, np.int32), np.empty(n + 3), np.empty(n, np.int32), np.empty(n)
    room = np.empty(n, np.int32), np.empty(n), np.empty(k)
    for q in range(hi.shape[0]):
        row, gathered, more, edge = rows[q], -1.0, 0, lists.edge[q]
        order, base = lists.order[q], lists.base[q]
        for g in range(0, chosen, N):
            x, w = load(block, WIDTH * row + g), load(scale, WIDTH * q + g)
            best[:] = np.inf
            m = take_in(lists.length[q], order, base, lists.grain[q], g, x, w, block, best, seen, at, 0, absolute)
            reach = 0.0
            for c in range(N):
                reach = max(reach, best[k - 1, c] * (1 + 2 * TIE))
            if edge <= reach:
                if reach > gathered:
                    more, gathered = beyond(hi, q, edge, reach, index, far), reach
                m = take_in(more, index, far, np.inf, g, x, w, block, best, seen, at, m, absolute)
            tally[:] = 0.0
            top = load(best, N * (k - 1)) * splat(1 + TIE)
            store(tops, 0, top)
            if last > 0:
                store(nears, 0, vote(m, seen, at, g, x, w, block, top, voting, tally))
            for c in range(min(N, chosen - g)):
                found.kth[q, g + c] = best[k - 1, c]
                if last > 0 and nears[c] == k and not (voting.by_distance > 0 and best[0, c] == 0.0):
                    for channel in range(last + 1):
                        found.votes[q, channel, g + c] = tally[channel, c]
                elif last > 0:
                    ties += choose(q, row, g + c, m, tops[c], seen, at, block, scale, voting, found, room)
    return ties
