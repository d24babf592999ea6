"""Tables of values and classes with given margins, dealt at random."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["random_tables"]


@compiled
def _next(state):
    """The generator of Steele, Lea and Flood (splitmix64): the new state and a random word."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, word ^ (word >> np.uint64(31))


@compiled
def random_tables(sizes, of_class, seeds, n_tables):
    """Deal the rows of each class to the values, so many tables for each line of margins: (class, line x table, value).

    The rows of all values but the commonest are drawn by the shuffle of Fisher and Yates; that takes what is left.
    """
    n_lines, n_values = sizes.shape
    n_classes = of_class.shape[1]
    tables = np.zeros((n_classes, n_lines * n_tables, n_values))
    for i in range(n_lines):
        commonest = np.argmax(sizes[i])
        labels = np.repeat(np.arange(n_classes), of_class[i])
        state = seeds[i]
        for t in range(n_tables):
            line, done = i * n_tables + t, 0
            for k in range(n_classes):
                tables[k, line, commonest] = of_class[i, k]
            for v in range(n_values):
                if v == commonest:
                    continue
                for _ in range(sizes[i, v]):
                    state, word = _next(state)
                    other = done + np.int64(
                        ((word >> np.uint64(32)) * np.uint64(len(labels) - done)) >> np.uint64(32)
                    )
                    label = labels[other]
                    labels[other] = labels[done]
                    labels[done] = label
                    done += 1
                    tables[label, line, v] += 1
                    tables[label, line, commonest] -= 1
    return tables
