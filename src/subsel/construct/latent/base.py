"""What linear and kernel latent features share: targets, weights, stages."""

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

    A subclass has the parameters of `subsel.construct.LatentFeatures`, learns in ``_learn`` how to
    score rows, and gives the scores in ``_scores``.
    """

    loss: LossName
    n_components: int
    damping: float
    n_steps: int
    class_weight: Any
    scaled: bool
    stages_: list[np.ndarray]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Latent:
        """Find the directions."""
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
        """Give the latent features, times their coefficients if ``scaled``."""
        scores = self._received_scores(X)
        if self.scaled:
            return scores * self.coefficients_
        return scores

    def decision_function(self, X: Any) -> np.ndarray:
        """Give the boosted function: a prediction of y, or a number positive for the second class."""
        return self._received_scores(X) @ self.coefficients_ + self.intercept_

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Give the boosted function with 1, 2, ... components."""
        scores = self._received_scores(X)
        for stage in self.stages_:
            yield scores[:, : len(stage) - 1] @ stage[1:] + stage[0]

    @abstractmethod
    def _learn(self, X: Any, target: np.ndarray, weight: np.ndarray) -> None:
        """Set ``stages_`` and what ``_scores`` needs."""

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Give the scores of checked rows."""

    def _boost(
        self, product: Callable[[np.ndarray], np.ndarray], target: np.ndarray, weight: np.ndarray
    ) -> Boosted:
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
        check_is_fitted(self)
        return self._scores(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )

    def _check(self) -> None:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {self.loss!r}.")
        if self.n_components < 1 or self.n_steps < 1:
            raise ValueError(
                f"n_components and n_steps must be at least 1, got {self.n_components}, {self.n_steps}."
            )
        if not 0 <= self.damping < 1:
            raise ValueError(f"damping must lie in [0, 1), got {self.damping}.")

    def _signs(self, y: np.ndarray) -> np.ndarray:
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
    """Scores T (a column per component), duals M with T = K M, and after each component intercept and coefficients."""

    scores: np.ndarray
    duals: np.ndarray
    stages: list[np.ndarray]


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

    ``product`` multiplies with the centred Gram matrix :math:`K = \tilde X \tilde X'`, of which
    nothing else is asked. Deflating K by a score t is the same as taking t out of what is
    multiplied, so K is never changed. Centring and orthogonality are weighted, so that a row of
    weight 2 is the same as two rows. The constant is scaled to length 1: with ones, as printed,
    the damping would follow the number of rows. Ends early where no direction is left.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 28, algorithms 12 and 14.

    Examples
    --------
    >>> from subsel.construct.latent.losses import Squared
    >>> x = np.array([-1.0, 0.0, 1.0])
    >>> found = boost(lambda a: x * (x @ a), np.array([0.0, 1.0, 2.0]), np.ones(3), Squared(), n_components=2)
    >>> found.scores.round(4).tolist(), found.stages[-1].round(4).tolist()
    ([[-0.7071], [0.0], [0.7071]], [1.0, 1.4142])
    """
    T, duals, stages = np.empty((len(y), 0)), np.empty((len(y), 0)), []
    constant = np.full(
        len(y), 1 / np.sqrt(weight.sum())
    )  # of length 1, as scores are: the damping suits both
    theta, u = loss.refit(y, constant[:, None], np.zeros(1), weight, 0.0, 100)
    largest = np.linalg.norm(loss.residual(y, np.zeros(len(y)), weight))
    for _ in range(n_components):
        a = u - weight * (T @ (T.T @ u))
        t = product(a)
        length = norm(t, weight)
        for _ in range(2):  # once more, for what rounding left
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
    """Give the length under weights."""
    return float(np.sqrt(weight @ t**2))


def scaled_duals(
    product: Callable[[np.ndarray], np.ndarray],
    T: np.ndarray,
    duals: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    """Give M with T = K M, from the directions before deflation."""
    if not T.shape[1]:
        return duals
    images = np.column_stack([product(a) for a in duals.T])
    return np.linalg.solve((T.T @ (weight[:, None] * images)).T, duals.T).T
