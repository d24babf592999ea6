"""Random tables of values and classes with given margins."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["random_tables"]


@compiled
def _next(state):
    """Return the next state of the generator and a random word.

    This is splitmix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014).
    """
    state = state + np.uint64(0x9E3779B97F4A7C15)
    word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, word ^ (word >> np.uint64(31))


@compiled
def random_tables(sizes, of_class, seeds, n_tables):
    """Return random tables with given margins: the rows of each class are dealt to the values.

    Parameters
    ----------
    sizes : ndarray of shape (lines, values)
        How many rows have each value.
    of_class : ndarray of shape (lines, classes)
        How many rows are of each class.
    seeds : ndarray of shape (lines,)
        The state of the generator for each line, unsigned.
    n_tables : int
        The number of tables of each line.

    Returns
    -------
    ndarray of shape (classes, lines * n_tables, values)
        The joint counts.
    """
    # The rows of all values but the commonest are drawn by the shuffle of Fisher and Yates (D.
    # Knuth, *The Art of Computer Programming*, volume 2, 3rd edition, 1997, section 3.4.2,
    # algorithm P); the commonest has the others.
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
