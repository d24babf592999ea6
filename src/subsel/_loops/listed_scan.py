"""The nearest rows of many candidates that add a column each, from lists of the rows nearest without it.

Distances are rough, in single precision if that tells rows apart. Where as many rows as are asked for lie within the k-th
of them, errors allowed for, these are the nearest; elsewhere distances are summed in double precision.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import (
    fused,
    lanes,
    lesser,
    load,
    lowest,
    magnitude,
    root,
    select,
    splat,
    store,
    under,
)
from subsel._loops.near_rows import FARTHEST, SPOILT, near_row, pair_of, places
from subsel._loops.nearest_neighbours import fill, rounding, sink
from subsel._loops.rough import GRAIN, LEAST, bits_of_four
from subsel._loops.votes import TIE, settle, term, weight

__all__ = ["scan_listed"]

ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)  # numba looks for negative places among signed ones


class Seen(NamedTuple):
    """Of candidates side by side: the smallest distances, the rows that may count and their distances, how far these may
    be, votes, rows that are near enough for each candidate and how many; of a query, the rows whose distances over the
    base were summed in double precision, and these; and room for the distances of one candidate."""

    best: np.ndarray
    rows: np.ndarray
    distance: np.ndarray
    reach: np.ndarray
    tally: np.ndarray
    kept: np.ndarray
    number: np.ndarray
    asked: np.ndarray
    exact: np.ndarray
    short: np.ndarray
    smallest: np.ndarray


class Errors(NamedTuple):
    """What rounding may cost two distances: a share of what differences are taken of, a share of a distance, and more."""

    grain: float
    share: float
    least: float


@inner(forceinline=True)
def farther(base, r, x, values, absolute):
    """The distances of a row for candidates side by side."""
    e = fused(r, values, x)
    return splat(base) + magnitude(e) if absolute else fused(e, e, splat(base))


@inner(forceinline=True)
def outermost(bound, size, errors, kind):
    """How far a row may seem, at most, that is as near as one that seems at ``bound``."""
    pad = fused(splat(kind(errors.grain)), size, splat(kind(errors.least)))
    return fused(splat(kind(1 + errors.share)), bound, pad)


@inner(forceinline=True)
def take_in(listed, index, base, grain, g, r, x, size, errors, block, seen, m, absolute):
    """Put the rows of a list into the smallest distances of some candidates; give how many rows were seen.

    Added terms are not negative and no row of the list is nearer than one before it by more than ``grain``: the scan
    stops when none counts any more.
    """
    best, rows, distance, (k, w), width, kind = (
        seen.best, seen.rows, seen.distance, seen.best.shape, block.shape[1], seen.best.dtype.type,
    )  # fmt: skip
    limit = outermost(load(best, w * (k - 1)), size, errors, kind)
    for i in range(0, listed, 4):
        i0 = np.uintp(i)
        i1, i2, i3 = i0 + ONE, i0 + TWO, i0 + THREE
        if not under(splat(base[i0] - grain), limit):
            break
        d0 = farther(base[i0], r, x, load(block, width * index[i0] + g), absolute)
        d1 = farther(base[i1], r, x, load(block, width * index[i1] + g), absolute)
        d2 = farther(base[i2], r, x, load(block, width * index[i2] + g), absolute)
        d3 = farther(base[i3], r, x, load(block, width * index[i3] + g), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), limit):
            m0 = np.uintp(m)
            rows[m0], rows[m0 + ONE], rows[m0 + TWO], rows[m0 + THREE] = index[i0], index[i1], index[i2], index[i3]
            store(distance, w * m, d0)
            store(distance, w * (m + 1), d1)
            store(distance, w * (m + 2), d2)
            store(distance, w * (m + 3), d3)
            m += 4
            sink(best, d0, d1, d2, d3)
            limit = outermost(load(best, w * (k - 1)), size, errors, kind)
    store(seen.reach, 0, limit)
    return m


@inner
def beyond(near, edge, reach, index, base):
    """The rows that a list left out and that may count, followed by three that cannot; gives how many."""
    found, w, tops = 0, lanes(near), splat(min(reach, near.dtype.type(FARTHEST)))
    for i in range(0, len(near), 4 * w):
        d0, d1, d2, d3 = load(near, i), load(near, i + w), load(near, i + 2 * w), load(near, i + 3 * w)
        bits = bits_of_four(d0, d1, d2, d3, tops, w)
        while bits:
            r = np.uintp(i + lowest(bits))
            bits &= bits - 1
            index[found], base[found] = r, near[r]
            found += near[r] >= edge
    for i in range(found, found + 3):
        index[i], base[i] = 0, np.inf
    return found


@inner(forceinline=True)
def count(m, top, codes, seen, votes, last, width, at):
    """Votes for classes of the rows seen within ``top``, for candidates side by side; gives how many rows they are."""
    rows, distance, tally, w, kind = seen.rows, seen.distance, seen.tally, len(seen.reach), seen.reach.dtype.type
    one, near, ones = splat(kind(1.0)), splat(kind(0.0)), splat(kind(0.0))
    if last == 2:
        for i in range(m):
            counts = select(load(distance, w * i), top, one)
            near, ones = near + counts, fused(splat(kind(codes[rows[i]])), counts, ones)
        store(votes, at, near - ones)
        store(votes, at + width, ones)
    else:
        fill(tally, 0.0)
        for i in range(m):
            counts, channel = select(load(distance, w * i), top, one), w * codes[rows[i]]
            near = near + counts
            store(tally, channel, load(tally, channel) + counts)
        for channel in range(last):
            store(votes, at + width * channel, load(tally, w * channel))
    store(votes, at + width * last, near)
    return near


@inner(forceinline=True)
def gather(m, top, seen):
    """List the rows seen within ``top`` candidate by candidate."""
    rows, distance, kept, number, w = seen.rows, seen.distance, seen.kept, seen.number, len(seen.number)
    number[:] = 0
    for i in range(m):
        bits = under(load(distance, w * i), top)
        while bits:
            c = lowest(bits)
            bits &= bits - 1
            kept[c, number[c]] = rows[i]
            number[c] += 1


@inner
def choose(row, kept, m, column, base, table, scale, voting, seen, found, q, c):
    """Vote for one candidate with its rows, by distances summed in double precision unless all of them count equally."""
    X, short, votes, absolute = table.rows, seen.short, found.votes[q], voting.absolute
    k, by_distance, last, least, most = voting.k, voting.by_distance, len(votes) - 1, np.inf, 0.0
    if m > k or by_distance > 0 or last == 0:
        for i in range(m):
            r = kept[i]
            if seen.asked[r] != q:  # for the first time by this query
                seen.asked[r] = q
                if len(base.state) > 0 and len(base.shift.signs) == 0:
                    seen.exact[r] = base.state[q * base.blocked.shape[1] + r]
                else:
                    seen.exact[r] = pair_of(X, row, r, table.base, scale, absolute)
            short[i] = seen.exact[r] + term(scale[column] * (X[row, column] - X[r, column]), absolute)
            least, most = min(least, short[i]), max(most, short[i])
    if m > k or (by_distance > 0 and least == 0.0):
        found.kth[q, c], tied = settle(short, kept, m, seen.smallest, voting, votes, c)
        return tied
    if by_distance > 0 or last == 0:
        found.kth[q, c] = most
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    for i in range(m):
        share = weight(short[i], by_distance)
        votes[voting.codes[kept[i]], c] += share * voting.values[kept[i]]
        votes[last, c] += share
    return False


@inner(forceinline=True)
def answer(q, row, g, some, m, size, errors, base, columns, table, voting, seen, found):
    """Vote with the rows seen for candidates side by side; gives how many were tied."""
    (k, w), kind, ties, (n_channels, width) = seen.best.shape, seen.best.dtype.type, 0, found.votes.shape[1:]
    bound, grain, doubtful = load(seen.best, w * (k - 1)), splat(kind(errors.grain)), (1 << some) - 1
    scale = table.scale[base.scaled[q]]
    around = size if voting.absolute else root(size) * root(bound) + grain * size
    top = outermost(bound, around, errors, kind)
    for c in range(w):
        found.kth[q, g + c] = seen.best[k - 1, c] / base.unit
    if n_channels > 2 and voting.by_distance == 0:
        near = count(m, top, voting.codes, seen, found.votes, n_channels - 1, width, n_channels * width * q + g)
        doubtful &= ~under(near, splat(kind(k + 0.5)))
    if doubtful:
        gather(m, top, seen)
    while doubtful:
        c = lowest(doubtful)
        doubtful &= doubtful - 1
        ties += choose(
            row, seen.kept[c], seen.number[c], columns[g + c], base, table, scale, voting, seen, found, q, g + c
        )
    return ties


@inner
def answer_all(base, lists, rows, added, table, voting, found, seen, near, place, index, far):
    """Vote for one query after the other; gives how many were tied."""
    block, columns, absolute, width, s = added.block, added.columns, voting.absolute, added.block.shape[1], len(place)
    kind, w, ties, grain = seen.best.dtype.type, lanes(block), 0, 4 * GRAIN
    errors = Errors(grain, grain * (s + 5) + 4 * TIE + 4 * rounding(len(table.base)) / SPOILT, LEAST)
    for q in range(len(rows)):
        row, f, gathered, more = rows[q], base.scaled[q], kind(-1.0), 0
        ready, edge = False, lists.edge[q]
        size = kind(places(q, row, base, absolute, place))
        for g in range(0, len(columns), w):
            r = load(added.root, width * f + g)
            x = splat(kind(-1.0)) * r * load(block, width * row + g)
            sizes = splat(size) + (magnitude(x) if absolute else x * x)
            fill(seen.best, np.inf)
            m = take_in(
                lists.length[q], lists.order[q], lists.base[q], lists.grain[q], g, r, x, sizes, errors, block, seen, 0,
                absolute,
            )  # fmt: skip
            if under(splat(edge), load(seen.reach, 0)):
                reach = edge
                for c in range(w):
                    reach = max(reach, seen.reach[c])
                if not ready:
                    near_row(q, row, base, table, absolute, place, near)
                    ready = True
                if reach > gathered:
                    gathered = kind(1.25) * reach if reach < kind(1.0) else kind(np.inf)
                    more = beyond(near, edge, gathered, index, far)
                m = take_in(more, index, far, kind(np.inf), g, r, x, sizes, errors, block, seen, m, absolute)
            some = min(w, len(columns) - g)
            ties += answer(q, row, g, some, m, sizes, errors, base, columns, table, voting, seen, found)
    return ties


@compiled
def scan_listed(base, lists, rows, added, table, voting, found):
    """Votes of the k nearest rows for columns that are ``added``, each to those of the base.

    Rows come in order of their distance from the lists, then from beyond them. Returns how many queries were tied.
    """
    k, n, w, dtype = voting.k, base.blocked.shape[1], lanes(added.block), added.block.dtype
    seen = Seen(
        np.empty((k, w), dtype), np.empty(n + 8, np.int32), np.empty((n + 8, w), dtype), np.empty(w, dtype),
        np.empty((found.votes.shape[1], w), dtype), np.empty((w, n), np.int32), np.empty(w, np.int64),
        np.full(n, -1), np.empty(n), np.empty(n), np.empty(k),
    )  # fmt: skip
    near, place = np.empty(n, dtype), np.empty(base.root.shape[1], dtype)
    index, far = np.empty(n + 3, np.int32), np.empty(n + 3, dtype)
    return answer_all(base, lists, rows, added, table, voting, found, seen, near, place, index, far)
