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

# Of L-BFGS-B: in effect to machine precision, so that weights at a bound are exactly 0.
PRECISION = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000, "maxfun": 20_000}


@dataclass(frozen=True, slots=True, eq=False)
class GraftingPath(FeatureOrder):
    """The order of :func:`grafting`, with its model; the scores are absolute gradients.

    Attributes
    ----------
    coef : ndarray of shape (columns,)
        The weights of the final model, for columns divided by their standard deviations if
        ``scale``.
    intercept : float
        The intercept of the final model.
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
    r"""Grow a linear model by the feature of largest gradient, and train it again [1]_.

    .. math:: C(w, b) = \frac1m \sum_k L(f(x_k), y_k)
        + \lambda_2 \|w\|^2 + \lambda_1 \|w\|_1 + \lambda_0 \|w\|_0

    A feature enters if the gradient of the loss by its weight exceeds :math:`\lambda_1`. If none
    does, the model is the minimum of the convex part of the criterion, and the path ends. With
    :math:`\lambda_0`, a feature must also lower the rest of the criterion by more than
    :math:`\lambda_0`; otherwise it is excluded for good.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        Largest number of features.
    l1, l2, l0 : float
        The penalties; l1 is by default a hundredth of the largest gradient of the empty model.
    loss : {"auto", "squared", "logistic"}
        Half the squared error, or the logistic loss; ``"auto"`` stands for the logistic loss if
        the target has two values.
    scale : bool
        Whether to divide the columns by their standard deviations.
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
    model = _Graft(Design(X, True, weight), _loss(loss, y), l2)
    return model.grow(length, l1, l0)


# A function of the outputs of the model, shape (rows,), that gives the loss of each row and its
# derivative by the output.
Loss = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def _loss(name: str, y: Any) -> Loss:
    """Build the loss of a target."""
    if name not in ("auto", "squared", "logistic"):
        raise ValueError(f"loss must be 'auto', 'squared' or 'logistic', got {name!r}.")
    if name == "logistic" or (name == "auto" and len(np.unique(np.asarray(y))) == 2):
        sign = signs(y)
        return lambda f: (np.logaddexp(0, -sign * f), -sign * expit(-sign * f))
    target = numbers(y)
    return lambda f: ((f - target) ** 2 / 2, f - target)


class _Graft:
    """The model as it grows: its active columns, their weights, and the table."""

    def __init__(self, design: Design, loss: Loss, l2: float) -> None:
        self.design, self.loss, self.l2 = design, loss, l2
        self.share = design.row_weight / design.row_weight.sum()
        self.columns = np.empty((len(self.share), 0))
        self.active: list[int] = []
        self.weights, self.intercept = np.empty(0), 0.0

    def grow(self, length: int, l1: float | None, l0: float) -> GraftingPath:
        """Add features until none has a gradient above l1; l1 may be None, see `grafting`."""
        value = self._train(0.0)
        barred = np.zeros(self.design.n_columns, dtype=bool)
        entered: dict[int, float] = {}
        while len(entered) < length:
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
                entered.setdefault(best, float(gradient[best]))
        coef = np.zeros(self.design.n_columns)
        coef[self.active] = self.weights
        intercept = float(self.design.intercepts(coef[None, :], np.array([self.intercept]))[0])
        return GraftingPath(
            np.array([*entered], dtype=np.intp), np.array([*entered.values()]), coef, intercept
        )

    def _try(self, j: int, l1: float, l0: float, value: float) -> tuple[float, bool]:
        """Add column j and train; remove it again if the criterion falls by no more than l0.

        Columns whose weights become 0 leave the model. Returns the criterion, and whether the
        column was added.
        """
        before = (self.columns, list(self.active), self.weights, self.intercept)
        self.columns = np.column_stack((self.columns, self.design.column(j)))
        self.active, self.weights = [*self.active, j], np.append(self.weights, 0.0)
        new_value = self._train(l1)
        if l0 > 0 and value - new_value <= l0:
            self.columns, self.active, self.weights, self.intercept = before
            return value, False
        used = self.weights != 0
        self.columns, self.weights = self.columns[:, used], self.weights[used]
        self.active = [column for column, keep in zip(self.active, used) if keep]
        return new_value, True

    def _gradient(self) -> np.ndarray:
        """Compute the gradient of the mean loss by the weights of all columns."""
        slope = self.loss(self.columns @ self.weights + self.intercept)[1]
        return self.design.products(self.share * slope)

    def _train(self, l1: float) -> float:
        """Minimise over the active weights and the intercept; return the criterion without l0.

        Updates `weights` and `intercept`.
        """
        # w = u - v with u, v >= 0 makes the L1 norm linear, sum(u + v), and the criterion smooth;
        # at the minimum one of u_j, v_j is 0, and a bounded quasi-Newton method gives exact zeros.
        k = len(self.weights)

        def criterion(v: np.ndarray) -> tuple[float, np.ndarray]:
            w = v[:k] - v[k : 2 * k]
            values, slopes = self.loss(self.columns @ w + v[-1])
            gradient = self.columns.T @ (self.share * slopes) + 2 * self.l2 * w
            total = self.share @ values + self.l2 * (w @ w) + l1 * v[: 2 * k].sum()
            parts = (gradient + l1, l1 - gradient, [self.share @ slopes])
            return float(total), np.concatenate(parts)

        start = np.concatenate(
            (np.maximum(self.weights, 0), np.maximum(-self.weights, 0), [self.intercept])
        )
        bounds = [(0, None)] * (2 * k) + [(None, None)]
        optimum = minimize(
            criterion, start, jac=True, method="L-BFGS-B", bounds=bounds, options=PRECISION
        )
        self.weights, self.intercept = optimum.x[:k] - optimum.x[k : 2 * k], float(optimum.x[-1])
        return float(optimum.fun)
