"""Networks that grow: units are added one by one, each trained to follow what the network still gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["CascadeCorrelationClassifier", "CascadeCorrelationRegressor", "covariation"]


def covariation(
    weights: np.ndarray, inputs: np.ndarray, errors: np.ndarray
) -> tuple[float, np.ndarray]:
    r"""Return how far a unit follows the errors of all outputs, and the gradient by its weights [1]_.

    .. math:: S = \sum_o \Big| \sum_p (V_p - \bar V) (E_{po} - \bar E_o) \Big|, \qquad V_p = \tanh(w \cdot z_p)

    Parameters
    ----------
    weights : array
        Of the unit.
    inputs : array of shape (n_rows, n_inputs)
        A constant, the columns, and the units before.
    errors : array of shape (n_rows, n_outputs)
        What the outputs still miss.

    References
    ----------
    .. [1] Fahlman and Lebiere, "The cascade-correlation learning architecture", *NIPS* 2, 1990.

    Examples
    --------
    >>> covariation(np.array([0.0, 0.0]), np.ones((3, 2)), np.arange(3.0)[:, None])
    (0.0, array([0., 0.]))
    """
    centred = errors - errors.mean(axis=0)
    values = np.tanh(inputs @ weights)
    each = centred.T @ values
    slope = (centred @ np.sign(each)) * (1 - values**2)
    return float(np.abs(each).sum()), inputs.T @ slope


class _Cascade(BaseEstimator):
    """Grows units for any targets; outputs are solved by least squares after each."""

    def __init__(
        self,
        max_units: int = 10,
        *,
        n_candidates: int = 4,
        tol: float = 1e-3,
        alpha: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.max_units = max_units
        self.n_candidates = n_candidates
        self.tol = tol
        self.alpha = alpha
        self.random_state = random_state

    def _learn(self, X: np.ndarray, T: np.ndarray) -> None:
        if self.max_units < 0 or self.n_candidates < 1:
            raise ValueError(
                f"max_units must be at least 0 and n_candidates at least 1, got {self.max_units}, {self.n_candidates}."
            )
        rng = check_random_state(self.random_state)
        spread = X.std(axis=0)
        self.mean_, self.scale_ = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.units_: list[np.ndarray] = []
        Z = self._inputs(X)
        self.weights_ = np.linalg.lstsq(Z, T)[0]
        errors = T - Z @ self.weights_
        total = max(float(((T - T.mean(axis=0)) ** 2).sum()), np.finfo(float).tiny)
        self.losses_ = [float((errors**2).sum()) / total]
        while len(self.units_) < self.max_units and self.losses_[-1] > 1e-12:
            self.units_.append(self._best_candidate(Z, errors, rng))
            Z = np.column_stack([Z, np.tanh(Z @ self.units_[-1])])
            self.weights_ = np.linalg.lstsq(Z, T)[0]
            errors = T - Z @ self.weights_
            self.losses_.append(float((errors**2).sum()) / total)
            if self.losses_[-2] - self.losses_[-1] < self.tol * self.losses_[-2]:
                break

    def _best_candidate(
        self, Z: np.ndarray, errors: np.ndarray, rng: np.random.RandomState
    ) -> np.ndarray:
        """Return the weights that follow the errors best, of several starts; their size costs a little."""
        size = max(float(np.abs(errors - errors.mean(axis=0)).sum()), np.finfo(float).tiny)

        def height(weights: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = covariation(weights, Z, errors)
            return (
                self.alpha * weights @ weights - value / size,
                2 * self.alpha * weights - slope / size,
            )

        starts = rng.normal(scale=1 / np.sqrt(Z.shape[1]), size=(self.n_candidates, Z.shape[1]))
        found = [
            minimize(height, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
            for start in starts
        ]
        return min(found, key=lambda each: each.fun).x

    def _inputs(self, X: np.ndarray) -> np.ndarray:
        """A constant, the columns, and every unit on all before it."""
        Z = np.column_stack([np.ones(len(X)), (X - self.mean_) / self.scale_])
        for unit in self.units_:
            Z = np.column_stack([Z, np.tanh(Z @ unit)])
        return Z

    def _output(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._inputs(X) @ self.weights_


class CascadeCorrelationRegressor(RegressorMixin, _Cascade):
    """A network that grows by units which follow its residuals, each fed by the columns and all units before [1]_ [2]_.

    Columns are standardised. A new unit is trained alone, to vary with the residuals as far as it
    can; then its weights are frozen and the outputs solved again by least squares.

    Parameters
    ----------
    max_units : int
        Most units; 0 is linear regression.
    n_candidates : int
        Units trained from different starts, of which the best is taken.
    tol : float
        It stops when a unit lowers the squared error by less than this share.
    alpha : float
        Price of the squared weights of a unit, beside its share of the largest possible
        covariation.
    random_state : int, RandomState or None
        Of the starts.

    Attributes
    ----------
    units_ : list of ndarray
        The weights of each unit: constant, columns, units before.
    losses_ : list of float
        Squared error over the squared deviation of the targets, without a unit and after each.

    References
    ----------
    .. [1] Fahlman and Lebiere, "The cascade-correlation learning architecture", *NIPS* 2, 1990.
    .. [2] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 3.4.

    Examples
    --------
    >>> X = np.linspace(-2, 2, 40)[:, None]
    >>> CascadeCorrelationRegressor(6, random_state=0).fit(X, np.sin(2 * X[:, 0])).score(X, np.sin(2 * X[:, 0])) > 0.99
    True
    """

    def fit(self, X: Any, y: Any) -> CascadeCorrelationRegressor:
        """Grow the network."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._learn(X, np.asarray(y, dtype=np.float64)[:, None])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the output of each row."""
        return self._output(X)[:, 0]


class CascadeCorrelationClassifier(ClassifierMixin, _Cascade):
    """A network that grows by units which follow its residuals, one output per class [1]_ [2]_.

    Targets are the indicators of the classes, and the largest output decides.

    Parameters
    ----------
    max_units : int
        Most units; 0 is a linear machine.
    n_candidates : int
        Units trained from different starts, of which the best is taken.
    tol : float
        It stops when a unit lowers the squared error by less than this share.
    alpha : float
        Price of the squared weights of a unit, beside its share of the largest possible
        covariation.
    random_state : int, RandomState or None
        Of the starts.

    Attributes
    ----------
    units_ : list of ndarray
        The weights of each unit: constant, columns, units before.
    losses_ : list of float
        Squared error over the squared deviation of the targets, without a unit and after each.

    References
    ----------
    .. [1] Fahlman and Lebiere, "The cascade-correlation learning architecture", *NIPS* 2, 1990.
    .. [2] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 3.4.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> CascadeCorrelationClassifier(4, random_state=0).fit(X, [0, 1, 1, 0]).predict(X)
    array([0, 1, 1, 0])
    """

    def fit(self, X: Any, y: Any) -> CascadeCorrelationClassifier:
        """Grow the network."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}): there is nothing to tell apart.")
        self._learn(X, (y[:, None] == self.classes_).astype(np.float64))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest output."""
        outputs = self._output(X)
        return self.classes_[outputs.argmax(axis=1)]
