"""Two of the three scalings of the NIPS 2003 challenge's reference study.

The third is scikit-learn's ``Normalizer``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from subsel.construct.column_moments import mean_and_variance

__all__ = ["MeanNormScaler", "StabilisedScaler"]


class Affine(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Subtract ``mean_`` and divide by ``scale_``, which a subclass learns.

    Sparse tables are not centred.
    """

    def fit(self, X: Any, y: Any = None) -> Affine:  # noqa: ARG002
        """Learn mean and scale."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        self.mean_, self.scale_ = self._learn(X)
        return self

    def transform(self, X: Any) -> Any:
        """Scale the columns."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if issparse(X):
            return X.multiply(1 / self.scale_).tocsr()
        return (X - self.mean_) / self.scale_

    def inverse_transform(self, X: Any) -> Any:
        """Undo the scaling."""
        check_is_fitted(self)
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        if issparse(X):
            return X.multiply(self.scale_).tocsr()
        return X * self.scale_ + self.mean_

    @abstractmethod
    def _learn(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute mean and scale, of shape (columns,)."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class StabilisedScaler(Affine):
    """Subtract the mean and divide by the standard deviation plus its median over columns [1]_.

    The median keeps columns of very small deviation from becoming large. The mean of a sparse
    table is not subtracted.

    Attributes
    ----------
    mean_, scale_ : arrays of shape (n_columns,)
        The subtracted means, 0 for a sparse table, and the divisors.

    References
    ----------
    .. [1] Guyon, Gunn, Ben-Hur and Dror, Design and analysis of the NIPS2003 challenge, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 9, appendix A (the first
       of its three preprocessings).

    Examples
    --------
    >>> StabilisedScaler().fit_transform([[0.0, 0.0, 5.0], [2.0, 6.0, 5.0]])
    array([[-0.5 , -0.75,  0.  ],
           [ 0.5 ,  0.75,  0.  ]])
    """

    def _learn(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = mean_and_variance(X)
        deviation = np.sqrt(variance)
        scale = deviation + np.median(deviation)
        if issparse(X):
            mean = 0.0 * mean  # a sparse table is not centred
        return mean, np.where(scale > 0, scale, 1.0)


class MeanNormScaler(Affine):
    """Divide by the mean Euclidean length of the training rows [1]_.

    Attributes
    ----------
    mean_, scale_ : arrays of shape (n_columns,)
        Zeros, and the mean length.

    References
    ----------
    .. [1] Guyon, Gunn, Ben-Hur and Dror, Design and analysis of the NIPS2003 challenge, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 9, appendix A (the third
       of its three preprocessings).

    Examples
    --------
    >>> MeanNormScaler().fit_transform([[3.0, 4.0], [0.0, 15.0]])
    array([[0.3, 0.4],
           [0. , 1.5]])
    """

    def _learn(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        length = float(row_norms(X).mean()) or 1.0
        return np.zeros(X.shape[1]), np.full(X.shape[1], length)
