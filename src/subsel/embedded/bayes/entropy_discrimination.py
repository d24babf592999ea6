"""Maximum entropy discrimination: the weights of a linear classifier under a prior that switches inputs off."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from subsel.data.task import Task
from subsel.embedded.design import signs
from subsel.embedded.relevance_selector import check_n_features
from subsel.embedded.two_classes import TwoClassSelector, check_two_classes

__all__ = ["EntropyDiscrimination", "EntropyDual", "expected_weights"]


def expected_weights(weights: Any, p0: float, factor: float = 0.5) -> np.ndarray:
    r"""The expectation of weights whose inputs are on with prior probability p0.

    .. math:: \frac{w_t}{1 + \frac{1 - p_0}{p_0} e^{-f w_t^2}}

    Weights with :math:`f w_t^2` well under :math:`\log((1 - p_0)/p_0)` vanish, large ones stay.

    Parameters
    ----------
    weights : array-like
        Of a linear classifier.
    p0 : float
        In (0, 1]; 1 leaves the weights as they are.
    factor : float
        f: 1/2 for a normal prior of unit variance on the weights; the book prints 1.

    References
    ----------
    .. [1] Jebara and Jaakkola, *Feature selection and dualities in maximum entropy
       discrimination*, UAI 2000; Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.3.3.

    Examples
    --------
    >>> expected_weights([-4.0, 0.5, 4.0], 0.1).round(3)
    array([-3.988,  0.056,  3.988])
    """
    if not 0 < p0 <= 1:
        raise ValueError(f"p0 must lie in (0, 1], got {p0!r}.")
    w = np.asarray(weights, dtype=float)
    return w * expit(factor * w**2 + logit(p0))


_INSIDE = 1e-6  # share of the price that multipliers stay away from it


class EntropyDual(NamedTuple):
    r"""The dual of maximum entropy discrimination, a concave function of one multiplier a per row.

    .. math:: \sum_k \Big( a_k + \log\big(1 - \tfrac{a_k}{c}\big) \Big)
              - \sum_t \log\big(1 - p_0 + p_0 e^{W_t^2/2}\big), \qquad W_t = \sum_k a_k y_k x_{kt}

    Attributes
    ----------
    rows : ndarray
        :math:`y_k x_k`, one row each.
    p0, price : float
        How likely an input is on before the data are seen; c.
    """

    rows: np.ndarray
    p0: float
    price: float

    def __call__(self, a: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus its value, and minus its gradient, at multipliers.

        >>> EntropyDual(np.array([[1.0], [1.0]]), 1.0, 5.0)(np.zeros(2))
        (-0.0, array([-0.8, -0.8]))
        """
        W, free = a @ self.rows, self.price - a
        off = np.log1p(-self.p0) if self.p0 < 1 else -np.inf
        value = (
            a.sum()
            + np.log(free / self.price).sum()
            - np.logaddexp(off, np.log(self.p0) + W**2 / 2).sum()
        )
        return -float(value), self.rows @ (self.chances(W) * W) - 1.0 + 1.0 / free

    def chances(self, W: np.ndarray) -> np.ndarray:
        """How likely each input is on, after the data."""
        if self.p0 < 1:
            return expit(W**2 / 2 + logit(self.p0))
        return np.ones_like(W)


