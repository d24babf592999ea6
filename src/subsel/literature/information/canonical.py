"""Canonical correlation, the most informative projection of Gaussian variables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.construct.inputs.association import holds_classes
from subsel.literature.information.whitening import whitening

__all__ = ["CanonicalProjection"]


class CanonicalProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""The projection of largest correlation with the target or indicators of classes [1]_.

    For Gaussian variables it has the largest mutual information with the target,
    :math:`-\frac12 \sum \ln(1 - \rho_i^2)`. For classes its directions are those of linear
    discriminant analysis.

    Parameters
    ----------
    n_components : int
        Number of features, at most the number of target columns (or of classes less one) and the
        rank of the table.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The projection: the features of x are ``(x - mean_) @ components_.T``, of variance 1.
    mean_ : ndarray of shape (n_features,)
        Means of the columns.
    correlations_ : ndarray of shape (n_components,)
        Canonical correlations, in descending order.
    information_ : float
        The mutual information in nats if all variables were Gaussian; infinite if a correlation is
        1, as with more columns than rows.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction: Foundations and
       Applications*, 2006, sections 6.2.2 and 6.8.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]])
    >>> CanonicalProjection(1).fit(X, [0.5, 1.5, 2.5, 3.5]).correlations_.round(6)
    array([1.])
    """

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any) -> CanonicalProjection:
        """Compute the directions."""
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, ensure_min_samples=2)
        if self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, got {self.n_components}.")
        self.mean_, whiten = whitening(X)
        target = indicators(y)
        target_mean, whiten_target = whitening(target)
        # canonical correlations are the singular values of the covariance of the whitened variables
        cross = ((X - self.mean_) @ whiten).T @ ((target - target_mean) @ whiten_target) / len(X)
        U, correlations, _ = np.linalg.svd(cross, full_matrices=False)
        self.correlations_ = np.minimum(correlations[: self.n_components], 1.0)
        self.components_ = (whiten @ U[:, : self.n_components]).T
        with np.errstate(divide="ignore"):
            self.information_ = -0.5 * float(np.log1p(-(self.correlations_**2)).sum())
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.components_.T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def indicators(y: np.ndarray) -> np.ndarray:
    """Return a numeric target as columns, and classes as indicator columns of zeros and ones.

    >>> indicators(np.array(["a", "b", "a"])).T
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    if y.ndim == 1 and holds_classes(y):
        return np.equal.outer(y, np.unique(y)).astype(float)
    return y.reshape(len(y), -1).astype(float)
