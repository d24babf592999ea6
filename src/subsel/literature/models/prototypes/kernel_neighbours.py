"""Nearest neighbours by similarity: the score of a class is a sum of kernels over similar rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import normalize
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.decisions import class_decision, decided_codes
from subsel.models.kernels import Kernel, find_kernel

__all__ = ["KernelNeighbours"]


class KernelNeighbours(ClassifierMixin, BaseEstimator):
    """A classifier that sums a kernel over the k most similar rows of each class [1]_.

    Parameters
    ----------
    n_neighbors : int
        The number k of rows.
    kernel : str or callable
        A name (see `subsel.models.kernels.KERNELS`) or a function of two tables. The source uses
        ``"linear"`` on rows of counts.
    kernel_params : mapping, optional
        Parameters of the kernel.
    among : {"class", "all"}
        Whether the sum is over the k most similar rows of the class, or over the rows of the class
        among the k most similar rows of all. The wording of the source admits both.
    normalise : {"l1", "l2"} or None
        The norm to which rows are scaled first. Without it, classes of long rows have the largest
        scores.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_rows, n_features)
        The (normalised) training rows.
    codes_ : ndarray of shape (n_rows,)
        Indices of their classes.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*,
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31.

    Examples
    --------
    >>> X = np.array([[3.0, 0.0], [2.0, 1.0], [0.0, 9.0], [1.0, 8.0]])
    >>> model = KernelNeighbours(1).fit(X, ["a", "a", "b", "b"])
    >>> model.predict(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        kernel: str | Kernel = "linear",
        kernel_params: Mapping[str, Any] | None = None,
        among: Literal["class", "all"] = "class",
        normalise: Literal["l1", "l2"] | None = "l2",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.among = among
        self.normalise = normalise

    def fit(self, X: Any, y: Any) -> KernelNeighbours:
        """Store the rows."""
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors must be at least 1, got {self.n_neighbors!r}.")
        if self.among not in ("class", "all"):
            raise ValueError(f"among must be 'class' or 'all', got {self.among!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        self.X_fit_ = self._normalised(X)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of the classes for each row, of shape (n_rows, n_classes).

        For two classes it is their difference, of shape (n_rows,), positive for the second class.
        """
        check_is_fitted(self)
        X = self._normalised(validate_data(self, X, dtype=np.float64, reset=False))
        K = find_kernel(self.kernel, **(self.kernel_params or {}))(X, self.X_fit_)
        if self.among == "all":
            least = -np.sort(-K, axis=1)[:, min(self.n_neighbors, K.shape[1]) - 1]
            K = np.where(least[:, None] <= K, K, 0.0)
        scores = np.column_stack(
            [self._class_score(K[:, self.codes_ == c]) for c in range(len(self.classes_))]
        )
        return class_decision(scores)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest score for each row."""
        codes = decided_codes(self.decision_function(X))
        return self.classes_[codes]

    def _class_score(self, K: np.ndarray) -> np.ndarray:
        """Return the score of a class from the kernels with its rows, of shape (n_rows, n_own)."""
        if self.among == "all":
            return K.sum(axis=1)
        return -np.sort(-K, axis=1)[:, : self.n_neighbors].sum(axis=1)

    def _normalised(self, X: np.ndarray) -> np.ndarray:
        if self.normalise is None:
            return X
        return normalize(X, norm=self.normalise)
