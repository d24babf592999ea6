"""Mutual information of columns from nearest neighbours on a line, and from kernel densities."""

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


AHEAD = 8  # points that a pointer looks ahead at once; sorted columns end in as many infinities
SMALLEST = 5e-324  # the smallest positive number: within it there are equal points only


@compiled
def mean_log_of_points_within(ordered, by_class, ends, n_neighbours, psi, means):
    """Fill `means` with the mean of psi(points nearer than the k-th neighbour of the same class).

    Comparisons are counted over fixed stretches of points, which avoids branches that a processor
    could not predict.

    Parameters
    ----------
    ordered : ndarray of shape (p, n + AHEAD)
        Each column sorted, followed by infinities.
    by_class : ndarray of shape (p, n)
        Each column sorted within each class.
    ends : ndarray of shape (classes,)
        Where each class ends in a row of `by_class`.
    n_neighbours : ndarray of shape (classes,)
        k of each class.
    psi : ndarray of shape (n + 1,)
        The digamma function of each number of points.
    means : ndarray of shape (p,)
        Overwritten.
    """
    # B. Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9, 2014.
    # Both ends of the neighbourhood of a point move to the right with the point, so that two
    # pointers pass over the column once per class; they first step back by one, since rounding may
    # have carried them one point too far.
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
    """Count the sorted points (n,) that are at most `radius` away from x."""
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
    """Fill `means` with the means of psi(points nearer in x) + psi(points nearer in y).

    Nearer means nearer than the k-th neighbour in the larger of both distances. The search runs
    outward in x until the distance in x alone is too large.

    Parameters
    ----------
    ordered : ndarray of shape (p, n)
        Each column sorted.
    targets : ndarray of shape (p, n)
        The target y in the order of each column.
    ordered_target : ndarray of shape (n,)
        The target sorted.
    n_neighbours : int
        k.
    psi : ndarray of shape (n + 1,)
        The digamma function of each number of points.
    means : ndarray of shape (p,)
        Overwritten.
    """
    # A. Kraskov, H. Stoegbauer and P. Grassberger, "Estimating mutual information", Physical Review
    # E 69, 2004, the first of their two estimators.
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
    """Fill `sums` with sums of ``weights[a, b] exp(-precision gap^2)`` over all pairs of points.

    Pairs are ordered, and a point is a pair with itself. Pairs whose kernel is below exp(-40),
    which rounds to nothing beside 1, are left out.

    Parameters
    ----------
    ordered : ndarray of shape (p, n)
        Each column sorted.
    classes : ndarray of shape (p, n)
        The class of each point.
    weights : ndarray of shape (classes, classes)
        The weight of a pair of classes, symmetric.
    precision : float
        The factor of squared gaps.
    sums : ndarray of shape (p,)
        Overwritten.
    """
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
    """Fill `entropies` (p,) with the mean entropy of the class at a point, under a kernel.

    The probability of a class is its share of the kernel ``exp(-precision gap^2)`` over all points.
    `ordered` and `classes` (p, n) are those of `pairs_under_a_kernel`; `masses` (n, classes) is
    overwritten.
    """
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
            total_mass = masses[a].sum()
            for c in range(n_classes):
                if masses[a, c] > 0.0:
                    total -= masses[a, c] / total_mass * math.log(masses[a, c] / total_mass)
        entropies[j] = total / n_points
