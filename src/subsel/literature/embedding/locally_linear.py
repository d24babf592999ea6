"""The kernel of locally linear embedding."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from subsel.literature.embedding.kernel import DataKernel

__all__ = ["LocallyLinear", "barycentre_weights"]


class LocallyLinear(DataKernel):
    r"""The kernel of locally linear embedding [1]_ [2]_.

    Each row is approximated by a weighted mean of its neighbours, and the embedding keeps the
    weights W. Between training rows the kernel is :math:`k(x_i, x_j) = c\,\delta_{ij} - M_{ij}`
    with :math:`M = (I - W)'(I - W)`. For a new row x with weights w it is :math:`k(x, x_i) = (c -
    1)\, w(x, x_i)`, so that its coordinates tend to the weighted mean of those of its neighbours as
    c grows. Between two new rows it is not defined.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours.
    ridge : float
        Multiple of the trace of the local Gram matrix that is added to its diagonal (scikit-learn's
        ``reg``).
    c : float
        The constant c.

    References
    ----------
    .. [1] Roweis and Saul, Nonlinear dimensionality reduction by locally linear embedding, Science
       290, 2000.
    .. [2] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, sections
       27.2.6 and 27.3.1.

    Examples
    --------
    >>> minus_m = LocallyLinear(n_neighbors=2).gram(np.array([[0.0], [1.0], [2.0], [4.0]]))
    >>> np.allclose(minus_m.sum(axis=1), 0)  # the constant vector is an eigenvector of value 0
    True
    """

    scale = "rows"
    n_trivial = 1

    def __init__(self, n_neighbors: int = 5, ridge: float = 1e-3, *, c: float = 1e8) -> None:
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.c = c

    @property
    def shift(self) -> float:  # type: ignore[override]
        """The constant c, which `gram` leaves out to keep the digits of the eigenvalues of M."""
        return self.c

    def gram(self, X: np.ndarray) -> np.ndarray:
        """Compute the weights of the training rows, and return minus M, of shape (m, m)."""
        if not 1 <= self.n_neighbors < len(X):
            raise ValueError(f"n_neighbors must lie in [1, {len(X) - 1}], got {self.n_neighbors}.")
        if not self.ridge > 0:
            raise ValueError(f"ridge must be positive, got {self.ridge}.")
        self.rows_ = X
        self.neighbours_ = NearestNeighbors(n_neighbors=self.n_neighbors).fit(X)
        residual = np.eye(len(X)) - self._weights(
            X, self.neighbours_.kneighbors(return_distance=False)
        )
        self.minus_m_ = -residual.T @ residual
        return self.minus_m_

    def __call__(self, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """Return the kernel to the training rows; a row equal to a training row has that one's."""
        if Z is not None:
            raise ValueError(
                "The kernel of locally linear embedding is not defined between two new rows."
            )
        distances, nearest = self.neighbours_.kneighbors(X)
        kernel = (self.c - 1) * self._weights(X, nearest)
        known = np.flatnonzero(distances[:, 0] == 0)
        same = nearest[known, 0]
        kernel[known] = self.minus_m_[same]
        kernel[known, same] += self.c
        return kernel

    def _weights(self, X: np.ndarray, nearest: np.ndarray) -> np.ndarray:
        """Return the weights of the training rows in the means, of shape (n_rows, m).

        ``nearest``, of shape (n_rows, n_neighbors), holds the indices of the neighbours.
        """
        weights = np.zeros((len(X), len(self.rows_)))
        np.put_along_axis(
            weights, nearest, barycentre_weights(X, self.rows_[nearest], self.ridge), axis=1
        )
        return weights


def barycentre_weights(X: np.ndarray, neighbours: np.ndarray, ridge: float) -> np.ndarray:
    """Return the weights, of sum 1, of the mean of neighbours that is nearest to each row.

    ``X`` has shape (n_rows, n_features), ``neighbours`` shape (n_rows, n_neighbors, n_features),
    the result shape (n_rows, n_neighbors).

    >>> barycentre_weights(np.array([[1.0]]), np.array([[[0.0], [4.0]]]), ridge=1e-6).round(2)
    array([[0.75, 0.25]])
    """
    # |x - sum w_k z_k|^2 = w' G w for weights of sum 1, with G the inner products of z_k - x; its
    # minimum is proportional to G^-1 1 (Roweis and Saul 2000)
    steps = neighbours - X[:, None]
    gram = steps @ steps.transpose(0, 2, 1)
    trace = np.trace(gram, axis1=1, axis2=2)
    diagonal = np.arange(gram.shape[1])
    gram[:, diagonal, diagonal] += ridge * np.where(trace > 0, trace, 1.0)[:, None]
    weights = np.linalg.solve(gram, np.ones((*gram.shape[:2], 1)))[:, :, 0]
    return weights / weights.sum(axis=1, keepdims=True)
