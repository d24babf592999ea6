"""Votes of the nearest rows: the k smallest of some distances, ties among them, and the weights of those that count."""

import numpy as np

from subsel._loops.compiler import inner
from subsel._loops.lanes import N, choose, load, splat, store
from subsel._loops.neighbours.arguments import TIE

__all__ = ["count_hits", "settle", "term"]

ALL = 2**31 - 1  # no row has a larger number


@inner(forceinline=True)
def term(difference, absolute):
    """What one column adds to a distance."""
    if absolute:
        return abs(difference)
    return difference * difference


@inner(forceinline=True)
def kth_smallest(distance, m, best):
    """The largest of the smallest of m distances, the ``best``; their least comes first."""
    k = len(best)
    if m == k:  # no need to sort
        best[0] = best[k - 1] = distance[0]
        for i in range(1, m):
            best[0], best[k - 1] = min(best[0], distance[i]), max(best[k - 1], distance[i])
        return best[k - 1]
    best[:] = np.inf
    for i in range(m):
        d, j = distance[i], k - 1
        if d < best[j]:
            while j > 0 and best[j - 1] > d:
                best[j] = best[j - 1]
                j -= 1
            best[j] = d
    return best[k - 1]


@inner
def last_of_lowest(index, places, near):
    """The number of the last row that fills some places, which the lowest of the rows that are ``near`` fill."""
    last = np.int64(-1)
    for _ in range(places):
        lowest = np.int64(ALL)
        for i in range(len(near)):
            if near[i] and index[i] > last:
                lowest = min(lowest, np.int64(index[i]))
        last = lowest
    return last


@inner
def settle(close, index, m, voting, votes, c):
    """Vote with the k nearest of m rows, ties at the k-th going to the lowest rows; give the k-th and whether tied.

    Writes column c of ``votes`` (channels and the sum of weights, candidates).
    """
    distance, tied, by_distance = close.short, close.tied, voting.by_distance
    kth, least, most = kth_smallest(distance, m, close.smallest), close.smallest[0], np.int64(ALL)
    bottom, top = kth * (1 - TIE), kth * (1 + TIE)
    places, n_tied, last = voting.k, 0, len(votes) - 1
    for i in range(m):
        tied[i] = distance[i] >= bottom and distance[i] <= top
        places -= distance[i] < bottom
        n_tied += tied[i]
    if n_tied > places:
        most = last_of_lowest(index, places, tied[:m])
    votes[:, c] = 0.0
    for i in range(m):
        d, w = distance[i], 1.0
        if d < bottom or (tied[i] and index[i] <= most):
            if by_distance > 0:
                w = weight(d, least, by_distance)
            votes[voting.codes[index[i]], c] += w * voting.values[index[i]]
            votes[last, c] += w
    return kth, n_tied > places


@inner(forceinline=True)
def weight(d, least, by_distance):
    """One over a distance (1: over its root); rows at distance zero have all the weight."""
    if least == 0.0:
        return 1.0 * (d == 0.0)
    if by_distance == 1:
        return 1.0 / np.sqrt(d)
    return 1.0 / d


@inner
def count_hits(page, own, fold, votes, hits):
    """Add to ``hits`` of a fold which candidates have most votes for the own class of a query, or as many as a later one."""
    n_channels, width = votes.shape[1] - 1, votes.shape[2]
    at, none = (n_channels + 1) * width * page, splat(0.0)
    for g in range(at, at + width, N):
        most, right = load(votes, g + width * own), splat(1.0)
        for channel in range(n_channels):
            if channel < own:
                right = choose(most, load(votes, g + width * channel), right, none)
            elif channel > own:
                right = choose(load(votes, g + width * channel), most, none, right)
        here = width * fold + g - at
        store(hits, here, load(hits, here) + right)
