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

_ZERO = 1e-9  # a weight below this share of the largest is rounding error
_LEAST_FALL = 1e-9  # the programmes end when the objective falls by less


class FSVPlane(NamedTuple):
    """A plane of an L1 machine."""

    weights: np.ndarray  # shape (columns,)
    intercept: float
    slack: float  # mean over the rows


def weighted_l1_machine(
    X: np.ndarray, sign: np.ndarray, costs: np.ndarray, slack_cost: float | None = None
) -> FSVPlane:
    r"""Train a linear support vector machine with an L1 penalty that weighs the columns.

    .. math:: \min \; \sum_t c_t |w_t| + s \, \mathrm{mean}_k \, \xi_k,
        \qquad y_k (w \cdot x_k + b) \ge 1 - \xi_k

    HiGHS solves the linear programme. Without `slack_cost` there is no slack, and a plane must
    separate the rows.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)
        The table.
    sign : ndarray of shape (rows,)
        -1 or 1, the class of each row.
    costs : ndarray of shape (columns,)
        The cost c of each absolute weight.
    slack_cost : float, optional
        The cost s of the mean slack.


    Examples
    --------
    >>> X = np.array([[-1.0, 3.0], [1.0, 2.0]])
    >>> plane = weighted_l1_machine(X, np.array([-1.0, 1.0]), np.ones(2))
    >>> plane.weights, abs(plane.intercept)
    (array([1., 0.]), 0.0)
    """
    n, p = X.shape
    signed = sign[:, None] * X
    # variables: positive and negative parts of the weights (p each), the intercept, the slacks
    parts: list[Any] = [signed, -signed, sign[:, None]]
    price: list[Any] = [costs, costs, [0.0]]
    if slack_cost is not None:
        parts, price = [*parts, sparse.eye_array(n)], [*price, np.full(n, slack_cost / n)]
    rows = sparse.hstack([sparse.csr_array(part) for part in parts], format="csc")
    bounds = np.tile([0.0, np.inf], (rows.shape[1], 1))
    bounds[2 * p, 0] = -np.inf
    solution = linprog(
        np.concatenate(price), A_ub=-rows, b_ub=-np.ones(n), bounds=bounds, method="highs"
    )
    if solution.x is None:
        raise ValueError("no plane separates the classes: allow slack, by a penalty below 1.")
    weights = solution.x[:p] - solution.x[p : 2 * p]
    slack = 0.0
    if slack_cost is not None:
        slack = float(solution.x[2 * p + 1 :].mean())
    return FSVPlane(weights, float(solution.x[2 * p]), slack)


class FSV(TwoClassSelector):
    r"""Keep few inputs of a separating plane, by concave minimisation of their number (FSV) [1]_.

    .. math:: \min \; (1 - \lambda) \, \mathrm{mean}_k \, \xi_k
        + \lambda \sum_t \bigl(1 - e^{-a |w_t|}\bigr), \qquad y_k (w \cdot x_k + b) \ge 1 - \xi_k

    The second sum is a smooth, concave approximation of the number of weights. It is replaced by
    its tangent at the current weights, which gives a linear programme for the next ones. The
    objective never rises, and a finite number of programmes suffices. The first programme, from
    w = 0, is the L1-norm support vector machine. Columns are standardised.

    Parameters
    ----------
    penalty : float
        :math:`\lambda`; 1 allows no slack, for classes that a plane separates.
    a : float
        Slope of the approximation at zero.
    max_iter : int
        Largest number of linear programmes. Stopping early may generalise better where rows are
        few.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The plane, for the table as given; positive for the second class.
    weights_ : ndarray
        The weights of the standardised columns.
    objectives_, n_iter_ : ndarray, int
        The objective after each programme that lowered it, and their number.
    support_ : ndarray of bool
        Mask of the columns with a weight; the first column if none has one.

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
                "penalty must lie in (0, 1], a must be positive and max_iter at least 1, "
                f"got {self.penalty!r}, {self.a!r} and {self.max_iter!r}."
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
        """Solve linear programmes on standardised columns; sets `objectives_` and `n_iter_`."""
        # The tangent of 1 - exp(-a v) at v = |w| has the slope a exp(-a |w|) and lies above the
        # concave function, so that a lower value of the linear programme lowers the objective
        # (the successive linearisation of Bradley and Mangasarian 1998).
        slack_cost = None if self.penalty == 1 else 1.0 - self.penalty
        sizes, best, self.objectives_ = np.zeros(Z.shape[1]), None, np.empty(0)
        for _ in range(self.max_iter):
            plane = weighted_l1_machine(
                Z, sign, self.penalty * self.a * np.exp(-self.a * sizes), slack_cost
            )
            value = self._objective(plane)
            if best is not None and value > self.objectives_[-1] - _LEAST_FALL:
                break
            best, sizes = plane, np.abs(plane.weights)
            self.objectives_ = np.append(self.objectives_, value)
        self.n_iter_ = len(self.objectives_)
        assert best is not None
        return best

    def _objective(self, plane: FSVPlane) -> float:
        """Compute the objective of the class docstring."""
        count = float((1.0 - np.exp(-self.a * np.abs(plane.weights))).sum())
        return (1.0 - self.penalty) * plane.slack + self.penalty * count

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the plane for each row, positive for the second class."""
        check_is_fitted(self, "coef_")
        kept = self.transform(X)
        return np.asarray(kept @ self.coef_[self.support_]) + self.intercept_
