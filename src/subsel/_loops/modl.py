"""Greedy merging of neighbouring intervals."""

import math

import numpy as np

from subsel._loops import compiled

__all__ = ["mend_cuts", "merge_intervals"]


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


@compiled
def _span_cost(below, a, b):
    """The cost of the interval of the runs a to b - 1, from cumulated counts."""
    total = 0.0
    cost = 0.0
    n_classes = below.shape[1]
    for j in range(n_classes):
        c = below[b, j] - below[a, j]
        total += c
        cost -= math.lgamma(c + 1.0)
    return cost + math.lgamma(total + n_classes) - math.lgamma(float(n_classes))


@compiled
def _best_cut(below, a, b):
    """The place between a and b where one cut leaves the two cheapest intervals, and what they cost; 0 if there is none."""
    place, best = 0, np.inf
    for t in range(a + 1, b):
        cost = _span_cost(below, a, t) + _span_cost(below, t, b)
        if cost < best:
            place, best = t, cost
    return place, best


@compiled
def mend_cuts(below, cuts):
    """Move, add and remove single cuts while the cost of the partition falls.

    ``below`` are the cumulated class counts of the runs, one line more than runs, ``cuts`` whether an interval begins at
    a run, true at both ends. Every step takes the interval between two cuts, or two such neighbours, and tries it
    whole and with its one best cut; the price of one interval more or less is that of the prior.
    """
    n_runs = len(below) - 1
    m = below[n_runs].sum()
    n_intervals = -1
    for k in range(n_runs + 1):
        n_intervals += cuts[k]
    improved = True
    while improved:
        improved = False
        a = 0
        while a < n_runs:
            middle = a + 1
            while not cuts[middle]:
                middle += 1
            place, cost = _best_cut(below, a, middle)
            more = math.log((m + n_intervals) / n_intervals)  # ln C(m + I, I) - ln C(m + I - 1, I - 1)
            if place > 0 and cost + more < _span_cost(below, a, middle) - 1e-9:
                cuts[place] = True
                n_intervals += 1
                improved = True
                middle = place
            if middle < n_runs:
                end = middle + 1
                while not cuts[end]:
                    end += 1
                now = _span_cost(below, a, middle) + _span_cost(below, middle, end)
                less = -math.log((m + n_intervals - 1) / (n_intervals - 1))
                place, cost = _best_cut(below, a, end)
                whole = _span_cost(below, a, end) + less
                if min(whole, cost) < now - 1e-9:
                    cuts[middle] = False
                    improved = True
                    if whole < cost:
                        n_intervals -= 1
                    else:
                        cuts[place] = True
                        middle = place
            while not cuts[middle]:
                middle += 1
            a = middle
