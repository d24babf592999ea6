"""The perceptron criterion, the member of the CPL family without a margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from subsel.data.task import Task

__all__ = ["PerceptronPlane", "perceptron_criterion"]


class PerceptronPlane(NamedTuple):
    """The least value of the criterion and the plane that has it."""

    value: float
    coef: np.ndarray
    intercept: float


def perceptron_criterion(X: Any, y: Any, sample_weight: Any = None) -> PerceptronPlane:
    r"""Give the least of the perceptron criterion over planes [1]_: zero exactly if no row need lie on the wrong side.

    .. math:: \min_{w, \theta} \sum_j \alpha_j \max(0, -s_j (\langle w, x_j \rangle - \theta))
              \quad \text{with} \quad \sum_j \alpha_j s_j (\langle w, x_j \rangle - \theta) = \sum_j \alpha_j

    It is the CPL criterion with margin 0 in place of 1. Without a margin the zero vector is free,
    so planes are compared at a mean signed distance of 1. Rows on the plane itself cost nothing: a
    value of zero says that the classes are separable, or touch at rows that lie on the plane. Two
    classes; prices :math:`\alpha` are the weights of rows.

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
        raise ValueError(f"y holds {len(task.classes)} classes, two are due.")
    sign = np.where(task.codes == 1, 1.0, -1.0)
    price = task.row_weights
    middle = task.matrix.mean(axis=0)
    signed = sign[:, None] * np.column_stack([task.matrix - middle, -np.ones(task.n_rows)])
    n, p = signed.shape
    found = linprog(
        np.append(np.zeros(p), price),
        A_ub=-np.hstack([signed, np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=np.append(price @ signed, np.zeros(n))[None],
        b_eq=[price.sum()],
        bounds=[(None, None)] * p + [(0, None)] * n,
        method="highs",
    )
    if found.status == 2:  # no plane has its mean row on the right side: all sums agree
        return PerceptronPlane(float(price.sum()), np.zeros(p - 1), 0.0)
    weights, threshold = found.x[: p - 1], found.x[p - 1]
    value = float(price @ np.maximum(0.0, -signed @ found.x[:p]))
    if value <= 1e-9 * float(price.sum()):
        value = 0.0
    return PerceptronPlane(value, weights, float(-threshold - weights @ middle))
