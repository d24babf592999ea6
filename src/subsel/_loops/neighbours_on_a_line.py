"""The nearest rows in single columns: sorted, neighbours stand side by side."""

from subsel._loops import inner
from subsel._loops.neighbour_arguments import TIE
from subsel._loops.votes import count_hits, settle, term

__all__ = ["scan_lines"]


@inner
def scan_lines(columns, asked, voting, found, room):
    """Write the votes of the k nearest rows in each single column; gives how many were tied."""
    ties, n = 0, columns.order.shape[1]
    for c in range(len(columns.order)):
        for f in range(len(asked.train)):
            m, h = 0, 0
            for i in range(n):  # without branches: which rows are held out cannot be foretold
                row, x = columns.order[c, i], columns.values[c, i]
                room.values[m], room.rows[m] = x, row
                room.asked[h], room.held[h], room.before[h] = x, row, m
                m += asked.train[f, row]
                h += asked.query[f, row] >= 0
            for i in range(h):
                row = room.held[i]
                q, own = asked.query[f, row], asked.alone and asked.train[f, row]
                x, before, scale = room.asked[i], room.before[i], columns.scale[q, c]
                ties += answer(q, x, before, own, m, scale, voting, found, room, c)
    if len(found.hits):
        for q in range(len(found.votes)):
            count_hits(q, found.own[q], found.fold[q], found.votes, found.hits)
    return ties


@inner(forceinline=True)
def answer(q, x, before, own, m, scale, voting, found, room, c):
    """Vote with the k nearest of m sorted values; gives whether rows had to be chosen among tied ones.

    Place ``before`` is passed over if it is the query's ``own``.
    """
    v, k, votes, absolute = room.values, voting.k, found.votes[q], voting.absolute
    low, high = max(0, before - k), min(before, m - own - k)  # where the first of them may stand
    while low < high:
        middle = (low + high) // 2
        first, after = middle + own * (middle >= before), middle + k + own * (middle + k >= before)
        if x - v[first] <= v[after] - x:
            high = middle
        else:
            low = middle + 1
    first, last = low + own * (low >= before), low + k - 1 + own * (low + k - 1 >= before)
    kth = max(term(scale * (x - v[first]), absolute), term(scale * (v[last] - x), absolute))
    top, left, right = kth * (1 + TIE), min(first, before), max(last + 1, before + own)
    wide = right - left
    while left > 0 and term(scale * (x - v[left - 1]), absolute) <= top:
        left -= 1
    while right < m and term(scale * (v[right] - x), absolute) <= top:
        right += 1
    found.kth[q, c] = kth
    if right - left == wide and voting.by_distance == 0:
        for channel in range(len(votes)):
            votes[channel, c] = 0.0
        for j in range(left, right):
            if not (own and j == before):
                votes[voting.codes[room.rows[j]], c] += voting.values[room.rows[j]]
                votes[len(votes) - 1, c] += 1.0
        return False
    kept = 0
    for j in range(left, right):
        if not (own and j == before):
            room.kept[kept] = room.rows[j]
            room.short[kept] = term(scale * (x - v[j]), absolute)
            kept += 1
    found.kth[q, c], tied = settle(room.short, room.kept, kept, room.smallest, voting, votes, c)
    return tied
