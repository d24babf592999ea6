"""Separability: the cost of a plane that separates the classes in the subset's columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task
from subsel.models.planes.cpl_master import Master
from subsel.models.planes.cpl_program import Program
from subsel.models.planes.cpl_table import ScaledColumns, row_prices, scaled_columns, sides
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates, Changes

__all__ = ["Separability"]

SMALL = 1e-3  # the default lambda as a share of the one that silences all columns


@criterion("separability")
@dataclass(frozen=True)
class Separability(Parameters):
    r"""Minus the least value of the CPL criterion over planes in the subset [1]_.

    The criterion is convex and piecewise linear:

    .. math:: -\min_v \sum_j \alpha_j \max(0, 1 - s_j \langle v, x_j\rangle)
              + \lambda \sum_{i \in F} \gamma_i |v_i|

    The prices :math:`\alpha` are the task's row weights, :math:`s_j` is the side of row j; more
    than two classes are separated one against the rest and the values added. In a subspace that
    separates the classes, and at a small lambda, it is minus lambda times the cost of the cheapest
    separating vector, so that a greater quality is a wider margin. (The paper calls a falling value
    a shrinking distance between the classes; the distance grows.) Adding a column never lowers the
    quality, so branch and bound is exact.

    Parameters
    ----------
    lam : float or None, default=None
        Weight of the costs. None: a thousandth of the least lambda that is known to silence all
        columns, the same for every subset.
    feature_costs : sequence of float or None, default=None
        One positive cost per column, 1 by default.
    threshold_cost : float, default=0.0
        Cost of the threshold. 0 leaves it free; the paper's index set includes it, with 1.
    scale : bool, default=True
        Divide columns by their standard deviation, which is to multiply their costs by it.

    Notes
    -----
    The optimum of a linear programme does not depend on where the solver starts: warm starts change
    the time only, up to the tolerance of HiGHS, 1e-9 on rows and reduced costs.

    References
    ----------
    .. [1] Bobrowski and Lukaszuk, *Selection of the linearly separable feature subsets*, Artificial
       Intelligence and Soft Computing (ICAISC), 2004, equations 10 to 19.

    Examples
    --------
    >>> from subsel.space.space import Space
    >>> task = Task.of([[0.0, 3.0], [1.0, 1.0], [3.0, 2.0], [5.0, 1.0]], [0, 0, 1, 1])
    >>> space = Space.of(2)
    >>> evaluator = Separability(lam=0.1, scale=False).bind(task)
    >>> evaluator.evaluate(space.additions(space.empty())).round(6)
    array([-0.1, -3.1])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    lam: float | None = None
    feature_costs: Sequence[float] | None = None
    _: KW_ONLY
    threshold_cost: float = 0.0
    scale: bool = True

    def footprint(self, shape: Shape) -> Footprint:
        """The programme and its bases."""
        return Footprint.fixed(25 * shape.table + 1e6)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Scale the table to the units of the linear programme."""
        if task.kind != "classification":
            raise ValueError("y must hold classes for separability: discretise the target first.")
        if self.lam is not None and not self.lam > 0:
            raise ValueError(f"lam must be positive, got {self.lam}.")
        if not self.threshold_cost >= 0:
            raise ValueError(f"threshold_cost must not be negative, got {self.threshold_cost}.")
        columns = scaled_columns(
            task, self.scale, self.feature_costs, centre=self.threshold_cost == 0
        )
        price, signs, lam = row_prices(task), sides(task), self.lam
        if lam is None:
            lam = SMALL * max(
                Program(columns, sign, price, self.threshold_cost).lam_max for sign in signs
            )
        return _Subspaces(columns, signs, price, lam, self.threshold_cost)


class _Subspaces(Evaluator):
    """Solves one linear programme per class, each warm-started from the last subset."""

    traits = Traits("separability", monotone=True)

    def __init__(
        self,
        columns: ScaledColumns,
        signs: list[np.ndarray],
        price: np.ndarray,
        lam: float,
        threshold_cost: float,
    ) -> None:
        self.columns, self.signs, self.price = columns, signs, price
        self.lam, self.threshold_cost = lam, threshold_cost
        self.masters = [Master(sign, threshold_cost) for sign in signs]
        for master in self.masters:
            master.limit(price / lam)

    def fork(self) -> Evaluator:
        """Return an evaluator that shares the table and has programmes of its own."""
        return _Subspaces(self.columns, self.signs, self.price, self.lam, self.threshold_cost)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Solve the base once and its neighbours from there, or one subset after another."""
        changes = candidates.changes() if len(candidates) > 1 else None
        if changes is None:
            return super().evaluate(candidates)
        return -self.lam * np.sum(
            [self._around(master, changes) for master in self.masters], axis=0
        )

    def quality(self, columns: np.ndarray) -> float:
        """Solve the programmes on these columns, from their last solutions."""
        return -self.lam * sum(self._value(master, columns) for master in self.masters)

    def _value(self, master: Master, columns: np.ndarray) -> float:
        master.move(columns, self.columns)
        master.solve()
        return master.objective

    def _around(self, master: Master, changes: Changes) -> np.ndarray:
        """Compute the objective at each neighbour of the base, which is often that of the base."""
        master.move(changes.base, self.columns)
        vertex = master.solve()
        values = np.full(len(changes.added), master.objective)
        # Optimality by complementary slackness: the vertex of the base stays optimal if no column
        # added has a reduced cost below zero (its gain in multipliers exceeds its cost, 1 here) and
        # no column removed has a weight.
        worth = np.abs(self.columns.X.T @ (master.sign * vertex.multipliers)) > 1.0
        weighted = np.zeros(len(worth), dtype=bool)
        weighted[vertex.features] = True
        moved = worth[changes.added].any(axis=1) | weighted[changes.removed].any(axis=1)
        for i in np.flatnonzero(moved):
            values[i] = master.neighbour(changes.added[i], changes.removed[i], self.columns)
        return values
