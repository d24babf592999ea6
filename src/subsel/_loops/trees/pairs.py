"""The best division of rows by two columns, one after the other, for every pair of columns."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["pair_falls"]


@compiled
def best_cut(sums, weights):
    """The largest sum of squared sums over weights of two parts of a line, or of the whole where no cut does better."""
    total, mass = sums.sum(), weights.sum()
    if mass <= 0:
        return 0.0
    best, low, low_mass = total**2 / mass, 0.0, 0.0
    for k in range(len(sums) - 1):
        low += sums[k]
        low_mass += weights[k]
        if low_mass > 0 and mass - low_mass > 0:
            best = max(best, low**2 / low_mass + (total - low) ** 2 / (mass - low_mass))
    return best


@compiled
def two_levels(sums, weights):
    """How much of the squares goes when rows are divided along the first axis, then each side along the second."""
    left, left_mass = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
    right, right_mass = sums.sum(axis=0), weights.sum(axis=0)
    whole, best = right.sum() ** 2 / right_mass.sum(), 0.0
    for k in range(len(sums) - 1):
        left += sums[k]
        left_mass += weights[k]
        right -= sums[k]
        right_mass -= weights[k]
        best = max(best, best_cut(left, left_mass) + best_cut(right, right_mass) - whole)
    return best


@compiled
def pair_falls(codes, target, weight, n_levels):
    """The fall of the weighted squares of the better order of every pair, from the levels of all columns."""
    n_rows, n_columns = codes.shape
    falls = np.zeros((n_columns, n_columns))
    for i in range(n_columns):
        for j in range(i):
            sums, weights = (
                np.zeros((n_levels[i], n_levels[j])),
                np.zeros((n_levels[i], n_levels[j])),
            )
            for row in range(n_rows):
                sums[codes[row, i], codes[row, j]] += weight[row] * target[row]
                weights[codes[row, i], codes[row, j]] += weight[row]
            best = max(two_levels(sums, weights), two_levels(sums.T.copy(), weights.T.copy()))
            falls[i, j] = falls[j, i] = best
    return falls
