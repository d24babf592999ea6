"""Principal components by eigenvectors of the inner products of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from subsel.construct.column_moments import mean_and_variance
from subsel.literature.embedding.nystrom import leading

__all__ = ["GramPCA"]


class GramPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Principal components of tables with few rows and many columns, dense or sparse [1]_.

    If v is an eigenvector, of eigenvalue :math:`\lambda`, of the m by m matrix of inner products of
    the rows, a component is :math:`X' v / \sqrt\lambda`. Centring and scaling are applied to the
    products, so that a sparse table stays sparse.

    Parameters
    ----------
    n_components : int
        Number of components; at most the rank of the table.
    centre : bool
        Whether column means are subtracted, which is not advisable if zero has a meaning.
    scale : bool
        Whether columns are divided by their standard deviations, which is not advisable if a large
        variance indicates a useful column.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the score of largest size on the training rows is positive for each.
    eigenvalues_ : ndarray of shape (n_components,)
        Sums of squares of the scores of the training rows.
    mean_, scale_ : ndarray of shape (n_features,)
        Numbers subtracted from the columns, and by which they are divided.

    References
    ----------
    .. [1] Neal and Zhang, High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees, in *Feature Extraction: Foundations and Applications*, 2006,
       section 10.3.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [5.0, 5.0, 1.0]])
    >>> GramPCA(1).fit(X).components_.round(3)
    array([[0.707, 0.707, 0.   ]])
    """

    def __init__(self, n_components: int = 2, *, centre: bool = True, scale: bool = False) -> None:
        self.n_components = n_components
        self.centre = centre
        self.scale = scale

    def fit(self, X: Any, y: Any = None) -> GramPCA:  # noqa: ARG002
        """Compute the components."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        if self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, got {self.n_components}.")
        mean, variance = mean_and_variance(X)
        self.mean_, self.scale_ = np.zeros_like(mean), np.ones_like(mean)
        if self.centre:
            self.mean_ = mean
        if self.scale:
            self.scale_ = np.sqrt(variance)
            self.scale_[self.scale_ == 0] = 1.0
        values, vectors = leading(self._gram(X), min(self.n_components, *X.shape))
        # smaller eigenvalues are rounding errors; singular values of X are their square roots
        large = values > 1e-12 * max(values[0], 0.0)
        self.eigenvalues_, vectors = values[large], vectors[:, large] / np.sqrt(values[large])
        self.components_ = (
            (X.T @ vectors - np.outer(self.mean_, vectors.sum(axis=0))) / self.scale_[:, None]
        ).T
        self._n_features_out = len(self.eigenvalues_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the scores of the rows, of shape (n_rows, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        directions = (self.components_ / self.scale_).T
        return X @ directions - self.mean_ @ directions

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the rows with these scores that are nearest to the mean."""
        check_is_fitted(self)
        return (check_array(X, dtype=np.float64) @ self.components_) * self.scale_ + self.mean_

    def _gram(self, X: Any) -> np.ndarray:
        """Return the inner products of the centred and scaled rows."""
        if not issparse(X):
            Z = (X - self.mean_) / self.scale_
            return Z @ Z.T
        # (z - c)'(w - c) = z'w - z'c - w'c + c'c: the sparse rows are never centred themselves
        Z = X.multiply(1 / self.scale_).tocsr()
        centre = self.mean_ / self.scale_
        to_mean = Z @ centre
        return (Z @ Z.T).toarray() - to_mean[:, None] - to_mean + centre @ centre

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
