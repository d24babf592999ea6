"""Affinities divided by the roots of their degrees: spectral clustering and Laplacian eigenmaps."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from subsel.construct.inputs.row_column import inverse_root
from subsel.literature.embedding.kernel import DataKernel

__all__ = ["LaplacianEigenmaps", "NgJordanWeiss", "NormalisedAffinity"]


class NormalisedAffinity(DataKernel):
    r"""An affinity over the roots of both degrees, :math:`a(x, z) / \sqrt{S(x) S(z)}` with :math:`S(x) = \sum_i a(x, x_i)`.

    The affinity is Gaussian, :math:`\exp(-\|x - z\|^2 / \sigma^2)`, or, if ``n_neighbors`` is
    given, 1 between rows of which one is among the other's nearest, else 0.

    Parameters
    ----------
    width : float
        Width of the Gaussian.
    n_neighbors : int
        How many neighbours are joined; takes the place of the Gaussian.
    reflexive : bool
        Count the affinity of a row with itself. Without it clusters are often clearer [1]_; then
        rows in one place have no affinity.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, sections
       27.2.3 and 27.2.4.

    Examples
    --------
    >>> NormalisedAffinity(n_neighbors=1).gram(np.array([[0.0], [1.0], [9.0], [10.0]]))[0]  # joined with itself, one other
    array([0.5, 0.5, 0. , 0. ])
    """

    scale = "rows"

    def __init__(
        self, width: float = 1.0, n_neighbors: int | None = None, reflexive: bool = True
    ) -> None:
        self.width = width
        self.n_neighbors = n_neighbors
        self.reflexive = reflexive

    def gram(self, X: np.ndarray) -> np.ndarray:
        """Keep the rows, and learn how far their neighbours lie."""
        if not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width}.")
        if self.n_neighbors is not None and not 1 <= self.n_neighbors < len(X):
            raise ValueError(f"n_neighbors must lie in [1, {len(X) - 1}], got {self.n_neighbors}.")
        self.rows_ = X
        return self(X, X)

    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Divide the affinities by the roots of the degrees."""
        if Z is None:
            Z = self.rows_
        return (
            self.affinity(X, Z)
            * inverse_root(self.degree(X))[:, None]
            * inverse_root(self.degree(Z))
        )

    def degree(self, X: np.ndarray) -> np.ndarray:
        """Return the sum of affinities with the training rows."""
        return self.affinity(X, self.rows_).sum(axis=1)

    def affinity(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the affinities before division."""
        distances = cdist(X, Z)
        if self.n_neighbors is None:
            found = np.exp(-((distances / self.width) ** 2))
        else:
            reach = np.maximum(
                self.reach(X, self.n_neighbors)[:, None], self.reach(Z, self.n_neighbors)
            )
            found = (distances <= reach).astype(float)
        if self.reflexive:
            return found
        return np.where(distances > 0, found, 0.0)

    def reach(self, X: np.ndarray, n: int) -> np.ndarray:
        """Return the distance of the n-th neighbour among the training rows, the row itself not counted."""
        distances = cdist(X, self.rows_)
        distances[distances == 0] = np.inf
        return np.partition(distances, n - 1, axis=1)[:, n - 1]


class NgJordanWeiss(NormalisedAffinity):
    """Spectral clustering's features [1]_: rows of leading eigenvectors, scaled to length 1, ready for k-means.

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
        """Scale every row to length 1; a row without affinities stays 0."""
        norms = np.linalg.norm(coordinates, axis=1, keepdims=True)
        return np.divide(coordinates, norms, out=np.zeros_like(coordinates), where=norms > 0)


class LaplacianEigenmaps(NormalisedAffinity):
    """Laplacian eigenmaps [1]_: eigenvectors over the root of the degree, without the constant one.

    They keep rows of large affinity together: the smallest solutions of ``(S - A) z = s S z``, with
    s one minus our eigenvalue. With ``reflexive=False`` they are those of scikit-learn's
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
        """Divide by the root of the degree."""
        return coordinates * inverse_root(self.degree(X))[:, None]
