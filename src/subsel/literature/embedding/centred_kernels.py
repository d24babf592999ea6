"""Kernels centred in both arguments over the training rows: kernel PCA and classical scaling."""

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
    r"""A raw kernel minus its means over the rows that carry the embedding.

    .. math:: k(x, z) = r(x, z) - \frac1m \sum_i r(x_i, z) - \frac1m \sum_j r(x, x_j)
        + \frac1{m^2} \sum_{ij} r(x_i, x_j)

    A subclass gives ``raw(X, Z)`` and may choose which rows carry (``carriers``) [1]_.

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
        """Keep the carrying rows and the means of the raw kernel over them."""
        self.rows_ = self.carriers(X)
        raw = self.raw(self.rows_, self.rows_)
        self.means_ = raw.mean(axis=0)
        return raw - self.means_ - self.means_[:, None] + self.means_.mean()

    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Centre with the means of the training rows."""
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
        """Return the training rows that carry the embedding: all of them."""
        return X

    @abstractmethod
    def raw(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the kernel before centring."""


class Similarity(CentredKernel):
    """The centred kernel of kernel PCA [1]_ [2]_.

    A Gaussian kernel does not do principal components in neighbourhoods: a small width singles out
    small regions, a large one tends to linear components.

    Parameters
    ----------
    kernel : str or function
        As in scikit-learn's ``pairwise_kernels``; the chapter's Gaussian of width s is ``"rbf"``
        with gamma 1 / s^2.
    kernel_params : mapping
        Its parameters.

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
        """Return the kernel that was named."""
        return pairwise_kernels(X, Z, metric=self.kernel, **(self.kernel_params or {}))


class Distance(CentredKernel):
    """The kernel of classical scaling [1]_: minus half the squared distances, centred.

    Euclidean distances give principal components; a distance made from a kernel gives kernel PCA.

    Parameters
    ----------
    metric : str or function
        Of ``scipy.spatial.distance.cdist``.

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
