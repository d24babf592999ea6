"""The perceptron criterion, a CPL criterion without a margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from subsel.data.task import Task

__all__ = ["PerceptronPlane", "perceptron_criterion"]


class PerceptronPlane(NamedTuple):
    """The least value of the criterion and the plane that attains it."""

    value: float
    coef: np.ndarray  # shape (columns,); zeros if no plane has the classes on the right sides
    intercept: float


def perceptron_criterion(X: Any, y: Any, sample_weight: Any = None) -> PerceptronPlane:
    r"""Minimise the perceptron criterion over planes [1]_.

    .. math:: \min_{w, \theta} \sum_j \alpha_j \max(0, -s_j (\langle w, x_j \rangle - \theta))
              \quad \text{with} \quad
              \sum_j \alpha_j s_j (\langle w, x_j \rangle - \theta) = \sum_j \alpha_j

    It is the CPL criterion with margin 0 in place of 1. Without a margin the zero vector would cost
    nothing, so that planes are compared at a mean signed distance of 1. The value is zero exactly
    if a plane has no row on its wrong side: the classes are separable, or touch in rows that lie on
    the plane.

    Parameters
    ----------
    X, y : array-like
        The table and the labels of two classes.
    sample_weight : array-like, optional
        The prices :math:`\alpha` of the rows.

    Returns
    -------
    PerceptronPlane
        The least value, and the plane.


    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004 (Lecture Notes in Computer Science 3070), introduction.

    Examples
    --------
    >>> perceptron_criterion([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).value
    0.0
    >>> round(perceptron_criterion([[0.0], [2.0], [1.0], [3.0]], [0, 0, 1, 1]).value, 6)
    2.0
    """
    task = Task.of(X, y, "classification", sample_weight=sample_weight)
    if len(task.classes) != 2:
        raise ValueError(f"y must have two classes, got {len(task.classes)}.")
    sign = np.where(task.codes == 1, 1.0, -1.0)
    price = task.row_weights
    middle = task.matrix.mean(axis=0)
    signed = sign[:, None] * np.column_stack([task.matrix - middle, -np.ones(task.n_rows)])
    n, p = signed.shape
    # variables: p - 1 weights and the threshold, then the n violations
    solution = linprog(
        np.append(np.zeros(p), price),
        A_ub=-np.hstack([signed, np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=np.append(price @ signed, np.zeros(n))[None],
        b_eq=[price.sum()],
        bounds=[(None, None)] * p + [(0, None)] * n,
        method="highs",
    )
    if solution.status == 2:  # infeasible: the mean signed distance is 0 for every plane
        return PerceptronPlane(float(price.sum()), np.zeros(p - 1), 0.0)
    weights, threshold = solution.x[: p - 1], solution.x[p - 1]
    value = float(price @ np.maximum(0.0, -signed @ solution.x[:p]))
    if value <= 1e-9 * float(price.sum()):
        value = 0.0
    return PerceptronPlane(value, weights, float(-threshold - weights @ middle))
