"""Linear projections that maximise an estimate of mutual information by gradient ascent."""

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
    """The linear projection with the largest estimated information about the classes [1]_.

    Columns are whitened. Orthonormal directions start at those of the class means and follow the
    gradient of the estimated information; after each step they are made orthonormal again. A step
    that lowers the estimate is halved.

    Parameters
    ----------
    n_components : int
        Number of features, at most the rank of the table.
    estimate : {"quadratic", "neighbours"}
        The estimate; see `quadratic_information` and `neighbour_information`.
    widths : tuple of float
        Widths of the quadratic estimate on whitened columns, the widest first; each ascent starts
        where the one before ended.
    n_neighbors : int
        The parameter of `neighbour_information`.
    max_iter : int
        Most steps for each width.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The projection: the features of x are ``(x - mean_) @ components_.T``, uncorrelated with
        variance 1.
    mean_ : ndarray of shape (n_features,)
        Means of the columns.
    information_ : list of list of float
        The estimate after each step, one list for each width.
    n_iter_ : int
        Number of steps.

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
        """Maximise the estimate."""
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
            S, values = climb(S, Z, estimate, self.max_iter)
            self.information_.append(values)
        self.n_iter_ = max(1, sum(len(values) - 1 for values in self.information_))
        self.components_ = (whiten @ S).T
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.components_.T

    def _estimates(self, codes: np.ndarray) -> list[Estimate]:
        """Return the estimates to be maximised one after the other."""
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
    """Return n orthonormal directions of whitened rows, first those of discriminant analysis.

    ``Z`` has shape (n_rows, rank), ``codes`` shape (n_rows,), the result shape (rank, n).

    >>> square = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    >>> abs(class_directions(square, np.array([0, 1, 0, 1]), 1)).T
    array([[1., 0.]])
    """
    # on whitened rows the directions are eigenvectors of the covariance between classes, which are
    # right singular vectors of the class means weighted by the roots of their sizes
    sizes = np.bincount(codes)
    means = np.stack([Z[codes == c].mean(axis=0) for c in range(len(sizes))])
    return np.linalg.svd(np.sqrt(sizes)[:, None] * means)[2][:n].T


Estimate = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""A function of points, of shape (n_rows, n_dimensions), that returns a value and its gradient."""


