"""Columns of compressed rows against each other, those compared alone that share a row."""

import numpy as np

from subsel._loops import compiled

__all__ = ["largest_similarities"]


@compiled
def largest_similarities(columns, rows, entries, starts, others, values, squares):
    """The largest Tanimoto similarity of each column to another, 0 where none is positive.

    ``rows`` and ``entries`` of column j begin at ``columns[j]``; ``others`` and ``values`` of row i at ``starts[i]``, columns
    ascending. ``squares`` are those of the columns, with what is added to each.
    """
    p = len(squares)
    scores, products = np.zeros(p), np.zeros(p)
    met, last = np.empty(p, np.int64), np.full(p, -1, np.int64)
    cursor = starts[:-1].copy()  # of each row, the first entry of a later column
    for j in range(p):
        n = 0
        for e in range(columns[j], columns[j + 1]):
            cursor[rows[e]] += 1
            for t in range(cursor[rows[e]], starts[rows[e] + 1]):
                k = others[t]
                if last[k] != j:
                    last[k] = j
                    products[k] = 0.0
                    met[n] = k
                    n += 1
                products[k] += entries[e] * values[t]
        for k in met[:n]:
            if products[k] > 0:
                like = products[k] / (squares[j] + squares[k] - products[k])
                scores[j] = max(scores[j], like)
                scores[k] = max(scores[k], like)
    return scores
