"""Subspaces in which a plane separates the classes best, by the CPL criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import qr

from subsel.criteria.base import Evaluator
from subsel.criteria.model_free.separability import Separability
from subsel.data.columns import column_costs
from subsel.data.task import Task
from subsel.engine.driver import run
from subsel.models.planes.cpl_master import TOLERANCE
from subsel.models.planes.cpl_program import Program, violated_rows
from subsel.models.planes.cpl_table import ScaledColumns, row_prices, scaled_columns, sides
from subsel.search.tree_search.branch_and_bound import BranchAndBound
from subsel.space.candidates import Subset
from subsel.space.space import Block, Space

__all__ = ["SeparabilityReport", "Subspace", "descending_sequence", "separable", "subspace_of_size"]


def subspace_of_size(
    X: Any,
    y: Any,
    m: int,
    *,
    lam: float | None = None,
    method: Literal["exchange", "exact"] = "exchange",
    sample_weight: Any = None,
    scale: bool = True,
) -> Subspace:
    r"""Find m columns in which the CPL criterion has its least value [1]_ (equation 18).

    Parameters
    ----------
    X : array or data frame
        The table.
    y : array
        Labels of classes.
    m : int
        The dimension.
    lam : float or None
        Weight of the costs, as in :class:`subsel.criteria.Separability`.
    method : {"exchange", "exact"}
        ``"exchange"``: backward elimination down to m columns, then the best exchange of one
        column for another as long as one lowers the criterion. ``"exact"``: branch and bound, for
        up to about twenty columns; as the criterion never rises with a column added, it finds the
        best subset.
    sample_weight : array, optional
        Prices of the rows.
    scale : bool
        Whether to divide columns by their standard deviation.

    Returns
    -------
    Subspace
        Its ``criterion`` is :math:`\Phi_\lambda`, summed over classes where there are more than
        two; its ``margin`` is :math:`2 \lambda / \Phi_\lambda`, which is the margin of the plane
        if it separates the classes and lambda is small.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004 (Lecture Notes in Computer Science 3070), equation 18.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0, 1.0], [1.0, 1.0, 0.0], [3.0, 2.0, 0.0], [5.0, 1.0, 1.0]])
    >>> subspace_of_size(X, [0, 0, 1, 1], 1).features
    array([0])
    """
    task = Task.of(X, y, "classification", sample_weight=sample_weight)
    if not 1 <= m <= task.n_columns:
        raise ValueError(f"m must lie in [1, {task.n_columns}], got {m!r}.")
    if method not in ("exchange", "exact"):
        raise ValueError(f"method must be 'exchange' or 'exact', got {method!r}.")
    evaluator = Separability(lam, scale=scale).bind(task)
    if method == "exact":
        space = Space((Block(task.n_columns, low=m, high=m),))
        return _subspace(evaluator, run(BranchAndBound(), evaluator, space, seed=0).best)
    return _by_exchange(evaluator, Space.of(task.n_columns), m)


def _by_exchange(evaluator: Evaluator, space: Space, m: int) -> Subspace:
    """Eliminate columns down to m, then exchange columns as long as that lowers the criterion."""
    current = _columns_of_planes(evaluator, space, space.full())
    while current.size > m:
        candidates = space.removals(current)
        current = candidates[int(np.argmax(evaluator.evaluate(candidates)))]
    while current.size < m:
        candidates = space.additions(current)
        current = candidates[int(np.argmax(evaluator.evaluate(candidates)))]
    quality = evaluator.quality(space.columns(current))
    while m < space.n_units:
        candidates = space.swaps(current)
        qualities = evaluator.evaluate(candidates)
        best = int(np.argmax(qualities))
        if qualities[best] <= quality + 1e-9 * abs(quality):  # equal, up to the solver's tolerance
            break
        current, quality = candidates[best], float(qualities[best])
    return _subspace(evaluator, space.columns(current))


def _columns_of_planes(evaluator: Evaluator, space: Space, full: Subset) -> Subset:
    """Find the columns with a weight in the planes over all columns; the others are superfluous."""
    evaluator.quality(space.columns(full))
    masters = evaluator.masters  # type: ignore[attr-defined]
    used = {int(f) for master in masters for f in master.solve().features}
    return space.subset(sorted(used)) if used else full


def _subspace(evaluator: Evaluator, columns: np.ndarray) -> Subspace:
    value = -evaluator.quality(np.asarray(columns))
    nothing = np.zeros(0, dtype=np.int64)
    margin = 2 * evaluator.lam / value if value > 0 else np.inf  # type: ignore[attr-defined]
    return Subspace(np.sort(columns), value, margin, np.sort(columns), nothing)


@dataclass(frozen=True)
class SeparabilityReport:
    """Whether a plane separates two classes, and the plane that proves it.

    Attributes
    ----------
    separable : bool
        Whether a plane separates the classes.
    coef, intercept : ndarray and float
        The separating plane of least cost, or the plane of least violation.
    margin : float
        The width of its strip in the dual norm (see :class:`CPLSelector`), 0 where the classes
        overlap.
    violation : float
        The least total violation, each row times its price.
    violations : ndarray
        The violation of each row at that plane.
    blame : ndarray
        The rows violated, the most violated first.
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
    """Find a plane that separates two classes, or else the plane of least violation.

    The answer is the exact solution of a linear programme over all columns ([1]_, equations 5 and
    6). A separating plane is checked row by row; the classes are called inseparable only if an
    optimal basis has a positive violation. Parameters are those of :class:`CPLSelector`.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004 (Lecture Notes in Computer Science 3070).

    Examples
    --------
    >>> report = separable([[0.0], [2.0], [1.0], [3.0]], [0, 0, 1, 1], scale=False)
    >>> report.separable, round(report.violation, 6)
    (False, 2.666667)
    """
    task, columns, program = _two_classes(X, y, sample_weight, feature_costs, threshold_cost, scale)
    solution, is_separable = program.separate()
    weights, intercept = columns.original(solution.weights(task.n_columns), solution.intercept)
    return SeparabilityReport(
        separable=is_separable,
        coef=weights,
        intercept=intercept,
        margin=solution.margin if is_separable else 0.0,
        violation=solution.violation,
        violations=solution.hinge,
        blame=violated_rows(solution),
    )


