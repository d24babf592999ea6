"""How many held-out rows get their own class, from the votes of their nearest rows."""

import numpy as np

from subsel._loops import compiled

__all__ = ["vote_hits"]


@compiled
def vote_hits(votes, codes, fold, n_folds):
    """Per fold and candidate, how many rows have most votes for their own class, or as many as a later one.

    ``votes`` are those of `Found`, ``codes`` the classes of the queries, ``fold`` the folds in which they are held out.
    """
    hits, right = np.zeros((n_folds, votes.shape[2])), np.empty(votes.shape[2])
    for q in range(len(votes)):
        own, right[:] = codes[q], 1.0
        for channel in range(votes.shape[1] - 1):
            if channel < own:
                for c in range(len(right)):
                    right[c] = right[c] if votes[q, own, c] > votes[q, channel, c] else 0.0
            elif channel > own:
                for c in range(len(right)):
                    right[c] = right[c] if votes[q, own, c] >= votes[q, channel, c] else 0.0
        for c in range(len(right)):
            hits[fold[q], c] += right[c]
    return hits
