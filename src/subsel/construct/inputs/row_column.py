"""Scaling by the sums of rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

__all__ = ["RowColumnScaling", "inverse_root"]


class RowColumnScaling(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Divide by the roots of the sums of row and column, :math:`x_{ij} / \sqrt{r_i c_j}` [1]_.

    The sums of the columns are those over the training rows. Empty rows and columns stay 0.

    Attributes
    ----------
    column_sums_ : array of shape (n_columns,)
        The sums of the columns over the training rows.

    References
    ----------
    .. [1] Lal, Chapelle and Scholkopf, Combining a filter method with SVMs, in *Feature
       Extraction: Foundations and Applications*, 2006, section 13.5.1.

    Examples
    --------
    >>> RowColumnScaling().fit_transform([[1.0, 1.0], [3.0, 1.0]]).round(3)
    array([[0.354, 0.5  ],
           [0.75 , 0.354]])
    """

    def fit(self, X: Any, y: Any = None) -> RowColumnScaling:  # noqa: ARG002
        """Sum the columns."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        check_non_negative(X, "RowColumnScaling")
        self.column_sums_ = np.asarray(X.sum(axis=0)).ravel()
        return self

    def transform(self, X: Any) -> Any:
        """Scale rows and columns."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        check_non_negative(X, "RowColumnScaling")
        rows = inverse_root(np.asarray(X.sum(axis=1)).ravel())
        columns = inverse_root(self.column_sums_)
        if issparse(X):
            return csr_array(diags_array(rows) @ csr_array(X) @ diags_array(columns))
        return X * rows[:, None] * columns

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def inverse_root(sums: np.ndarray) -> np.ndarray:
    """Compute one over the root of each sum, 0 where a sum is 0.

    >>> inverse_root(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    return np.divide(1, np.sqrt(sums), out=np.zeros_like(sums), where=sums > 0)
