"""Inner loop of binding linear models: what each fold adds to the sums of columns, of their squares and of products."""

import numpy as np

from subsel._loops import compiled

_SUMS = {"reassoc", "nsz", "contract"}


@compiled(fastmath=_SUMS)
def _sums(x, w, y):
    """The sums of a column and of its squares, weighted, and of its products with a target."""
    total, square, product = 0.0, 0.0, 0.0
    for i in range(len(x)):
        part = w[i] * x[i]
        total += part
        square += part * x[i]
        product += x[i] * y[i]
    return total, square, product


@compiled
def fold_sums(table, weights, targets, spans):
    """Sums of columns (p, n), of their squares and of their products with targets (T, n) over each span: (spans, 2 + T, p).

    Columns and squares are weighted, targets are so already.
    """
    out = np.empty((len(spans) - 1, 2 + len(targets), len(table)))
    for f in range(len(spans) - 1):
        a, b = spans[f], spans[f + 1]
        for t in range(len(targets)):
            w, y = weights[a:b], targets[t, a:b]
            for k in range(len(table)):
                out[f, 0, k], out[f, 1, k], out[f, 2 + t, k] = _sums(table[k, a:b], w, y)
    return out
