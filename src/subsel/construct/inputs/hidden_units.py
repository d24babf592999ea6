"""Activations of the hidden units of a trained network as features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.construct.inputs.association import holds_classes

__all__ = ["HiddenUnits"]

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, 0),
    "logistic": expit,
}


class HiddenUnits(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The last hidden layer of a network trained on the target, as features [1]_.

    The network is scikit-learn's multilayer perceptron. Columns should be standardised first.

    Parameters
    ----------
    hidden : tuple of ints
        Number of units of each hidden layer; those of the last are the features.
    activation : {"tanh", "relu", "logistic"}
        Activation function of the units.
    alpha : float
        Penalty of squared weights.
    max_iter : int
        Largest number of iterations of the training.
    random_state : int, RandomState or None
        Seed of the initial weights.

    Attributes
    ----------
    network_ : MLPClassifier or MLPRegressor
        The trained network.
    n_iter_ : int
        Number of iterations of its training.

    References
    ----------
    .. [1] Guyon and Elisseeff, An introduction to feature extraction, in *Feature Extraction:
       Foundations and Applications*, 2006, section 1.2.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    >>> HiddenUnits((3,), random_state=0).fit(X, y).transform(X).shape
    (4, 3)
    """

    def __init__(
        self,
        hidden: tuple[int, ...] = (5,),
        activation: Literal["tanh", "relu", "logistic"] = "tanh",
        *,
        alpha: float = 1e-3,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> HiddenUnits:
        """Train the network."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        if self.activation not in ACTIVATIONS:
            raise ValueError(
                f"activation must be one of {', '.join(ACTIVATIONS)}, got {self.activation!r}."
            )
        self.network_ = self._network(holds_classes(y)).fit(X, y)
        self.n_iter_ = max(1, self.network_.n_iter_)
        self._n_features_out = self.hidden[-1]
        return self

    def _network(self, of_classes: bool) -> Any:
        """Build the network to train."""
        network = MLPClassifier if of_classes else MLPRegressor
        return network(
            hidden_layer_sizes=self.hidden,
            activation=self.activation,
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )

    def transform(self, X: Any) -> np.ndarray:
        """Compute the activations of the last hidden layer."""
        check_is_fitted(self)
        values = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        for weights, bias in zip(self.network_.coefs_[:-1], self.network_.intercepts_[:-1]):
            values = ACTIVATIONS[self.activation](values @ weights + bias)
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
