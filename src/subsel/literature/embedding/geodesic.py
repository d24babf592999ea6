"""The kernel of Isomap: classical scaling of distances along a graph of neighbours."""

from __future__ import annotations

import warnings
from functools import reduce
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree, shortest_path
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from subsel.literature.embedding.centred_kernels import CentredKernel

__all__ = ["Geodesic"]


class Geodesic(CentredKernel):
    """The kernel of Isomap [1]_ [2]_.

    It is minus half the squared length of the shortest path over training rows, centred. Only the
    first step of a path from a new row is not an edge of the graph. With landmarks, the embedding
    is computed from distances to a few training rows; the paths still run over all rows. If the
    graph is not connected, the shortest links between its components are added, with a warning.

    Parameters
    ----------
    n_neighbors : int
        Number of nearest rows to which each row is joined.
    n_landmarks : int, optional
        Number of landmarks, drawn at random; by default all rows.
    random_state : int, RandomState or None
        Seed of the draw.

    References
    ----------
    .. [1] Tenenbaum, de Silva and Langford, A global geometric framework for nonlinear
       dimensionality reduction, Science 290, 2000.
    .. [2] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, sections
       27.2.5 and 27.3.1.

    Examples
    --------
    >>> corner = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> kernel = Geodesic(n_neighbors=1)
    >>> _ = kernel.gram(corner)
    >>> kernel.lengths(corner, corner)[0]
    array([0., 1., 2.])
    """

    def __init__(
        self, n_neighbors: int = 5, n_landmarks: int | None = None, *, random_state: Any = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def gram(self, X: np.ndarray) -> np.ndarray:
        """Compute all shortest paths over the rows, and return the kernel between landmarks."""
        if not 1 <= self.n_neighbors < len(X):
            raise ValueError(f"n_neighbors must lie in [1, {len(X) - 1}], got {self.n_neighbors}.")
        self.neighbours_ = NearestNeighbors(n_neighbors=self.n_neighbors).fit(X)
        graph = joined(X, csr_array(self.neighbours_.kneighbors_graph(mode="distance")))
        self.paths_ = shortest_path(graph, directed=False)
        return super().gram(X)

    def carriers(self, X: np.ndarray) -> np.ndarray:
        """Return the rows that are landmarks."""
        if self.n_landmarks is None:
            return X
        if not 2 <= self.n_landmarks <= len(X):
            raise ValueError(f"n_landmarks must lie in [2, {len(X)}], got {self.n_landmarks}.")
        return X[check_random_state(self.random_state).permutation(len(X))[: self.n_landmarks]]

    def raw(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return minus half the squared lengths of the shortest paths from X to Z."""
        return -0.5 * self.lengths(X, Z) ** 2

    def lengths(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the lengths of the shortest paths from X over training rows to Z.

        The result has shape (n_rows_X, n_rows_Z).
        """
        # Bellman's principle: the shortest path starts with a step to some neighbour of x and ends
        # with one from some neighbour of z, joined by the shortest path between training rows
        first, start = self.neighbours_.kneighbors(X)
        last, end = self.neighbours_.kneighbors(Z)
        steps = range(self.n_neighbors)
        to_training = reduce(np.minimum, (first[:, [k]] + self.paths_[start[:, k]] for k in steps))
        return reduce(np.minimum, (to_training[:, end[:, k]] + last[:, k] for k in steps))


def joined(X: np.ndarray, graph: csr_array) -> csr_array:
    """Return a graph of neighbours with the shortest links added that make it connected.

    ``X`` has shape (n_rows, n_features); ``graph``, of shape (n_rows, n_rows), holds the lengths
    of the edges.

    >>> joined(np.array([[0.0], [1.0]]), csr_array(np.array([[0.0, 1.0], [0.0, 0.0]]))).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    n_pieces, piece = connected_components(graph, directed=False)
    if n_pieces == 1:
        return graph
    warnings.warn(
        f"The graph of neighbours has {n_pieces} pieces, which are joined by their shortest links.",
        stacklevel=2,
    )
    # edges of a minimum spanning tree that cross between pieces connect them with least total
    # length (the cut property; Kruskal, Proceedings of the American Mathematical Society 7, 1956)
    tree = minimum_spanning_tree(cdist(X, X)).tocoo()
    between = piece[tree.row] != piece[tree.col]
    links = (tree.data[between], (tree.row[between], tree.col[between]))
    return csr_array(graph + csr_array(links, shape=graph.shape))
