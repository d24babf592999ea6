"""Lengths of paths, and distances of rows, under the metric of class probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from sklearn.neighbors import kneighbors_graph

__all__ = ["learning_distances", "path_length"]


def path_length(model: Any, path: Any) -> float:
    r"""Return the length of a path under the metric defined by the probabilities of a model [1]_.

    The squared distance of a point x from x + dx is :math:`\frac12 dx' J(x) dx`, the
    Kullback-Leibler divergence of the class probabilities, with J the Fisher information; the
    length of a path is :math:`\frac1{\sqrt2} \int \sqrt{\dot x' J \dot x}`. Between successive
    points with probabilities p and q it is computed as :math:`\sqrt2 \arccos \sum_y \sqrt{p_y
    q_y}`, which is exact if the probabilities follow the shortest path from p to q.

    Parameters
    ----------
    model : classifier
        A fitted classifier with ``predict_proba``.
    path : array of shape (n_points, n_features)
        Points along the path, between which the probabilities change little.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction: Foundations and
       Applications*, 2006, section 6.6; Peltonen, Klami and Kaski, "Improved learning of Riemannian
       metrics for exploratory analysis", *Neural Networks* 17, 2004.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> there = path_length(model, [[0.0], [3.0]])
    >>> bool(np.isclose(path_length(model, [[0.0], [3.0], [0.0]]), 2 * there))
    True
    """
    roots = np.sqrt(model.predict_proba(np.asarray(path, dtype=np.float64)))
    return float(_arcs(roots[:-1], roots[1:]).sum())


def learning_distances(
    model: Any, X: Any, n_neighbors: int | None = None, n_points: int = 8
) -> np.ndarray:
    """Return the distances of rows under the metric of a model, by shortest paths over rows [1]_.

    The edges of the paths are straight lines, whose lengths are integrated. Rows that no path
    connects have an infinite distance.

    Parameters
    ----------
    model : classifier
        A fitted classifier with ``predict_proba``.
    X : array of shape (n_rows, n_features)
        The rows.
    n_neighbors : int, optional
        If given, two rows are joined by an edge if one is among so many nearest rows (Euclidean) of
        the other; by default all pairs are joined.
    n_points : int
        Number of steps along each edge.

    Returns
    -------
    ndarray of shape (n_rows, n_rows)
        The distances.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction: Foundations and
       Applications*, 2006, section 6.6; Peltonen, Klami and Kaski, "Improved learning of Riemannian
       metrics for exploratory analysis", *Neural Networks* 17, 2004.

    Examples
    --------
    The second column does not change the probabilities:

    >>> from sklearn.linear_model import LogisticRegression
    >>> rows = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    >>> model = LogisticRegression().fit(rows, [0, 0, 1, 1])
    >>> D = learning_distances(model, np.array([[0.0, 0.0], [0.0, 9.0], [3.0, 0.0]]))
    >>> bool(D[0, 1] < 1e-6 < D[0, 2])
    True
    """
    X = np.asarray(X, dtype=np.float64)
    if n_points < 1:
        raise ValueError(f"n_points must be at least 1, got {n_points}.")
    if n_neighbors is not None and not 1 <= n_neighbors < len(X):
        raise ValueError(f"n_neighbors must lie in [1, {len(X) - 1}], got {n_neighbors}.")
    if n_neighbors is None:
        start, end = np.triu_indices(len(X), 1)
    else:
        near = kneighbors_graph(X, n_neighbors)
        start, end = (near + near.T).nonzero()
    lengths = np.zeros(len(start))
    before = np.sqrt(model.predict_proba(X[start]))
    for step in range(1, n_points + 1):
        share = step / n_points
        after = np.sqrt(model.predict_proba((1 - share) * X[start] + share * X[end]))
        lengths += _arcs(before, after)
        before = after
    floor = np.finfo(float).tiny  # a stored zero would not count as an edge
    graph = csr_array((np.maximum(lengths, floor), (start, end)), shape=(len(X), len(X)))
    return dijkstra(graph, directed=False)


def _arcs(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return root 2 times the angle between square roots of probabilities, row by row."""
    # the vectors have length 1, and an angle a has the chord 2 sin(a / 2): unlike the arc cosine of
    # the inner product, this loses no digits if the angle is small
    half = np.linalg.norm(before - after, axis=1) / 2
    return np.sqrt(2) * 2 * np.arcsin(np.minimum(half, 1.0))
