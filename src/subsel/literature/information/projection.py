"""Linear projections learnt by climbing mutual information."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import digamma
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.information.whitening import whitening

__all__ = [
    "Estimate",
    "InformationProjection",
    "climb",
    "neighbour_information",
    "orthonormal",
    "quadratic_information",
]


class InformationProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The projection whose features carry the most information about the classes [1]_.

    Columns are whitened; orthonormal directions start from those of the class means and climb the
    gradient of the estimated information, brought back to orthonormal after each step. Steps that
    lose information are halved.

    Parameters
    ----------
    n_components : int
        How many features, at most the rank of the table.
    estimate : {"quadratic", "neighbours"}
        See `quadratic_information` and `neighbour_information`.
    widths : tuple of floats
        Widths of the quadratic estimate on whitened columns, wide first: each starts where the last
        one ended.
    n_neighbors : int
        Of the other estimate.
    max_iter : int
        Most steps, for each width.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A row minus ``mean_``, times its transpose, gives the features, uncorrelated with variance
        1.
    information_ : list of lists
        The estimate after each step, a list for each width.
    n_iter_ : int
        Steps in all.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction: Foundations and
       Applications*, 2006, section 6.5.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ring = rng.normal(size=(60, 4)) * [1, 5, 1, 1]
    >>> fitted = InformationProjection(1, widths=(0.5,)).fit(ring, abs(ring[:, 0]) > 0.7)
    >>> fitted.information_[0][-1] > fitted.information_[0][0]
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        estimate: Literal["quadratic", "neighbours"] = "quadratic",
        *,
        widths: tuple[float, ...] = (1.0, 0.5, 0.25),
        n_neighbors: int = 3,
        max_iter: int = 50,
    ) -> None:
        self.n_components = n_components
        self.estimate = estimate
        self.widths = widths
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> InformationProjection:
        """Climb."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        if self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, got {self.n_components}.")
        codes = np.unique(y, return_inverse=True)[1]
        self.mean_, whiten = whitening(X)
        Z = (X - self.mean_) @ whiten
        S = class_directions(Z, codes, min(self.n_components, Z.shape[1]))
        self.information_ = []
        for estimate in self._estimates(codes):
            S, climbed = climb(S, Z, estimate, self.max_iter)
            self.information_.append(climbed)
        self.n_iter_ = max(1, sum(len(values) - 1 for values in self.information_))
        self.components_ = (whiten @ S).T
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Project rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.components_.T

    def _estimates(self, codes: np.ndarray) -> list[Estimate]:
        if self.estimate == "neighbours":
            return [partial(neighbour_information, codes=codes, n_neighbors=self.n_neighbors)]
        if self.estimate != "quadratic":
            raise ValueError(
                f"estimate must be 'quadratic' or 'neighbours', got {self.estimate!r}."
            )
        return [partial(quadratic_information, codes=codes, width=width) for width in self.widths]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def class_directions(Z: np.ndarray, codes: np.ndarray, n: int) -> np.ndarray:
    """Return n orthonormal directions of whitened rows: those of linear discriminant analysis, then others.

    >>> square = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    >>> abs(class_directions(square, np.array([0, 1, 0, 1]), 1)).T
    array([[1., 0.]])
    """
    sizes = np.bincount(codes)
    means = np.stack([Z[codes == c].mean(axis=0) for c in range(len(sizes))])
    return np.linalg.svd(np.sqrt(sizes)[:, None] * means)[2][:n].T


