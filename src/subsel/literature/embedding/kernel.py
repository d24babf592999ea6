"""What an embedding asks of a data-dependent kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["DataKernel"]


class DataKernel(BaseEstimator, ABC):
    """A symmetric function of two rows that depends on the training rows; it need not be positive [1]_.

    A subclass gives ``gram`` and ``__call__``, whose value on training rows must be what ``gram``
    gave. Its parameters are those of its constructor, so that ``GridSearchCV`` reaches them
    (``kernel__n_neighbors``).

    Attributes
    ----------
    scale : {"eigenvalue", "rows"}
        A coordinate is an eigenvector of length 1 times the root of its eigenvalue, or of the
        number of rows.
    n_trivial : int
        Leading eigenvectors that carry nothing, and are left out.
    shift : float
        A multiple of the identity which ``gram`` leaves out, since it moves eigenvalues only.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, section
       27.3.

    Examples
    --------
    >>> from subsel.literature.embedding import NystromEmbedding
    >>> class Product(DataKernel):
    ...     def gram(self, X):
    ...         self.rows_ = X
    ...         return X @ X.T
    ...     def __call__(self, X, Z=None):
    ...         return X @ (self.rows_ if Z is None else Z).T
    >>> NystromEmbedding(Product(), 1).fit([[3.0, 4.0], [6.0, 8.0]]).transform([[0.3, 0.4]]).round(6)
    array([[0.5]])
    """

    scale: Literal["eigenvalue", "rows"] = "eigenvalue"
    n_trivial: int = 0
    shift: float = 0.0

    @abstractmethod
    def gram(self, X: np.ndarray) -> np.ndarray:
        """Learn from the training rows; give the kernel between the rows that carry the embedding."""

    @abstractmethod
    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Return the kernel between rows of X and of Z, by default the rows that carry the embedding."""

    def finish(self, coordinates: np.ndarray, X: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Turn the eigenfunctions at rows X into features; as they are, unless a method asks for more."""
        return coordinates
