"""Grafting: grow a penalised linear model by the feature of largest gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from subsel.embedded.design import Design, numbers, signs, unit_columns
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order

__all__ = ["GraftingPath", "grafting"]

PRECISION = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000, "maxfun": 20_000}


@dataclass(frozen=True, slots=True, eq=False)
class GraftingPath(FeatureOrder):
    """A path of :func:`grafting`; the scores are gradients.

    Attributes
    ----------
    coef : ndarray
        The weights of the final model, for the columns in units of their standard deviations if
        ``scale``.
    intercept : float
        Its intercept.
    """

    coef: np.ndarray
    intercept: float


@order("grafting", multiclass=False, regression=True, sparse=True, weights=True)
def grafting(
    X: Any,
    y: Any,
    n_features: int | None = None,
    *,
    l1: float | None = None,
    l2: float = 0.0,
    l0: float = 0.0,
    loss: str = "auto",
    scale: bool = True,
    sample_weight: Any = None,
) -> GraftingPath:
    r"""Grow a linear model by the feature whose weight the criterion's gradient pulls at most, and train it again.

    .. math:: C(w, b) = \frac1m \sum_k L(f(x_k), y_k) + \lambda_2 \|w\|^2 + \lambda_1 \|w\|_1 + \lambda_0 \|w\|_0

    A weight at 0 is worth trying while its gradient exceeds :math:`\lambda_1`; where none does the
    model is the minimum of the convex part, and the path ends. With :math:`\lambda_0` a feature
    also has to lower the rest of the criterion by more than that, or it is passed over for good.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        How many to take at most.
    l1, l2, l0 : float
        The penalties; l1 is by default a hundredth of the largest gradient of the empty model.
    loss : {"auto", "squared", "logistic"}
        Half the squared error, or the logistic loss; the latter for targets of two values unless
        told otherwise.
    scale : bool
        Divide the columns by their standard deviations.
    sample_weight : array-like, optional
        A row of weight w counts as w rows.

    References
    ----------
    .. [1] Perkins, Lacker and Theiler, *Grafting: fast, incremental feature selection by gradient
       descent in function space*, Journal of Machine Learning Research 3, 2003; chapter 5, section
       5.2.2 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> path = grafting(X, X @ [1.0, 3.0, 0.0], l1=0.5)
    >>> path.features, path.scores, path.coef.round(6)
    (array([1, 0]), array([3., 1.]), array([0.5, 2.5, 0. ]))
    """
    X = check_array(X, accept_sparse=["csc", "csr"], dtype=np.float64)
    check_consistent_length(X, y)
    length = path_length(n_features, X.shape[1])
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if scale:
        X = unit_columns(X, weight)
    graft = _Graft(Design(X, True, weight), _loss(loss, y), l2)
    return graft.grow(length, l1, l0)


Loss = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def _loss(name: str, y: Any) -> Loss:
    """The loss of every row and its slope, as a function of what the model says."""
    if name not in ("auto", "squared", "logistic"):
        raise ValueError(f"loss must be 'auto', 'squared' or 'logistic', got {name!r}.")
    if name == "logistic" or (name == "auto" and len(np.unique(np.asarray(y))) == 2):
        sign = signs(y)
        return lambda f: (np.logaddexp(0, -sign * f), -sign * expit(-sign * f))
    target = numbers(y)
    return lambda f: ((f - target) ** 2 / 2, f - target)


class _Graft:
    """The columns taken, their weights, and the rest of the table to look at."""

    def __init__(self, design: Design, loss: Loss, l2: float) -> None:
        self.design, self.loss, self.l2 = design, loss, l2
        self.share = design.row_weight / design.row_weight.sum()
        self.columns = np.empty((len(self.share), 0))
        self.active: list[int] = []
        self.weights, self.intercept = np.empty(0), 0.0

    def grow(self, length: int, l1: float | None, l0: float) -> GraftingPath:
        """Take features until none is worth it."""
        value = self._train(0.0)
        barred = np.zeros(self.design.n_columns, dtype=bool)
        taken: dict[int, float] = {}
        while len(taken) < length:
            gradient = np.where(barred, 0.0, np.abs(self._gradient()))
            gradient[self.active] = 0.0
            best = int(np.argmax(gradient >= gradient.max() * (1 - 1e-10)))
            if l1 is None:
                l1 = 0.01 * float(gradient[best])
            if gradient[best] <= l1 + 1e-8 * max(1.0, l1):
                break
            value, kept = self._try(best, l1, l0, value)
            barred[best] = not kept
            if kept:
                taken.setdefault(best, float(gradient[best]))
        coef = np.zeros(self.design.n_columns)
        coef[self.active] = self.weights
        intercept = float(self.design.intercepts(coef[None, :], np.array([self.intercept]))[0])
        return GraftingPath(
            np.array([*taken], dtype=np.intp), np.array([*taken.values()]), coef, intercept
        )

    def _try(self, j: int, l1: float, l0: float, value: float) -> tuple[float, bool]:
        """Take a column in and train; put it back if it is not worth l0. Weights that have become 0 leave."""
        before = (self.columns, list(self.active), self.weights, self.intercept)
        self.columns = np.column_stack((self.columns, self.design.column(j)))
        self.active, self.weights = [*self.active, j], np.append(self.weights, 0.0)
        fresh = self._train(l1)
        if l0 > 0 and value - fresh <= l0:
            self.columns, self.active, self.weights, self.intercept = before
            return value, False
        used = self.weights != 0
        self.columns, self.weights = self.columns[:, used], self.weights[used]
        self.active = [column for column, keep in zip(self.active, used) if keep]
        return fresh, True

    def _gradient(self) -> np.ndarray:
        slope = self.loss(self.columns @ self.weights + self.intercept)[1]
        return self.design.products(self.share * slope)

    def _train(self, l1: float) -> float:
        """Minimise over the active weights, as the difference of two that are not negative; gives the criterion."""
        k = len(self.weights)

        def criterion(v: np.ndarray) -> tuple[float, np.ndarray]:
            w = v[:k] - v[k : 2 * k]
            values, slopes = self.loss(self.columns @ w + v[-1])
            pull = self.columns.T @ (self.share * slopes) + 2 * self.l2 * w
            total = self.share @ values + self.l2 * (w @ w) + l1 * v[: 2 * k].sum()
            return float(total), np.concatenate((pull + l1, l1 - pull, [self.share @ slopes]))

        start = np.concatenate(
            (np.maximum(self.weights, 0), np.maximum(-self.weights, 0), [self.intercept])
        )
        bounds = [(0, None)] * (2 * k) + [(None, None)]
        found = minimize(
            criterion, start, jac=True, method="L-BFGS-B", bounds=bounds, options=PRECISION
        )
        self.weights, self.intercept = found.x[:k] - found.x[k : 2 * k], float(found.x[-1])
        return float(found.fun)
