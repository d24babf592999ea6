"""Latent features by boosting: the algorithm, and the base class of its transformers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from subsel.construct.latent.losses import LOSSES, Loss

__all__ = ["Boosted", "Latent", "boost"]

LossName = Literal["squared", "absolute", "exponential", "logistic"]


class Latent(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """A transformer whose features are scores of boosted directions.

    A subclass has the parameters of `subsel.construct.LatentFeatures` and implements ``_learn``,
    which learns the directions, and ``_scores``, which computes the scores of rows.
    """

    loss: LossName
    n_components: int
    damping: float
    n_steps: int
    class_weight: Any
    scaled: bool
    stages_: list[np.ndarray]  # intercept and coefficients after each component

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Latent:
        """Learn the directions."""
        self._check()
        two_classes = LOSSES[self.loss].two_classes
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            y_numeric=not two_classes,
            ensure_min_samples=2,
        )
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        target = self._signs(y) if two_classes else y.astype(float)
        self._learn(X, target, weight)
        self.n_components_ = self._n_features_out = len(self.stages_[-1]) - 1
        self.intercept_, self.coefficients_ = float(self.stages_[-1][0]), self.stages_[-1][1:]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Compute the latent features, times their coefficients if ``scaled``."""
        scores = self._received_scores(X)
        if self.scaled:
            return scores * self.coefficients_
        return scores

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the boosted function: a prediction of y, or positive for the second class."""
        return self._received_scores(X) @ self.coefficients_ + self.intercept_

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the boosted function with 1, 2, ... components."""
        scores = self._received_scores(X)
        for stage in self.stages_:
            yield scores[:, : len(stage) - 1] @ stage[1:] + stage[0]

    @abstractmethod
    def _learn(self, X: Any, target: np.ndarray, weight: np.ndarray) -> None:
        """Learn from a checked table, a target of numbers or signs, and weights of the rows.

        Sets ``stages_`` and what ``_scores`` needs.
        """

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Compute the scores of checked rows, of shape (rows, components)."""

    def _boost(
        self, product: Callable[[np.ndarray], np.ndarray], target: np.ndarray, weight: np.ndarray
    ) -> Boosted:
        """Boost with the parameters of the transformer; `product` is as in `boost`."""
        loss = LOSSES[self.loss]
        return boost(
            product,
            target,
            weight,
            loss,
            self.n_components,
            damping=self.damping,
            n_steps=self.n_steps,
        )

    def _received_scores(self, X: Any) -> np.ndarray:
        """Check rows and compute their scores."""
        check_is_fitted(self)
        return self._scores(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )

    def _check(self) -> None:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {self.loss!r}.")
        if self.n_components < 1 or self.n_steps < 1:
            raise ValueError(
                "n_components and n_steps must be at least 1, "
                f"got {self.n_components} and {self.n_steps}."
            )
        if not 0 <= self.damping < 1:
            raise ValueError(f"damping must lie in [0, 1), got {self.damping}.")

    def _signs(self, y: np.ndarray) -> np.ndarray:
        """Encode two classes as -1 and 1; sets `classes_`."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"The {self.loss} loss needs 2 classes, got {len(self.classes_)} classes."
            )
        return 2.0 * codes - 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class Boosted(NamedTuple):
    """The answer of `boost`."""

    scores: np.ndarray  # T of shape (rows, components), orthonormal under the weights
    duals: np.ndarray  # M of shape (rows, components), with T = K M
    stages: list[np.ndarray]  # intercept and coefficients after each component


def boost(
    product: Callable[[np.ndarray], np.ndarray],
    y: np.ndarray,
    weight: np.ndarray,
    loss: Loss,
    n_components: int,
    *,
    damping: float = 0.1,
    n_steps: int = 1,
) -> Boosted:
    r"""Boost orthogonal latent features [1]_.

    Each component is the gradient of the loss, multiplied with the centred Gram matrix
    :math:`K = \tilde X \tilde X'` and made orthogonal to the components before; then all
    coefficients are refitted. Centring and orthogonality are weighted, so that a row of weight 2
    counts as two rows. Fewer components are returned where no direction is left.

    Parameters
    ----------
    product : callable
        Function of an array of shape (rows,) that multiplies it with K.
    y, weight : ndarray of shape (rows,)
        The target, -1 and 1 for losses of classes, and the weights of the rows.
    loss : Loss
        The loss.
    n_components : int
        Largest number of components.
    damping, n_steps : float, int
        As in `Loss.refit`.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 28, algorithms 12 and 14.

    Examples
    --------
    >>> from subsel.construct.latent.losses import Squared
    >>> x = np.array([-1.0, 0.0, 1.0])
    >>> y = np.array([0.0, 1.0, 2.0])
    >>> boosted = boost(lambda a: x * (x @ a), y, np.ones(3), Squared(), n_components=2)
    >>> boosted.scores.round(4).tolist(), boosted.stages[-1].round(4).tolist()
    ([[-0.7071], [0.0], [0.7071]], [1.0, 1.4142])
    """
    T, duals, stages = np.empty((len(y), 0)), np.empty((len(y), 0)), []
    # The constant has length 1, as the scores have; with ones, as printed, the effect of the
    # damping would depend on the number of rows.
    constant = np.full(len(y), 1 / np.sqrt(weight.sum()))
    theta, u = loss.refit(y, constant[:, None], np.zeros(1), weight, 0.0, 100)
    largest = np.linalg.norm(loss.residual(y, np.zeros(len(y)), weight))
    # Deflating K by the scores T, orthonormal under the weights W, gives
    # (I - T T' W) K (I - W T T'). It is applied to u without changing K: a = (I - W T T') u first,
    # then K a is made orthogonal to T, twice because of rounding ("twice is enough": Parlett, The
    # symmetric eigenvalue problem, 1980).
    for _ in range(n_components):
        a = u - weight * (T @ (T.T @ u))
        t = product(a)
        length = norm(t, weight)
        for _ in range(2):
            t = t - T @ (T.T @ (weight * t))
        if np.linalg.norm(a) <= 1e-10 * largest or norm(t, weight) <= 1e-9 * length:
            break
        T = np.column_stack([T, t / norm(t, weight)])
        duals = np.column_stack([duals, a])
        A = np.column_stack([constant, T])
        theta, u = loss.refit(y, A, np.append(theta, 0.0), weight, damping, n_steps)
        stages.append(np.append(theta[0] * constant[0], theta[1:]))
    return Boosted(T, scaled_duals(product, T, duals, weight), stages or [theta * constant[0]])


def norm(t: np.ndarray, weight: np.ndarray) -> float:
    """Compute the weighted Euclidean norm."""
    return float(np.sqrt(weight @ t**2))


def scaled_duals(
    product: Callable[[np.ndarray], np.ndarray],
    T: np.ndarray,
    duals: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    """Compute M with T = K M, from the vectors `a` of `boost` as columns of `duals`."""
    # K a_i lies in the span of the first i scores, so K D = T R with R = T' W K D, and M = D R^-1.
    if not T.shape[1]:
        return duals
    images = np.column_stack([product(a) for a in duals.T])
    return np.linalg.solve((T.T @ (weight[:, None] * images)).T, duals.T).T
