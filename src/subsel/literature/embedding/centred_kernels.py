"""Kernels centred over the training rows: those of kernel PCA and classical scaling."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels

from subsel.literature.embedding.kernel import DataKernel

__all__ = ["CentredKernel", "Distance", "Similarity"]


class CentredKernel(DataKernel):
    r"""A raw kernel r centred in both arguments over the m rows that define the embedding [1]_.

    .. math:: k(x, z) = r(x, z) - \frac1m \sum_i r(x_i, z) - \frac1m \sum_j r(x, x_j)
        + \frac1{m^2} \sum_{ij} r(x_i, x_j)

    A subclass implements ``raw(X, Z)``; by ``carriers(X)`` it may choose some of the training rows
    to define the embedding.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006,
       equations 27.7 and 27.10.

    Examples
    --------
    >>> class Minimum(CentredKernel):
    ...     def raw(self, X, Z):
    ...         return np.minimum(X, Z.T)
    >>> Minimum().gram(np.array([[1.0], [3.0]]))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    def gram(self, X: np.ndarray) -> np.ndarray:
        """Store the rows that define the embedding, and return the kernel between them."""
        self.rows_ = self.carriers(X)
        raw = self.raw(self.rows_, self.rows_)
        self.means_ = raw.mean(axis=0)
        return raw - self.means_ - self.means_[:, None] + self.means_.mean()

    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Return the kernel between rows of X and of Z, by default the rows that define it."""
        to_rows = self.raw(X, self.rows_)
        centred = to_rows - to_rows.mean(axis=1)[:, None] + self.means_.mean() - self.means_
        if Z is None:
            return centred
        return (
            self.raw(X, Z)
            - to_rows.mean(axis=1)[:, None]
            + self.means_.mean()
            - self.raw(self.rows_, Z).mean(axis=0)
        )

    def carriers(self, X: np.ndarray) -> np.ndarray:
        """Return the training rows that define the embedding: all of them."""
        return X

    @abstractmethod
    def raw(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the kernel before centring, of shape (n_rows_X, n_rows_Z)."""


class Similarity(CentredKernel):
    """The centred kernel of kernel PCA [1]_ [2]_.

    With a Gaussian kernel the components are not local principal components: with a small width
    they single out small regions, with a large one they tend to linear components.

    Parameters
    ----------
    kernel : str or callable
        A kernel as in scikit-learn's ``pairwise_kernels``; the chapter's Gaussian of width s is
        ``"rbf"`` with gamma 1 / s^2.
    kernel_params : mapping, optional
        Parameters of the kernel.

    References
    ----------
    .. [1] Scholkopf, Smola and Muller, Nonlinear component analysis as a kernel eigenvalue problem,
       Neural Computation 10, 1998.
    .. [2] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, section
       27.2.1.

    Examples
    --------
    >>> Similarity("linear").gram(np.array([[0.0], [2.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def __init__(
        self, kernel: str | Callable = "rbf", kernel_params: Mapping[str, Any] | None = None
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params

    def raw(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the kernel of the parameters before centring."""
        return pairwise_kernels(X, Z, metric=self.kernel, **(self.kernel_params or {}))


class Distance(CentredKernel):
    """The kernel of classical scaling [1]_: minus half the squared distances, centred.

    With Euclidean distances the coordinates are principal components; with a distance defined by a
    kernel they are those of kernel PCA.

    Parameters
    ----------
    metric : str or callable
        A metric of ``scipy.spatial.distance.cdist``.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, section
       27.2.2.

    Examples
    --------
    >>> Distance().gram(np.array([[0.0], [2.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def __init__(self, metric: str | Callable = "euclidean") -> None:
        self.metric = metric

    def raw(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return minus half the squared distances."""
        return -0.5 * cdist(X, Z, self.metric) ** 2
