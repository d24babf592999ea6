"""Greedy merging and local improvement of intervals by the MODL criterion.

A partition of m rows into I intervals with J classes costs ln m + ln C(m + I - 1, I - 1) + the sum
over intervals of ln C(m_i + J - 1, J - 1) + ln(m_i! / prod m_ij!) (M. Boulle, "MODL: a Bayes
optimal discretization method for continuous attributes", Machine Learning 65, 2006). The sum is
local, so that a move changes the intervals it touches and the prior on I alone.
"""

import math

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["cheapest_chain", "improve_cuts", "merge_intervals"]


@compiled
def interval_cost(counts):
    """Return ln C(m + J - 1, J - 1) + ln(m! / prod m_j!) of an interval, from its counts (J,)."""
    total = 0.0
    cost = 0.0
    for c in counts:
        total += c
        cost -= math.lgamma(c + 1.0)
    return cost + math.lgamma(total + len(counts)) - math.lgamma(float(len(counts)))


@compiled
def _cheaper(keys, a, b):
    """Return that of a and b whose key is smaller, a in a tie."""
    if keys[b] < keys[a]:
        return b
    return a


@compiled
def merge_intervals(counts, costs, keys, tree, order):
    """Merge the two neighbours whose union costs least until one interval is left.

    Overwrites all arguments.

    Parameters
    ----------
    counts : ndarray of shape (intervals, classes)
        The class counts of the intervals.
    costs : ndarray of shape (intervals,)
        Their local costs.
    keys : ndarray of shape (width,)
        Room for what each merge with the right neighbour adds to the cost: all infinite on entry,
        with a power of two as length.
    tree : ndarray of shape (2 * width,)
        Room for the tournament among them.
    order : ndarray of shape (intervals,)
        Overwritten with the intervals in the order in which they are merged into their left
        neighbour.

    Returns
    -------
    int
        How many merges lead to the cheapest partition on the way.
    """
    # From I to I - 1 intervals the prior falls by ln C(m + I - 1, I - 1) - ln C(m + I - 2, I - 2) =
    # -ln((I - 1) / (m + I - 1)).
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
    """Return the cost of an interval of the runs a to b - 1.

    `below` (runs + 1, classes) holds cumulative class counts.
    """
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
    """Return the place between a and b where a cut leaves the cheapest two intervals, and the cost.

    The place is 0 and the cost infinite where there is none.
    """
    place, best = 0, np.inf
    for t in range(a + 1, b):
        cost = _span_cost(below, a, t) + _span_cost(below, t, b)
        if cost < best:
            place, best = t, cost
    return place, best


@compiled
def cheapest_chain(below, marks, cuts):
    """Fill `cuts` with the cheapest partition with cuts at marks only, by dynamic programming.

    Parameters
    ----------
    below : ndarray of shape (runs + 1, classes)
        Cumulative class counts of the runs.
    marks : ndarray of shape (marks + 1,)
        Runs at which an interval may begin, ascending from 0, then the number of runs.
    cuts : ndarray of shape (runs + 1,)
        Overwritten with the runs at which intervals begin, and the end.

    Returns
    -------
    int
        The number of intervals.
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
    """Write what each move that begins at interval i adds to the cost, prior aside, and its cut.

    Line 0 of `gains` and `places` (4, runs) splits the interval, line 1 joins it with the next,
    line 2 joins these two and splits them elsewhere, line 3 joins three intervals and splits them
    once. A move that does not exist adds infinity.
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
    """Move what belongs to the intervals after `at` up by one place; updates the three arrays."""
    for t in range(n_intervals + 1, at + 1, -1):
        cuts[t] = cuts[t - 1]
    for t in range(n_intervals, at, -1):
        for line in range(4):
            gains[line, t], places[line, t] = gains[line, t - 1], places[line, t - 1]


@compiled
def _close_place(cuts, gains, places, at, n_intervals):
    """Move what belongs to the intervals after `at` down by one place; updates the three arrays."""
    for t in range(at + 1, n_intervals):
        cuts[t] = cuts[t + 1]
    for t in range(at, n_intervals - 1):
        for line in range(4):
            gains[line, t], places[line, t] = gains[line, t + 1], places[line, t + 1]


@compiled
def improve_cuts(below, cuts, n_intervals):
    """Apply the best split, merge, merge-split or merge-merge-split while the cost falls.

    Updates `cuts` in place. After a move, only the moves near it are evaluated again.

    Parameters
    ----------
    below : ndarray of shape (runs + 1, classes)
        Cumulative class counts of the runs.
    cuts : ndarray of shape (runs + 1,)
        Interval i holds the runs from ``cuts[i]`` to ``cuts[i + 1]``; updated.
    n_intervals : int
        The number of intervals on entry.

    Returns
    -------
    int
        The number of intervals on return.
    """
    n_runs = len(below) - 1
    m = below[n_runs].sum()
    gains = np.full((4, n_runs), np.inf)
    places = np.zeros((4, n_runs), np.int64)
    for i in range(n_intervals):
        _weigh(below, cuts, i, n_intervals, gains, places)
    prior = np.zeros(4)
    # costs are about m ln m: a gain below their rounding is none
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
