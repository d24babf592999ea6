"""Nearest neighbours by similarity: a class scores the sum of a kernel over its most similar rows."""

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
    """Score each class by the kernel summed over the k rows most similar to a new one [1]_.

    Parameters
    ----------
    n_neighbors : int
        k.
    kernel : str or callable
        A name (see `subsel.models.kernels.KERNELS`) or a function of two tables; ``"linear"`` on
        rows of counts.
    kernel_params : mapping, optional
        Its parameters.
    among : {"class", "all"}
        Whether the k rows are the most similar *of the class*, or those of the class among the k
        most similar of all; the wording of the source admits both.
    normalise : {"l1", "l2"} or None
        Bring rows to this norm first. Without, classes of long rows attract everything.

    Attributes
    ----------
    X_fit_, codes_ : ndarray
        The (normalised) training rows, and the numbers of their classes.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*,
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31.

    Examples
    --------
    >>> X = np.array([[3.0, 0.0], [2.0, 1.0], [0.0, 9.0], [1.0, 8.0]])
    >>> KernelNeighbours(1).fit(X, ["a", "a", "b", "b"]).predict(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
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
        """Keep the rows."""
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
        """Return the score of each class; of two classes the difference, positive for the second."""
        check_is_fitted(self)
        X = self._normalised(validate_data(self, X, dtype=np.float64, reset=False))
        K = find_kernel(self.kernel, **(self.kernel_params or {}))(X, self.X_fit_)
        if self.among == "all":
            least = -np.sort(-K, axis=1)[:, min(self.n_neighbors, K.shape[1]) - 1]
            K = np.where(least[:, None] <= K, K, 0.0)
        scores = np.column_stack(
            [self._of_class(K[:, self.codes_ == c]) for c in range(len(self.classes_))]
        )
        return class_decision(scores)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the largest score."""
        codes = decided_codes(self.decision_function(X))
        return self.classes_[codes]

    def _of_class(self, K: np.ndarray) -> np.ndarray:
        if self.among == "all":
            return K.sum(axis=1)
        return -np.sort(-K, axis=1)[:, : self.n_neighbors].sum(axis=1)

    def _normalised(self, X: np.ndarray) -> np.ndarray:
        if self.normalise is None:
            return X
        return normalize(X, norm=self.normalise)
