"""Base classes of selectors that learn one scale per input of a kernel machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from subsel.data.columns import ColumnSelector
from subsel.data.storage import dense
from subsel.data.task import Kind, Task
from subsel.embedded.design import signs
from subsel.embedded.relevance_selector import check_n_features
from subsel.embedded.svm.dual import Dual, hard_margin
from subsel.embedded.svm.scaled_kernels import ScaledKernel
from subsel.embedded.two_classes import TwoClassSelector, check_two_classes

__all__ = ["VANISHED", "ScaledClassifier", "ScaledMachine", "ScaledRegressor", "kept_standardised"]

VANISHED = 1e-6  # a scale below this share of the largest counts as zero


def kept_standardised(selector: Any, X: Any) -> np.ndarray:
    """Standardise the columns that a fitted selector keeps, of any rows, by its ``scaler_``."""
    check_is_fitted(selector, "support_")
    kept = np.asarray(dense(selector.transform(X)), dtype=float)
    return (kept - selector.scaler_.mean_[selector.support_]) / selector.scaler_.scale_[
        selector.support_
    ]


class ScaledMachine(ColumnSelector):
    """A selector and predictor by a kernel machine on scaled inputs.

    A subclass implements ``_learn_scales(Z, target)``, which returns a scale for each standardised
    column, ``_target(task)`` and ``_dual(K, target)``, which trains a machine on a kernel matrix.
    It has the parameters ``n_features``, ``C``, ``kernel`` and ``gamma``.
    """

    n_features: int | None
    C: float
    kernel: Any
    gamma: float | None
    _kind: Kind
    _target: Callable[[Task], np.ndarray]
    _dual: Callable[[np.ndarray, np.ndarray], Dual]
    _learn_scales: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def fit(self, X: Any, y: Any) -> Any:
        """Learn the scales, keep the inputs of the largest, and train a machine on those."""
        X, y = self._receive(X, y)
        task = self._read(X, y)
        self._check(task)
        self.scaler_ = StandardScaler().fit(task.matrix)
        Z, target = self.scaler_.transform(task.matrix), self._target(task)
        self.scales_ = self._learn_scales(Z, target)
        self.ranking_ = np.argsort(-self.scales_, kind="stable")
        n_kept = int(np.count_nonzero(self.scales_ > VANISHED * self.scales_.max()))
        self.support_ = np.isin(
            np.arange(task.n_columns), self.ranking_[: self.n_features or max(1, n_kept)]
        )
        self._train(Z[:, self.support_], target)
        return self

    def _read(self, X: Any, y: Any) -> Task:
        return Task.of(X, y, self._kind)

    def _check(self, task: Task) -> None:
        check_n_features(self.n_features, task.n_columns)
        if task.n_rows < 2:
            raise ValueError(f"X must have at least two rows, got n_samples={task.n_rows} row.")
        if not self.C > 0:
            raise ValueError(f"C must be positive, got {self.C!r}.")

    def _kernel(self, n_columns: int) -> ScaledKernel:
        gamma = self.gamma
        if gamma is None:
            gamma = 1.0 / n_columns
        return ScaledKernel(self.kernel, gamma)

    def _train(self, Z: np.ndarray, target: np.ndarray) -> None:
        """Train on the kept columns Z at their final scales; sets what `_values` needs."""
        self._theta, self._k = self._final_scales(Z, target) ** 2, self._kernel(len(self.support_))
        dual = self._dual(self._k(Z, self._theta), target)
        used = dual.coef != 0
        self.dual_coef_, self.intercept_, self._rows = dual.coef[used], dual.intercept, Z[used]

    def _final_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Give the scales of the kept columns in the final machine: 1 unless overridden."""
        return np.ones(Z.shape[1])

    def _values(self, X: Any) -> np.ndarray:
        """Compute the value of the final machine for each row."""
        Z = kept_standardised(self, X)
        return self._k(Z, self._theta, self._rows) @ self.dual_coef_ + self.intercept_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class ScaledClassifier(TwoClassSelector, ScaledMachine):
    """A support vector machine of two classes with quadratic slack."""

    _kind = "classification"

    def _read(self, X: Any, y: Any) -> Task:
        check_two_classes(y)
        task = super()._read(X, y)
        self.classes_ = np.unique(y)
        return task

    def _target(self, task: Task) -> np.ndarray:
        return signs(task.y)

    def _dual(self, K: np.ndarray, target: np.ndarray) -> Dual:
        return hard_margin(K + np.eye(len(K)) / self.C, target)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the machine for each row, positive for the second class."""
        return self._values(X)


class ScaledRegressor(RegressorMixin, ScaledMachine):
    """Kernel ridge regression of a centred target."""

    _kind = "regression"

    def _target(self, task: Task) -> np.ndarray:
        return task.y.astype(float)

    def _dual(self, K: np.ndarray, target: np.ndarray) -> Dual:
        mean = float(target.mean())
        return Dual(np.linalg.solve(K + np.eye(len(K)) / self.C, target - mean), mean)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target of each row."""
        return self._values(X)
