"""Recursive elimination of a linear machine down to the fewest support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.models.relevance import weight_norms

__all__ = ["FewestSupportVectors"]

ONE_BY_ONE = 16  # from this number of columns on, one is dropped at a time


class FewestSupportVectors(ColumnSelector):
    """Recursive elimination that keeps the set of columns with the fewest support vectors [1]_.

    A linear support vector machine is trained, the columns of smallest weight are dropped, and so
    on. The share of support vectors bounds the leave-one-out error: it falls as noise is dropped
    and rises again when relevant columns are. Of several sets with the fewest, the smallest is
    kept. The method is meant for classes with so few rows that none can be held out.


    Parameters
    ----------
    C : float, default=1.0
        Cost of a row on the wrong side; classes have equal total weight.
    drop : float, default=0.5
        Share of the columns dropped in a round; one at a time once 16 are left.

    Attributes
    ----------
    path_ : list of ndarray
        The columns of every round.
    n_support_vectors_ : list of int
        The number of support vectors in every round.
    support_ : ndarray of bool
        Mask of the selected columns.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*,
       in Guyon, Gunn, Nikravesh and       Zadeh (eds.), *Feature Extraction*, 2006, chapter 31,
       which does not print the share dropped.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 40)), np.arange(60) % 2
    >>> X[:, 7] += 6 * y
    >>> FewestSupportVectors().fit(X, y).get_support(indices=True)
    array([7])
    """

    def __init__(self, C: float = 1.0, drop: float = 0.5) -> None:
        self.C = C
        self.drop = drop

    def fit(self, X: Any, y: Any) -> FewestSupportVectors:
        """Train and eliminate until no column is left, and choose a set."""
        X, y = self._receive(X, y)
        task = Task.of(X, y, "classification")
        if not 0 < self.drop < 1:
            raise ValueError(f"drop must lie between 0 and 1, got {self.drop!r}.")
        self.path_, self.n_support_vectors_ = [], []
        left = np.arange(task.n_columns)
        while len(left):
            machine = SVC(kernel="linear", C=self.C, class_weight="balanced").fit(
                task.matrix[:, left], task.y
            )
            self.path_.append(left)
            self.n_support_vectors_.append(len(machine.support_))
            left = left[self._remaining(weight_norms(machine.coef_))]
        fewest = min(self.n_support_vectors_)
        chosen = min(
            (s for s, n in zip(self.path_, self.n_support_vectors_) if n == fewest), key=len
        )
        self.support_ = np.isin(np.arange(task.n_columns), chosen)
        return self

    def _remaining(self, weights: np.ndarray) -> np.ndarray:
        """Choose the columns of the next round by their absolute weights.

        Columns without a weight are dropped first; if all have one, the smallest weights.
        """
        used = np.flatnonzero(weights > 0)
        if 0 < len(used) < len(weights):
            return used
        n = 1
        if len(weights) > ONE_BY_ONE:
            n = max(1, int(self.drop * len(weights)))
        return np.sort(np.argsort(weights, kind="stable")[n:])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
