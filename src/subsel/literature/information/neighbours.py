"""Mutual information between places and classes from nearest neighbours, with its gradient."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import digamma

__all__ = ["neighbour_information"]


def neighbour_information(
    places: np.ndarray, codes: np.ndarray, n_neighbors: int = 3
) -> tuple[float, np.ndarray]:
    r"""Estimate the information of places about classes, in nats, and its gradient by places [1]_ [2]_.

    Entropies, over all rows and within classes, come from the distances of k-th neighbours:

    .. math:: I = \psi(m) - \sum_c \pi_c \psi(m_c) + \frac{d}{m} \sum_i \ln \frac{\rho_i}{\rho_i^c}

    with :math:`\rho_i` the distance to the k-th neighbour and :math:`\rho_i^c` that within the class. The gradient
    holds as long as neighbours stay the same. Classes of at most k rows are left out.

    Parameters
    ----------
    places : array of shape (n_rows, n_dimensions)
        Where the rows lie.
    codes : array of whole numbers from 0
        Their classes.
    n_neighbors : int
        k, as above.

    References
    ----------
    .. [1] Kozachenko and Leonenko, Sample estimate of the entropy of a random vector, Problems of Information
       Transmission 23, 1987.
    .. [2] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.5.

    Examples
    --------
    >>> places = np.array([[0.0], [1.0], [3.0], [50.0], [51.0], [53.0]])
    >>> round(neighbour_information(places, np.array([0, 0, 0, 1, 1, 1]), n_neighbors=1)[0], 3)  # psi(6) - psi(3)
    0.783
    """
    sizes = np.bincount(codes)
    kept = np.flatnonzero(sizes[codes] > n_neighbors)
    if not len(kept):
        return 0.0, np.zeros_like(places)
    inner, codes = places[kept], codes[kept]
    distances = cdist(inner, inner)
    np.fill_diagonal(distances, np.inf)
    own = np.where(codes[:, None] == codes, distances, np.inf)
    m, d = inner.shape
    sizes = sizes[codes]
    value, gradient = digamma(m) - digamma(sizes).mean(), np.zeros_like(places)
    for sign, table in ((1, distances), (-1, own)):
        logs, slope = log_distances(inner, table, n_neighbors)
        value += sign * d / m * logs
        gradient[kept] += sign * d / m * slope
    return float(value), gradient


def log_distances(places: np.ndarray, distances: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """Give the sum of the logarithms of k-th smallest distances, and its gradient; rows in one place do not count."""
    rows = np.arange(len(places))
    nearest = np.argpartition(distances, k - 1, axis=1)[:, k - 1]
    length = distances[rows, nearest]
    apart = length > 0
    step = np.zeros_like(places)
    step[apart] = (places[apart] - places[nearest[apart]]) / length[apart, None] ** 2
    slope = step.copy()
    np.subtract.at(slope, nearest, step)
    return float(np.log(length[apart]).sum()), slope
