"""The lasso with bounded weights, one weight at a time."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["box_lasso"]

MOST_SWEEPS = 10_000


@compiled
def box_lasso(F, y, epsilon, bound, weights, tolerance):
    """Minimise ``|y - F a|^2 / 2 + epsilon |a|_1`` over ``|a_j| <= bound``, from the weights given; gives the sweeps.

    ``F`` holds the columns as rows.
    """
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
