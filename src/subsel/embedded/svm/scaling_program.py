"""Scaling factors of a linear support vector machine as a linear programme: the convex case."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

from subsel.data.task import Task
from subsel.embedded.design import signs, unit_columns

__all__ = ["convex_scaling"]


def convex_scaling(X: Any, y: Any, C: float = np.inf) -> np.ndarray:
    r"""Compute the squared scales, of sum 1, for the widest margin of a linear machine [1]_.

    Over :math:`\sigma^2 \ge 0`, :math:`\sum_t \sigma_t^2 = 1`, the dual value of the support vector
    machine on scaled, standardised columns is convex. Its minimum has multipliers that solve the
    linear programme

    .. math:: \max \sum_k \alpha_k, \qquad 0 \le \alpha_k \le C,
        \quad \sum_k \alpha_k y_k = 0, \quad \Bigl|\sum_k \alpha_k y_k x_{kt}\Bigr| \le 1

    and :math:`\sigma_t^2` is the multiplier of the constraint of input t over the sum of these
    multipliers. The programme is the dual of the L1-norm support vector machine, so that
    :math:`\sigma_t^2 = |w_t| / \|w\|_1`.

    Parameters
    ----------
    X, y : array-like
        The table and the labels of two classes, which a plane must separate if C is infinite.
    C : float
        Upper bound of the multipliers, for classes that overlap.

    Returns
    -------
    ndarray
        One squared scale per column, 0 for most; all are 0 where C is too low for any input.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.3.1, equation 5.19 (that this
       is the L1 machine is not said there).

    Examples
    --------
    >>> convex_scaling([[-1.0, 3.0], [-2.0, 0.0], [1.0, 2.0], [1.5, 0.5]], [0, 0, 1, 1]).round(6)
    array([1., 0.])
    """
    task = Task.of(X, y, "classification")
    signed = signs(task.y)[:, None] * unit_columns(task.matrix, centre=True)
    n = task.n_rows
    solution = linprog(
        -np.ones(n),
        A_ub=np.vstack([signed.T, -signed.T]),
        b_ub=np.ones(2 * task.n_columns),
        A_eq=signs(task.y)[None],
        b_eq=[0.0],
        bounds=np.tile([0.0, C], (n, 1)),
        method="highs",
    )
    if solution.x is None:
        raise ValueError(
            "no plane separates the classes: bound the multipliers by C below infinity."
        )
    prices = -solution.ineqlin.marginals
    scales = prices[: task.n_columns] + prices[task.n_columns :]
    return scales / scales.sum() if scales.any() else scales
