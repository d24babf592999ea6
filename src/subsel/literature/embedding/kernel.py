"""The base class of kernels that depend on the training rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["DataKernel"]


class DataKernel(BaseEstimator, ABC):
    """A symmetric function of two rows that depends on the training rows [1]_.

    It need not be positive semidefinite. A subclass implements ``gram`` and ``__call__``; on
    training rows both must return the same values. Parameters of the constructor can be searched by
    ``GridSearchCV``, as ``kernel__n_neighbors``.

    Attributes
    ----------
    scale : {"eigenvalue", "rows"}
        Whether an eigenvector of length 1 is multiplied by the square root of its eigenvalue or of
        the number of rows.
    n_trivial : int
        Number of leading eigenvectors that carry no information and are left out.
    shift : float
        A multiple of the identity that ``gram`` leaves out, as it changes the eigenvalues only.

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
    >>> embedding = NystromEmbedding(Product(), 1).fit([[3.0, 4.0], [6.0, 8.0]])
    >>> embedding.transform([[0.3, 0.4]]).round(6)
    array([[0.5]])
    """

    scale: Literal["eigenvalue", "rows"] = "eigenvalue"
    n_trivial: int = 0
    shift: float = 0.0

    @abstractmethod
    def gram(self, X: np.ndarray) -> np.ndarray:
        """Fit the kernel to training rows, and return it for those that define the embedding.

        These are all training rows, or landmarks. The result has shape (m, m).
        """

    @abstractmethod
    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Return the kernel between rows of X and of Z, by default the rows of `gram`."""

    def finish(self, coordinates: np.ndarray, X: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Return the features of rows X from their coordinates, by default the coordinates."""
        return coordinates
