"""Prune the columns to which models on most of the rows are least sensitive, against a random column as gauge."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.importance.sensitivity import range_sensitivity
from subsel.embedded.relevance_selector import check_n_features
from subsel.embedded.targets import kind_of

__all__ = ["SensitivityPruning"]


class SensitivityPruning(ColumnSelector):
    """Average the sensitivities of models that each leave out a tenth of the rows, drop the least tenth, and so on.

    With ``n_features`` pruning ends there. Without it a uniform random column takes part in every
    round; whatever is less sensitive than it is dropped, and the end is a round in which nothing
    is.

    Parameters
    ----------
    estimator : estimator, optional
        The model; None is ridge regression on the target (classes are numbered).
    n_features : int, optional
        How many columns to keep; None lets the random column decide.
    n_models : int, default=10
        Models in every round.
    left_out : float, default=0.1
        Share of the rows that each leaves out.
    drop : float, default=0.1
        Share of the columns dropped a round, one at least.
    scale : bool, default=True
        Divide the columns by their standard deviations. Otherwise models see them centred only,
        each at its own scale; either way a column is moved by two standard deviations.
    random_state : int, RandomState or None
        Of the rows left out and the random column.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns: those kept by falling sensitivity, then those dropped, the last dropped first.
    sensitivities_ : ndarray of shape (n_columns,)
        In the last round, zero where dropped.
    support_ : ndarray of bool
        Mask of the selected columns.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct
       kernel PLS*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter
       21.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 8))
    >>> SensitivityPruning(n_features=2, random_state=0).fit(X, X[:, 1] - 2 * X[:, 6]).get_support(indices=True)
    array([1, 6])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features: int | None = None,
        n_models: int = 10,
        left_out: float = 0.1,
        drop: float = 0.1,
        scale: bool = True,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_features = n_features
        self.n_models = n_models
        self.left_out = left_out
        self.drop = drop
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> SensitivityPruning:
        """Train, average, drop, until the end."""
        X, y = self._receive(X, y)
        kind = None
        if self.estimator is not None:
            kind = kind_of(self.estimator)
        task = Task.of(X, y, kind)
        n, rng = task.n_columns, check_random_state(self.random_state)
        check_n_features(self.n_features, n)
        left, dropped = np.arange(n), np.empty(0, dtype=int)
        while True:
            values, gauge = self._round(task, left, rng)
            out = self._dropped(values, gauge)
            if not len(out):
                break
            dropped = np.concatenate([left[out][::-1], dropped])
            left = np.delete(left, out)
        self.sensitivities_ = np.zeros(n)
        self.sensitivities_[left] = values
        self.ranking_ = np.concatenate([left[np.argsort(-values, kind="stable")], dropped])
        self.support_ = np.isin(np.arange(n), left)
        return self

    def _round(
        self, task: Task, left: np.ndarray, rng: np.random.RandomState
    ) -> tuple[np.ndarray, float]:
        """Mean sensitivities of the columns that are left, and of the random one."""
        table = task.matrix[:, left]
        if self.n_features is None:
            table = np.column_stack([table, rng.uniform(size=task.n_rows)])
        scaler = StandardScaler()
        Z = scaler.fit_transform(table)
        if not self.scale:
            Z *= scaler.scale_
        reach = 2.0 * Z.std(axis=0)
        total = np.zeros(Z.shape[1])
        for _ in range(self.n_models):
            rows = rng.permutation(task.n_rows)[: max(2, round((1 - self.left_out) * task.n_rows))]
            total += range_sensitivity(self._model(task, Z, rows), Z.shape[1], reach=reach)
        mean = total / self.n_models
        if self.n_features is None:
            return mean[:-1], float(mean[-1])
        return mean, -np.inf

    def _model(self, task: Task, Z: np.ndarray, rows: np.ndarray) -> Any:
        if self.estimator is not None:
            return clone(self.estimator).fit(Z[rows], task.y[rows])
        from sklearn.linear_model import Ridge

        target = task.y
        if task.kind == "classification":
            target = task.codes
        return Ridge().fit(Z[rows], target[rows])

    def _dropped(self, values: np.ndarray, gauge: float) -> np.ndarray:
        """Which to drop, the least first; none at the end."""
        order = np.argsort(values, kind="stable")
        n = max(1, int(self.drop * len(values)))
        if self.n_features is not None:
            return order[: min(n, len(values) - self.n_features)]
        under = order[values[order] < gauge]
        return under[: min(len(under), len(values) - 1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
