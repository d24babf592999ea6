"""The transductive support vector machine, which also fits the margin to unlabelled rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data

from subsel.models.two_classes import BinaryDecision

__all__ = ["TransductiveSVM"]


class TransductiveSVM(BinaryDecision):
    r"""A support vector machine that also chooses the labels of unlabelled rows [1]_ [2]_.

    .. math:: \min_{w, b, y^*} \tfrac12 \|w\|^2 + C \sum_i \xi_i + C^* \sum_j \xi^*_j

    The unlabelled rows that score highest in the machine of the labelled ones are positive at
    first, as many as ``positive_share`` says; :math:`C^*` starts small and is doubled up to its
    value. At every value, while some pair of a positive and a negative unlabelled row has slacks
    above 0 that add up to more than 2, their labels are exchanged and the machine is trained again:
    each exchange lowers the objective, and the number of positives stays.

    Parameters
    ----------
    C : float
        The price of slack of labelled rows.
    C_unlabelled : float
        The final price of slack of unlabelled rows; 0 gives the machine of the labelled rows.
    kernel : {"linear", "poly", "rbf"}
        As in ``SVC``.
    gamma : float or None
        The width parameter of the kernel; None is one over the number of columns.
    degree : int
        The degree of the polynomial kernel, whose constant is 1.
    positive_price : float
        The price of slack of labelled rows of the second class, divided by that of the first.
    positive_share : float or None
        The share of positive labels among the unlabelled rows; None takes that of the labelled
        rows.
    max_exchanges : int
        The largest number of exchanges at each price, a guard against the tolerance of the solver.

    Attributes
    ----------
    labels_ : ndarray of shape (n_unlabelled,)
        The classes of the unlabelled rows.
    objectives_ : list of list of float
        The objective after every training, one list per price; it never rises within a list.
    coefficients_ : ndarray of shape (n_support,)
        The weights of the training rows with a weight, labelled rows first.
    intercept_ : float
        The threshold.
    coef_ : ndarray of shape (1, n_features)
        The weights of the columns, for the linear kernel only.
    X_fit_ : ndarray of shape (n_support, n_features)
        The rows of ``coefficients_``.

    References
    ----------
    .. [1] Joachims, *Transductive inference for text classification using support vector machines*,
       ICML 1999.
    .. [2] Wu and Li, *Feature selection with transductive support vector machines*, in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 13, section 13.2.2.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [4.0, 1.0]]), [0, 1]
    >>> other = np.array([[0.0, 3.0], [0.5, 4.0], [4.0, -3.0], [3.5, -4.0]])
    >>> TransductiveSVM(C=10.0, C_unlabelled=10.0).fit(X, y, unlabelled=other).labels_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        C: float = 1.0,
        C_unlabelled: float = 1.0,
        *,
        kernel: str = "linear",
        gamma: float | None = None,
        degree: int = 2,
        positive_price: float = 1.0,
        positive_share: float | None = None,
        max_exchanges: int = 1000,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.positive_price = positive_price
        self.positive_share = positive_share
        self.max_exchanges = max_exchanges

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> TransductiveSVM:
        """Train the machine and choose the labels of unlabelled rows.

        Without unlabelled rows, or where their price is 0, it is the machine of the labelled rows.
        """
        if not self.positive_price > 0:
            raise ValueError(f"positive_price must be positive, got {self.positive_price!r}.")
        if not self.C > 0 or self.C_unlabelled < 0:
            raise ValueError(
                "C must be positive and C_unlabelled not negative, "
                f"got {self.C!r} and {self.C_unlabelled!r}."
            )
        X, codes, _ = self._receive(X, y)
        other = np.empty((0, X.shape[1]))
        if unlabelled is not None:
            other = self._unlabelled(unlabelled)
        sign = np.append(2 * codes - 1, np.zeros(len(other)))
        rows = np.vstack([X, other])
        K, n = self._kernel(rows, rows), len(X)
        prices = np.where(codes == 1, self.positive_price * self.C, self.C)
        first = _train(K[:n, :n], sign[:n], prices)
        sign[n:] = self._initial_labels(
            K[n:, :n] @ first.coefficients + first.intercept, codes.mean()
        )
        self.objectives_: list[list[float]] = []
        if len(other) and self.C_unlabelled > 0:
            machine = self._anneal(K, sign, prices)
        else:
            machine, rows, sign = first, X, sign
        support = np.flatnonzero(machine.coefficients)
        self.X_fit_, self.coefficients_ = rows[support], machine.coefficients[support]
        self.intercept_ = machine.intercept
        self.labels_ = self.classes_[(sign[n:] > 0).astype(int)]
        if self.kernel == "linear":
            self.coef_ = (self.coefficients_ @ self.X_fit_)[None]
        return self

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return self._kernel(X, self.X_fit_) @ self.coefficients_ + self.intercept_

    def _unlabelled(self, X: Any) -> np.ndarray:
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _initial_labels(self, scores: np.ndarray, share: float) -> np.ndarray:
        """Label the rows with the highest scores 1.0 and the others -1.0."""
        if self.positive_share is not None:
            share = self.positive_share
        n_positive = round(share * len(scores))
        signs = -np.ones(len(scores))
        signs[np.argsort(-scores, kind="stable")[:n_positive]] = 1.0
        return signs

    def _anneal(self, K: np.ndarray, sign: np.ndarray, labelled: np.ndarray) -> _Machine:
        """Change ``sign`` by exchanges of labels, while the price of unlabelled rows is doubled.

        ``sign`` holds the labels of all rows, -1 or 1; ``labelled`` the prices of labelled rows.
        """
        price, n = min(1e-3 * self.C, self.C_unlabelled), len(labelled)
        while True:
            prices = np.append(labelled, np.full(len(sign) - n, price))
            machine = _train(K, sign, prices)
            objectives = [machine.objective]
            while len(objectives) <= self.max_exchanges and (
                pair := _exchangeable(machine.slack, sign, n)
            ):
                trial = sign.copy()
                trial[list(pair)] *= -1
                better = _train(K, trial, prices)
                if better.objective >= objectives[-1]:
                    break
                sign[:], machine = trial, better
                objectives.append(better.objective)
            self.objectives_.append(objectives)
            if price >= self.C_unlabelled:
                return machine
            price = min(2 * price, self.C_unlabelled)

    def _kernel(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        gamma = self.gamma
        if gamma is None:
            gamma = 1 / X.shape[1]
        settings = {
            "linear": {},
            "rbf": {"gamma": gamma},
            "poly": {"gamma": gamma, "degree": self.degree, "coef0": 1.0},
        }
        if self.kernel not in settings:
            raise ValueError(f"kernel must be 'linear', 'poly' or 'rbf', got {self.kernel!r}.")
        return pairwise_kernels(X, Z, metric=self.kernel, **settings[self.kernel])


class _Machine(NamedTuple):
    """A trained machine: coefficients and slack have one entry per row."""

    coefficients: np.ndarray
    intercept: float
    slack: np.ndarray
    objective: float


def _train(K: np.ndarray, sign: np.ndarray, prices: np.ndarray) -> _Machine:
    """Train the machine of these labels, with a price of slack per row, on a kernel matrix."""
    machine = SVC(C=1.0, kernel="precomputed", tol=1e-5).fit(K, sign > 0, sample_weight=prices)
    coefficients = np.zeros(len(K))
    coefficients[machine.support_] = machine.dual_coef_[0]
    values = K @ coefficients
    slack = np.maximum(0.0, 1 - sign * (values + machine.intercept_[0]))
    return _Machine(
        coefficients,
        float(machine.intercept_[0]),
        slack,
        float(coefficients @ values / 2 + prices @ slack),
    )


def _exchangeable(slack: np.ndarray, sign: np.ndarray, n: int) -> tuple[int, int] | None:
    """Give the unlabelled rows of either label with the largest slack, if exchanging them helps.

    The first ``n`` rows are labelled. An exchange is certain to lower the objective where the two
    slacks are positive and their sum exceeds 2 (Joachims 1999, theorem 2).
    """
    rows = np.arange(len(sign)) >= n
    sides = [np.flatnonzero(rows & (sign == s) & (slack > 0)) for s in (1, -1)]
    if not all(map(len, sides)):
        return None
    one, two = (int(side[np.argmax(slack[side])]) for side in sides)
    if slack[one] + slack[two] > 2:
        return one, two
    return None
