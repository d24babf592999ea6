"""The lasso with bounded weights, one weight at a time."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["box_lasso"]

MOST_SWEEPS = 10_000  # so that it ends where rounding keeps changes above the tolerance


@compiled
def box_lasso(F, y, epsilon, bound, weights, tolerance):
    """Minimise ``|y - F a|^2 / 2 + epsilon |a|_1`` over ``|a_j| <= bound``; overwrites `weights`.

    Parameters
    ----------
    F : ndarray of shape (p, n)
        One column of the data in each row.
    y : ndarray of shape (n,)
        The target.
    epsilon : float
        The penalty.
    bound : float
        The largest magnitude of a weight.
    weights : ndarray of shape (p,)
        The weights to start from; overwritten with the solution.
    tolerance : float
        Sweeps end when no change of a weight moves the fit by more than this, in Euclidean norm.

    Returns
    -------
    int
        The number of sweeps over the columns.
    """
    # Cyclic coordinate descent: one weight minimises by soft thresholding, and clipping to the box
    # keeps it the minimum, as the function of one weight is convex (J. Friedman, T. Hastie, H.
    # Hoefling and R. Tibshirani, "Pathwise coordinate optimization", The Annals of Applied
    # Statistics 1, 2007, section 2).
    p = F.shape[0]
    squares = np.empty(p)
    residual = y.copy()
    for j in range(p):
        squares[j] = np.dot(F[j], F[j])
        if weights[j] != 0.0:
            residual -= weights[j] * F[j]
    for sweep in range(MOST_SWEEPS):
        largest = 0.0
        for j in range(p):
            if squares[j] == 0.0:
                continue
            before = weights[j]
            pull = np.dot(F[j], residual) + squares[j] * before
            size = min(max(abs(pull) - epsilon, 0.0) / squares[j], bound)
            weights[j] = np.copysign(size, pull)
            change = weights[j] - before
            if change != 0.0:
                residual -= change * F[j]
                largest = max(largest, abs(change) * np.sqrt(squares[j]))
        if largest <= tolerance:
            return sweep + 1
    return MOST_SWEEPS
