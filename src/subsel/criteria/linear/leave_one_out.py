"""Leave-one-out predictions of linear models in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.criteria.linear.linear_evaluator import Linear
from subsel.criteria.linear.sweep import Flip

__all__ = ["LEAST_ROOM", "LeaveOneOut"]

LEAST_ROOM = 1e-7  # 1 - leverage up to which the model fits a row by itself alone


class LeaveOneOut(Linear):
    r"""Leave-one-out predictions from one model of all rows, in closed form.

    With :math:`h_i` the leverage and :math:`\omega_i` the weight of row i, it is predicted by
    :math:`y_i - (y_i - \hat y_i) / (1 - \omega_i h_i)` [1]_. A flip changes :math:`h` by the
    squared residual of its column over its pivot.

    Parameters
    ----------
    *args : tuple
        As in :class:`~subsel.criteria.linear.linear_evaluator.Linear`; there is one block, of all
        rows.
    values : ndarray of shape (T, n)
        The targets.
    row_weights : ndarray of shape (n,)
        The weights of rows.
    leverage : float
        The leverage of each row in the empty model: one over the sum of weights with an intercept,
        else 0.
    **options : dict
        As in :class:`~subsel.criteria.linear.linear_evaluator.Linear`.

    References
    ----------
    .. [1] D. M. Allen, "The relationship between variable selection and data augmentation and a
       method for prediction", *Technometrics* 16, 1974 (PRESS).
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

    def _after_build(self) -> None:
        """Compute the outputs and leverages at the state."""
        # h_i = x_i' A^-1 x_i + that of the intercept, and the residual of a column inside S is its
        # entry of A^-1 x_i.
        super()._after_build()
        state = self.state
        assert state is not None
        self.leverage = self.empty_leverage.copy()
        if state.columns:
            held = self.blocks.held_out(np.array(state.columns))
            self.leverage += np.einsum("sm,sm->m", state.residuals(np.array(state.columns)), held)

    def _after_flip(self, flip: Flip) -> None:
        """Update the outputs and leverages at the state."""
        # Bordering an inverse by a column adds residual^2 / pivot to x' A^-1 x; removing one
        # subtracts it.
        super()._after_flip(flip)
        self.leverage += flip.sign * flip.residual**2 / flip.pivot[0]

    def _left_out(self, outputs: np.ndarray, leverage: np.ndarray) -> np.ndarray:
        """Return leave-one-out predictions (C, T, n) from outputs (C, T, n) and leverages (C, n).

        They are NaN where a row is fitted by itself alone, which leads to refitting.
        """
        room = 1.0 - self.row_weights * leverage
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
        """Return the change of leverages by each flip: (C, n)."""
        # A swap is a flip of `second`, after which the residual of `first` has regained `share` of
        # that of `second`, and then a flip of `first`.
        state = self.state
        assert state is not None
        residual = state.residuals(first)
        if np.array_equal(first, second):
            return residual**2 * (state.sign[first] / state.pivot[0, first])[:, None]
        lost, (leaving, share, pivot) = state.residuals(second), state.swap(first, second)
        return (residual + share * lost) ** 2 / pivot - lost**2 / leaving

    def _evaluate_many(self, subsets: list[np.ndarray]) -> np.ndarray:
        return np.array([self._alone(columns) for columns in subsets])

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        fitted = super()._outputs(columns)
        held, gram = self.blocks.held_out(columns), self.blocks.gram(columns)[0]
        leverage = self.empty_leverage + np.einsum("sm,sm->m", held, np.linalg.solve(gram, held))
        return self._left_out(fitted[None], leverage[None])[0]
