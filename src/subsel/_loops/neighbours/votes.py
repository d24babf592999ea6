"""Votes of the nearest rows: the k-th smallest distance, ties with it, and weighted votes."""

import numpy as np

from subsel._loops.compiler import inner
from subsel._loops.lanes import N, choose, load, splat, store
from subsel._loops.neighbours.arguments import TIE

__all__ = ["count_hits", "settle", "term"]

ALL = 2**31 - 1  # more than the number of any row


@inner(forceinline=True)
def term(difference, absolute):
    """Return what one column adds to a distance."""
    if absolute:
        return abs(difference)
    return difference * difference


@inner(forceinline=True)
def kth_smallest(distance, m, best):
    """Return the k-th smallest of the first m of `distance`; overwrites `best` (k,).

    Afterwards ``best[0]`` is the smallest distance.
    """
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
    """Return the largest of the `places` lowest row numbers among the rows marked in `near`.

    `index` holds row numbers, and `near` (m,) marks those that are tied.
    """
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
    """Write the votes of the k nearest of m rows into column c of `votes` (channels + 1, width).

    Of rows that are tied at the k-th distance, those with the lowest numbers vote. Overwrites
    ``close.tied`` and ``close.smallest``.

    Parameters
    ----------
    close : Close
        The distances of the rows in ``close.short``.
    index : ndarray of shape (m,) or more
        The row numbers.
    m : int
        How many rows there are, at least k.
    voting : Voting
        How rows vote.
    votes : ndarray of shape (channels + 1, width)
        Its column c is overwritten, the sum of weights last.
    c : int
        The candidate.

    Returns
    -------
    kth : float
        The k-th distance.
    tied : bool
        Whether more rows are tied at the k-th distance than vote.
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
    """Return one over a distance, or over its root if `by_distance` is 1.

    If the least distance is zero, rows at distance zero have weight 1 and all others 0.
    """
    if least == 0.0:
        return 1.0 * (d == 0.0)
    if by_distance == 1:
        return 1.0 / np.sqrt(d)
    return 1.0 / d


@inner
def count_hits(page, own, fold, votes, hits):
    """Add 1 to `hits` of a fold for the candidates whose votes are right for one query.

    They are right where the query's own class is the first with most votes.

    Parameters
    ----------
    page : int
        The page of the query in `votes`.
    own : int
        Its class.
    fold : int
        The fold in which it is held out.
    votes : ndarray of shape (pages, channels + 1, width)
        The votes.
    hits : ndarray of shape (folds, width)
        Updated in place.
    """
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
