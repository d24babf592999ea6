"""The potential support vector machine as a selector: a lasso with bounded weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.design import numbers, signs, unit_columns
from subsel.embedded.relevance_selector import check_n_features

__all__ = ["PotentialSVM"]

TOLERANCE = 1e-10  # the solver ends when the fit changes by less, relative to the target's norm
BISECTIONS = 40  # at most, in the search for an epsilon


class PotentialSVM(ColumnSelector):
    r"""Keep the features that a linear model needs to have small products with its error [1]_.

    On standardised columns F and a centred target, the dual of
    :math:`\min \|Fw\|^2 / 2 \;\text{s.t.}\; |F^T(Fw - y)| \le m\varepsilon` is a lasso, and slack
    of cost C in the constraints bounds its weights:

    .. math:: \min_a \; \tfrac{1}{2m} \|y - Fa\|^2 + \varepsilon \|a\|_1, \qquad |a_j| \le C

    With C infinite it is the lasso. The smaller C, the more redundant features are kept; for very
    small C it is a correlation filter, which keeps the features whose mean product with the target
    exceeds :math:`\varepsilon`.

    Parameters
    ----------
    epsilon : float
        Largest mean product with the error of a feature that is not kept; the ``alpha`` of
        ``Lasso``. (In [1]_ it is the sum over the rows.)
    C : float
        Bound of the absolute weights.
    n_features : int, optional
        Number of features to keep. If given, it replaces `epsilon`, which is lowered until at least
        this number has a weight; the first of them are kept.

    Attributes
    ----------
    weights_ : ndarray
        a, one per column; positive for the second class.
    ranking_ : ndarray of int
        All columns, by the size of the weight; columns at the bound by their product with the
        error.
    support_ : ndarray of bool
        Mask of the columns kept.
    epsilon_ : float
        The epsilon used.
    coef_, intercept_ : ndarray, float
        The model, for the table as given.
    classes_ : ndarray or None
        The two classes; None in regression.

    References
    ----------
    .. [1] Hochreiter and Obermayer, *Nonlinear feature selection with the potential support vector
       machine*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 19, sections 19.2 and
       19.3 (that the dual is a lasso is not said there).

    Examples
    --------
    >>> X = np.array([[-2.0, 3], [2, -3], [-2, 1], [2, -1]])
    >>> PotentialSVM(epsilon=0.001).fit(X, X[:, 0] + X[:, 1]).get_support(indices=True)
    array([0, 1])
    """

    def __init__(
        self, epsilon: float = 0.1, *, C: float = np.inf, n_features: int | None = None
    ) -> None:
        self.epsilon = epsilon
        self.C = C
        self.n_features = n_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PotentialSVM:
        """Solve the bounded lasso."""
        X, y = self._receive(X, y)
        task = Task.of(X, y, sample_weight=sample_weight)
        self._check_parameters(task.n_columns)
        weight, response = task.row_weights, self._response(task)
        centre = np.average(response, weights=weight)
        F = unit_columns(task.matrix, weight, centre=True)
        root = np.sqrt(weight / weight.sum())
        rows, target = np.ascontiguousarray((F * root[:, None]).T), (response - centre) * root
        self.epsilon_, self.weights_ = self._solve(rows, target)
        self._rank(rows @ (target - self.weights_ @ rows))
        self._unscale(task.matrix, weight, float(centre))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class, or the number, of each row."""
        values = self.decision_function(X)
        if self.classes_ is None:
            return values
        return self.classes_[(values > 0).astype(int)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the linear model for each row."""
        check_is_fitted(self, "coef_")
        return self.transform(X) @ self.coef_[self.support_] + self.intercept_

    def _check_parameters(self, n_columns: int) -> None:
        if not (self.epsilon >= 0 and self.C > 0):
            raise ValueError(
                f"epsilon must not be negative and C positive, got {self.epsilon!r} and {self.C!r}."
            )
        check_n_features(self.n_features, n_columns)

    def _response(self, task: Task) -> np.ndarray:
        """Encode two classes as -1 and 1, other targets as numbers; sets `classes_`."""
        self.classes_ = None
        if task.kind == "classification" and len(task.classes) == 2:
            self.classes_ = task.classes
            return signs(task.y)
        return numbers(task.y)

    def _solve(self, rows: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
        """Solve for epsilon as given, or for the one, by bisection, with enough features.

        Parameters
        ----------
        rows : ndarray of shape (columns, rows of the table)
            The columns of F, each row times the root of its share of the weight.
        target : ndarray of shape (rows of the table,)
            The centred target, weighted in the same way.

        Returns
        -------
        epsilon : float
        weights : ndarray of shape (columns,)
        """
        if self.n_features is None:
            return self.epsilon, bounded_lasso(rows, target, self.epsilon, self.C)
        low, high = 0.0, float(np.abs(rows @ target).max())
        weights = bounded_lasso(rows, target, high / 2, self.C)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            weights = bounded_lasso(rows, target, middle, self.C, weights)
            n = np.count_nonzero(weights)
            if n == self.n_features or high - low < 1e-9 * high:
                break
            if n < self.n_features:
                high = middle
            else:
                low = middle
        else:
            weights = bounded_lasso(rows, target, low, self.C, weights)
        return middle, weights

    def _rank(self, products: np.ndarray) -> None:
        """Set `ranking_` and `support_` from the weights and the products with the error."""
        self.ranking_ = np.lexsort((-np.abs(products).round(12), -np.abs(self.weights_).round(12)))
        self.support_ = self.weights_ != 0
        if self.n_features is not None:
            first = np.isin(np.arange(len(products)), self.ranking_[: self.n_features])
            self.support_ &= first

    def _unscale(self, X: np.ndarray, weight: np.ndarray, centre: float) -> None:
        """Set `coef_` and `intercept_`, for the table as given."""
        share = weight / weight.sum()
        mean = share @ X
        spread = np.sqrt(share @ (X - mean) ** 2)
        kept = np.where(self.support_, self.weights_, 0.0)
        self.coef_ = np.divide(kept, spread, out=np.zeros(len(spread)), where=kept != 0)
        self.intercept_ = centre - float(mean @ self.coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # a sparse table is made dense, since columns are centred
        return tags


def bounded_lasso(
    rows: np.ndarray, target: np.ndarray, epsilon: float, C: float, start: np.ndarray | None = None
) -> np.ndarray:
    r"""Minimise :math:`\|y - Fa\|^2 / 2 + \varepsilon \|a\|_1` over :math:`|a_j| \le C`.

    Parameters
    ----------
    rows : ndarray of shape (columns, rows of F)
        The transpose of F.
    target : ndarray of shape (rows of F,)
        The vector y.
    epsilon, C : float
        The penalty and the bound.
    start : ndarray of shape (columns,), optional
        Weights to start from; 0 by default.
    """
    from subsel._loops.linear.box_lasso import box_lasso

    weights = np.zeros(len(rows)) if start is None else start.copy()
    tolerance = TOLERANCE * float(np.linalg.norm(target))
    box_lasso(rows, np.ascontiguousarray(target), float(epsilon), float(C), weights, tolerance)
    return weights
