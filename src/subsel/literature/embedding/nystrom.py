"""Spectral embeddings by eigenvectors of a kernel, extended to new rows by Nystrom's formula."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.embedding.affinity import LaplacianEigenmaps, NgJordanWeiss
from subsel.literature.embedding.centred_kernels import Distance, Similarity
from subsel.literature.embedding.geodesic import Geodesic
from subsel.literature.embedding.kernel import DataKernel
from subsel.literature.embedding.locally_linear import LocallyLinear

__all__ = ["KERNELS", "NystromEmbedding"]

KERNELS: dict[str, type[DataKernel]] = {
    "kernel-pca": Similarity,
    "mds": Distance,
    "spectral-clustering": NgJordanWeiss,
    "laplacian-eigenmaps": LaplacianEigenmaps,
    "isomap": Geodesic,
    "lle": LocallyLinear,
}
"""The kernels of the methods in Bengio et al. (2006), by name."""


class NystromEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""An embedding by the eigenfunctions of a data-dependent kernel [1]_.

    With eigenvalues :math:`\ell_r` and eigenvectors :math:`v_r` of the kernel k between the m
    training rows, the coordinates of a row x are, by Nystrom's formula,

    .. math:: P_r(x) = \frac{s_r}{\ell_r} \sum_i v_{ri} \, k(x, x_i), \qquad P_r(x_i) = s_r v_{ri}

    where the scale :math:`s_r` is :math:`\sqrt{\ell_r}` (kernel PCA, scaling, Isomap) or
    :math:`\sqrt m`. A coordinate is 0 if its eigenvalue is zero, or if the scale is the root of a
    negative eigenvalue.

    Parameters
    ----------
    kernel : str or DataKernel
        ``"kernel-pca"``, ``"mds"``, ``"spectral-clustering"``, ``"laplacian-eigenmaps"``,
        ``"isomap"``, ``"lle"``, or a kernel with parameters.
    n_components : int
        Number of coordinates.
    order : {"largest", "magnitude"}
        Whether the largest eigenvalues are used, or those of largest magnitude, which may be
        negative.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the kernel matrix.
    eigenvectors_ : ndarray of shape (n_rows, n_components)
        Eigenvectors of length 1, of which the entry of largest size is positive.
    kernel_ : DataKernel
        The fitted kernel.

    References
    ----------
    .. [1] Bengio, Delalleau, Le Roux, Paiement, Vincent and Ouimet, Spectral Dimensionality
       Reduction, in *Feature Extraction: Foundations and Applications*, 2006, chapter 27.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> embedding = NystromEmbedding("mds", n_components=1).fit(X)
    >>> embedding.transform([[0.0], [1.0], [3.0], [2.0]]).ravel().round(4)
    array([-1.3333, -0.3333,  1.6667,  0.6667])
    """

    def __init__(
        self,
        kernel: str | DataKernel = "isomap",
        n_components: int = 2,
        *,
        order: Literal["largest", "magnitude"] = "largest",
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.order = order

    def fit(self, X: Any, y: Any = None) -> NystromEmbedding:  # noqa: ARG002
        """Fit the kernel and compute its leading eigenvectors."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.order not in ("largest", "magnitude"):
            raise ValueError(f"order must be 'largest' or 'magnitude', got {self.order!r}.")
        self.kernel_ = find_data_kernel(self.kernel)
        gram = self.kernel_.gram(X)
        most = len(gram) - self.kernel_.n_trivial
        if not 1 <= self.n_components <= most:
            raise ValueError(
                f"n_components must lie in [1, {most}] with {len(X)} samples, "
                f"got {self.n_components}."
            )
        n_trivial = self.kernel_.n_trivial
        values, vectors = leading(gram, n_trivial + self.n_components, self.order == "magnitude")
        self.eigenvalues_ = values[n_trivial:] + self.kernel_.shift
        self.eigenvectors_ = vectors[:, n_trivial:]
        self._n_features_out = self.n_components
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of rows, of shape (n_rows, n_components)."""
        rows = self.rows(X)
        return self.kernel_.finish(self.eigenfunctions(rows) * self.scales_, rows)

    def eigenfunctions(self, rows: np.ndarray) -> np.ndarray:
        r"""Return :math:`\frac{1}{\ell_r} \sum_i v_{ri} k(x, x_i)` at each row.

        The result has shape (n_rows, n_components).
        On the training rows these are the eigenvectors. The rows must have been checked by `rows`.
        """
        # Nystrom's formula: the eigenvalue equation of the kernel matrix, read at a new row
        # (Williams and Seeger, "Using the Nystrom method to speed up kernel machines", NIPS 13,
        # 2001)
        values = self.eigenvalues_
        large = np.abs(values) > 1e-12 * np.abs(values).max()
        inverse = np.divide(1, values, out=np.zeros_like(values), where=large)
        return self.kernel_(rows) @ (self.eigenvectors_ * inverse)

    def rows(self, X: Any) -> np.ndarray:
        """Return rows as an array after checking them against those of the fit."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    @property
    def scales_(self) -> np.ndarray:
        """The factors of the eigenfunctions, of shape (n_components,)."""
        if self.kernel_.scale == "rows":
            return np.full(len(self.eigenvalues_), np.sqrt(len(self.eigenvectors_)))
        if self.order == "magnitude":
            return np.sqrt(np.abs(self.eigenvalues_))
        return np.sqrt(np.maximum(self.eigenvalues_, 0.0))


def find_data_kernel(kernel: str | DataKernel) -> DataKernel:
    """Return a new kernel by its name, or an unfitted copy of a kernel."""
    if not isinstance(kernel, str):
        return clone(kernel)
    if kernel not in KERNELS:
        raise ValueError(
            f"kernel must be one of {', '.join(KERNELS)} or a DataKernel, got {kernel!r}."
        )
    return KERNELS[kernel]()


def leading(gram: np.ndarray, n: int, by_magnitude: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the n leading eigenvalues and eigenvectors of a symmetric matrix.

    The eigenvalues, of shape (n,), are in descending order, or of their magnitude if
    ``by_magnitude``. The eigenvectors are the columns of an array of shape (m, n); the entry of
    largest size of each is positive.

    >>> leading(np.diag([1.0, -3.0, 2.0]), 2, by_magnitude=True)[0]
    array([-3.,  2.])
    """
    m = len(gram)
    if by_magnitude:
        values, vectors = eigh(gram, subset_by_index=(0, m - 1))
        first = np.argsort(-np.abs(values), kind="stable")[:n]
    else:
        values, vectors = eigh(gram, subset_by_index=(m - n, m - 1))
        first = np.argsort(-values, kind="stable")[:n]
    values, vectors = values[first], vectors[:, first]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n)]
    return values, vectors * np.where(largest < 0, -1.0, 1.0)
