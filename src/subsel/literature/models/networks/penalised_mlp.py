"""A multilayer perceptron with penalties that prune weights or whole inputs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from subsel.models.hidden_layer import Training, small_start, train
from subsel.models.penalties import PENALTIES
from subsel.models.two_classes import BinaryClassifier

__all__ = ["PenalisedMLPClassifier"]


class PenalisedMLPClassifier(BinaryClassifier):
    r"""One hidden layer of tanh units, with a penalty on the weights of the inputs [1]_.

    The loss is logistic. Weight decay shrinks all weights; weight elimination counts large weights
    and drives small ones to zero; the group penalty shrinks the norm of all weights of an input and
    so removes inputs. With weight decay the model is ``sklearn.neural_network.MLPClassifier``.

    Parameters
    ----------
    hidden : int
        Number of hidden units.
    penalty : {"input-groups", "elimination", "decay"}
        The penalty; see :mod:`subsel.models.penalties`.
    strength : float
        Factor of the penalty, relative to the loss summed over rows.
    max_iter : int
        Most steps of L-BFGS.
    random_state : int, RandomState or None
        Seed of the initial weights.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The norm of the weights of each input, comparable if the inputs are standardised.
    network_ : subsel.models.hidden_layer.HiddenLayer
        The trained network.
    n_iter_ : int
        Number of steps.
    classes_ : ndarray of shape (2,)
        The class labels.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, sections 3.4 and 3.7.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((150, 5))
    >>> model = PenalisedMLPClassifier(strength=2.0, random_state=0).fit(X, X[:, 1] * X[:, 2] > 0)
    >>> sorted(np.argsort(-model.feature_importances_)[:2].tolist())
    [1, 2]
    """

    def __init__(
        self,
        hidden: int = 10,
        *,
        penalty: Literal["input-groups", "elimination", "decay"] = "input-groups",
        strength: float = 1.0,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.penalty = penalty
        self.strength = strength
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PenalisedMLPClassifier:
        """Minimise the sum of loss and penalty."""
        if self.penalty not in PENALTIES:
            raise ValueError(f"penalty must be one of {sorted(PENALTIES)}, got {self.penalty!r}.")
        if self.hidden < 1:
            raise ValueError(f"hidden must be at least 1, got {self.hidden!r}.")
        X, y, weights = self._receive(X, y, sample_weight)
        training = Training(X, y, weights, True, PENALTIES[self.penalty], self.strength)
        start = small_start(X.shape[1], self.hidden, check_random_state(self.random_state))
        self.network_, n_iter = train(training, start, self.max_iter)
        self.n_iter_ = max(1, n_iter)
        self.feature_importances_ = np.linalg.norm(self.network_.U, axis=1)
        return self

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return expit(self.network_(X))