def climb(
    S: np.ndarray, Z: np.ndarray, estimate: Estimate, max_iter: int
) -> tuple[np.ndarray, list[float]]:
    """Maximise an estimate over orthonormal directions by gradient ascent.

    Parameters
    ----------
    S : ndarray of shape (rank, n_components)
        Orthonormal directions to start from.
    Z : ndarray of shape (n_rows, rank)
        Whitened rows.
    estimate : callable
        The function of the projected rows that is maximised; see `Estimate`.
    max_iter : int
        Most steps.

    Returns
    -------
    tuple of ndarray of shape (rank, n_components) and list of float
        The directions, and the values at the start and after each step.

    Examples
    --------
    >>> def spread(places):
    ...     return (places**2).sum(), 2 * places
    >>> Z = np.array([[3.0, 0.0], [0.0, 1.0]])
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
            candidate = orthonormal(S + length * gradient)
            new, new_slope = estimate(Z @ candidate)
            if new > value:
                break
            length /= 2
        else:
            break
        S, value, slope = candidate, new, new_slope
        length *= 2  # the first length tried by the next step
        values.append(value)
    return S, values


def orthonormal(S: np.ndarray) -> np.ndarray:
    """Return the nearest matrix with orthonormal columns, the orthogonal polar factor.

    >>> orthonormal(np.array([[2.0], [0.0]])).round(6)
    array([[1.],
           [0.]])
    """
    U, _, V = np.linalg.svd(S, full_matrices=False)
    return U @ V


def neighbour_information(
    places: np.ndarray, codes: np.ndarray, n_neighbors: int = 3
) -> tuple[float, np.ndarray]:
    r"""Return an estimate of the information of points about classes, and its gradient [1]_ [2]_.

    The entropies of all points and of those within classes are estimated by the distances of k-th
    neighbours, in nats:

    .. math:: I = \psi(m) - \sum_c \pi_c \psi(m_c) + \frac{d}{m} \sum_i \ln \frac{\rho_i}{\rho_i^c}

    with :math:`\rho_i` the distance to the k-th neighbour, :math:`\rho_i^c` that within the class,
    m points in d dimensions and classes of :math:`m_c = \pi_c m` points. The gradient holds while
    the neighbours stay the same. Classes of at most k points are left out.

    Parameters
    ----------
    places : ndarray of shape (n_rows, n_dimensions)
        The points.
    codes : ndarray of int of shape (n_rows,)
        Their classes, numbered from 0.
    n_neighbors : int
        The number k.

    Returns
    -------
    tuple of float and ndarray of shape (n_rows, n_dimensions)
        The estimate, and its gradient with respect to the points.

    References
    ----------
    .. [1] Kozachenko and Leonenko, Sample estimate of the entropy of a random vector, Problems of
       Information Transmission 23, 1987.
    .. [2] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.5.

    Examples
    --------
    All nearest neighbours are within the classes, which leaves psi(6) - psi(3):

    >>> places = np.array([[0.0], [1.0], [3.0], [50.0], [51.0], [53.0]])
    >>> round(neighbour_information(places, np.array([0, 0, 0, 1, 1, 1]), n_neighbors=1)[0], 3)
    0.783
    """
    sizes = np.bincount(codes)
    rows = np.flatnonzero(sizes[codes] > n_neighbors)
    if not len(rows):
        return 0.0, np.zeros_like(places)
    inner, codes = places[rows], codes[rows]
    distances = cdist(inner, inner)
    np.fill_diagonal(distances, np.inf)
    own = np.where(codes[:, None] == codes, distances, np.inf)
    m, d = inner.shape
    sizes = sizes[codes]
    value, gradient = digamma(m) - digamma(sizes).mean(), np.zeros_like(places)
    for sign, table in ((1, distances), (-1, own)):
        logs, slope = log_distances(inner, table, n_neighbors)
        value += sign * d / m * logs
        gradient[rows] += sign * d / m * slope
    return float(value), gradient


def log_distances(places: np.ndarray, distances: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """Return the sum of the log distances of all points to their k-th neighbours, and its gradient.

    ``places`` has shape (m, d), ``distances`` shape (m, m) with infinity for pairs that do not
    count. Distances of zero are left out.
    """
    # the gradient of ln |a - b| with respect to a is (a - b) / |a - b|^2, and minus that for b
    rows = np.arange(len(places))
    nearest = np.argpartition(distances, k - 1, axis=1)[:, k - 1]
    length = distances[rows, nearest]
    positive = length > 0
    step = np.zeros_like(places)
    step[positive] = (places[positive] - places[nearest[positive]]) / length[positive, None] ** 2
    slope = step.copy()
    np.subtract.at(slope, nearest, step)
    return float(np.log(length[positive]).sum()), slope


def quadratic_information(
    places: np.ndarray, codes: np.ndarray, width: float
) -> tuple[float, np.ndarray]:
    r"""Return the quadratic mutual information of points and classes, and its gradient [1]_ [2]_.

    It is the integral of the squared difference of the joint density and the product of the
    marginal ones. With Parzen densities, which are sums of Gaussians, it has a closed form:

    .. math:: I = \frac1{m^2} \sum_{ab} A_{ab} G(\phi_a - \phi_b; 2 \sigma^2), \qquad
        A_{ab} = [y_a = y_b] + \sum_c \pi_c^2 - \pi_{y_a} - \pi_{y_b}

    It is not negative, and 0 if the points of all classes are the same.

    Parameters
    ----------
    places : ndarray of shape (n_rows, n_dimensions)
        The points :math:`\phi`.
    codes : ndarray of int of shape (n_rows,)
        Their classes y, numbered from 0.
    width : float
        Standard deviation :math:`\sigma` of the Gaussians.

    Returns
    -------
    tuple of float and ndarray of shape (n_rows, n_dimensions)
        The information, and its gradient with respect to the points.

    References
    ----------
    .. [1] Torkkola, Feature extraction by non-parametric mutual information maximization, Journal
       of Machine Learning Research 3, 2003.
    .. [2] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.5.

    Examples
    --------
    >>> different, same = np.array([[0.0], [9.0]]), np.array([[0.0], [0.0]])
    >>> codes = np.array([0, 1])
    >>> [round(quadratic_information(places, codes, 1.0)[0], 3) for places in (different, same)]
    [0.071, 0.0]
    """
    m, d = places.shape
    share = np.bincount(codes) / m
    agreement = (codes[:, None] == codes) + share @ share - share[codes][:, None] - share[codes]
    squares = cdist(places, places, "sqeuclidean")
    density = np.exp(-squares / (4 * width**2)) / (4 * np.pi * width**2) ** (d / 2)
    # a point occurs in a row and in a column of the symmetric sum, and the gradient of a Gaussian
    # of variance 2 width^2 is -difference / (2 width^2) times it
    terms = agreement * density / m**2
    return float(terms.sum()), (terms @ places - terms.sum(axis=1)[:, None] * places) / width**2
