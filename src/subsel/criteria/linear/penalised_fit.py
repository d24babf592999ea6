"""How well least squares fits all rows, less a price per column: AIC, BIC, Mallows' Cp, adjusted R2."""

from __future__ import annotations

import numpy as np

from subsel.criteria.base import Evaluation
from subsel.criteria.linear.blocks import Blocks
from subsel.criteria.linear.linear_evaluator import Linear
from subsel.criteria.linear.sweep import Flip
from subsel.criteria.traits import Traits
from subsel.data.task import Task

__all__ = ["PENALTIES", "PenalisedFit"]

PENALTIES = ("aic", "bic", "cp", "adjusted-r2")
_EXACT_FIT = 1e-8  # a residual sum of squares under this share of the total is computed anew


class PenalisedFit(Linear):
    r"""Minus AIC, minus BIC, minus Cp, or adjusted R2, of least squares on all rows.

    With RSS the residual sum of squares and k the number of columns and intercept,
    AIC = :math:`n (\log 2\pi\,\mathrm{RSS}/n + 1) + 2k`, BIC the same with :math:`k \log n`,
    Cp = :math:`\mathrm{RSS}/\hat\sigma^2 - n + 2k` with :math:`\hat\sigma^2` from all columns, and adjusted R2
    :math:`= 1 - (1 - R^2)(n - 1)/(n - k)`. A flip changes RSS by its squared target over its pivot.
    """

    def __init__(
        self, blocks: Blocks, task: Task, criterion: str, intercept: bool, rank_rule: dict
    ) -> None:
        self.task, self.criterion, self.intercept = task, criterion, int(intercept)
        centred = task.y - task.y.mean() * self.intercept
        self.total = float(centred @ centred)
        self._centred = centred
        self._set_up(blocks, np.zeros((1, 0)), 1.0, **rank_rule)
        self.squares = self.total
        self.traits = Traits(f"{criterion} of least squares")
        self.variance = np.nan
        if criterion == "cp":
            self.variance = self._full_variance()

    def _full_variance(self) -> float:
        n, k = self.task.n_rows, self.task.n_columns + self.intercept
        if n <= k:
            raise ValueError(
                f"Cp needs more rows ({n}) than columns ({k - self.intercept}), for the noise."
            )
        return self._residual_squares(np.arange(self.task.n_columns)) / (n - k)

    def _residual_squares(self, columns: np.ndarray) -> float:
        from scipy.linalg import lstsq

        X = self.blocks.table[columns].T
        left = self._centred - X @ lstsq(X, self._centred, cond=1e-6)[0]
        return float(left @ left)

    def _arrive(self) -> None:
        state = self.state
        assert state is not None
        explained = state.target[0, state.columns, 0] * self.blocks.targets[0, state.columns, 0]
        self.squares = self.total - float(explained.sum())

    def _moved(self, flip: Flip) -> None:
        self.squares -= flip.sign * float(flip.target[0, 0] ** 2 / flip.pivot[0])

    def _qualities(
        self,
        first: np.ndarray,
        weight: np.ndarray,  # noqa: ARG002
        bias: np.ndarray,
        second: np.ndarray | None = None,
        weight2: np.ndarray | None = None,  # noqa: ARG002
    ) -> np.ndarray:
        assert self.state is not None
        size = len(self.state.columns)
        if second is None:
            size += int(self.state.sign[first[0]])
        squares = self.squares + bias[0, :, 0]
        return np.where(squares > _EXACT_FIT * self.total, self._quality(squares, size), np.nan)

    def _alone(self, columns: np.ndarray) -> float:
        self.n_refits += 1
        return float(self._quality(np.array(self._residual_squares(columns)), len(columns)))

    def explain(self, columns: np.ndarray) -> Evaluation:
        """The quality alone: no row is held out."""
        columns = np.asarray(columns)
        return Evaluation(
            float(self._quality(np.array(self._residual_squares(columns)), len(columns)))
        )

    def _quality(self, squares: np.ndarray, size: int) -> np.ndarray:
        n, k = self.task.n_rows, size + self.intercept
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.criterion == "cp":
                return -(squares / self.variance - n + 2 * k)
            if self.criterion == "adjusted-r2":
                if n <= k:
                    return np.full_like(squares, -np.inf)
                return 1 - squares / self.total * (n - self.intercept) / (n - k)
            price = 2.0 if self.criterion == "aic" else np.log(n)
            return -(n * (np.log(2 * np.pi * squares / n) + 1) + price * k)
