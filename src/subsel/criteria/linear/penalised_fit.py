"""Penalised least squares on all rows: AIC, BIC, EBIC, GIC, Mallows' Cp and adjusted R2."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from subsel.criteria.base import Evaluation
from subsel.criteria.linear.blocks import Blocks
from subsel.criteria.linear.linear_evaluator import Linear
from subsel.criteria.linear.sweep import Flip
from subsel.criteria.traits import Traits
from subsel.data.task import Task

__all__ = ["PENALTIES", "PenalisedFit"]

PENALTIES = ("aic", "bic", "ebic", "gic", "cp", "adjusted-r2")
_EXACT_FIT = 1e-8  # share of the total below which a residual sum of squares is computed directly


class PenalisedFit(Linear):
    r"""Minus AIC, BIC, EBIC, GIC or Cp, or adjusted R2, of least squares on all rows.

    With RSS the residual sum of squares and k the number of columns and intercept, AIC = :math:`n
    (\log 2\pi\,\mathrm{RSS}/n + 1) + 2k`, BIC the same with :math:`k \log n`, Cp =
    :math:`\mathrm{RSS}/\hat\sigma^2 - n + 2k` with :math:`\hat\sigma^2` from all columns, and
    adjusted R2 :math:`= 1 - (1 - R^2)(n - 1)/(n - k)` [1]_. With s selected of p columns EBIC adds
    :math:`2 \gamma \log \binom{p}{s}` to BIC [2]_, and GIC has :math:`k \log p \log\log n` in
    place of :math:`k \log n` [3]_. A flip changes RSS by its squared target over its pivot.

    Parameters
    ----------
    blocks : Blocks
        The moments of all rows, one block.
    task : Task
        The regression.
    criterion : {"aic", "bic", "ebic", "gic", "cp", "adjusted-r2"}
        Which of them.
    intercept : bool
        Whether the model has an intercept.
    gamma : float
        Of EBIC, from 0 (BIC) to 1.
    rank_rule : dict
        ``trace_limit`` and ``relative`` of
        :class:`~subsel.criteria.linear.linear_evaluator.Linear`.

    References
    ----------
    .. [1] A. Miller, *Subset Selection in Regression*, 2nd edition, Chapman and Hall, 2002, on
       stopping rules.
    .. [2] Chen and Chen, *Extended Bayesian information criteria for model selection with large
       model spaces*, Biometrika 95(3), 2008.
    .. [3] Fan and Tang, *Tuning parameter selection in high dimensional penalized likelihood*,
       Journal of the Royal Statistical Society B 75(3), 2013.
    """

    def __init__(
        self,
        blocks: Blocks,
        task: Task,
        criterion: str,
        intercept: bool,
        gamma: float,
        rank_rule: dict,
    ) -> None:
        self.gamma = gamma
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
        """Return the residual variance of the model of all columns, for Cp."""
        n, k = self.task.n_rows, self.task.n_columns + self.intercept
        if n <= k:
            raise ValueError(
                f"criterion='cp' needs more rows than columns to estimate the noise, "
                f"got {n} rows and {k - self.intercept} columns."
            )
        return self._residual_squares(np.arange(self.task.n_columns)) / (n - k)

    def _residual_squares(self, columns: np.ndarray) -> float:
        """Return the residual sum of squares of these columns by a direct solver."""
        from scipy.linalg import lstsq

        X = self.blocks.table[columns].T
        left = self._centred - X @ lstsq(X, self._centred, cond=1e-6)[0]
        return float(left @ left)

    def _after_build(self) -> None:
        """Compute the residual sum of squares at the state."""
        # RSS = |y|^2 - c_S' P c_S, with y about its mean and P c_S the coefficients.
        state = self.state
        assert state is not None
        explained = state.target[0, state.columns, 0] * self.blocks.targets[0, state.columns, 0]
        self.squares = self.total - float(explained.sum())

    def _after_flip(self, flip: Flip) -> None:
        """Update the residual sum of squares at the state."""
        self.squares -= flip.sign * float(flip.target[0, 0] ** 2 / flip.pivot[0])

    def _qualities(
        self,
        first: np.ndarray,
        weight: np.ndarray,  # noqa: ARG002
        bias: np.ndarray,
        second: np.ndarray | None = None,
        weight2: np.ndarray | None = None,  # noqa: ARG002
    ) -> np.ndarray:
        """Return the qualities (C,) of flips; NaN where the fit is too exact for moments.

        With ``half=1`` the bias of a flip is the change of RSS: minus its squared target over its
        pivot, or plus for leaving.
        """
        assert self.state is not None
        size = len(self.state.columns)
        if second is None:
            size += int(self.state.sign[first[0]])
        squares = self.squares + bias[0, :, 0]
        return np.where(squares > _EXACT_FIT * self.total, self._quality(squares, size), np.nan)

    def _alone(self, columns: np.ndarray) -> float:
        """Return the quality of one subset by a direct solver, counted as a refit."""
        self.n_refits += 1
        return float(self._quality(np.array(self._residual_squares(columns)), len(columns)))

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality alone, since no row is held out."""
        columns = np.asarray(columns)
        return Evaluation(
            float(self._quality(np.array(self._residual_squares(columns)), len(columns)))
        )

    def _quality(self, squares: np.ndarray, size: int) -> np.ndarray:
        """Return the criterion, larger is better, from residual sums of squares (C,) at a size."""
        n, k = self.task.n_rows, size + self.intercept
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.criterion == "cp":
                return -(squares / self.variance - n + 2 * k)
            if self.criterion == "adjusted-r2":
                if n <= k:
                    return np.full_like(squares, -np.inf)
                return 1 - squares / self.total * (n - self.intercept) / (n - k)
            return -(n * (np.log(2 * np.pi * squares / n) + 1) + self._penalty(size, k))

    def _penalty(self, size: int, k: int) -> float:
        """Return what AIC, BIC, EBIC or GIC add for so many columns, and parameters."""
        n, p = self.task.n_rows, self.task.n_columns
        if self.criterion == "aic":
            return 2.0 * k
        if self.criterion == "gic":
            return float(k * np.log(max(p, 2)) * np.log(np.log(max(n, 3))))
        penalty = k * np.log(n)
        if self.criterion == "ebic":
            # log of the binomial coefficient by the logarithm of the gamma function, which does not
            # overflow
            ways = gammaln(p + 1) - gammaln(size + 1) - gammaln(p - size + 1)
            penalty += 2 * self.gamma * ways
        return float(penalty)
