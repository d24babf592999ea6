"""Normalised affinities, the kernels of spectral clustering and of Laplacian eigenmaps."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from subsel.construct.inputs.row_column import inverse_root
from subsel.literature.embedding.kernel import DataKernel

__all__ = ["LaplacianEigenmaps", "NgJordanWeiss", "NormalisedAffinity"]


class NormalisedAffinity(DataKernel):
    r"""An affinity divided by the square roots of both degrees [1]_.

    The kernel is :math:`a(x, z) / \sqrt{S(x) S(z)}` with the degree :math:`S(x) = \sum_i a(x,
    x_i)`. The affinity a is Gaussian, :math:`\exp(-\|x - z\|^2 / \sigma^2)`; or, if ``n_neighbors``
    is given, 1 between rows of which one is among the nearest of the other, and else 0.

    Parameters
    ----------
    width : float
        Width :math:`\sigma` of the Gaussian.
    n_neighbors : int, optional
        Number of neighbours; replaces the Gaussian.
    reflexive : bool
        Whether a row has affinity with itself. Clusters are often clearer without [1]_; then equal
        rows have no affinity.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, sections
       27.2.3 and 27.2.4.

    Examples
    --------
    The first row has affinity with itself and with the second:

    >>> NormalisedAffinity(n_neighbors=1).gram(np.array([[0.0], [1.0], [9.0], [10.0]]))[0]
    array([0.5, 0.5, 0. , 0. ])
    """

    scale = "rows"

    def __init__(
        self, width: float = 1.0, n_neighbors: int | None = None, *, reflexive: bool = True
    ) -> None:
        self.width = width
        self.n_neighbors = n_neighbors
        self.reflexive = reflexive

    def gram(self, X: np.ndarray) -> np.ndarray:
        """Store the training rows, and return the kernel between them."""
        if not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width}.")
        if self.n_neighbors is not None and not 1 <= self.n_neighbors < len(X):
            raise ValueError(f"n_neighbors must lie in [1, {len(X) - 1}], got {self.n_neighbors}.")
        self.rows_ = X
        return self(X, X)

    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Return the kernel between rows of X and of Z, by default the training rows."""
        if Z is None:
            Z = self.rows_
        roots_x, roots_z = inverse_root(self.degree(X)), inverse_root(self.degree(Z))
        return self.affinity(X, Z) * roots_x[:, None] * roots_z

    def degree(self, X: np.ndarray) -> np.ndarray:
        """Return the sum of the affinities of each row with the training rows."""
        return self.affinity(X, self.rows_).sum(axis=1)

    def affinity(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the affinities before normalisation, of shape (n_rows_X, n_rows_Z)."""
        distances = cdist(X, Z)
        if self.n_neighbors is None:
            affinities = np.exp(-((distances / self.width) ** 2))
        else:
            reach = np.maximum(
                self.reach(X, self.n_neighbors)[:, None], self.reach(Z, self.n_neighbors)
            )
            affinities = (distances <= reach).astype(float)
        if self.reflexive:
            return affinities
        return np.where(distances > 0, affinities, 0.0)

    def reach(self, X: np.ndarray, n: int) -> np.ndarray:
        """Return the distance of each row from its n-th nearest training row not equal to it."""
        distances = cdist(X, self.rows_)
        distances[distances == 0] = np.inf
        return np.partition(distances, n - 1, axis=1)[:, n - 1]


class NgJordanWeiss(NormalisedAffinity):
    """The kernel of spectral clustering, with coordinates scaled to length 1 for k-means [1]_.

    Examples
    --------
    >>> from subsel.literature.embedding import NystromEmbedding
    >>> two_clusters = np.array([[0.0], [1.0], [100.0], [101.0]])
    >>> abs(NystromEmbedding(NgJordanWeiss()).fit_transform(two_clusters)).round(2)
    array([[1., 0.],
           [1., 0.],
           [0., 1.],
           [0., 1.]])

    References
    ----------
    .. [1] Ng, Jordan and Weiss, On spectral clustering: analysis and an algorithm, NIPS 14, 2002.
    """

    def finish(self, coordinates: np.ndarray, X: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Return the coordinates scaled to length 1 per row; a row without affinities has 0."""
        norms = np.linalg.norm(coordinates, axis=1, keepdims=True)
        return np.divide(coordinates, norms, out=np.zeros_like(coordinates), where=norms > 0)


class LaplacianEigenmaps(NormalisedAffinity):
    """The kernel of Laplacian eigenmaps, with coordinates divided by the root of the degree [1]_.

    The coordinates are the solutions z of ``(S - A) z = s S z`` with smallest s, without the
    constant one; s is one minus the eigenvalue of the kernel. Rows of large affinity are close to
    each other. With ``reflexive=False`` the coordinates are those of scikit-learn's
    ``SpectralEmbedding``.

    Examples
    --------
    >>> from subsel.literature.embedding import NystromEmbedding
    >>> line = np.arange(4.0)[:, None]
    >>> embedding = NystromEmbedding(LaplacianEigenmaps(n_neighbors=1), n_components=1)
    >>> bool((abs(np.diff(np.argsort(embedding.fit_transform(line)[:, 0]))) == 1).all())
    True

    References
    ----------
    .. [1] Belkin and Niyogi, Laplacian eigenmaps for dimensionality reduction and data
       representation, Neural Computation 15, 2003.
    """

    n_trivial = 1

    def finish(self, coordinates: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return the coordinates divided by the root of the degree of each row."""
        # with D the degrees, D^-1/2 A D^-1/2 v = l v is (D - A) z = (1 - l) D z for z = D^-1/2 v
        return coordinates * inverse_root(self.degree(X))[:, None]
