"""A self-organising map as a classifier: each unit predicts the classes of its training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["SelfOrganisingMap", "batch_map"]


def batch_map(
    X: np.ndarray, start: np.ndarray, places: np.ndarray, radii: np.ndarray
) -> np.ndarray:
    r"""Train the units of a map by batch rounds [1]_.

    In each round every row is assigned to its nearest unit, and unit k moves to the mean of all
    rows, weighted by :math:`\exp(-d^2 / 2r^2)`, with d the distance on the grid between k and the
    unit of the row. With a radius r of zero this is a round of k-means.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        The rows.
    start : array of shape (n_units, n_features)
        Initial positions of the units.
    places : array of shape (n_units, n_dimensions)
        Places of the units on the grid.
    radii : array of shape (n_rounds,)
        The radius of each round.

    Returns
    -------
    ndarray of shape (n_units, n_features)
        The positions after the last round.

    References
    ----------
    .. [1] Kohonen, *Self-Organizing Maps*, 3rd edition, 2001, section 3.6.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [10.0]])
    >>> batch_map(X, np.array([[0.0], [9.0]]), np.array([[0.0], [1.0]]), np.zeros(2))
    array([[ 0.5],
           [10. ]])
    """
    units, grid_distances = start.astype(np.float64), cdist(places, places, "sqeuclidean")
    for radius in radii:
        nearest = cdist(X, units, "sqeuclidean").argmin(axis=1)
        near = np.eye(len(units))
        if radius > 0:
            near = np.exp(-grid_distances / (2 * radius**2))
        weights = near[:, nearest]
        total = weights.sum(axis=1, keepdims=True)
        # a unit whose weights all vanish stays where it is
        units = np.where(total > 1e-12, weights @ X / np.maximum(total, 1e-12), units)
    return units


class SelfOrganisingMap(ClassifierMixin, BaseEstimator):
    """A self-organising map whose units predict the classes of their training rows [1]_ [2]_.

    The map is trained without the classes. A unit without rows predicts as the nearest unit that
    has some. With a genetic search over columns it is the classifier of the first studies of mass
    spectra.

    Parameters
    ----------
    shape : pair of int
        Number of units along both sides of the grid.
    n_rounds : int
        Rounds of batch training; the radius shrinks from half of the longer side to zero.
    random_state : int, RandomState or None
        Seed of the choice of rows at which the units start.

    Attributes
    ----------
    units_ : ndarray of shape (n_units, n_features)
        Positions of the units.
    shares_ : ndarray of shape (n_units, n_classes)
        Shares of the classes that each unit predicts.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Kohonen, *Self-Organizing Maps*, 3rd edition, 2001.
    .. [2] Petricoin et al., "Use of proteomic patterns in serum to identify ovarian cancer", *The
       Lancet* 359, 2002; Levner, Bulitko and Lin, in Guyon et al. (eds.), *Feature Extraction*,
       2006, chapter 30, section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SelfOrganisingMap((4, 4), random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self, shape: tuple[int, int] = (4, 4), *, n_rounds: int = 20, random_state: Any = None
    ) -> None:
        self.shape = shape
        self.n_rounds = n_rounds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> SelfOrganisingMap:
        """Train the map and count the classes of each unit."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        rows, columns = self.shape
        if min(rows, columns) < 1 or self.n_rounds < 1:
            raise ValueError(
                f"shape and n_rounds must be positive, got {self.shape} and {self.n_rounds}."
            )
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}): there is nothing to tell apart.")
        rng = check_random_state(self.random_state)
        places = np.argwhere(np.ones((rows, columns))).astype(np.float64)
        start = X[rng.choice(len(X), len(places), replace=len(places) > len(X))]
        radii = max(rows, columns) / 2 * np.linspace(1, 0, self.n_rounds)
        self.units_ = batch_map(X, start, places, radii)
        counts = np.zeros((len(places), len(self.classes_)))
        np.add.at(counts, (self._nearest(X), codes), 1)
        sizes = counts.sum(axis=1)
        occupied = np.flatnonzero(sizes)
        nearest = occupied[cdist(self.units_, self.units_[occupied], "sqeuclidean").argmin(axis=1)]
        source = np.where(sizes > 0, np.arange(len(sizes)), nearest)
        self.shares_ = (counts / np.maximum(sizes, 1)[:, None])[source]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the shares of the classes among the training rows of the nearest unit."""
        check_is_fitted(self)
        return self.shares_[self._nearest(validate_data(self, X, dtype=np.float64, reset=False))]

    def predict(self, X: Any) -> np.ndarray:
        """Return the most frequent class of the nearest unit."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def _nearest(self, X: np.ndarray) -> np.ndarray:
        """Return the index of the nearest unit of each row."""
        return cdist(X, self.units_, "sqeuclidean").argmin(axis=1)
