"""Information complexity of least squares: misfit plus complexity of the coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.refits.icomp import COMPLEXITIES, icomp
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters

__all__ = ["IcompRegression"]


@criterion("icomp")
@dataclass(frozen=True)
class IcompRegression(Parameters):
    r"""Minus the information complexity of least squares on the subset [1]_ [2]_.

    .. math:: n \log 2\pi\hat\sigma^2 + n + 2\, C(\hat F^{-1}), \qquad
        \hat F^{-1} = \mathrm{diag}\big(\hat\sigma^2 (A^T A)^{-1},\; 2 \hat\sigma^4 / n\big)

    A is the table of standardised columns with a constant; in their original units, the complexity
    would depend on the units. Where the columns of a subset are linearly dependent, the
    pseudo-inverse replaces the inverse.

    Parameters
    ----------
    complexity : {"c1", "c1f"}, default="c1"
        By the means of the eigenvalues, or by their squared deviations; see
        :func:`~subsel.criteria.refits.icomp.entropic_complexity` and
        :func:`~subsel.criteria.refits.icomp.frobenius_complexity`.

    References
    ----------
    .. [1] Bozdogan, *Akaike's information criterion and recent developments in information
       complexity*, Journal of Mathematical Psychology 44, 2000.
    .. [2] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, section 3.1, equations 9 to 11.

    Examples
    --------
    >>> x = np.arange(12.0)
    >>> task = Task.of(np.column_stack([x, x % 3]), 2 * x + np.sin(x), "regression")
    >>> evaluator = IcompRegression().bind(task)
    >>> [round(evaluator.quality(np.array([j])), 1) for j in (0, 1)]
    [-24.6, -84.8]
    """

    serves: ClassVar[tuple[Kind, ...]] = ("regression",)

    complexity: Literal["c1", "c1f"] = "c1"

    def footprint(self, shape: Shape) -> Footprint:
        """A standardised copy of the table."""
        return Footprint.fixed(3.0 * shape.table)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Standardise the columns."""
        if task.kind != "regression":
            raise ValueError("y must be a quantity for least squares; for classes, use IcompPerf.")
        if self.complexity not in COMPLEXITIES:
            raise ValueError(f"complexity must be 'c1' or 'c1f', got {self.complexity!r}.")
        refuse_weights(task, "IcompRegression")
        return _Complexity(self, task)


class _Complexity(Evaluator):
    """Solves least squares for every subset."""

    traits = Traits("information complexity of least squares")

    def __init__(self, criterion: IcompRegression, task: Task) -> None:
        X = np.asarray(task.matrix, dtype=np.float64)
        spread = X.std(axis=0)
        self.X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        self.y, self.criterion = task.y.astype(np.float64), criterion

    def quality(self, columns: np.ndarray) -> float:
        """Return minus the criterion; the variance of a perfect fit is bounded by rounding."""
        n = len(self.y)
        A = np.column_stack([np.ones(n), self.X[:, columns]])
        residual = self.y - A @ np.linalg.lstsq(A, self.y, rcond=None)[0]
        variance = max(
            float(residual @ residual) / n, np.finfo(float).eps * max(float(self.y.var()), 1e-300)
        )
        covariance = np.zeros((A.shape[1] + 1,) * 2)
        covariance[:-1, :-1] = variance * np.linalg.pinv(A.T @ A, hermitian=True)
        covariance[-1, -1] = 2 * variance**2 / n
        log_likelihood = -n / 2 * (np.log(2 * np.pi * variance) + 1)
        return -float(icomp(log_likelihood, covariance, self.criterion.complexity))