Estimate = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""A value of places, and its gradient by them."""


def climb(
    S: np.ndarray, Z: np.ndarray, estimate: Estimate, max_iter: int
) -> tuple[np.ndarray, list[float]]:
    """Follow the gradient along orthonormal directions while the estimate grows; give the values on the way.

    >>> Z, spread = np.array([[3.0, 0.0], [0.0, 1.0]]), lambda places: ((places**2).sum(), 2 * places)
    >>> S, values = climb(np.array([[0.6], [0.8]]), Z, spread, max_iter=100)
    >>> abs(S).round(2).T.tolist(), round(float(values[-1]), 4)
    ([[1.0, 0.0]], 9.0)
    """
    value, slope = estimate(Z @ S)
    values, length = [value], 1.0
    for _ in range(max_iter):
        gradient = Z.T @ slope
        gradient /= max(np.linalg.norm(gradient), np.finfo(float).tiny)
        while length > 1e-6:
            tried = orthonormal(S + length * gradient)
            new, new_slope = estimate(Z @ tried)
            if new > value:
                break
            length /= 2
        else:
            break
        S, value, slope, length = tried, new, new_slope, 2 * length
        values.append(value)
    return S, values


def orthonormal(S: np.ndarray) -> np.ndarray:
    """Return the nearest matrix with orthonormal columns.

    >>> orthonormal(np.array([[2.0], [0.0]])).round(6)
    array([[1.],
           [0.]])
    """
    U, _, V = np.linalg.svd(S, full_matrices=False)
    return U @ V


def neighbour_information(
    places: np.ndarray, codes: np.ndarray, n_neighbors: int = 3
) -> tuple[float, np.ndarray]:
    r"""Estimate the information of places about classes, in nats, and its gradient by places [1]_ [2]_.

    Entropies, over all rows and within classes, come from the distances of k-th neighbours:

    .. math:: I = \psi(m) - \sum_c \pi_c \psi(m_c) + \frac{d}{m} \sum_i \ln \frac{\rho_i}{\rho_i^c}

    with :math:`\rho_i` the distance to the k-th neighbour and :math:`\rho_i^c` that within the
    class. The gradient holds as long as neighbours stay the same. Classes of at most k rows are
    left out.

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
    .. [1] Kozachenko and Leonenko, Sample estimate of the entropy of a random vector, Problems of
       Information Transmission 23, 1987.
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
    """Return the sum of the logarithms of k-th smallest distances, and its gradient; rows in one place do not count."""
    rows = np.arange(len(places))
    nearest = np.argpartition(distances, k - 1, axis=1)[:, k - 1]
    length = distances[rows, nearest]
    apart = length > 0
    step = np.zeros_like(places)
    step[apart] = (places[apart] - places[nearest[apart]]) / length[apart, None] ** 2
    slope = step.copy()
    np.subtract.at(slope, nearest, step)
    return float(np.log(length[apart]).sum()), slope


def quadratic_information(
    places: np.ndarray, codes: np.ndarray, width: float
) -> tuple[float, np.ndarray]:
    r"""Return the quadratic divergence from independence of places and classes, and its gradient by places [1]_ [2]_.

    Densities are Parzen sums of Gaussians of this width, so that the integral of squares has a
    closed form:

    .. math:: I = \frac1{m^2} \sum_{ab} A_{ab} G(\phi_a - \phi_b; 2 \sigma^2), \qquad
        A_{ab} = [y_a = y_b] + \sum_c \pi_c^2 - \pi_{y_a} - \pi_{y_b}

    It is never negative, and 0 where all classes have the same places.

    Parameters
    ----------
    places : array of shape (n_rows, n_dimensions)
        Where the rows lie.
    codes : array of whole numbers from 0
        Their classes.
    width : float
        Standard deviation of the Gaussians.

    References
    ----------
    .. [1] Torkkola, Feature extraction by non-parametric mutual information maximization, Journal
       of Machine Learning Research 3, 2003.
    .. [2] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.5.

    Examples
    --------
    >>> apart, together = np.array([[0.0], [9.0]]), np.array([[0.0], [0.0]])
    >>> [round(quadratic_information(places, np.array([0, 1]), 1.0)[0], 3) for places in (apart, together)]
    [0.071, 0.0]
    """
    m, d = places.shape
    share = np.bincount(codes) / m
    agreement = (codes[:, None] == codes) + share @ share - share[codes][:, None] - share[codes]
    squares = cdist(places, places, "sqeuclidean")
    density = np.exp(-squares / (4 * width**2)) / (4 * np.pi * width**2) ** (d / 2)
    pull = agreement * density / m**2
    return float(pull.sum()), (pull @ places - pull.sum(axis=1)[:, None] * places) / width**2
