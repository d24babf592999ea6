"""Votes of the rows that may count when columns are taken out, in double precision, for candidates side by side."""

from typing import NamedTuple

import numpy as np

from subsel._loops import inner
from subsel._loops.lanes import N, lesser, load, magnitude, select, splat, store, under
from subsel._loops.nearest_neighbours import fill, sink
from subsel._loops.rough import shifted
from subsel._loops.votes import TIE, settle, sum_afresh, term

__all__ = ["Exact", "add_up", "count"]


class Exact(NamedTuple):
    """Rows that may count and their distances with no column taken out; of candidates side by side, votes and how many
    rows gave them, how near these must be, the smallest distances; and room for the rows of one candidate."""

    rows: np.ndarray
    base: np.ndarray
    tally: np.ndarray
    number: np.ndarray
    tops: np.ndarray
    best: np.ndarray
    kept: np.ndarray
    short: np.ndarray
    smallest: np.ndarray


@inner(forceinline=True)
def add_up(q, row, m, state, n, shift, absolute, listed, seen, exact):
    """Find the distances of the rows seen with no column taken out, and let three infinitely far follow."""
    rows, base, columns, scale, signs = exact.rows, exact.base, shift.columns, shift.scale, shift.signs
    for i in range(m):
        r = listed[seen[i]]
        rows[i], base[i] = r, shifted(q, row, r, state[q * n + r], columns, scale, signs, absolute)
    for i in range(m, m + 3):
        rows[i], base[i] = 0, np.inf


@inner(forceinline=True)
def exactly(base, x, v, values, absolute):
    """The distances of a row for candidates side by side."""
    e = v * (x - values)
    return splat(base) - (magnitude(e) if absolute else e * e)


@inner
def find_smallest(m, rows, base, block, g, x, v, best, absolute):
    """The smallest distances of candidates side by side."""
    k, width = best.shape[0], block.shape[1]
    fill(best, np.inf)
    for i in range(0, m, 4):
        d0 = exactly(base[i], x, v, load(block, width * rows[i] + g), absolute)
        d1 = exactly(base[i + 1], x, v, load(block, width * rows[i + 1] + g), absolute)
        d2 = exactly(base[i + 2], x, v, load(block, width * rows[i + 2] + g), absolute)
        d3 = exactly(base[i + 3], x, v, load(block, width * rows[i + 3] + g), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), load(best, N * (k - 1))):
            sink(best, d0, d1, d2, d3)


@inner
def vote(m, rows, base, block, g, x, v, top, voting, tally):
    """Equal votes of the rows within ``top``, and how many they are, for candidates side by side."""
    codes, values, absolute, width, one, near = (
        voting.codes, voting.values, voting.absolute, block.shape[1], splat(1.0), splat(0.0),
    )  # fmt: skip
    fill(tally, 0.0)
    for i in range(m):
        r = rows[i]
        counts = select(exactly(base[i], x, v, load(block, width * r + g), absolute), top, one)
        near = near + counts
        channel = N * codes[r]
        store(tally, channel, load(tally, channel) + splat(values[r]) * counts)
    store(tally, N * (len(tally) - 1), near)
    return near


@inner
def choose(q, row, c, m, top, removed, summed, voting, votes, exact):
    """Vote for one candidate with distances summed afresh; gives the k-th and whether it was tied."""
    rows, base, kept, short, n_kept, absolute = exact.rows, exact.base, exact.kept, exact.short, 0, voting.absolute
    block, scale, skip = removed.block, removed.scale, removed.skip
    for i in range(m):
        r = rows[i]
        kept[n_kept], short[n_kept] = r, base[i] - term(scale[q, c] * (block[row, c] - block[r, c]), absolute)
        n_kept += short[n_kept] <= top
    sum_afresh(row, kept, short, n_kept, summed.columns, summed.scale[q], skip[c], absolute)
    return settle(short, kept, n_kept, exact.smallest, voting, votes, c)


@inner
def count(q, row, g, some, m, lost, share, outer, removed, summed, voting, found, exact):
    """Vote with the rows seen for up to eight candidates; gives how many were tied.

    Where rounding could decide, or distances are asked for, they are summed afresh.
    """
    block, width, unit, k, ties, kth = removed.block, removed.block.shape[1], removed.unit, voting.k, 0, found.kth
    votes, tops, best, tally, number = found.votes[q], exact.tops, exact.best, exact.tally, exact.number
    x, v, last = load(block, width * row + g), load(removed.scale, width * q + g), found.votes.shape[1] - 1
    find_smallest(m, exact.rows, exact.base, block, g, x, v, best, voting.absolute)
    for c in range(N):
        d = best[k - 1, c]
        tops[c] = d + 4 * TIE * abs(d) + 2 * share * ((lost + outer[c]) / unit + abs(d))
    equally = last > 0 and voting.by_distance == 0
    if equally:
        store(number, 0, vote(m, exact.rows, exact.base, block, g, x, v, load(tops, 0), voting, tally))
    for c in range(some):
        d = best[k - 1, c]
        if equally and number[c] == k and 2 * d > tops[c]:  # more is left of it than rounding may have cost
            kth[q, g + c] = d
            for channel in range(last + 1):
                votes[channel, g + c] = tally[channel, c]
        else:
            kth[q, g + c], tied = choose(q, row, g + c, m, tops[c], removed, summed, voting, votes, exact)
            ties += tied
    return ties
