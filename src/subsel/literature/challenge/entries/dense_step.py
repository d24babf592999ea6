"""A step that fills a sparse table in, once few columns are left."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

__all__ = ["Dense"]


class Dense(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Give the same table as a dense array.

    Examples
    --------
    >>> Dense().fit_transform(sparse.eye_array(2))
    array([[1., 0.], [0., 1.]])
    """

    def fit(self, X: Any, y: Any = None) -> Dense:  # noqa: ARG002
        """Nothing is learnt but how many columns there are."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Fill in the zeros."""
        if sparse.issparse(X):
            return X.toarray()
        return np.asarray(X)
