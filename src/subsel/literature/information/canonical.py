"""Canonical correlation: the most informative projection where all is Gaussian."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.construct.inputs.association import holds_classes
from subsel.literature.information.whitening import whitening

__all__ = ["CanonicalProjection"]


class CanonicalProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""The projection of largest correlation with the target; of classes, with their indicators [1]_.

    For Gaussian variables it has the largest mutual information,
    :math:`-\frac12 \sum \ln(1 - \rho_i^2)`. With indicators of classes its directions are those of
    linear discriminant analysis.

    Parameters
    ----------
    n_components : int
        How many; at most as many as target columns (classes less one), or the rank of X, come out.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A row minus ``mean_``, times its transpose, gives the features, of variance 1.
    correlations_ : array
        Canonical correlations, descending.
    information_ : float
        In nats, if all were Gaussian; infinite where a correlation is 1, as with more columns than
        rows.

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
        """Find the directions."""
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, ensure_min_samples=2)
        if self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, got {self.n_components}.")
        self.mean_, whiten = whitening(X)
        target = indicators(y)
        target_mean, whiten_target = whitening(target)
        cross = ((X - self.mean_) @ whiten).T @ ((target - target_mean) @ whiten_target) / len(X)
        U, correlations, _ = np.linalg.svd(cross, full_matrices=False)
        self.correlations_ = np.minimum(correlations[: self.n_components], 1.0)
        self.components_ = (whiten @ U[:, : self.n_components]).T
        with np.errstate(divide="ignore"):
            self.information_ = -0.5 * float(np.log1p(-(self.correlations_**2)).sum())
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Project rows."""
        check_is_fitted(self)
        return (
            validate_data(self, X, dtype=np.float64, reset=False) - self.mean_
        ) @ self.components_.T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def indicators(y: np.ndarray) -> np.ndarray:
    """Return numbers as columns, classes as columns of zeros and ones.

    >>> indicators(np.array(["a", "b", "a"])).T
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    if y.ndim == 1 and holds_classes(y):
        return np.equal.outer(y, np.unique(y)).astype(float)
    return y.reshape(len(y), -1).astype(float)
