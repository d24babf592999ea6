"""Leave-one-out predictions of linear models in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.criteria.linear.linear_evaluator import Linear
from subsel.criteria.linear.sweep import Flip

__all__ = ["LEAST_ROOM", "LeaveOneOut"]

LEAST_ROOM = 1e-7  # what a row must leave to the others of its prediction


class LeaveOneOut(Linear):
    r"""Leave-one-out from one model of all rows.

    With :math:`h_i` the leverage, row i is predicted by :math:`y_i - (y_i - \hat y_i) / (1 - \omega_i h_i)`;
    flipping a column changes :math:`h` by its squared residual over its pivot (PRESS).
    """

    def __init__(
        self,
        *args: Any,
        values: np.ndarray,
        row_weights: np.ndarray,
        leverage: float,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.values, self.row_weights = values, row_weights
        self.empty_leverage = np.full(values.shape[1], leverage)
        self.leverage = self.empty_leverage
        self.counts = "nothing"

    def _arrive(self) -> None:
        super()._arrive()
        state = self.state
        assert state is not None
        self.leverage = self.empty_leverage.copy()
        if state.columns:
            held = self.blocks.held_out(np.array(state.columns))
            self.leverage += np.einsum("sm,sm->m", state.residuals(np.array(state.columns)), held)

    def _moved(self, flip: Flip) -> None:
        super()._moved(flip)
        self.leverage += flip.sign * flip.residual**2 / flip.pivot[0]

    def _left_out(self, outputs: np.ndarray, leverage: np.ndarray) -> np.ndarray:
        room = 1.0 - self.row_weights * leverage
        # a row that the model fits by itself alone is left to refitting
        room[room < LEAST_ROOM] = np.nan
        return self.values - (self.values - outputs) / room[:, None]

    def _move(
        self,
        first: np.ndarray,
        weight: np.ndarray,
        second: np.ndarray,
        weight2: np.ndarray,
        bias: np.ndarray,
    ) -> np.ndarray:
        outputs = super()._move(first, weight, second, weight2, bias)
        return self._left_out(outputs, self.leverage + self._leverage_of(first, second))

    def _leverage_of(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The change of leverage by each flip (C, n); a swap is a flip of ``second`` and then of ``first``."""
        state = self.state
        assert state is not None
        residual = state.residuals(first)
        if np.array_equal(first, second):
            return residual**2 * (state.sign[first] / state.pivot[0, first])[:, None]
        gone, (leaving, share, pivot) = state.residuals(second), state.swap(first, second)
        return (residual + share * gone) ** 2 / pivot - gone**2 / leaving

    def _many(self, subsets: list[np.ndarray]) -> np.ndarray:
        return np.array([self._alone(columns) for columns in subsets])

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        fitted = super()._outputs(columns)
        held, gram = self.blocks.held_out(columns), self.blocks.gram(columns)[0]
        leverage = self.empty_leverage + np.einsum("sm,sm->m", held, np.linalg.solve(gram, held))
        return self._left_out(fitted[None], leverage[None])[0]
