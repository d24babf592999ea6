"""Distances to nearest neighbours on a line, how many points lie within them, and pairs under a kernel."""

import math

import numpy as np

from subsel._loops.compiler import compiled

__all__ = [
    "AHEAD",
    "class_masses_under_a_kernel",
    "mean_log_of_points_within",
    "mean_log_of_points_within_both",
    "pairs_under_a_kernel",
]


# The pointers below look this many points ahead at once, and sorted columns end in as many infinities.
AHEAD = 8
SMALLEST = 5e-324


@compiled
def mean_log_of_points_within(ordered, by_class, ends, n_neighbours, psi, means):
    """For each point of a column, psi of the points nearer than its k-th neighbour of the same class.

    ``ordered`` holds each column sorted, ``by_class`` each column sorted within each class. Both ends of a
    point's neighbourhood move to the right with the point, so two pointers pass the column once per class;
    they step back by one first, since rounding may have carried them one point too far. Counting comparisons
    over a fixed stretch instead of testing point by point leaves the processor nothing to guess.
    """
    n_points = by_class.shape[1]
    radius = np.empty(n_points)
    for j in range(len(ordered)):
        points, own = ordered[j], by_class[j]
        total = 0.0
        begin = 0
        for c in range(len(ends)):
            end, k = ends[c], n_neighbours[c]
            radius[begin:end] = np.inf
            for offset in range(k + 1):
                for i in range(begin + offset, end - k + offset):
                    reach = max(own[i] - own[i - offset], own[i - offset + k] - own[i])
                    radius[i] = min(radius[i], reach)
            low, high = 0, 0
            for i in range(begin, end):
                x, r = own[i], max(radius[i], SMALLEST)
                low, high = max(low - 1, 0), max(high - 1, 0)
                passed = AHEAD
                while passed == AHEAD:
                    passed = 0
                    for step in range(AHEAD):
                        passed += x - points[low + step] >= r
                    low += passed
                passed = AHEAD
                while passed == AHEAD:
                    passed = 0
                    for step in range(AHEAD):
                        passed += points[high + step] - x < r
                    high += passed
                total += psi[high - low]
            begin = end
        means[j] = total / n_points


@compiled
def count_within(points, x, radius):
    """Count sorted points at most the radius away from x."""
    low, high = 0, len(points)
    while low < high:
        middle = (low + high) // 2
        if x - points[middle] > radius:
            low = middle + 1
        else:
            high = middle
    first, high = low, len(points)
    while low < high:
        middle = (low + high) // 2
        if points[middle] - x <= radius:
            low = middle + 1
        else:
            high = middle
    return low - first


@compiled
def mean_log_of_points_within_both(ordered, targets, ordered_target, n_neighbours, psi, means):
    """For each point in the plane, psi of the points nearer in x, and in y, than the k-th in both.

    ``targets`` are in the order of each sorted column; the search runs outward in x until x alone is too far.
    """
    n_columns, n_points = ordered.shape
    best = np.empty(n_neighbours)
    for j in range(n_columns):
        points, target = ordered[j], targets[j]
        total = 0.0
        for i in range(n_points):
            best[:] = np.inf
            left, right = i - 1, i + 1
            while True:
                gap_left = points[i] - points[left] if left >= 0 else np.inf
                gap_right = points[right] - points[i] if right < n_points else np.inf
                gap = min(gap_left, gap_right)
                if gap >= best[-1]:
                    break
                other = left if gap_left <= gap_right else right
                if gap_left <= gap_right:
                    left -= 1
                else:
                    right += 1
                distance = max(gap, abs(target[other] - target[i]))
                place = n_neighbours - 1
                if distance < best[place]:
                    while place > 0 and best[place - 1] > distance:
                        best[place] = best[place - 1]
                        place -= 1
                    best[place] = distance
            radius = np.nextafter(best[-1], 0.0)
            total += psi[count_within(points, points[i], radius)]
            total += psi[count_within(ordered_target, target[i], radius)]
        means[j] = total / n_points


@compiled
def pairs_under_a_kernel(ordered, classes, weights, precision, sums):
    """Sum weights[class, class] exp(-precision gap^2) over pairs, leaving out what rounds to nothing."""
    n_columns, n_points = ordered.shape
    reach = math.sqrt(40.0 / precision)
    for j in range(n_columns):
        total = 0.0
        for a in range(n_points):
            total += 0.5 * weights[classes[j, a], classes[j, a]]
            for b in range(a + 1, n_points):
                gap = ordered[j, b] - ordered[j, a]
                if gap > reach:
                    break
                total += weights[classes[j, a], classes[j, b]] * math.exp(-precision * gap * gap)
        sums[j] = 2.0 * total


@compiled
def class_masses_under_a_kernel(ordered, classes, precision, masses, entropies):
    """Mean entropy of the class at a point, the classes weighing as their points do under a kernel around it."""
    n_columns, n_points = ordered.shape
    n_classes = masses.shape[1]
    reach = math.sqrt(40.0 / precision)
    for j in range(n_columns):
        masses[:] = 0.0
        for a in range(n_points):
            masses[a, classes[j, a]] += 1.0
            for b in range(a + 1, n_points):
                gap = ordered[j, b] - ordered[j, a]
                if gap > reach:
                    break
                kernel = math.exp(-precision * gap * gap)
                masses[a, classes[j, b]] += kernel
                masses[b, classes[j, a]] += kernel
        total = 0.0
        for a in range(n_points):
            whole = masses[a].sum()
            for c in range(n_classes):
                if masses[a, c] > 0.0:
                    total -= masses[a, c] / whole * math.log(masses[a, c] / whole)
        entropies[j] = total / n_points
