"""How many rare features a row has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["RareCounts"]


class RareCounts(TransformerMixin, BaseEstimator):
    r"""Count in each row the features that are present in exactly so many rows, as :math:`\ln(1 + c_k)` [1]_.

    A feature is present where it is not zero. The source counts over the rows of all splits,
    labelled or not: fit on those rows for the same (the labels are not asked for). In a pipeline
    the counts are those of the training rows, and a row kept apart is not counted.

    Parameters
    ----------
    supports : sequence of ints
        The numbers of rows.

    Attributes
    ----------
    support_counts_ : array
        In how many rows each feature is present.

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
            raise ValueError(f"supports must be whole numbers from 1, got {self.supports!r}.")
        self.support_counts_ = np.asarray(present(X).sum(axis=0)).ravel().astype(int)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Count the rare features of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        rare = np.equal.outer(self.support_counts_, np.asarray(self.supports)).astype(float)
        return np.log1p(present(X) @ rare)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Give ``present_in_1`` and so on."""
        check_is_fitted(self)
        return np.array([f"present_in_{k}" for k in self.supports], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def present(X: Any) -> csr_array:
    """Give 1 where a table is not zero."""
    return csr_array(X != 0).astype(float)
