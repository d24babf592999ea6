"""The linear programme behind CPL: solved in its dual form, on the few columns that matter, from where it stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from subsel.task import Task

__all__ = [
    "Columns",
    "Master",
    "NotSeparable",
    "Program",
    "Solution",
    "Vertex",
    "blamed",
    "check_costs",
    "row_prices",
    "scaled_columns",
    "sides",
]

TOLERANCE = 1e-9  # of HiGHS, on rows, on reduced costs and on the prices of columns left outside
BATCH = 50  # columns taken in at a time
LADDER = (1e-1, 1e-2, 1e-3)  # shares of the largest useful lambda tried on the way to the limit
OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",  # it would throw the basis away
    "parallel": "off",
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}
NOTHING = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Columns:
    """A table in the units of the programme, where every weight costs one: ``(X - shift) / unit``."""

    X: Any
    unit: np.ndarray
    shift: np.ndarray

    def dense(self, features: np.ndarray) -> np.ndarray:
        """Some columns as a dense array."""
        part = self.X[:, features]
        return part.toarray() if sparse.issparse(part) else part

    def original(self, weights: np.ndarray, intercept: float) -> tuple[np.ndarray, float]:
        """Weights and threshold for the table as it was given."""
        weights = weights / self.unit
        return weights, float(intercept - self.shift @ weights)


def scaled_columns(
    task: Task, scale: bool, costs: Sequence[float] | None, centre: bool, rows: np.ndarray | None = None
) -> Columns:
    """Divide each column by its cost and, if asked, its (weighted) standard deviation.

    ``centre`` shifts the columns of a dense table to mean zero. With a free threshold that changes rounding alone, so
    that a sparse table stays as it is; with a threshold that costs it must not be done.
    """
    sparse_input = sparse.issparse(task.X)
    X = task.X.tocsc().astype(np.float64) if sparse_input else task.matrix
    X = X if rows is None else X[rows]
    weight = np.ones(task.n_rows) if task.sample_weight is None else task.sample_weight
    weight = weight if rows is None else weight[rows]
    mean, deviation = _moments(X, weight / weight.sum())
    unit = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0) if scale else np.ones(X.shape[1])
    unit = unit * check_costs(costs, X.shape[1])
    if sparse_input:
        return Columns((X @ sparse.diags_array(1 / unit)).tocsc(), unit, np.zeros(X.shape[1]))
    shift = mean if centre else np.zeros(X.shape[1])
    return Columns(np.asfortranarray((X - shift) / unit), unit, shift)


def _moments(X: Any, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean and standard deviation of the columns."""
    mean = X.T @ share
    if sparse.issparse(X):
        variance = X.multiply(X).T @ share - mean**2
        variance[variance < 1e-14 * mean**2] = 0.0
        return mean, np.sqrt(np.maximum(variance, 0.0))
    centred = X - mean
    return mean, np.sqrt(np.einsum("i,ij,ij->j", share, centred, centred))


def check_costs(costs: Sequence[float] | None, n_columns: int) -> np.ndarray:
    """One positive cost per column."""
    if costs is None:
        return np.ones(n_columns)
    given = np.asarray(costs, dtype=float)
    if given.shape != (n_columns,) or not (np.isfinite(given).all() and (given > 0).all()):
        raise ValueError(f"feature_costs must hold one positive number for each of {n_columns} columns.")
    return given


class NotSeparable(ValueError):
    """The rows of two classes cannot be told apart by a plane in the columns at hand."""


class Vertex(NamedTuple):
    """Multipliers of the table rows, the features with a weight, their weights, and the threshold."""

    multipliers: np.ndarray
    features: np.ndarray
    values: np.ndarray
    intercept: float


