"""Similarities of the columns of compressed rows; only columns that share a row are compared."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["largest_similarities"]


@compiled
def largest_similarities(starts, others, values, weight, n_columns, shrink):
    """Return the largest Tanimoto similarity of each column to another, 0 where none is positive.

    Parameters
    ----------
    starts : ndarray of shape (n + 1,)
        The first entry of each row, and the end.
    others, values : ndarray of shape (entries,)
        The column, ascending within a row, and the value of each entry.
    weight : ndarray of shape (n,)
        The weights of rows.
    n_columns : int
        The number of columns p.
    shrink : float
        What is added to the denominator.

    Returns
    -------
    ndarray of shape (p,)
        The similarities.
    """
    # x'z / (x'x + z'z - x'z). The rows that hold column j are a linked list: after j, each row is
    # appended to the list of the next column that it holds, so that only columns after j are
    # compared with it.
    squares, scores, products = (
        np.full(n_columns, shrink / 2),
        np.zeros(n_columns),
        np.zeros(n_columns),
    )
    met, last = np.empty(n_columns, np.int32), np.full(n_columns, -1, np.int32)
    head, following, cursor = (
        np.full(n_columns, -1, np.int32),
        np.empty(len(weight), np.int32),
        starts[:-1].copy(),
    )
    for i in range(len(weight)):
        for t in range(starts[i], starts[i + 1]):
            squares[others[t]] += weight[i] * float(values[t]) ** 2
        if starts[i] < starts[i + 1]:
            following[i], head[others[starts[i]]] = head[others[starts[i]]], i
    for j in range(n_columns):
        n, i = 0, head[j]
        while i >= 0:
            x, begin, end, after = (
                weight[i] * float(values[cursor[i]]),
                cursor[i] + 1,
                starts[i + 1],
                following[i],
            )
            cursor[i] = begin
            if begin < end:
                following[i], head[others[begin]] = head[others[begin]], i
            for t in range(begin, end):
                k = others[t]
                if last[k] != j:
                    last[k] = j
                    products[k] = 0.0
                    met[n] = k
                    n += 1
                products[k] += x * float(values[t])
            i = after
        for k in met[:n]:
            if products[k] > 0:
                like = products[k] / (squares[j] + squares[k] - products[k])
                scores[j] = max(scores[j], like)
                scores[k] = max(scores[k], like)
    return scores
