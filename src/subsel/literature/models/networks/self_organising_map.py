"""A self-organising map whose units vote: rows are placed on a grid that keeps neighbours together."""

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
    r"""Pull the units of a map over rows, round by round [1]_.

    In each round every row goes to its nearest unit, and unit k moves to the mean of all rows,
    weighted by :math:`\exp(-d^2 / 2r^2)` of the distance d on the grid from k to the row's unit.
    With a radius of zero this is a round of k-means.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Rows.
    start : array of shape (n_units, n_features)
        Where units begin.
    places : array of shape (n_units, n_dimensions)
        Their places on the grid.
    radii : array
        Of each round.

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
    units, apart = start.astype(np.float64), cdist(places, places, "sqeuclidean")
    for radius in radii:
        nearest = cdist(X, units, "sqeuclidean").argmin(axis=1)
        near = np.eye(len(units))
        if radius > 0:
            near = np.exp(-apart / (2 * radius**2))
        pull = near[:, nearest]
        total = pull.sum(axis=1, keepdims=True)
        units = np.where(total > 1e-12, pull @ X / np.maximum(total, 1e-12), units)
    return units


class SelfOrganisingMap(ClassifierMixin, BaseEstimator):
    """A map of rows on a grid, each unit of which votes for the classes of its training rows [1]_ [2]_.

    The map does not see the classes; a unit without rows votes as the nearest one that has some.
    With a genetic search over columns it is the classifier of the first studies of mass spectra.

    Parameters
    ----------
    shape : pair of int
        Units along both sides of the grid.
    n_rounds : int
        Rounds of batch training; the radius shrinks from half of the longer side to zero.
    random_state : int, RandomState or None
        Of the rows at which units begin.

    Attributes
    ----------
    units_ : ndarray of shape (n_units, n_features)
        Where units stand.
    shares_ : ndarray of shape (n_units, n_classes)
        How each votes.

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
        """Pull the map over the rows and count the classes of each unit."""
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
        held = counts.sum(axis=1)
        full = np.flatnonzero(held)
        deputy = full[cdist(self.units_, self.units_[full], "sqeuclidean").argmin(axis=1)]
        self.shares_ = (counts / np.maximum(held, 1)[:, None])[
            np.where(held > 0, np.arange(len(held)), deputy)
        ]
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
        return cdist(X, self.units_, "sqeuclidean").argmin(axis=1)
