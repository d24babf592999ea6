"""The best division of the rows by two columns, one after the other, for every pair of columns."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["pair_falls"]


@compiled
def best_cut(sums, weights):
    """Return the largest sum over two parts of a line of (sum of `sums`)^2 / (sum of `weights`).

    `sums` and `weights` are of shape (levels,); the value of the undivided line is returned where
    no cut has a larger one.
    """
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
    """Return how much the squares fall when the rows are divided along axis 0, then along axis 1.

    The second division may differ on both sides of the first. `sums` and `weights` (levels, levels)
    are the weighted sums of the target and the masses of the cells.
    """
    # As in `binned_forest.best_level`: the sum of squares falls by the sum over the parts of S^2 /
    # W less that before (L. Breiman et al., *Classification and Regression Trees*, 1984, chapter
    # 8).
    left, left_mass = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
    right, right_mass = sums.sum(axis=0), weights.sum(axis=0)
    before, best = right.sum() ** 2 / right_mass.sum(), 0.0
    for k in range(len(sums) - 1):
        left += sums[k]
        left_mass += weights[k]
        right -= sums[k]
        right_mass -= weights[k]
        best = max(best, best_cut(left, left_mass) + best_cut(right, right_mass) - before)
    return best


@compiled
def pair_falls(codes, target, weight, n_levels):
    """Return by how much two divisions lower the weighted squares of the target, for every pair.

    The better order of the two columns counts.

    Parameters
    ----------
    codes : ndarray of shape (n, columns)
        The level of each row in each column.
    target, weight : ndarray of shape (n,)
        The target and the weights of rows.
    n_levels : ndarray of shape (columns,)
        The number of levels of each column.

    Returns
    -------
    ndarray of shape (columns, columns)
        Symmetric, 0 on the diagonal.
    """
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
