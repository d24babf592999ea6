"""Greedy merging of neighbouring intervals."""

import math

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["cheapest_chain", "mend_cuts", "merge_intervals"]


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
def _cheaper(keys, a, b):
    if keys[b] < keys[a]:
        return b
    return a


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
        tree[node] = _cheaper(keys, a, b)
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
                tree[node] = _cheaper(keys, a, b)
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
def cheapest_chain(below, marks, cuts):
    """The cheapest partition that cuts at some of the marks, by dynamic programming; gives its number of intervals.

    The marks are runs at which an interval may begin, ascending from the first run, and last the number of runs. The
    partition goes to ``cuts`` as `mend_cuts` takes it.
    """
    n_marks, m = len(marks) - 1, below[-1].sum()
    local = np.empty((n_marks, n_marks + 1))
    for a in range(n_marks):
        for b in range(a + 1, n_marks + 1):
            local[a, b] = _span_cost(below, marks[a], marks[b])
    costs = local[0].copy()  # of the marks before each, in so many intervals
    origin = np.zeros((n_marks, n_marks + 1), np.int64)
    least, n_intervals, prior = costs[n_marks], 1, 0.0
    for level in range(1, n_marks):
        prior += math.log((m + level) / level)  # ln C(m + I, I) - ln C(m + I - 1, I - 1)
        for b in range(n_marks, level, -1):
            best = np.inf
            for a in range(level, b):
                cost = costs[a] + local[a, b]
                if cost < best:
                    best, origin[level, b] = cost, a
            costs[b] = best
        if costs[n_marks] + prior < least - 1e-9:
            least, n_intervals = costs[n_marks] + prior, level + 1
    end = n_marks
    for level in range(n_intervals - 1, -1, -1):
        cuts[level + 1] = marks[end]
        end = origin[level, end]
    cuts[0] = 0
    return n_intervals


@compiled
def _weigh(below, cuts, i, n_intervals, gains, places):
    """Weigh the moves that begin at the interval i: what each would add to the cost, the prior apart, and its new cut.

    Line 0 splits the interval, line 1 joins it with the next, line 2 joins these two and splits them elsewhere, line 3
    joins three intervals and splits them once. A move that there is none of adds infinity.
    """
    gains[:, i] = np.inf
    now = 0.0
    for k in range(min(3, n_intervals - i)):
        a, b = cuts[i], cuts[i + k + 1]
        now += _span_cost(below, cuts[i + k], b)
        place, cost = _best_cut(below, a, b)
        line = 0
        if k > 0:
            line = k + 1
        places[line, i] = place
        if place > 0:
            gains[line, i] = cost - now
        if k == 1:
            gains[1, i] = _span_cost(below, a, b) - now


@compiled
def _open_place(cuts, gains, places, at, n_intervals):
    """Move what belongs to the intervals behind one up by one place; changes the three arrays."""
    for t in range(n_intervals + 1, at + 1, -1):
        cuts[t] = cuts[t - 1]
    for t in range(n_intervals, at, -1):
        for line in range(4):
            gains[line, t], places[line, t] = gains[line, t - 1], places[line, t - 1]


@compiled
def _close_place(cuts, gains, places, at, n_intervals):
    """Move what belongs to the intervals behind one down by one place; changes the three arrays."""
    for t in range(at + 1, n_intervals):
        cuts[t] = cuts[t + 1]
    for t in range(at, n_intervals - 1):
        for line in range(4):
            gains[line, t], places[line, t] = gains[line, t + 1], places[line, t + 1]


@compiled
def mend_cuts(below, cuts, n_intervals):
    """Take the best split, merge, merge-split or merge-merge-split while the cost of the partition falls.

    ``below`` are the cumulated class counts of the runs, one line more than runs. The interval i holds the runs from
    ``cuts[i]`` to ``cuts[i + 1]``; there is room for a cut at every run. Gives the number of intervals. Only
    the moves next to the last one are weighed anew.
    """
    n_runs = len(below) - 1
    m = below[n_runs].sum()
    gains = np.full((4, n_runs), np.inf)
    places = np.zeros((4, n_runs), np.int64)
    for i in range(n_intervals):
        _weigh(below, cuts, i, n_intervals, gains, places)
    prior = np.zeros(4)
    # what gains of costs as large as m ln m cannot tell from nothing
    rounding = 1e-9 + 1e-14 * m * math.log(m + 1.0)
    while True:
        # ln C(m + I, I) - ln C(m + I - 1, I - 1)
        prior[0] = math.log((m + n_intervals) / n_intervals)
        prior[1] = prior[3] = -math.log((m + n_intervals - 1) / max(n_intervals - 1, 1))
        best, move, at = -rounding, -1, 0
        for line in range(4):
            i = gains[line, :n_intervals].argmin()
            if gains[line, i] + prior[line] < best:
                best, move, at = gains[line, i] + prior[line], line, i
        if move < 0:
            return n_intervals
        place = places[move, at]
        if move == 0:
            _open_place(cuts, gains, places, at, n_intervals)
            n_intervals += 1
        elif move != 2:
            _close_place(cuts, gains, places, at, n_intervals)
            n_intervals -= 1
        if move != 1:
            cuts[at + 1] = place
        for i in range(max(at - 2, 0), min(at + 2, n_intervals)):
            _weigh(below, cuts, i, n_intervals, gains, places)