class EntropyDiscrimination(TwoClassSelector):
    r"""A linear classifier of two classes under a prior that has each input on with a small probability.

    Weights have a normal prior of unit variance where their input is on; margins are one, with
    slack at the price of a prior that falls exponentially. Of all distributions of weights that
    keep the margins in the mean, the one nearest to the prior is found by its dual, see
    :class:`EntropyDual`. Columns are standardised. Predictions are by the mean weights,
    :func:`~subsel.embedded.expected_weights` of the plain ones: an input that does not earn its
    keep vanishes with all its weight.

    Parameters
    ----------
    n_features : int or None
        How many inputs to keep; None keeps those more likely on than off, the likeliest at least.
    p0 : float
        How likely an input is on before the data are seen, in (0, 1]; with 1 it is nearly a
        support vector machine.
    price : float
        c: larger allows less slack; more than 1.
    max_iter : int
        Steps of the solver, each of which takes the cube of the number of rows.

    Attributes
    ----------
    weights_ : ndarray
        The mean weight of each standardised input.
    probabilities_ : ndarray
        How likely each input is on, given the data.
    ranking_, support_, n_iter_ : ndarray, ndarray, int
        All columns, the largest mean weight first; mask of those kept; steps made.
    coef_, intercept_ : ndarray, float
        The model for the table as it was given, with the inputs kept.

    References
    ----------
    .. [1] Jebara and Jaakkola, *Feature selection and dualities in maximum entropy
       discrimination*, UAI 2000; Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.3.3.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> EntropyDiscrimination().fit(X, X[:, 2] - X[:, 5] > 0).get_support(indices=True)
    array([2, 5])
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        p0: float = 0.01,
        price: float = 5.0,
        max_iter: int = 200,
    ) -> None:
        self.n_features = n_features
        self.p0 = p0
        self.price = price
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> EntropyDiscrimination:
        """Find the multipliers, and from them the weights."""
        X, y = self._receive(X, y)
        check_two_classes(y)
        task = Task.of(X, y, "classification")
        self._check(task.n_columns)
        self.classes_, sign = np.unique(y), signs(task.y)
        scaler = StandardScaler().fit(task.matrix)
        rows = sign[:, None] * scaler.transform(task.matrix)
        dual = EntropyDual(rows, self.p0, self.price)
        a = self._multipliers(dual, sign)
        W = a @ rows
        self.probabilities_ = dual.chances(W)
        self.weights_ = self.probabilities_ * W
        self.ranking_ = np.argsort(-np.abs(self.weights_), kind="stable")
        n = self.n_features or max(1, int(np.count_nonzero(self.probabilities_ > 0.5)))
        self.support_ = np.isin(np.arange(task.n_columns), self.ranking_[:n])
        self._model(scaler, rows, sign, a)
        return self

    def _check(self, n_columns: int) -> None:
        check_n_features(self.n_features, n_columns)
        if not 0 < self.p0 <= 1:
            raise ValueError(f"p0 must lie in (0, 1], got {self.p0!r}.")
        if not self.price > 1:
            raise ValueError(f"price must be more than 1, got {self.price!r}.")

    def _multipliers(self, dual: EntropyDual, sign: np.ndarray) -> np.ndarray:
        """Of the rows, between 0 and the price, equally much on both sides."""
        both = {"type": "eq", "fun": lambda a: sign @ a, "jac": lambda _: sign}
        shares = 0.1 / np.where(sign > 0, (sign > 0).sum(), (sign < 0).sum())
        limits = [(0.0, self.price * (1 - _INSIDE))] * len(sign)
        options = {"maxiter": self.max_iter, "ftol": 1e-10}
        found = minimize(
            dual,
            shares,
            jac=True,
            method="SLSQP",
            bounds=limits,
            constraints=[both],
            options=options,
        )
        self.n_iter_ = int(found.nit)
        return np.clip(found.x, 0.0, limits[0][1])

    def _model(
        self, scaler: StandardScaler, rows: np.ndarray, sign: np.ndarray, a: np.ndarray
    ) -> None:
        """The weights in the units of the table; the intercept is that of the rows whose margin is met with equality."""
        kept = np.where(self.support_, self.weights_, 0.0)
        self.coef_ = kept / scaler.scale_
        on = a > 1e-4 * a.max()
        margins = 1.0 - 1.0 / (self.price - a[on])
        centred = float(np.average(sign[on] * (margins - rows[on] @ self.weights_), weights=a[on]))
        self.intercept_ = centred - float(self.coef_ @ scaler.mean_)

    def decision_function(self, X: Any) -> np.ndarray:
        """The value of the linear model, positive for the second class."""
        check_is_fitted(self, "coef_")
        return self.transform(X) @ self.coef_[self.support_] + self.intercept_
