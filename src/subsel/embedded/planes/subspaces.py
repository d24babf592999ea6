"""Whether a plane separates two classes, and the walk of separable subspaces down to the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

from subsel.data.columns import column_costs
from subsel.data.task import Task
from subsel.models.planes.cpl_master import TOLERANCE
from subsel.models.planes.cpl_program import Program, blamed
from subsel.models.planes.cpl_table import Columns, row_prices, scaled_columns, sides

__all__ = ["SeparabilityReport", "Subspace", "descending_sequence", "separable"]


@dataclass(frozen=True)
class SeparabilityReport:
    """Whether a plane separates two classes, with the proof.

    Attributes
    ----------
    separable : bool
        Whether it does.
    coef, intercept : ndarray and float
        The separating plane of least cost, or the plane of least violation.
    margin : float
        The width of its strip in the dual norm (see :class:`CPLSelector`), 0 where the classes overlap.
    violation : float
        The least total priced violation.
    violations : ndarray
        The violation of each row.
    blame : ndarray
        The rows violated, the worst first.
    """

    separable: bool
    coef: np.ndarray
    intercept: float
    margin: float
    violation: float
    violations: np.ndarray
    blame: np.ndarray


def separable(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    feature_costs: Any = None,
    threshold_cost: float = 0.0,
    scale: bool = True,
) -> SeparabilityReport:
    """Say whether a plane separates two classes, and give it; otherwise give the least violation and its rows.

    The answer is that of a linear programme over all columns ([1]_, equations 5 and 6), not of an iteration that
    may end early: a separating plane is checked row by row, and the classes are called inseparable only where an
    optimal basis with a positive violation is found. Parameters are those of :class:`CPLSelector`.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC 2004 (Lecture Notes in
       Computer Science 3070).

    Examples
    --------
    >>> report = separable([[0.0], [2.0], [1.0], [3.0]], [0, 0, 1, 1], scale=False)
    >>> report.separable, round(report.violation, 6)
    (False, 2.666667)
    """
    task, columns, program = _two_classes(X, y, sample_weight, feature_costs, threshold_cost, scale)
    solution, found = program.separate()
    weights, intercept = columns.original(solution.weights(task.n_columns), solution.intercept)
    margin = solution.margin if found else 0.0
    return SeparabilityReport(
        found, weights, intercept, margin, solution.violation, solution.hinge, blamed(solution)
    )


@dataclass(frozen=True)
class Subspace:
    """A separable subspace: its features, the cost of its cheapest separating vector, and what changed.

    ``criterion`` is Phi / lambda at every small lambda, ``margin`` is twice its inverse.
    """

    features: np.ndarray
    criterion: float
    margin: float
    entered: np.ndarray
    left: np.ndarray


def descending_sequence(
    X: Any,
    y: Any,
    *,
    start: Sequence[int] | None = None,
    sample_weight: Any = None,
    feature_costs: Any = None,
    threshold_cost: float = 0.0,
    scale: bool = True,
) -> list[Subspace]:
    r"""Walk down a sequence of separable subspaces to the best one, by exchange of basis [1]_.

    From the optimal vertex of one subspace, the column that would lower the criterion most per unit of weight enters;
    the programme is solved again from the basis at hand, and the columns left without a weight leave. The criterion
    never rises, and where no column is worth its cost the last subspace is the best of all.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        The table.
    y : array
        Labels of two classes.
    start : sequence of int, optional
        Columns of the first subspace, in which the classes must be separable. None: as many independent columns as
        the table has rank. They separate any classes if the rows are independent (lemma 1), and the given ones
        whenever all columns do, because they span the same. A sparse table is made dense to find them.
    sample_weight : array, optional
        Weights of rows; rows of weight 0 do not count.
    feature_costs, threshold_cost, scale : Any
        As in :class:`CPLSelector`.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC 2004 (Lecture Notes in
       Computer Science 3070), equations 18 and 19.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0, 1.0], [1.0, 1.0, 0.0], [3.0, 2.0, 0.0], [5.0, 1.0, 1.0]])
    >>> [(s.features.tolist(), round(s.criterion, 6)) for s in descending_sequence(X, [0, 0, 1, 1], scale=False)][-1]
    ([0], 1.0)
    """
    _, columns, program = _two_classes(X, y, sample_weight, feature_costs, threshold_cost, scale)
    if start is not None:
        pool = np.unique(start)
    else:
        pool = _independent_columns(columns, program.price > 0)
    program.master.limit(np.where(program.price > 0, np.inf, 0.0))
    features, cost, sequence = np.zeros(0, dtype=np.int64), np.inf, []
    while True:
        program.master.move(pool, columns)
        vertex, before, was = program.master.solve(), cost, features
        features, cost = np.sort(vertex.features), program.master.objective
        entered, left = np.setdiff1d(features, was), np.setdiff1d(was, features)
        sequence.append(Subspace(features, cost, 2.0 / cost, entered, left))
        if cost < before * (
            1 - 1e-12
        ):  # else the vertex is degenerate, and columns let go might come back for ever
            pool = features
        gains = program.priced(vertex.multipliers)
        gains[pool] = 0.0
        if gains.max() <= 1.0 + TOLERANCE:
            return sequence
        pool = np.append(pool, gains.argmax())


def _independent_columns(columns: Columns, rows: np.ndarray) -> np.ndarray:
    """As many columns as the (augmented) table has rank, less the constant: they span what all columns span."""
    X = columns.dense(np.arange(columns.X.shape[1]))[rows]
    triangle, order = qr(X - X.mean(axis=0), mode="r", pivoting=True, check_finite=False)
    sizes = np.abs(np.diagonal(triangle))
    rank = int((sizes > sizes.max(initial=0.0) * max(X.shape) * np.finfo(float).eps).sum())
    return np.sort(order[:rank])


def _two_classes(
    X: Any, y: Any, sample_weight: Any, feature_costs: Any, threshold_cost: float, scale: bool
) -> tuple[Task, Columns, Program]:
    task = Task.of(X, y, "classification", sample_weight=sample_weight)
    if len(task.classes) != 2:
        raise ValueError(
            f"y holds {len(task.classes)} classes, two are due: CPLSelector takes one against the rest."
        )
    costs = column_costs(feature_costs, task.names)
    columns = scaled_columns(task, scale, costs, centre=threshold_cost == 0)
    return task, columns, Program(columns, sides(task)[0], row_prices(task), threshold_cost)
