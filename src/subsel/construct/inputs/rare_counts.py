"""Counts of the rare features of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["RareCounts"]


class RareCounts(TransformerMixin, BaseEstimator):
    r"""Count in each row the features that are present in exactly k rows, for several k [1]_.

    The new columns are :math:`\ln(1 + c_k)`. A feature is present where it is not zero. In [1]_
    presence is counted over the rows of all splits, labelled or not; to do so, fit on these rows
    (labels are not needed). In a pipeline only the training rows are counted.

    Parameters
    ----------
    supports : sequence of ints
        The numbers of rows k.

    Attributes
    ----------
    support_counts_ : array of shape (n_columns,)
        The number of rows in which each feature is present.

    References
    ----------
    .. [1] Neal and Zhang, High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees, in *Feature Extraction: Foundations and Applications*, 2006,
       chapter 10, the Dorothea entry.

    Examples
    --------
    >>> X = np.array([[1, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]])
    >>> np.expm1(RareCounts().fit_transform(X)).round()
    array([[1., 1., 1.],
           [0., 1., 1.],
           [1., 0., 1.]])
    """

    def __init__(self, supports: tuple[int, ...] = (1, 2, 3)) -> None:
        self.supports = supports

    def fit(self, X: Any, y: Any = None) -> RareCounts:  # noqa: ARG002
        """Count in how many rows each feature is present."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        if not len(self.supports) or min(self.supports) < 1:
            raise ValueError(f"supports must be positive whole numbers, got {self.supports!r}.")
        self.support_counts_ = np.asarray(present(X).sum(axis=0)).ravel().astype(int)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Count the rare features of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        rare = np.equal.outer(self.support_counts_, np.asarray(self.supports)).astype(float)
        return np.log1p(present(X) @ rare)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return ``present_in_1`` and so on."""
        check_is_fitted(self)
        return np.array([f"present_in_{k}" for k in self.supports], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def present(X: Any) -> csr_array:
    """Convert a table to 1 where it is not zero."""
    return csr_array(X != 0).astype(float)
