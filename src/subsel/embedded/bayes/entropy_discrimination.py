"""Maximum entropy discrimination: a linear classifier under a prior that switches inputs off."""

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
    r"""Compute the expectation of weights whose inputs are on with prior probability p0 [1]_.

    .. math:: \frac{w_t}{1 + \frac{1 - p_0}{p_0} e^{-f w_t^2}}

    Weights with :math:`f w_t^2` well below :math:`\log((1 - p_0)/p_0)` nearly vanish; large ones
    hardly change.

    Parameters
    ----------
    weights : array-like
        The weights of a linear classifier.
    p0 : float
        The prior probability, in (0, 1]; 1 leaves the weights as they are.
    factor : float
        The factor f, 1/2 for a normal prior of unit variance on the weights. (Guyon et al. print
        1.)

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


_MARGIN = 1e-6  # multipliers stay below the price, where the dual is infinite, by this share of it


class EntropyDual(NamedTuple):
    r"""The dual of maximum entropy discrimination, a concave function of a multiplier a per row.

    .. math:: \sum_k \Big( a_k + \log\big(1 - \tfrac{a_k}{c}\big) \Big)
              - \sum_t \log\big(1 - p_0 + p_0 e^{W_t^2/2}\big), \qquad W_t = \sum_k a_k y_k x_{kt}

    Attributes
    ----------
    rows : ndarray of shape (rows, columns)
        The signed rows :math:`y_k x_k`.
    p0, price : float
        The prior probability that an input is on, and the price c of slack.
    """

    rows: np.ndarray
    p0: float
    price: float

    def __call__(self, a: np.ndarray) -> tuple[float, np.ndarray]:
        """Compute minus the value and minus the gradient at multipliers of shape (rows,).

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
        return -float(value), self.rows @ (self.probabilities(W) * W) - 1.0 + 1.0 / free

    def probabilities(self, W: np.ndarray) -> np.ndarray:
        """Compute the posterior probability that each input is on."""
        if self.p0 < 1:
            return expit(W**2 / 2 + logit(self.p0))
        return np.ones_like(W)


class EntropyDiscrimination(TwoClassSelector):
    r"""A linear classifier under a prior that has each input on with a small probability [1]_.

    The weight of an input has a normal prior of unit variance if the input is on, and is 0
    otherwise. The margins are one, with slack under an exponential prior. Of all distributions of
    weights whose expected margins satisfy the constraints, the one closest to the prior (in
    relative entropy) is found by its dual, see :class:`EntropyDual`. Predictions use the expected
    weights, see :func:`~subsel.embedded.expected_weights`, which nearly vanish for inputs that
    contribute little. Columns are standardised.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to keep; None keeps those that are on with a probability above one half,
        and at least the most probable one.
    p0 : float
        Prior probability that an input is on, in (0, 1]; with 1 the model is nearly a support
        vector machine.
    price : float
        The price c of slack, above 1; a larger one allows less slack.
    max_iter : int
        Largest number of steps of the solver, each of which takes time cubic in the number of rows.

    Attributes
    ----------
    weights_ : ndarray
        The expected weight of each standardised input.
    probabilities_ : ndarray
        The posterior probability that each input is on.
    ranking_, support_, n_iter_ : ndarray, ndarray, int
        All columns, the largest expected weight first; mask of those kept; number of steps made.
    coef_, intercept_ : ndarray, float
        The model with the inputs kept, for the table as given.

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
        """Solve the dual and compute the expected weights."""
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
        self.probabilities_ = dual.probabilities(W)
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
        """Solve the dual; sets `n_iter_`.

        Parameters
        ----------
        sign : ndarray of shape (rows,)
            -1 or 1, the class of each row.

        Returns
        -------
        ndarray of shape (rows,)
            The multipliers, between 0 and the price, with equal sums for both classes.
        """
        balance = {"type": "eq", "fun": lambda a: sign @ a, "jac": lambda _: sign}
        shares = 0.1 / np.where(sign > 0, (sign > 0).sum(), (sign < 0).sum())
        limits = [(0.0, self.price * (1 - _MARGIN))] * len(sign)
        options = {"maxiter": self.max_iter, "ftol": 1e-10}
        optimum = minimize(
            dual,
            shares,
            jac=True,
            method="SLSQP",
            bounds=limits,
            constraints=[balance],
            options=options,
        )
        self.n_iter_ = int(optimum.nit)
        return np.clip(optimum.x, 0.0, limits[0][1])

    def _model(
        self, scaler: StandardScaler, rows: np.ndarray, sign: np.ndarray, a: np.ndarray
    ) -> None:
        """Set `coef_` and `intercept_`, for the table as given.

        The intercept is the mean of those of the rows with a multiplier, weighted by it: their
        expected margins are 1 - 1 / (price - a).
        """
        kept = np.where(self.support_, self.weights_, 0.0)
        self.coef_ = kept / scaler.scale_
        on = a > 1e-4 * a.max()
        margins = 1.0 - 1.0 / (self.price - a[on])
        centred = float(np.average(sign[on] * (margins - rows[on] @ self.weights_), weights=a[on]))
        self.intercept_ = centred - float(self.coef_ @ scaler.mean_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the model for each row, positive for the second class."""
        check_is_fitted(self, "coef_")
        return self.transform(X) @ self.coef_[self.support_] + self.intercept_
