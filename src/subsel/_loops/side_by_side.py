"""Votes of the rows that a scan has seen, for candidates side by side.

Distances are rough, in single precision if that tells rows apart. Where as many rows as are asked for lie within the k-th
of them, errors allowed for, these are the nearest; elsewhere distances are summed in double precision.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import fused, lanes, load, lowest, root, select, splat, store, under
from subsel._loops.nearest_neighbours import fill, sink
from subsel._loops.rough import GRAIN, LEAST
from subsel._loops.votes import TIE, settle, weight

__all__ = [
    "ONE",
    "THREE",
    "TWO",
    "Errors",
    "Seen",
    "choose",
    "errors_over",
    "keep",
    "make_room",
    "must_be_exact",
    "outermost",
    "reach_of",
    "vote",
]

ONE, TWO, THREE = (
    np.uintp(1),
    np.uintp(2),
    np.uintp(3),
)  # numba looks for negative places among signed ones


class Seen(NamedTuple):
    """Of candidates side by side: the smallest distances, the rows that may count and their distances, how far these may
    be, votes, rows that are near enough for each candidate and how many; and room for the distances of one candidate."""

    best: np.ndarray
    rows: np.ndarray
    distance: np.ndarray
    reach: np.ndarray
    tally: np.ndarray
    kept: np.ndarray
    number: np.ndarray
    short: np.ndarray
    smallest: np.ndarray


class Errors(NamedTuple):
    """What rounding may cost two distances: a share of what differences are taken of, a share of a distance, and more."""

    grain: float
    share: float
    least: float


@inner
def errors_over(s, lost):
    """The errors of sums over s columns, of which a share may have been ``lost`` before."""
    return Errors(4 * GRAIN, 4 * GRAIN * (s + 5) + 4 * TIE + lost, LEAST)


@compiled
def make_room(block, n, k, n_channels):
    """Room for what is seen of n rows, in the precision of a block."""
    w, kind = lanes(block), block.dtype
    return Seen(
        np.empty((k, w), kind), np.empty(n + 8, np.int32), np.empty((n + 8, w), kind), np.empty(w, kind),
        np.empty((n_channels, w), kind), np.empty((w, n), np.int32), np.empty(w, np.int64), np.empty(n), np.empty(k),
    )  # fmt: skip


@inner(forceinline=True)
def outermost(bound, size, errors, kind):
    """How far a row may seem, at most, that is as near as one that seems at ``bound``."""
    pad = fused(splat(kind(errors.grain)), size, splat(kind(errors.least)))
    return fused(splat(kind(1 + errors.share)), bound, pad)


@inner(forceinline=True)
def reach_of(bound, size, errors, absolute, kind):
    """The same from the size of a query: the error of a squared difference is one of the difference, times that."""
    around = size if absolute else root(size) * root(bound) + splat(kind(errors.grain)) * size
    return outermost(bound, around, errors, kind)


@inner(forceinline=True)
def keep(seen, m, index, i, d0, d1, d2, d3):
    """Note four rows of a list from place ``i`` on and their distances after m others; gives how many are noted then."""
    rows, distance, w, m0, i0 = seen.rows, seen.distance, len(seen.reach), np.uintp(m), np.uintp(i)
    rows[m0], rows[m0 + ONE], rows[m0 + TWO], rows[m0 + THREE] = (
        index[i0], index[i0 + ONE], index[i0 + TWO], index[i0 + THREE],
    )  # fmt: skip
    store(distance, w * m, d0)
    store(distance, w * (m + 1), d1)
    store(distance, w * (m + 2), d2)
    store(distance, w * (m + 3), d3)
    sink(seen.best, d0, d1, d2, d3)
    return m + 4


@inner(forceinline=True)
def count(m, top, codes, seen, votes, last, width, at):
    """Votes for classes of the rows seen within ``top``, for candidates side by side; gives how many rows they are."""
    rows, distance, tally, w, kind = (
        seen.rows,
        seen.distance,
        seen.tally,
        len(seen.reach),
        seen.reach.dtype.type,
    )
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
    rows, distance, kept, number, w = (
        seen.rows,
        seen.distance,
        seen.kept,
        seen.number,
        len(seen.number),
    )
    number[:] = 0
    for i in range(m):
        bits = under(load(distance, w * i), top)
        while bits:
            c = lowest(bits)
            bits &= bits - 1
            kept[c, number[c]] = rows[i]
            number[c] += 1


@inner(forceinline=True)
def vote(q, g, some, m, size, errors, unit, voting, seen, found):
    """Vote with the rows seen; gives one bit for each candidate whose rows, which are listed, are to be looked at singly."""
    (k, w), kind, (n_channels, width) = seen.best.shape, seen.best.dtype.type, found.votes.shape[1:]
    doubtful, top = (
        (1 << some) - 1,
        reach_of(load(seen.best, w * (k - 1)), size, errors, voting.absolute, kind),
    )
    for c in range(w):
        found.kth[q, g + c] = seen.best[k - 1, c] / unit
    if n_channels > 2 and voting.by_distance == 0:
        near = count(
            m,
            top,
            voting.codes,
            seen,
            found.votes,
            n_channels - 1,
            width,
            n_channels * width * q + g,
        )
        doubtful &= ~under(near, splat(kind(k + 0.5)))
    if doubtful:
        gather(m, top, seen)
    return doubtful


@inner(forceinline=True)
def must_be_exact(m, voting, last):
    """Whether the distances of m rows are needed in double precision, of which k count."""
    return m > voting.k or voting.by_distance > 0 or last == 0


@inner
def choose(kept, short, m, smallest, voting, found, q, c):
    """Vote for one candidate with its rows, whose distances stand in ``short`` if they had to be exact."""
    votes, k, by_distance, last, least, most = (
        found.votes[q], voting.k, voting.by_distance, found.votes.shape[1] - 1, np.inf, 0.0,
    )  # fmt: skip
    exact = must_be_exact(m, voting, last)
    if exact:
        for i in range(m):
            least, most = min(least, short[i]), max(most, short[i])
    if m > k or (by_distance > 0 and least == 0.0):
        found.kth[q, c], tied = settle(short, kept, m, smallest, voting, votes, c)
        return tied
    if exact:
        found.kth[q, c] = most
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    for i in range(m):
        share = weight(short[i], by_distance)
        votes[voting.codes[kept[i]], c] += share * voting.values[kept[i]]
        votes[last, c] += share
    return False
