"""Cascade-correlation networks, which add hidden units one by one, trained on the residuals."""

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
    r"""Return the covariation of a unit with the residuals of all outputs, and its gradient [1]_.

    .. math:: S = \sum_o \Big| \sum_p (V_p - \bar V) (E_{po} - \bar E_o) \Big|, \qquad
       V_p = \tanh(w \cdot z_p)

    Parameters
    ----------
    weights : array of shape (n_inputs,)
        The weights w of the unit.
    inputs : array of shape (n_rows, n_inputs)
        The inputs z: a constant, the columns, and the units added before.
    errors : array of shape (n_rows, n_outputs)
        The residuals E of the outputs.

    Returns
    -------
    tuple of float and ndarray of shape (n_inputs,)
        S, and its gradient with respect to the weights.

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
    """Growing the network for any targets, of shape (n_rows, n_targets)."""

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
        """Add units until the limit, or until one lowers the squared error too little."""
        if self.max_units < 0 or self.n_candidates < 1:
            raise ValueError(
                "max_units must be at least 0 and n_candidates at least 1, "
                f"got {self.max_units} and {self.n_candidates}."
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
        """Return the weights of largest covariation, less a penalty, found from several starts."""
        # as |V| <= 1, the covariation cannot exceed the sum of the absolute centred residuals
        size = max(float(np.abs(errors - errors.mean(axis=0)).sum()), np.finfo(float).tiny)

        def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = covariation(weights, Z, errors)
            return (
                self.alpha * weights @ weights - value / size,
                2 * self.alpha * weights - slope / size,
            )

        starts = rng.normal(scale=1 / np.sqrt(Z.shape[1]), size=(self.n_candidates, Z.shape[1]))
        candidates = [
            minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
            for start in starts
        ]
        return min(candidates, key=lambda candidate: candidate.fun).x

    def _inputs(self, X: np.ndarray) -> np.ndarray:
        """Return the inputs of the output units: a constant, the columns, and all hidden units."""
        Z = np.column_stack([np.ones(len(X)), (X - self.mean_) / self.scale_])
        for unit in self.units_:
            Z = np.column_stack([Z, np.tanh(Z @ unit)])
        return Z

    def _output(self, X: Any) -> np.ndarray:
        """Return the outputs, of shape (n_rows, n_targets)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._inputs(X) @ self.weights_


class CascadeCorrelationRegressor(RegressorMixin, _Cascade):
    """A regression network that grows by hidden units which follow its residuals [1]_ [2]_.

    The inputs of a unit are the standardised columns and all units added before. A new unit is
    trained alone, to covary with the residuals as much as possible; then its weights are frozen and
    the outputs are fitted again by least squares.

    Parameters
    ----------
    max_units : int
        Most hidden units; 0 is linear regression.
    n_candidates : int
        Units trained from different starts, of which the best is added.
    tol : float
        Growth stops after a unit that lowers the squared error by less than this share.
    alpha : float
        Penalty on the squared weights of a unit, relative to the largest possible covariation.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    units_ : list of ndarray
        The weights of each unit for the constant, the columns and the units before it.
    weights_ : ndarray of shape (1 + n_features + n_units, n_targets)
        The weights of the outputs.
    mean_, scale_ : ndarray of shape (n_features,)
        Means and standard deviations of the columns.
    losses_ : list of float
        Squared error over the squared deviation of the targets, without units and after each unit.

    References
    ----------
    .. [1] Fahlman and Lebiere, "The cascade-correlation learning architecture", *NIPS* 2, 1990.
    .. [2] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 3.4.

    Examples
    --------
    >>> X = np.linspace(-2, 2, 40)[:, None]
    >>> y = np.sin(2 * X[:, 0])
    >>> CascadeCorrelationRegressor(6, random_state=0).fit(X, y).score(X, y) > 0.99
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
    """A classification network that grows by hidden units which follow its residuals [1]_ [2]_.

    There is one output per class, whose target is the indicator of the class; the largest output
    decides. A network without units is a linear machine. Parameters and attributes are those of
    :class:`CascadeCorrelationRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.

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