@dataclass(frozen=True)
class Subspace:
    """A subspace, its criterion, and how it differs from the previous one of a sequence.

    Attributes
    ----------
    features : ndarray of int
        Its columns.
    criterion : float
        Phi / lambda at every small lambda, the cost of the cheapest separating vector (in the
        answer of :func:`subspace_of_size`, Phi itself).
    margin : float
        The width of the strip between the classes.
    entered, left : ndarray of int
        The columns that the previous subspace lacks, and those that only it has.
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
    r"""Descend through separable subspaces to the best one, by exchange of basis [1]_.

    From the optimal vertex of one subspace, the column enters that would lower the criterion most
    per unit of weight; the programme is solved again from the current basis, and the columns
    without a weight leave. The criterion never rises, and the sequence ends, at the best of all
    subspaces, where no column would lower it.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        The table.
    y : array
        Labels of two classes.
    start : sequence of int, optional
        Columns of the first subspace, in which the classes must be separable. None stands for a
        maximal set of linearly independent columns. They separate the classes whenever all columns
        do, because they span the same space, and any classes if the rows are independent (lemma 1
        of [1]_). A sparse table is made dense to find them.
    sample_weight : array, optional
        Weights of rows; rows of weight 0 do not count.
    feature_costs, threshold_cost, scale : Any
        As in :class:`CPLSelector`.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004 (Lecture Notes in Computer Science 3070), equations 18 and 19.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0, 1.0], [1.0, 1.0, 0.0], [3.0, 2.0, 0.0], [5.0, 1.0, 1.0]])
    >>> best = descending_sequence(X, [0, 0, 1, 1], scale=False)[-1]
    >>> best.features.tolist(), round(best.criterion, 6)
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
        vertex, before, previous = program.master.solve(), cost, features
        features, cost = np.sort(vertex.features), program.master.objective
        entered, left = np.setdiff1d(features, previous), np.setdiff1d(previous, features)
        sequence.append(Subspace(features, cost, 2.0 / cost, entered, left))
        # At a degenerate vertex the cost stays the same, and columns that leave might return
        # for ever: they leave only if the cost fell.
        if cost < before * (1 - 1e-12):
            pool = features
        # By linear programming duality, column i lowers the criterion if |sum_j u_j s_j x_ji|
        # exceeds its cost, for the multipliers u of the rows; gains are relative to the cost.
        gains = program.priced(vertex.multipliers)
        gains[pool] = 0.0
        if gains.max() <= 1.0 + TOLERANCE:
            return sequence
        pool = np.append(pool, gains.argmax())


def _independent_columns(columns: ScaledColumns, rows: np.ndarray) -> np.ndarray:
    """Find a maximal set of columns that are independent of each other and of the constant."""
    X = columns.dense(np.arange(columns.X.shape[1]))[rows]
    # The pivots of a QR decomposition with column pivoting fall; those below the rounding error of
    # the largest, max(n, p) eps (LAPACK's and numpy's rule for the rank), count as zero.
    triangle, order = qr(X - X.mean(axis=0), mode="r", pivoting=True, check_finite=False)
    sizes = np.abs(np.diagonal(triangle))
    rank = int((sizes > sizes.max(initial=0.0) * max(X.shape) * np.finfo(float).eps).sum())
    return np.sort(order[:rank])


def _two_classes(
    X: Any, y: Any, sample_weight: Any, feature_costs: Any, threshold_cost: float, scale: bool
) -> tuple[Task, ScaledColumns, Program]:
    """Check a table of two classes and build its programme."""
    task = Task.of(X, y, "classification", sample_weight=sample_weight)
    if len(task.classes) != 2:
        raise ValueError(
            f"y must have two classes, got {len(task.classes)}: CPLSelector separates each of "
            "several classes from the rest."
        )
    costs = column_costs(feature_costs, task.names)
    columns = scaled_columns(task, scale, costs, centre=threshold_cost == 0)
    return task, columns, Program(columns, sides(task)[0], row_prices(task), threshold_cost)
