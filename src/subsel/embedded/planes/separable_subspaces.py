"""The subspace of a given dimension in which the classes are told apart best."""

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
from subsel.models.planes.cpl_program import Program, blamed
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
        ``"exchange"``: from all columns, the one whose loss costs least leaves until m are left,
        then the best exchange of one column is made while one lowers the criterion. ``"exact"``:
        branch and bound, for a dozen or two of columns; the criterion never rises with a column,
        so that it is the best of all.
    sample_weight : array, optional
        Prices of rows.
    scale : bool
        Divide columns by their standard deviation.

    Returns
    -------
    Subspace
        Its ``criterion`` is :math:`\Phi_\lambda`, summed over classes where there are more than
        two; its ``margin`` is :math:`2 \lambda / \Phi_\lambda`, which is that of the plane where
        it separates and lambda is small.

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
        found = run(BranchAndBound(), evaluator, space, seed=0).best
        return _subspace(evaluator, found)
    return _exchanged(evaluator, Space.of(task.n_columns), m)


def _exchanged(evaluator: Evaluator, space: Space, m: int) -> Subspace:
    """Drop the cheapest columns down to m, then exchange while that helps."""
    here = _used(evaluator, space, space.full())
    while here.size > m:
        candidates = space.removals(here)
        here = candidates[int(np.argmax(evaluator.evaluate(candidates)))]
    while here.size < m:
        candidates = space.additions(here)
        here = candidates[int(np.argmax(evaluator.evaluate(candidates)))]
    quality = evaluator.quality(space.columns(here))
    while m < space.n_units:
        candidates = space.swaps(here)
        qualities = evaluator.evaluate(candidates)
        best = int(np.argmax(qualities))
        if qualities[best] <= quality + 1e-9 * abs(quality):
            break
        here, quality = candidates[best], float(qualities[best])
    return _subspace(evaluator, space.columns(here))


def _used(evaluator: Evaluator, space: Space, full: Subset) -> Subset:
    """The columns that the planes over all columns stand on: the others can go at once."""
    evaluator.quality(space.columns(full))
    used = {int(f) for master in evaluator.masters for f in master.solve().features}  # type: ignore[attr-defined]
    return space.subset(sorted(used)) if used else full


def _subspace(evaluator: Evaluator, columns: np.ndarray) -> Subspace:
    value = -evaluator.quality(np.asarray(columns))
    nothing = np.zeros(0, dtype=np.int64)
    margin = 2 * evaluator.lam / value if value > 0 else np.inf  # type: ignore[attr-defined]
    return Subspace(np.sort(columns), value, margin, np.sort(columns), nothing)


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
        The width of its strip in the dual norm (see :class:`CPLSelector`), 0 where the classes
        overlap.
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

    The answer is that of a linear programme over all columns ([1]_, equations 5 and 6), not of an
    iteration that may end early: a separating plane is checked row by row, and the classes are
    called inseparable only where an optimal basis with a positive violation is found. Parameters
    are those of :class:`CPLSelector`.

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

    From the optimal vertex of one subspace, the column that would lower the criterion most per
    unit of weight enters; the programme is solved again from the basis at hand, and the columns
    left without a weight leave. The criterion never rises, and where no column is worth its cost
    the last subspace is the best of all.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        The table.
    y : array
        Labels of two classes.
    start : sequence of int, optional
        Columns of the first subspace, in which the classes must be separable. None: as many
        independent columns as the table has rank. They separate any classes if the rows are
        independent (lemma 1), and the given ones whenever all columns do, because they span the
        same. A sparse table is made dense to find them.
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


def _independent_columns(columns: ScaledColumns, rows: np.ndarray) -> np.ndarray:
    """As many columns as the (augmented) table has rank, less the constant: they span what all columns span."""
    X = columns.dense(np.arange(columns.X.shape[1]))[rows]
    triangle, order = qr(X - X.mean(axis=0), mode="r", pivoting=True, check_finite=False)
    sizes = np.abs(np.diagonal(triangle))
    rank = int((sizes > sizes.max(initial=0.0) * max(X.shape) * np.finfo(float).eps).sum())
    return np.sort(order[:rank])


def _two_classes(
    X: Any, y: Any, sample_weight: Any, feature_costs: Any, threshold_cost: float, scale: bool
) -> tuple[Task, ScaledColumns, Program]:
    task = Task.of(X, y, "classification", sample_weight=sample_weight)
    if len(task.classes) != 2:
        raise ValueError(
            f"y holds {len(task.classes)} classes, two are due: CPLSelector takes one against the rest."
        )
    costs = column_costs(feature_costs, task.names)
    columns = scaled_columns(task, scale, costs, centre=threshold_cost == 0)
    return task, columns, Program(columns, sides(task)[0], row_prices(task), threshold_cost)
