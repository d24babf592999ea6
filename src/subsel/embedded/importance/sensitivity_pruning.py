"""Elimination of the columns to which models are least sensitive, or less than to a random one."""

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
    """Backward elimination by sensitivities averaged over models on parts of the rows [1]_.

    In every round several models are trained, each without a tenth of the rows, and the columns of
    least mean sensitivity (:func:`subsel.embedded.range_sensitivity`) are dropped. With
    ``n_features``, a tenth of the columns is dropped until this number is left. Without it, every
    round adds a uniform random column, and all columns of smaller sensitivity are dropped, until
    there are none.

    Parameters
    ----------
    estimator : estimator, optional
        The model; None stands for ridge regression (with classes encoded as numbers).
    n_features : int, optional
        Number of columns to keep; with None, the comparison with a random column decides.
    n_models : int, default=10
        Number of models in every round.
    left_out : float, default=0.1
        Share of the rows that each model leaves out.
    drop : float, default=0.1
        Share of the columns dropped in a round, at least one column.
    scale : bool, default=True
        Whether to divide the columns by their standard deviations. Otherwise they are only
        centred. In both cases a column is varied by two standard deviations.
    random_state : int, RandomState or None
        Seed of the rows left out and of the random column.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns: those kept by falling sensitivity, then those dropped, the last dropped first.
    sensitivities_ : ndarray of shape (n_columns,)
        The sensitivities in the last round, 0 for dropped columns.
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
    >>> selector = SensitivityPruning(n_features=2, random_state=0)
    >>> selector.fit(X, X[:, 1] - 2 * X[:, 6]).get_support(indices=True)
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
        """Eliminate columns round by round."""
        X, y = self._receive(X, y)
        kind = None
        if self.estimator is not None:
            kind = kind_of(self.estimator)
        task = Task.of(X, y, kind)
        n, rng = task.n_columns, check_random_state(self.random_state)
        check_n_features(self.n_features, n)
        left, dropped = np.arange(n), np.empty(0, dtype=int)
        while True:
            values, probe = self._round(task, left, rng)
            weakest = self._dropped(values, probe)
            if not len(weakest):
                break
            dropped = np.concatenate([left[weakest][::-1], dropped])
            left = np.delete(left, weakest)
        self.sensitivities_ = np.zeros(n)
        self.sensitivities_[left] = values
        self.ranking_ = np.concatenate([left[np.argsort(-values, kind="stable")], dropped])
        self.support_ = np.isin(np.arange(n), left)
        return self

    def _round(
        self, task: Task, left: np.ndarray, rng: np.random.RandomState
    ) -> tuple[np.ndarray, float]:
        """Compute the mean sensitivities to the remaining columns and to a random one.

        The latter is minus infinity if there is none.
        """
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
        """Train a model on some rows of the standardised table Z."""
        if self.estimator is not None:
            return clone(self.estimator).fit(Z[rows], task.y[rows])
        from sklearn.linear_model import Ridge

        target = task.y
        if task.kind == "classification":
            target = task.codes
        return Ridge().fit(Z[rows], target[rows])

    def _dropped(self, values: np.ndarray, probe: float) -> np.ndarray:
        """Choose the places of the columns to drop, the least sensitive first."""
        order = np.argsort(values, kind="stable")
        n = max(1, int(self.drop * len(values)))
        if self.n_features is not None:
            return order[: min(n, len(values) - self.n_features)]
        below_probe = order[values[order] < probe]
        return below_probe[: min(len(below_probe), len(values) - 1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
