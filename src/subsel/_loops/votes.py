"""Votes of the nearest rows: the k smallest of some distances, ties among them, and the weights of those that count."""

import numpy as np

from subsel._loops import inner

__all__ = ["TIE", "decide", "insert", "settle", "sum_afresh", "term", "weight"]

TIE = 1e-12  # distances that agree to this share are tied


@inner(forceinline=True)
def term(difference, absolute):
    """What one column adds to a distance."""
    return abs(difference) if absolute else difference * difference


@inner(forceinline=True)
def weight(d, by_distance):
    """The weight of a neighbour: 1, or one over its distance (1: of the square root, 2: as it is)."""
    if by_distance == 0:
        return 1.0
    distance = np.sqrt(d) if by_distance == 1 else d
    return 1.0 / distance if distance > 0.0 else np.inf


@inner(forceinline=True)
def insert(value, best):
    """Put a value into a sorted list of the smallest ones."""
    j = len(best) - 1
    if value < best[j]:
        while j > 0 and best[j - 1] > value:
            best[j] = best[j - 1]
            j -= 1
        best[j] = value


@inner
def sum_afresh(row, index, short, m, columns, scale, skip, absolute):
    """Sum some distances over columns (n, s), all but one of them."""
    for i in range(m):
        total = 0.0
        for j in range(columns.shape[1]):
            if j != skip:
                total += term(scale[j] * (columns[row, j] - columns[index[i], j]), absolute)
        short[i] = total


@inner
def last_taken(distance, index, m, bottom, top, places):
    """The number of the last row that is taken of those tied between bottom and top: the lowest fill the places."""
    last = -1
    for _ in range(places):
        lowest = np.iinfo(np.int32).max
        for i in range(m):
            if distance[i] >= bottom and distance[i] <= top and index[i] > last:
                lowest = min(lowest, index[i])
        last = lowest
    return last


@inner
def settle(distance, index, m, best, voting, votes, c):
    """Vote with the k nearest of m rows, ties at the k-th going to the lowest rows; give the k-th and whether tied.

    ``best`` is room for the k smallest distances.
    """
    k = len(best)
    best[:] = np.inf
    for i in range(m):
        insert(distance[i], best)
    bottom, top = best[k - 1] * (1 - TIE), best[k - 1] * (1 + TIE)
    below, tied, until = 0, 0, np.inf
    for i in range(m):
        below += distance[i] < bottom
        tied += distance[i] >= bottom and distance[i] <= top
    if tied > k - below:
        until = last_taken(distance, index, m, bottom, top, k - below)
    codes, values, by_distance, last = (
        voting.codes,
        voting.values,
        voting.by_distance,
        votes.shape[0] - 1,
    )
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    only_zero = by_distance > 0 and best[0] == 0.0
    for i in range(m):
        d = distance[i]
        if d < bottom or (d <= top and index[i] <= until):
            w = (1.0 if d == 0.0 else 0.0) if only_zero else weight(d, by_distance)
            votes[codes[index[i]], c] += w * values[index[i]]
            votes[last, c] += w
    return best[k - 1], tied > k - below


@inner
def doubtful(short, m, best, margin):
    """Find the smallest distances; say whether others may be the k-th too, or it has little more than rounding left."""
    k = len(best)
    if m == k:
        best[k - 1] = short[0]
        for i in range(1, m):
            best[k - 1] = max(best[k - 1], short[i])
        return False
    best[:] = np.inf
    for i in range(m):
        insert(short[i], best)
    close = 0
    for i in range(m):
        close += abs(short[i] - best[-1]) <= margin
    return close > 1 or best[-1] <= margin


@inner
def vote_equally(short, index, m, top, voting, votes, c):
    """Equal votes of the rows within ``top``."""
    codes, values, last = voting.codes, voting.values, votes.shape[0] - 1
    for channel in range(last):
        votes[channel, c] = 0.0
    near = 0
    for i in range(m):
        if short[i] <= top:
            votes[codes[index[i]], c] += values[index[i]]
            near += 1
    votes[last, c] = near


@inner(forceinline=True)
def decide(q, row, index, short, m, margin, afresh, summed, skip, best, voting, votes, c):
    """Vote with the k nearest of m rows; gives the k-th distance and whether it was tied.

    Where rounding could decide, or distances are asked for, they are first summed ``afresh`` if a column was taken out.
    """
    if voting.by_distance == 0 and votes.shape[0] > 1 and not doubtful(short, m, best, margin):
        vote_equally(short, index, m, best[-1], voting, votes, c)
        return best[-1], False
    if afresh:
        sum_afresh(row, index, short, m, summed.columns, summed.scale[q], skip, voting.absolute)
    return settle(short, index, m, best, voting, votes, c)
