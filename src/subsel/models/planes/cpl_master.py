"""The dual linear programme of CPL over a few columns, solved by HiGHS with warm starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from subsel.models.planes.cpl_table import ScaledColumns

__all__ = ["TOLERANCE", "Master", "NotSeparable", "Vertex"]

TOLERANCE = 1e-9  # of HiGHS on rows and reduced costs, and on the gains of columns left outside
OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",  # presolve would discard the basis
    "parallel": "off",
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}
NOTHING = np.zeros(0, dtype=np.int32)


class NotSeparable(ValueError):
    """No plane in the given columns separates the rows of the two classes."""


class Vertex(NamedTuple):
    """An optimal vertex of the programme.

    Attributes
    ----------
    multipliers : ndarray of shape (n_rows,)
        The multipliers of the table rows.
    features : ndarray of shape (n_nonzero,)
        The numbers of the features whose weight is not zero.
    values : ndarray of shape (n_nonzero,)
        Their weights.
    intercept : float
        The threshold.
    """

    multipliers: np.ndarray
    features: np.ndarray
    values: np.ndarray
    intercept: float


class Master:
    r"""The programme over the features included so far, kept in HiGHS between changes.

    It is the dual: one multiplier d per table row and one ranged row per feature, whatever the sign
    of its weight. Features and lambda can therefore change without losing a dual feasible basis.

    .. math:: \max \sum_j d_j \quad\text{such that}\quad \Big|\sum_j d_j s_j x_{ji}\Big| \le w,\;
              \Big|\sum_j d_j s_j\Big| \le w\,\gamma_0,\; 0 \le d_j \le c_j

    The weights are the multipliers of its rows. At a vertex no more of them differ from zero than
    there are rows in the table.

    Parameters
    ----------
    sign : ndarray of shape (n_rows,)
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
        self._highs.addCols(
            len(sign), zero - 1.0, zero, zero + 1.0, 0, NOTHING, NOTHING, np.zeros(0)
        )
        self._add_rows(sign[None, :], np.array([threshold_cost]))

    def limit(self, caps: np.ndarray, width: float = 1.0) -> None:
        """Set the upper bounds of the multipliers, one per row, and the half-width of the rows."""
        self._highs.changeColsBounds(len(caps), self._numbers, np.zeros(len(caps)), caps)
        if width != self.width:
            self.width = width
            self._bound(0, self.threshold_cost * width)
            for row in self.row_of.values():
                self._bound(row, width)

    def include(self, features: np.ndarray, columns: ScaledColumns) -> None:
        """Include features, given by number, that are not yet in the programme."""
        self.row_of.update(
            zip(
                features.tolist(), range(len(self.row_of) + 1, len(self.row_of) + len(features) + 1)
            )
        )
        self._add_rows(columns.dense(features).T * self.sign, np.full(len(features), self.width))

    def move(self, features: np.ndarray, columns: ScaledColumns) -> None:
        """Make these the only features of the programme, and preserve the rest of the basis."""
        features_after = set(features.tolist())
        if leaving := [
            row for feature, row in self.row_of.items() if feature not in features_after
        ]:
            self._highs.deleteRows(len(leaving), np.array(leaving, dtype=np.int32))
            staying = [feature for feature in self.row_of if feature in features_after]
            self.row_of = dict(zip(staying, range(1, len(staying) + 1)))
        if fresh := [feature for feature in features.tolist() if feature not in self.row_of]:
            self.include(np.array(fresh), columns)

    def neighbour(self, added: np.ndarray, removed: np.ndarray, columns: ScaledColumns) -> float:
        """Give the objective with some features added and some removed.

        The search starts from the current basis and restores it.
        """
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
        """Find an optimal vertex."""
        self._optimise()
        solution = self._highs.getSolution()
        weights = -np.array(solution.row_dual)
        features = np.fromiter(self.row_of, dtype=np.int64, count=len(self.row_of))
        nonzero = np.flatnonzero(weights[1:])
        return Vertex(
            np.array(solution.col_value), features[nonzero], weights[1:][nonzero], float(weights[0])
        )

    @property
    def objective(self) -> float:
        """The sum of the multipliers."""
        return -float(self._highs.getInfo().objective_function_value)

    def _optimise(self) -> None:
        statuses = self._highspy.HighsModelStatus
        self._highs.run()
        if self._highs.getModelStatus() != statuses.kOptimal:
            self._highs.clearSolver()  # try again without a starting basis
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
            k,
            -half_width,
            half_width,
            k * m,
            starts,
            np.tile(self._numbers, k),
            np.ascontiguousarray(values).ravel(),
        )
