"""The linear programme behind CPL over all columns of a table, by column generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.models.planes.cpl_master import TOLERANCE, Master, Vertex
from subsel.models.planes.cpl_table import ScaledColumns

__all__ = ["Program", "Solution", "violated_rows"]

BATCH = 50  # columns included at a time
LADDER = (1e-1, 1e-2, 1e-3)  # values of lambda tried before the limit, as shares of `lam_max`


@dataclass(frozen=True)
class Solution:
    """An optimal vertex, in the units of the programme.

    Attributes
    ----------
    lam : float
        The weight of the norm in the criterion; 0 for the least violation.
    features, values : ndarray of shape (n_nonzero,)
        The features with a weight, in increasing order, and their weights.
    intercept : float
        The threshold.
    hinge : ndarray of shape (n_rows,)
        The violation of each row; zero for rows without a price.
    violation : float
        The sum of the violations times the prices of their rows.
    norm : float
        The cost of the weights, and of the threshold where it has a cost.
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
        """The value that was minimised, Phi at ``lam``, recomputed from the weights."""
        return self.violation + self.lam * self.norm

    @property
    def margin(self) -> float:
        """The width of the strip between the classes, in the dual norm of the weights."""
        return 2.0 / self.norm if self.norm > 0 else np.inf

    def weights(self, n_columns: int) -> np.ndarray:
        """Give the weight of each column, an array of shape (n_columns,)."""
        weights = np.zeros(n_columns)
        weights[self.features] = self.values
        return weights


class Program:
    """The criterion over all columns of a table, by column generation.

    The master programme holds some of the columns. The multipliers of its optimum give the gain of
    every other column in one product; columns that would lower the criterion are included, until
    there are none. The basis is preserved throughout, also from one lambda to the next.

    Parameters
    ----------
    columns : ScaledColumns
        The table.
    sign : ndarray of shape (n_rows,)
        The side of each row, +1 or -1.
    price : ndarray of shape (n_rows,)
        The price of a unit of violation of each row, non-negative.
    threshold_cost : float
        The cost of the threshold; 0 leaves it free.
    """

    def __init__(
        self,
        columns: ScaledColumns,
        sign: np.ndarray,
        price: np.ndarray,
        threshold_cost: float = 0.0,
    ) -> None:
        self.columns, self.sign, self.price = columns, sign, price
        self.master = Master(sign, threshold_cost)
        self.inside = np.zeros(columns.X.shape[1], dtype=bool)
        self.prices = self.priced(self._multipliers_at_zero())
        self._include(np.argsort(-self.prices, kind="stable")[:BATCH])

    @property
    def lam_max(self) -> float:
        """A lambda from which on all weights are zero.

        It is an upper bound; with a threshold that has a cost it is the smallest such lambda.
        """
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

        The columns included so far must separate the rows.
        """
        self.master.limit(np.where(self.price > 0, np.inf, 0.0))
        return self._generate(0.0)

    def least_violation(self) -> Solution:
        """Minimise the violation times its price, whatever the weights cost."""
        self.master.limit(self.price / self.price.max(), 0.0)
        return self._generate(0.0)

    def separate(self) -> tuple[Solution, bool]:
        """Find the separating vector of least cost, or the vector of least violation.

        The second value is whether the vector separates the rows.
        """
        for share in LADDER:
            solution = self.at(share * self.lam_max)
            if solution.violation == 0.0:
                return solution, True
        return self.settle()

    def settle(self) -> tuple[Solution, bool]:
        """Do the same as `separate` from the current basis, which should be of a small lambda."""
        least = self.least_violation()
        if least.violation > 0.0:
            return least, False
        return self.limit(), True

    def priced(self, multipliers: np.ndarray) -> np.ndarray:
        """Give by how much each column would lower the criterion per unit of weight.

        Above one a column is worth its cost. ``multipliers`` has one entry per row.
        """
        return np.abs(self.columns.X.T @ (self.sign * multipliers))

    def _multipliers_at_zero(self) -> np.ndarray:
        """Give optimal multipliers where all weights are zero.

        The classes have equal total weight, unless the threshold has a cost.
        """
        if self.master.threshold_cost:
            return self.price
        totals = np.array([self.price[self.sign < 0].sum(), self.price[self.sign > 0].sum()])
        return (
            self.price
            * (totals.min() / np.maximum(totals, np.finfo(float).tiny))[(self.sign > 0).astype(int)]
        )

    def _generate(self, lam: float) -> Solution:
        """Solve, and include columns that lower the criterion, until there are none."""
        # column generation: the gain of a column outside is |sum_j d_j s_j x_ji|, the left side of
        # its row in the dual; where that is at most the half-width for all columns outside, the
        # dual solution is feasible, hence optimal, for the programme over all columns
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


def violated_rows(solution: Solution) -> np.ndarray:
    """Give the numbers of the violated rows, the worst first."""
    order = np.argsort(-solution.hinge, kind="stable")
    return order[solution.hinge[order] > 0]
