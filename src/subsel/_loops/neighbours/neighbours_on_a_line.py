"""The nearest rows in single columns: in sorted order, neighbours are adjacent."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.neighbours.arguments import TIE
from subsel._loops.neighbours.votes import count_hits, settle, term

__all__ = ["scan_lines"]


class Place(NamedTuple):
    """The position of a query among the sorted rows that may be its neighbours."""

    x: float  # value of the query
    scale: float  # factor of differences
    before: int  # number of rows that precede it
    own: int  # 1 if the next row is the query itself, which is not its neighbour, else 0
    m: int  # number of rows


@compiled(_nrt=False)
def scan_lines(columns, asked, voting, found, room):
    """Write the votes of the k nearest rows in each single column into `found`.

    Parameters
    ----------
    columns : Columns
        The sorted columns.
    asked : Asked
        The queries and their possible neighbours.
    voting : Voting
        How rows vote.
    found : Found
        Overwritten.
    room : Sorted
        Working memory, overwritten.

    Returns
    -------
    int
        How often rows were tied.
    """
    ties, n, v = 0, columns.order.shape[1], room.values
    for c in range(len(columns.order)):
        for f in range(len(asked.train)):
            m, h = np.int64(0), np.int64(0)
            for i in range(n):  # without branches, which a processor could not predict
                row, x = columns.order[c, i], columns.values[c, i]
                v[m], room.rows[m] = x, row
                room.asked[h], room.held[h], room.before[h] = x, row, m
                m += asked.train[f, row]
                h += asked.query[f, row] >= 0
            for i in range(h):
                row, x, before = room.held[i], room.asked[i], room.before[i]
                q, own = asked.query[f, row], np.int64(asked.alone and asked.train[f, row])
                scale, votes = columns.scale[q, c], found.votes[q]
                place = Place(x, scale, before, own, m)
                left, right, kth, tied = window(place, v, voting.k, columns.absolute)
                if tied or voting.by_distance > 0:
                    kept = np.int64(0)
                    for j in range(left, right):
                        if not (own and j == before):
                            room.kept[kept] = room.rows[j]
                            room.close.short[kept] = term(scale * (x - v[j]), columns.absolute)
                            kept += 1
                    kth, tied = settle(room.close, room.kept, kept, voting, votes, c)
                    ties += tied
                else:
                    votes[:, c] = 0.0
                    for j in range(left, right):
                        if not (own and j == before):
                            votes[voting.codes[room.rows[j]], c] += voting.values[room.rows[j]]
                            votes[len(votes) - 1, c] += 1.0
                found.kth[q, c] = kth
    if len(found.hits):
        for q in range(len(found.votes)):
            count_hits(q, found.own[q], found.fold[q], found.votes, found.hits)
    return ties


@inner(forceinline=True)
def window(place, v, k, absolute):
    """Return the span of the k nearest of sorted values, the k-th distance, and whether any tie.

    The span of `v` (m,) is from its first to before its last place, and is widened by what is tied
    with the k-th.
    """
    # Bisection for the left end: a window of k values is too far left if its first value is farther
    # from x than the value after its last one.
    x, scale, before, own, m = place
    low, high = max(0, before - k), min(before, m - own - k)  # range of the first of them
    while low < high:
        middle = (low + high) // 2
        first, after = middle + own * (middle >= before), middle + k + own * (middle + k >= before)
        farther = x - v[first] > v[after] - x  # no branch, which a processor could not predict
        low, high = low + farther * (middle + 1 - low), middle + farther * (high - middle)
    first, last = low + own * (low >= before), low + k - 1 + own * (low + k - 1 >= before)
    kth = max(term(scale * (x - v[first]), absolute), term(scale * (v[last] - x), absolute))
    top, left, right = kth * (1 + TIE), min(first, before), max(last + 1, before + own)
    wide = right - left
    while left > 0 and term(scale * (x - v[left - 1]), absolute) <= top:
        left -= 1
    while right < m and term(scale * (v[right] - x), absolute) <= top:
        right += 1
    return left, right, kth, right - left > wide