class Master:
    r"""The programme over the features taken in so far, kept in HiGHS between changes.

    It is the dual: one multiplier d per table row and one ranged row per feature, so that a feature is a row whatever
    the sign of its weight, and features and lambda change without losing a dual feasible basis.

    .. math:: \max \sum_j d_j \quad\text{such that}\quad \Big|\sum_j d_j s_j x_{ji}\Big| \le w,\;
              \Big|\sum_j d_j s_j\Big| \le w\,\gamma_0,\; 0 \le d_j \le c_j

    The weights are the multipliers of its rows. They belong to a vertex: no more of them differ from zero than there
    are rows in the table.

    Parameters
    ----------
    sign : ndarray
        The side of each table row, +1 or -1.
    threshold_cost : float
        The cost of the threshold; 0 leaves it free.
    """

    def __init__(self, sign: np.ndarray, threshold_cost: float = 0.0) -> None:
        import highspy

        self._highspy, self._highs = highspy, highspy.Highs()
        for option, value in OPTIONS.items():
            self._highs.setOptionValue(option, value)
        self.sign, self.threshold_cost = sign, threshold_cost
        self.row_of: dict[int, int] = {}
        self.width = 1.0
        self._numbers = np.arange(len(sign), dtype=np.int32)
        zero = np.zeros(len(sign))
        self._highs.addCols(len(sign), zero - 1.0, zero, zero + 1.0, 0, NOTHING, NOTHING, np.zeros(0))
        self._add_rows(sign[None, :], np.array([threshold_cost]))

    def limit(self, caps: np.ndarray, width: float = 1.0) -> None:
        """Set the caps of the multipliers and the half-width of the rows."""
        self._highs.changeColsBounds(len(caps), self._numbers, np.zeros(len(caps)), caps)
        if width != self.width:
            self.width = width
            self._bound(0, self.threshold_cost * width)
            for row in self.row_of.values():
                self._bound(row, width)

    def include(self, features: np.ndarray, columns: Columns) -> None:
        """Take in features that are not yet here."""
        self.row_of.update(zip(features.tolist(), range(len(self.row_of) + 1, len(self.row_of) + len(features) + 1)))
        self._add_rows(columns.dense(features).T * self.sign, np.full(len(features), self.width))

    def move(self, features: np.ndarray, columns: Columns) -> None:
        """Let exactly these features take part, keeping what can be kept of the basis."""
        wanted = set(features.tolist())
        if gone := [row for feature, row in self.row_of.items() if feature not in wanted]:
            self._highs.deleteRows(len(gone), np.array(gone, dtype=np.int32))
            kept = [feature for feature in self.row_of if feature in wanted]
            self.row_of = dict(zip(kept, range(1, len(kept) + 1)))
        if fresh := [feature for feature in features.tolist() if feature not in self.row_of]:
            self.include(np.array(fresh), columns)

    def neighbour(self, added: np.ndarray, removed: np.ndarray, columns: Columns) -> float:
        """Give the objective with some features more and some fewer, starting from the basis here and returning to it."""
        highs, n_rows = self._highs, len(self.row_of) + 1
        basis, rows = highs.getBasis(), [self.row_of[feature] for feature in removed.tolist()]
        for row in rows:
            self._bound(row, np.inf)
        if len(added):
            self._add_rows(columns.dense(added).T * self.sign, np.full(len(added), self.width))
        self._optimise()
        value = self.objective
        if len(added):
            highs.deleteRows(len(added), np.arange(n_rows, n_rows + len(added), dtype=np.int32))
        for row in rows:
            self._bound(row, self.width)
        highs.setBasis(basis)
        return value

    def solve(self) -> Vertex:
        """Go to an optimal vertex."""
        self._optimise()
        solution = self._highs.getSolution()
        weights = -np.array(solution.row_dual)
        features = np.fromiter(self.row_of, dtype=np.int64, count=len(self.row_of))
        kept = np.flatnonzero(weights[1:])
        return Vertex(np.array(solution.col_value), features[kept], weights[1:][kept], float(weights[0]))

    @property
    def objective(self) -> float:
        """The sum of the multipliers."""
        return -float(self._highs.getInfo().objective_function_value)

    def _optimise(self) -> None:
        statuses = self._highspy.HighsModelStatus
        self._highs.run()
        if self._highs.getModelStatus() != statuses.kOptimal:
            self._highs.clearSolver()  # once more, from no basis at all
            self._highs.run()
        status = self._highs.getModelStatus()
        if status in (statuses.kUnbounded, statuses.kUnboundedOrInfeasible):
            raise NotSeparable("no vector separates the rows in these columns.")
        if status != statuses.kOptimal:
            raise RuntimeError(f"HiGHS ended with {self._highs.modelStatusToString(status)!r}.")

    def _bound(self, row: int, half_width: float) -> None:
        self._highs.changeRowBounds(row, -half_width, half_width)

    def _add_rows(self, values: np.ndarray, half_width: np.ndarray) -> None:
        k, m = values.shape
        starts = np.arange(0, k * m, m, dtype=np.int32)
        self._highs.addRows(
            k, -half_width, half_width, k * m, starts, np.tile(self._numbers, k), np.ascontiguousarray(values).ravel()
        )


@dataclass(frozen=True)
class Solution:
    """An optimal vertex, in the units of the programme.

    ``hinge`` is the violation of each row that has a price, ``norm`` the cost of the weights (and of the threshold, where it costs),
    ``criterion`` the value minimised: Phi at ``lam``, which is 0 for the least violation.
    """

    lam: float
    features: np.ndarray
    values: np.ndarray
    intercept: float
    hinge: np.ndarray
    violation: float
    norm: float

    @property
    def criterion(self) -> float:
        """Phi, recomputed from the weights."""
        return self.violation + self.lam * self.norm

    @property
    def margin(self) -> float:
        """The width of the strip between the classes, in the norm dual to the cost of the weights."""
        return 2.0 / self.norm if self.norm > 0 else np.inf

    def weights(self, n_columns: int) -> np.ndarray:
        """One weight per column."""
        weights = np.zeros(n_columns)
        weights[self.features] = self.values
        return weights


