"""Passes over sorted columns: masses of ties by class, midranks, discordant pairs."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["discordance", "midranks", "tied_masses", "wins_of_second"]


@compiled
def tied_masses(values, starts, weights, masses):
    """Fill `masses` with the mass of each class at each distinct value, by merging sorted classes.

    Which class is next is as good as random, so that the loop counts instead of branching.

    Parameters
    ----------
    values : ndarray of shape (p, n + classes)
        One column in each row: class k ascending from ``starts[k]`` on, followed by an infinity.
    starts : ndarray of shape (classes,)
        The first position of each class.
    weights : ndarray of shape (p, n + classes) or (0, 0)
        The weights in the same places; empty for equal weights.
    masses : ndarray of shape (classes, p, most distinct values)
        Zeros on entry, overwritten; distinct values ascend.

    Returns
    -------
    ndarray of shape (p,)
        The number of distinct values of each column.
    """
    n_classes, n_columns = masses.shape[0], masses.shape[1]
    lengths = np.zeros(n_columns, np.int64)
    heads = np.empty(n_classes, np.int64)
    for j in range(n_columns):
        row = values[j]
        for k in range(n_classes):
            heads[k] = starts[k]
        left, v, previous = values.shape[1] - n_classes, -1, np.inf
        while left > 0:
            smallest = row[heads[0]]
            for k in range(1, n_classes):
                smallest = row[heads[k]] if row[heads[k]] < smallest else smallest
            v += smallest != previous
            previous = smallest
            for k in range(n_classes):
                hit = np.int64(row[heads[k]] == smallest)
                masses[k, j, v] += hit * (weights[j, heads[k]] if weights.shape[0] > 0 else 1.0)
                heads[k] += hit
                left -= hit
        lengths[j] = v + 1
    return lengths


@compiled
def wins_of_second(values, starts):
    """Return the pairs that the second of two classes wins in each column, ties counting half.

    Parameters
    ----------
    values : ndarray of shape (p, n + 2)
        As in `tied_masses`.
    starts : ndarray of shape (2,)
        The first position of each class.

    Returns
    -------
    ndarray of shape (p,)
        The Mann-Whitney statistic.
    """
    wins = np.zeros(values.shape[0])
    n = values.shape[1] - 2
    for j in range(values.shape[0]):
        row = values[j]
        a, b, previous = starts[0], starts[1], np.inf
        below, first, second, total = 0.0, 0.0, 0.0, 0.0
        for _ in range(n + 1):
            x, y = row[a], row[b]
            smallest = x if x < y else y
            if smallest != previous:
                total += second * (below + first / 2)
                below += first
                first, second, previous = 0.0, 0.0, smallest
            if smallest == np.inf:
                break
            here, there = np.int64(x == smallest), np.int64(y == smallest)
            a, b = a + here, b + there
            first, second = first + here, second + there
        wins[j] = total
    return wins


@compiled
def midranks(values, order, weights):
    """Return the mass below each value plus half the mass tied with it.

    `values` (p, n) holds one column in each row, `order` (p, n) sorts each, and `weights` (n,)
    belong to the rows of the table. Returns the ranks (p, n).
    """
    ranks = np.empty(values.shape)
    for j in range(values.shape[0]):
        below, i = 0.0, 0
        while i < values.shape[1]:
            stop, tied = i, 0.0
            while stop < values.shape[1] and values[j, order[j, stop]] == values[j, order[j, i]]:
                tied += weights[order[j, stop]]
                stop += 1
            for t in range(i, stop):
                ranks[j, order[j, t]] = below + tied / 2
            below += tied
            i = stop
    return ranks


@compiled
def discordance(values, order, y):
    """Count the pairs of each column that are discordant with `y`, and sums over its ties.

    Parameters
    ----------
    values : ndarray of shape (p, n)
        One column in each row.
    order : ndarray of shape (p, n)
        Sorts each column, equal values by `y`.
    y : ndarray of shape (n,)
        Ranks 0, 1, ..., equal ones for ties.

    Returns
    -------
    ndarray of shape (p, 5)
        Discordant pairs, pairs tied in both, and the sums of t (t - 1), t (t - 1) (t - 2) and t (t
        - 1) (2 t + 5) over the numbers t of tied values.
    """
    # Rows are read in the order of a column. A row is discordant with the earlier ones of higher
    # rank in y, which a Fenwick tree counts in log n steps (P. Fenwick, "A new data structure for
    # cumulative frequency tables", Software: Practice and Experience 24, 1994).
    n = values.shape[1]
    results = np.zeros((values.shape[0], 5))
    tree = np.empty(n + 1, np.int64)  # how many earlier rows have a rank in each range
    for j in range(values.shape[0]):
        for i in range(n + 1):
            tree[i] = 0
        tied, both = 1.0, 1.0
        for i in range(n):
            rank = y[order[j, i]] + 1
            seen, t = 0, rank
            while t > 0:
                seen += tree[t]
                t -= t & -t
            results[j, 0] += i - seen
            t = rank
            while t <= n:
                tree[t] += 1
                t += t & -t
            last = i + 1 == n
            same = not last and values[j, order[j, i]] == values[j, order[j, i + 1]]
            if same and y[order[j, i]] == y[order[j, i + 1]]:
                both += 1
            else:
                results[j, 1] += both * (both - 1) / 2
                both = 1.0
            if same:
                tied += 1
            else:
                results[j, 2] += tied * (tied - 1)
                results[j, 3] += tied * (tied - 1) * (tied - 2)
                results[j, 4] += tied * (tied - 1) * (2 * tied + 5)
                tied = 1.0
    return results
