"""The nearest rows in single columns: sorted, neighbours stand side by side."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.neighbours.arguments import TIE
from subsel._loops.neighbours.votes import count_hits, settle, term

__all__ = ["scan_lines"]


class Place(NamedTuple):
    """Where a query is among the sorted rows that may answer."""

    x: float  # its value, and what multiplies differences
    scale: float
    before: int  # how many rows come before it; the next one is passed over if it is its own
    own: int
    m: int  # how many rows there are


@compiled(_nrt=False)
def scan_lines(columns, asked, voting, found, room):
    """Write the votes of the k nearest rows in each single column; gives how many were tied."""
    ties, n, v = 0, columns.order.shape[1], room.values
    for c in range(len(columns.order)):
        for f in range(len(asked.train)):
            m, h = np.int64(0), np.int64(0)
            for i in range(n):  # without branches: which rows are held out cannot be foretold
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
    """The k nearest of sorted values, from one place to before another, and the k-th distance.

    They are widened by what is tied with the k-th; the last value says whether anything is.
    """
    x, scale, before, own, m = place
    low, high = max(0, before - k), min(before, m - own - k)  # where the first of them may stand
    while low < high:
        middle = (low + high) // 2
        first, after = middle + own * (middle >= before), middle + k + own * (middle + k >= before)
        farther = x - v[first] > v[after] - x  # no branch: which is cannot be foretold
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
