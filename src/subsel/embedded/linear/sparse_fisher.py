"""Fisher's linear discriminant with few weights, as a selector."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from subsel.data.task import Task
from subsel.embedded.two_classes import TwoClassSelector, check_two_classes
from subsel.models.planes.sparse_fisher import sparse_fisher

__all__ = ["SparseFisher"]


class SparseFisher(TwoClassSelector):
    """Keep the columns that have a weight in the sparse Fisher discriminant of two classes.

    Columns are standardised. The criterion [1]_, [2]_ is that of
    :func:`subsel.models.planes.sparse_fisher.sparse_fisher`. On a kernel matrix, where it selects
    rows, it is ``KernelDiscriminant(form="sparse-fisher")``.

    Parameters
    ----------
    penalty : float
        Penalty of the weights, as a share of the least for which all weights are 0; in (0, 1).

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The discriminant, for the table as given; its class means are -1 and 1.
    ranking_ : ndarray of int
        All columns, by the size of the weight of the standardised column.
    support_ : ndarray of bool
        Mask of the columns with a weight; the first column if none has one.
    classes_ : ndarray
        The two classes.

    References
    ----------
    .. [1] Mika, Rätsch and Müller, *A mathematical programming approach to the kernel Fisher
       algorithm*, NIPS 13, 2001.
    .. [2] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 5, section 5.4.5.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 20))
    >>> SparseFisher(0.4).fit(X, X[:, 4] > X[:, 9]).get_support(indices=True)
    array([4, 9])
    """

    def __init__(self, penalty: float = 0.1) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> SparseFisher:
        """Compute the discriminant, and select the columns with a weight."""
        if not 0 < self.penalty < 1:
            raise ValueError(f"penalty must lie between 0 and 1, got {self.penalty!r}.")
        X, y = self._receive(X, y)
        check_two_classes(y)
        task = Task.of(X, y, "classification")
        self.classes_ = task.classes
        scaler = StandardScaler().fit(task.matrix)
        weights, intercept = sparse_fisher(
            scaler.transform(task.matrix), task.codes == 1, self.penalty
        )
        self.ranking_ = np.argsort(-np.abs(weights), kind="stable")
        self.support_ = weights != 0
        self.support_[0] |= not self.support_.any()
        self.coef_ = weights / scaler.scale_
        self.intercept_ = intercept - float(scaler.mean_ @ self.coef_)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the discriminant for each row, positive for the second class."""
        check_is_fitted(self, "coef_")
        return np.asarray(self.transform(X) @ self.coef_[self.support_]) + self.intercept_
