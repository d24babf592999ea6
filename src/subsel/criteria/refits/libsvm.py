"""The solver of a linear ``SVC`` of two classes, called without the estimator's checks.

The checks take ten times as long as the solver on small tables.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_class_weight

from subsel.data.task import Task

__all__ = ["LinearSolver"]


class LinearSolver:
    """Computes exactly what ``SVC(kernel="linear")`` of two classes computes.

    It calls the same compiled functions with the same arguments.

    Examples
    --------
    >>> solver = LinearSolver(SVC(kernel="linear"))
    >>> task = Task.of(np.array([[-1.0], [1.0], [-2.0], [3.0]]), [0, 1, 0, 1])
    >>> solver.accuracy(task, np.array([0]), np.array([0, 1]), np.array([2, 3]))
    1.0
    """

    def __init__(self, model: SVC) -> None:
        self.class_weight = model.class_weight
        self.settings = {
            name: getattr(model, name) for name in ("C", "shrinking", "tol", "cache_size")
        }

    @classmethod
    def if_supported(cls, model: Any, task: Task) -> LinearSolver | None:
        """Build it where it supports the model and task, else None.

        It supports valid settings, positive weights, and releases of scikit-learn that have the
        solver.
        """
        # with a limit of iterations, the estimator warns where it is reached
        if type(model) is not SVC or model.kernel != "linear" or model.max_iter != -1:
            return None
        if task.kind != "classification" or len(task.classes) != 2:
            return None
        positive = task.sample_weight is None or bool((task.sample_weight > 0).all())
        if not (positive and _repeats_the_estimator() and _is_valid(model, task)):
            return None
        return cls(model)

    def dual(self, gram: np.ndarray, task: Task) -> np.ndarray:
        """Compute the dual coefficients (n,) of the machine of a Gram matrix (n, n).

        They are 0 for rows that are not support vectors.
        """
        support, _, _, coefficients, *_ = self._fit(gram, task, slice(None), "precomputed")
        dual = np.zeros(len(gram))
        dual[support] = -coefficients[0]  # the estimator's sign is for class 1, the solver's for 0
        return dual

    def accuracy(
        self, task: Task, columns: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> float | None:
        """Compute the share of test rows that a machine of the training rows gets right.

        None where the estimator must handle the case: the table is not an array, the training rows
        lack a class, or the numbers are too large for the solver.
        """
        if (
            not isinstance(task.X, np.ndarray)
            or len(task.classes) != 2
            or np.ptp(task.codes[train]) == 0
        ):
            return None
        from sklearn.svm import _libsvm

        X = task.X[:, columns].astype(np.float64, copy=False)
        machine = self._fit(np.ascontiguousarray(X[train]), task, train, "linear")
        if not (np.isfinite(machine[3]).all() and np.isfinite(machine[4]).all()):
            return None
        cache_size = self.settings["cache_size"]
        found = _libsvm.predict(
            np.ascontiguousarray(X[test]), *machine[:7], kernel="linear", cache_size=cache_size
        )
        return float(np.mean(found == task.codes[test]))

    def _fit(
        self, X: np.ndarray, task: Task, rows: np.ndarray | slice, kernel: str
    ) -> tuple[Any, ...]:
        from sklearn.svm import _libsvm

        y, weight = task.y[rows], task.sample_weight
        _libsvm.set_verbosity_wrap(0)  # otherwise it prints dots
        weights = np.empty(0)
        if weight is not None:
            weights = np.ascontiguousarray(weight[rows])
        return _libsvm.fit(
            np.ascontiguousarray(X),
            task.codes[rows].astype(np.float64),
            kernel=kernel,
            class_weight=self.balance(task.classes, y),
            sample_weight=weights,
            **self.settings,
        )

    def balance(self, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The weight of each class where these are the targets."""
        if self.class_weight is None:
            return np.ones(2)
        return compute_class_weight(self.class_weight, classes=classes, y=y)


def _is_valid(model: SVC, task: Task) -> bool:
    """Whether the settings are valid; if not, the estimator raises the error when fitted."""
    try:
        model._validate_params()
        LinearSolver(model).balance(task.classes, task.y)
    except (AttributeError, ValueError):
        return False
    return True


@cache
def _repeats_the_estimator() -> bool:
    """Whether the private solver reproduces the estimator on a small table."""
    rng = np.random.default_rng(0)
    X, train, test = rng.normal(size=(20, 3)), np.arange(12), np.arange(12, 20)
    weight = rng.uniform(0.5, 2.0, 20)
    task = Task.of(
        X, X[:, 0] + 0.5 * rng.normal(size=20) > 0, "classification", sample_weight=weight
    )
    model = SVC(kernel="linear", class_weight="balanced")
    solver, whole = (
        LinearSolver(model),
        clone(model).set_params(kernel="precomputed").fit(X @ X.T, task.y, weight),
    )
    half = clone(model).fit(X[train], task.y[train], weight[train])
    dual = np.zeros(20)
    dual[whole.support_] = whole.dual_coef_[0]
    try:
        same = np.array_equal(solver.dual(X @ X.T, task), dual)
        return same and solver.accuracy(task, np.arange(3), train, test) == half.score(
            X[test], task.y[test]
        )
    except (AttributeError, ImportError, TypeError, ValueError):  # of another release
        return False
