"""Votes of the nearest rows: the k smallest of some distances, ties among them, and the weights of those that count."""

import numpy as np

from subsel._loops import inner
from subsel._loops.lanes import N, choose, load, splat, store
from subsel._loops.neighbour_arguments import TIE

__all__ = ["count_hits", "settle", "term"]

ALL = 2**31 - 1  # no row has a larger number


@inner(forceinline=True)
def term(difference, absolute):
    """What one column adds to a distance."""
    return abs(difference) if absolute else difference * difference


@inner
def settle(close, index, m, voting, votes, c):
    """Vote with the k nearest of m rows, ties at the k-th going to the lowest rows; give the k-th and whether tied.

    Writes column c of ``votes`` (channels and the sum of weights, candidates).
    """
    distance, best, k = close.short, close.smallest, voting.k
    last, by_distance = votes.shape[0] - 1, voting.by_distance
    bottom, top, least, kth = np.inf, np.inf, np.inf, 0.0
    places, tied, until = k, 0, np.int64(ALL)
    for i in range(m):
        least, kth = min(least, distance[i]), max(kth, distance[i])
    if m > k:
        best[:] = np.inf
        for i in range(m):
            d, j = distance[i], k - 1
            if d < best[j]:
                while j > 0 and best[j - 1] > d:
                    best[j] = best[j - 1]
                    j -= 1
                best[j] = d
        kth = best[k - 1]
        bottom, top = kth * (1 - TIE), kth * (1 + TIE)
        for i in range(m):
            places -= distance[i] < bottom
            tied += distance[i] >= bottom and distance[i] <= top
        if tied > places:
            until = np.int64(-1)
            for _ in range(places):  # the lowest of the tied rows fill the places
                after, until = until, np.int64(ALL)
                for i in range(m):
                    if distance[i] >= bottom and distance[i] <= top and index[i] > after:
                        until = min(until, np.int64(index[i]))
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    for i in range(m):
        d, w = distance[i], 1.0
        if d < bottom or (d <= top and index[i] <= until):
            if by_distance and least == 0.0:  # rows at distance zero have all the weight
                w = 1.0 * (d == 0.0)
            elif by_distance == 1:
                w = 1.0 / np.sqrt(d)
            elif by_distance == 2:
                w = 1.0 / d
            votes[voting.codes[index[i]], c] += w * voting.values[index[i]]
            votes[last, c] += w
    return kth, tied > places


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
