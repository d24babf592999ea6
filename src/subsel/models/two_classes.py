"""Base classes of classifiers for two classes: checks of rows and labels, and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

__all__ = ["BinaryClassifier", "BinaryDecision"]


class _TwoClasses(ClassifierMixin, BaseEstimator):
    """A base class that checks the rows and labels of two classes.

    For more than two classes, wrap the classifier in ``sklearn.multiclass.OneVsRestClassifier``.
    """

    classes_: np.ndarray
    _accept_sparse: str | bool = False

    def _receive(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Set ``classes_``, code the classes as 0.0 and 1.0, and drop rows of weight zero.

        Returns the rows (m, n), the codes (m,) and the row weights (m,), all positive.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse=self._accept_sparse)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        used = weights > 0
        self.classes_, codes = np.unique(y[used], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y must hold two classes, got one class only ({y[0]!r}).")
        return X[used], codes.astype(np.float64), weights[used]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = bool(self._accept_sparse)
        return tags


class BinaryClassifier(_TwoClasses):
    """A classifier for two classes by the probability of the second one.

    A subclass implements ``_positive(X)``, which gives that probability for each row.
    """

    def _positive(self, X: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Give the probability of the second class of each row."""
        raise TypeError(f"{type(self).__name__} must implement _positive.")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probability of each class, one row per row of X."""
        check_is_fitted(self)
        positive = self._positive(validate_data(self, X, dtype=np.float64, reset=False))
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Any) -> np.ndarray:
        """Give the more probable class of each row."""
        positive = self.predict_proba(X)[:, 1] > 0.5
        return self.classes_[positive.astype(int)]


class BinaryDecision(_TwoClasses):
    """A classifier for two classes by the sign of a number.

    A subclass implements ``_decide(X)``, which gives a number per row, positive for the second
    class.
    """

    def _decide(self, X: Any) -> np.ndarray:  # noqa: ARG002
        """Give a number per row that is positive for the second class."""
        raise TypeError(f"{type(self).__name__} must implement _decide.")

    def decision_function(self, X: Any) -> np.ndarray:
        """Give a number per row, the larger the more certain the second class is."""
        check_is_fitted(self)
        return self._decide(
            validate_data(self, X, dtype=np.float64, accept_sparse=self._accept_sparse, reset=False)
        )

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of each row."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]
