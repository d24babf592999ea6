"""Linear latent features for any convex loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from subsel.construct.latent.base import Latent, LossName

__all__ = ["LatentFeatures"]


class LatentFeatures(Latent):
    r"""Orthogonal linear features boosted for a convex loss (BLF) [1]_.

    Each direction is the negative gradient of the loss, multiplied with the columns,
    :math:`w = \tilde X' u`; its scores are made orthogonal to those before, and all coefficients
    are refitted. With squared loss this is partial least squares. X is never changed, so that
    sparse tables stay sparse.

    Parameters
    ----------
    n_components : int
        Number of features; there are fewer where no direction is left. `LatentFeaturesCV` chooses
        it.
    loss : {"squared", "absolute", "exponential", "logistic"}
        The loss; squared and absolute loss need numbers, the others two classes.
    damping : float
        Share of a multiple of the identity in the Hessian of exponential and logistic loss.
    n_steps : int
        Newton steps per component; one acts as regularisation. Many, with ``damping=0``, refit
        exactly.
    class_weight : "balanced", mapping or None
        Weights of classes, times ``sample_weight``.
    scaled : bool
        Whether to multiply each feature with its coefficient, so that distances reflect its
        contribution.

    Attributes
    ----------
    rotation_ : array of shape (n_features, n_components)
        The features are a row minus ``mean_``, times this matrix.
    loadings_ : array of shape (n_features, n_components)
        The regression of the columns on the features, for ``inverse_transform``.
    coefficients_, intercept_ : array and float
        The boosted function of the features; ``coef_`` are its coefficients for the columns.
    stages_ : list of arrays
        Intercept and coefficients after each component.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 28.

    Examples
    --------
    >>> X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])
    >>> fitted = LatentFeatures(1).fit(X, [1.0, 3.0, 5.0, 7.0])
    >>> fitted.transform(X).ravel().round(3), fitted.decision_function(X).round(2)
    (array([-0.671, -0.224,  0.224,  0.671]), array([1., 3., 5., 7.]))
    """

    def __init__(
        self,
        n_components: int = 2,
        loss: LossName = "squared",
        *,
        damping: float = 0.1,
        n_steps: int = 1,
        class_weight: Any = None,
        scaled: bool = False,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.damping = damping
        self.n_steps = n_steps
        self.class_weight = class_weight
        self.scaled = scaled

    @property
    def coef_(self) -> np.ndarray:
        """The coefficients of the boosted function for the columns."""
        return self.rotation_ @ self.coefficients_

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Compute the least squares approximation of rows with these features."""
        check_is_fitted(self)
        features = check_array(X, dtype=np.float64)
        if self.scaled:
            features = features / self.coefficients_
        return features @ self.loadings_.T + self.mean_

    def _learn(self, X: Any, target: np.ndarray, weight: np.ndarray) -> None:
        self.mean_ = X.T @ weight / weight.sum()

        def columns(a: np.ndarray) -> np.ndarray:
            return X.T @ a - np.multiply.outer(self.mean_, a.sum(axis=0))

        def product(a: np.ndarray) -> np.ndarray:
            w = columns(a)
            return X @ w - self.mean_ @ w

        boosted = self._boost(product, target, weight)
        self.rotation_ = columns(boosted.duals)
        self.loadings_ = columns(weight[:, None] * boosted.scores)
        self.stages_ = boosted.stages

    def _scores(self, X: Any) -> np.ndarray:
        return X @ self.rotation_ - self.mean_ @ self.rotation_