class Program:
    """The criterion over all columns of a table, by column generation.

    The master knows some columns; the multipliers of its optimum price all the others in one product, those that
    would lower the criterion are taken in, and so on until none would. The basis is kept throughout, also from one
    lambda to the next.

    Parameters
    ----------
    columns : Columns
        The table.
    sign : ndarray
        The side of each row, +1 or -1.
    price : ndarray
        The price of each row, non-negative.
    threshold_cost : float
        The cost of the threshold; 0 leaves it free.
    """

    def __init__(self, columns: Columns, sign: np.ndarray, price: np.ndarray, threshold_cost: float = 0.0) -> None:
        self.columns, self.sign, self.price = columns, sign, price
        self.master = Master(sign, threshold_cost)
        self.inside = np.zeros(columns.X.shape[1], dtype=bool)
        self.prices = self.priced(self._multipliers_at_zero())
        self._include(np.argsort(-self.prices, kind="stable")[:BATCH])

    @property
    def lam_max(self) -> float:
        """From this lambda on all weights are zero (a bound; with a threshold that costs, the least such lambda)."""
        largest, cost = float(self.prices.max()), self.master.threshold_cost
        if cost:
            largest = max(largest, abs(float(self.sign @ self.price)) / cost)
        return largest or 1.0

    def at(self, lam: float) -> Solution:
        """Minimise Phi at this lambda."""
        self.master.limit(self.price / lam)
        return self._generate(lam)

    def limit(self) -> Solution:
        """Find the separating vector of least cost, which is the answer at every small lambda.

        The columns taken in so far must separate the rows.
        """
        self.master.limit(np.where(self.price > 0, np.inf, 0.0))
        return self._generate(0.0)

    def least_violation(self) -> Solution:
        """Minimise the priced violation alone."""
        self.master.limit(self.price / self.price.max(), 0.0)
        return self._generate(0.0)

    def separate(self) -> tuple[Solution, bool]:
        """Give the separating vector of least cost and True, or the one of least violation and False."""
        for share in LADDER:
            solution = self.at(share * self.lam_max)
            if solution.violation == 0.0:
                return solution, True
        return self.settle()

    def settle(self) -> tuple[Solution, bool]:
        """Do the same from where the programme stands, which should be a small lambda."""
        least = self.least_violation()
        if least.violation > 0.0:
            return least, False
        return self.limit(), True

    def priced(self, multipliers: np.ndarray) -> np.ndarray:
        """How much each column would lower the criterion per unit of weight; above one it is worth its cost."""
        return np.abs(self.columns.X.T @ (self.sign * multipliers))

    def _multipliers_at_zero(self) -> np.ndarray:
        """Optimal multipliers where all weights are zero: the classes weigh the same, unless the threshold costs."""
        if self.master.threshold_cost:
            return self.price
        totals = np.array([self.price[self.sign < 0].sum(), self.price[self.sign > 0].sum()])
        return self.price * (totals.min() / np.maximum(totals, np.finfo(float).tiny))[(self.sign > 0).astype(int)]

    def _generate(self, lam: float) -> Solution:
        while True:
            vertex = self.master.solve()
            gains = self.priced(vertex.multipliers)
            gains[self.inside] = 0.0
            entering = np.flatnonzero(gains > self.master.width + TOLERANCE)
            if not len(entering):
                return self._solution(lam, vertex)
            self._include(entering[np.argsort(-gains[entering], kind="stable")[:BATCH]])

    def _include(self, features: np.ndarray) -> None:
        self.master.include(features, self.columns)
        self.inside[features] = True

    def _solution(self, lam: float, vertex: Vertex) -> Solution:
        order = np.argsort(vertex.features)
        features, values, intercept = vertex.features[order], vertex.values[order], vertex.intercept
        reach = self.sign * (self.columns.dense(features) @ values + intercept)
        hinge = np.where((reach < 1.0 - 1e-8) & (self.price > 0), 1.0 - reach, 0.0)
        norm = float(np.abs(values).sum() + self.master.threshold_cost * abs(intercept))
        return Solution(lam, features, values, intercept, hinge, float(self.price @ hinge), norm)


def sides(task: Task) -> list[np.ndarray]:
    """The side of each row, +1 or -1: once for two classes, once per class (against the rest) for more."""
    positive = [1] if len(task.classes) == 2 else range(len(task.classes))
    return [np.where(task.codes == code, 1.0, -1.0) for code in positive]


def row_prices(task: Task) -> np.ndarray:
    """The price of each row: its weight. Every class must weigh something."""
    if task.sample_weight is None:
        return np.ones(task.n_rows)
    totals = np.bincount(task.codes, task.sample_weight)
    if not totals.all():
        raise ValueError(f"class {task.classes[totals.argmin()]!r} has no row of positive weight.")
    return task.sample_weight


def blamed(solution: Solution) -> np.ndarray:
    """The rows violated, the worst first."""
    order = np.argsort(-solution.hinge, kind="stable")
    return order[solution.hinge[order] > 0]
