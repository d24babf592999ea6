"""Selection by a transductive support vector machine, which uses unlabelled rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.data.columns import ColumnSelector
from subsel.models.planes.transductive_svm import TransductiveSVM
from subsel.ranking.scores.moments.fisher import fisher

__all__ = ["TransductiveSelector", "kernel_sizes"]


class TransductiveSelector(ClassifierMixin, ColumnSelector):
    r"""Keep the columns that a transductive support vector machine uses most [1]_.

    - ``method="filter"``: those of the largest Fisher ratio on the labelled rows.
    - ``method="rfe"``: train, drop the share of columns of least size :math:`s_t`, and so on.
    - ``method="multiplicative"``: train on scaled columns, multiply the scales by :math:`s_t`, drop
      the smallest, and so on.

    Here :math:`s_t^2 = |J - J_{(-t)}|` is the change of the machine's objective when column t is
    removed from the kernel and the coefficients stay the same. The machine trained on the columns
    kept, with the unlabelled rows, predicts.

    Parameters
    ----------
    n_features : int
        Number of columns to keep.
    method : {"filter", "rfe", "multiplicative"}
        How columns are ranked, as above.
    estimator : TransductiveSVM or None
        The machine; None stands for one with a linear kernel. Without unlabelled rows it is an
        ordinary support vector machine.
    step : float
        Share of the columns dropped in a round, at least one column.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns kept.
    ranking_ : ndarray of int
        All columns: the dropped ones last, those dropped first at the very end.
    estimator_ : TransductiveSVM
        The machine trained on the columns kept.

    Notes
    -----
    An error measured on the unlabelled rows is no estimate of the error on other rows. In [1]_ the
    number of columns, C, :math:`C^*` and the kernel's parameters are tuned by cross-validation.

    References
    ----------
    .. [1] Wu and Li, *Feature selection with transductive support vector machines*, in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 13, sections 13.3 and 13.4.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> y = (X[:, 2] > 0).astype(int)
    >>> TransductiveSelector(1).fit(X[:20], y[:20], unlabelled=X[20:]).get_support(indices=True)
    array([2])
    """

    def __init__(
        self,
        n_features: int = 1,
        *,
        method: Literal["filter", "rfe", "multiplicative"] = "rfe",
        estimator: TransductiveSVM | None = None,
        step: float = 0.5,
    ) -> None:
        self.n_features = n_features
        self.method = method
        self.estimator = estimator
        self.step = step

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> TransductiveSelector:
        """Rank the columns and train on those kept."""
        if self.method not in ("filter", "rfe", "multiplicative"):
            raise ValueError(
                f"method must be 'filter', 'rfe' or 'multiplicative', got {self.method!r}."
            )
        if not 0 < self.step < 1:
            raise ValueError(f"step must lie strictly between 0 and 1, got {self.step!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        if not 1 <= self.n_features <= X.shape[1]:
            raise ValueError(f"n_features must lie in [1, {X.shape[1]}], got {self.n_features!r}.")
        other = None
        if unlabelled is not None:
            other = validate_data(self, unlabelled, dtype=np.float64, reset=False)
        if self.method == "filter":
            self.ranking_ = np.argsort(-fisher(X, y), kind="stable")
        else:
            self.ranking_ = self._by_elimination(X, y, other)
        kept = np.sort(self.ranking_[: self.n_features])
        self.support_ = np.isin(np.arange(X.shape[1]), kept)
        self.estimator_ = self._trained(X, y, other, kept)
        self.classes_ = self.estimator_.classes_
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the machine for each row, positive for the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.estimator_.decision_function(X[:, self.support_])

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def _trained(
        self,
        X: np.ndarray,
        y: np.ndarray,
        other: np.ndarray | None,
        columns: np.ndarray,
        scales: Any = 1.0,
    ) -> TransductiveSVM:
        """Train a machine on some columns, each times its scale."""
        machine = TransductiveSVM()
        if self.estimator is not None:
            machine = clone(self.estimator)
        if other is not None:
            other = other[:, columns] * scales
        return machine.fit(X[:, columns] * scales, y, other)

    def _by_elimination(self, X: np.ndarray, y: np.ndarray, other: np.ndarray | None) -> np.ndarray:
        """Rank all columns by recursive elimination; those dropped first come last."""
        scales, left = np.ones(X.shape[1]), np.arange(X.shape[1])
        dropped: list[np.ndarray] = []
        while True:
            machine = self._trained(X, y, other, left, scales[left])
            sizes = kernel_sizes(machine)
            if self.method == "multiplicative" and sizes.any():
                scales[left] *= sizes / sizes.max()
                sizes = scales[left]
            order = left[np.argsort(-sizes, kind="stable")]
            keep = max(self.n_features, min(len(left) - 1, round((1 - self.step) * len(left))))
            if len(left) <= self.n_features:
                return np.concatenate([order, *reversed(dropped)])
            dropped.append(order[keep:])
            left = np.sort(order[:keep])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags.multi_class = False
        return tags


def kernel_sizes(machine: TransductiveSVM) -> np.ndarray:
    r"""Compute the root of the change of a machine's objective when each column is removed.

    The coefficients stay the same, so that the change is :math:`|c^T (K - K^{(-t)}) c| / 2`; for a
    linear kernel its root is :math:`|w_t| / \sqrt 2`.

    >>> machine = TransductiveSVM(C=10.0).fit(np.array([[0.0, 1.0], [2.0, 1.0]]), [0, 1])
    >>> kernel_sizes(machine).round(4)
    array([0.7071, 0.    ])
    """
    X, c = machine.X_fit_, machine.coefficients_
    if machine.kernel == "linear":
        return np.abs(c @ X) / np.sqrt(2)
    norm = c @ machine._kernel(X, X) @ c
    gamma = machine.gamma
    if gamma is None:
        gamma = 1 / X.shape[1]
    rest = clone(machine).set_params(gamma=gamma)
    without = [np.delete(X, t, axis=1) for t in range(X.shape[1])]
    if X.shape[1] == 1:
        without = [np.zeros((len(X), 1))]
    return np.sqrt(np.abs([norm - c @ rest._kernel(part, part) @ c for part in without]) / 2)
