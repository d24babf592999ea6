"""Greedy merging of neighbouring intervals."""

import math

import numpy as np

from subsel._loops import compiled

__all__ = ["merge_intervals"]


@compiled
def interval_cost(counts):
    """ln C(m + J - 1, J - 1) + ln(m! / prod m_j!) of one interval."""
    total = 0.0
    cost = 0.0
    for c in counts:
        total += c
        cost -= math.lgamma(c + 1.0)
    return cost + math.lgamma(total + len(counts)) - math.lgamma(float(len(counts)))


@compiled
def merge_intervals(counts, costs, keys, tree, order):
    """Merge the two neighbours whose union costs least until one is left; note in ``order`` who is swallowed.

    ``counts`` and ``costs`` belong to the intervals and are overwritten; ``keys`` (of length a power of two,
    all infinite) are what each merge with the right neighbour costs, and ``tree`` is the tournament among
    them. Gives how many merges lead to the cheapest partition seen.
    """
    n_intervals, n_classes = counts.shape
    n_rows = counts.sum()
    width = len(keys)
    before = np.arange(-1, n_intervals - 1)
    after = np.arange(1, n_intervals + 1)
    union = np.empty(n_classes)
    for k in range(n_intervals - 1):
        union[:] = counts[k] + counts[k + 1]
        keys[k] = interval_cost(union) - costs[k] - costs[k + 1]
    for k in range(width):
        tree[width + k] = k
    for node in range(width - 1, 0, -1):
        a, b = tree[2 * node], tree[2 * node + 1]
        tree[node] = b if keys[b] < keys[a] else a
    change, best_change, best_step = 0.0, 0.0, 0
    for step in range(n_intervals - 1):
        left = tree[1]
        right = after[left]
        n_left = n_intervals - step
        change += keys[left] + math.log((n_left - 1.0) / (n_rows + n_left - 1.0))
        order[step] = right
        counts[left] += counts[right]
        costs[left] += costs[right] + keys[left]
        after[left] = after[right]
        if after[left] < n_intervals:
            before[after[left]] = left
        keys[right] = np.inf
        keys[left] = np.inf
        for k in (before[left], left, right):
            if k < 0:
                continue
            if k != right and after[k] < n_intervals:
                union[:] = counts[k] + counts[after[k]]
                keys[k] = interval_cost(union) - costs[k] - costs[after[k]]
            node = (width + k) // 2
            while node > 0:
                a, b = tree[2 * node], tree[2 * node + 1]
                tree[node] = b if keys[b] < keys[a] else a
                node //= 2
        if change < best_change:
            best_change, best_step = change, step + 1
    return best_step
