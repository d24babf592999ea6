"""FSV: feature selection via concave minimisation, by successive linear programmes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from subsel.data.task import Task
from subsel.embedded.design import signs
from subsel.embedded.two_classes import TwoClassSelector, check_two_classes

__all__ = ["FSV", "FSVPlane", "weighted_l1_machine"]

_ZERO = 1e-9  # a weight under this share of the largest is no weight
_LEAST = 1e-9  # by how much the objective must fall to go on


class FSVPlane(NamedTuple):
    """A separating plane: its weights, its intercept, and the mean slack of the rows."""

    weights: np.ndarray
    intercept: float
    slack: float


def weighted_l1_machine(
    X: np.ndarray, sign: np.ndarray, costs: np.ndarray, slack_cost: float | None = None
) -> FSVPlane:
    r"""Minimise :math:`\sum_t c_t |w_t| + s \cdot \mathrm{mean}\,\xi` with :math:`y_k (w \cdot x_k + b) \ge 1 - \xi_k`.

    A linear programme, solved by HiGHS. Without ``slack_cost`` there is no slack, and the rows
    must be separable.

    Examples
    --------
    >>> X = np.array([[-1.0, 3.0], [1.0, 2.0]])
    >>> plane = weighted_l1_machine(X, np.array([-1.0, 1.0]), np.ones(2))
    >>> plane.weights, abs(plane.intercept)
    (array([1., 0.]), 0.0)
    """
    n, p = X.shape
    signed = sign[:, None] * X
    parts: list[Any] = [signed, -signed, sign[:, None]]
    price: list[Any] = [costs, costs, [0.0]]
    if slack_cost is not None:
        parts, price = [*parts, sparse.eye_array(n)], [*price, np.full(n, slack_cost / n)]
    rows = sparse.hstack([sparse.csr_array(part) for part in parts], format="csc")
    bounds = np.tile([0.0, np.inf], (rows.shape[1], 1))
    bounds[2 * p, 0] = -np.inf
    found = linprog(
        np.concatenate(price), A_ub=-rows, b_ub=-np.ones(n), bounds=bounds, method="highs"
    )
    if found.x is None:
        raise ValueError("no plane separates the classes: let rows pay for slack, penalty below 1.")
    weights = found.x[:p] - found.x[p : 2 * p]
    slack = 0.0
    if slack_cost is not None:
        slack = float(found.x[2 * p + 1 :].mean())
    return FSVPlane(weights, float(found.x[2 * p]), slack)


class FSV(TwoClassSelector):
    r"""Keep few inputs of a separating plane: the number of weights, made smooth and concave, is minimised.

    .. math:: \min \; (1 - \lambda) \, \mathrm{mean}_k \, \xi_k + \lambda \sum_t \bigl(1 - e^{-a |w_t|}\bigr),
        \qquad y_k (w \cdot x_k + b) \ge 1 - \xi_k

    The concave term is replaced by its tangent, a linear programme is solved, and so on; the
    objective never rises and the programmes end after finitely many. The first, from w = 0, is the
    machine of L1 penalty. Columns are standardised.

    Parameters
    ----------
    penalty : float
        :math:`\lambda`; 1 allows no slack, for classes that a plane separates.
    a : float
        How steep the smooth count is at zero.
    max_iter : int
        Linear programmes at most. Fewer stop early, which may generalise better where rows are few.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The plane, of the table as it was given; positive for the second class.
    weights_ : ndarray
        The weights of the standardised columns.
    objectives_, n_iter_ : ndarray, int
        After every programme that lowered it, and how many did.
    support_ : ndarray of bool
        Mask of the columns with a weight; the first column where none has.

    References
    ----------
    .. [1] Bradley and Mangasarian, *Feature selection via concave minimization and support vector
       machines*, ICML 1998.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.4.3 and algorithm 3; the form
       with slack is Bradley and Mangasarian's.

    Examples
    --------
    >>> X = np.random.default_rng(3).normal(size=(60, 20))
    >>> X = X[np.abs(X[:, 0] - X[:, 1]) > 0.4]
    >>> FSV(penalty=1.0).fit(X, X[:, 0] > X[:, 1]).get_support(indices=True)
    array([0, 1])
    """

    def __init__(self, penalty: float = 0.05, *, a: float = 5.0, max_iter: int = 50) -> None:
        self.penalty = penalty
        self.a = a
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> FSV:
        """Solve linear programmes until the objective no longer falls."""
        if not (0 < self.penalty <= 1 and self.a > 0 and self.max_iter >= 1):
            raise ValueError(
                f"penalty must lie in (0, 1], a above 0, max_iter be at least 1: got {self.penalty!r}, {self.a!r}, "
                f"{self.max_iter!r}."
            )
        X, y = self._receive(X, y)
        check_two_classes(y)
        task = Task.of(X, y, "classification")
        self.classes_ = np.unique(y)
        scaler = StandardScaler().fit(task.matrix)
        plane = self._minimise(scaler.transform(task.matrix), signs(task.y))
        self.weights_ = np.where(
            np.abs(plane.weights) > _ZERO * np.abs(plane.weights).max(), plane.weights, 0.0
        )
        self.coef_ = self.weights_ / scaler.scale_
        self.intercept_ = plane.intercept - float(scaler.mean_ @ self.coef_)
        self.support_ = self.weights_ != 0
        self.support_[0] |= not self.support_.any()
        return self

    def _minimise(self, Z: np.ndarray, sign: np.ndarray) -> FSVPlane:
        slack_cost = None if self.penalty == 1 else 1.0 - self.penalty
        sizes, best, self.objectives_ = np.zeros(Z.shape[1]), None, np.empty(0)
        for _ in range(self.max_iter):
            plane = weighted_l1_machine(
                Z, sign, self.penalty * self.a * np.exp(-self.a * sizes), slack_cost
            )
            value = self._objective(plane)
            if best is not None and value > self.objectives_[-1] - _LEAST:
                break
            best, sizes = plane, np.abs(plane.weights)
            self.objectives_ = np.append(self.objectives_, value)
        self.n_iter_ = len(self.objectives_)
        assert best is not None
        return best

    def _objective(self, plane: FSVPlane) -> float:
        count = float((1.0 - np.exp(-self.a * np.abs(plane.weights))).sum())
        return (1.0 - self.penalty) * plane.slack + self.penalty * count

    def decision_function(self, X: Any) -> np.ndarray:
        """The signed distance in units of the margin, positive for the second class."""
        check_is_fitted(self, "coef_")
        kept = self.transform(X)
        return np.asarray(kept @ self.coef_[self.support_]) + self.intercept_
