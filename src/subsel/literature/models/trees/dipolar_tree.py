"""Trees of oblique planes that part rows of different classes and keep those of one class together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.models.planes.cpl_planes import cheapest_plane

__all__ = ["DipolarTree"]


class DipolarTree(ClassifierMixin, BaseEstimator):
    r"""A tree of planes chosen by dipoles: pairs of rows [1]_.

    A pair of different classes (a mixed dipole) should be cut, a pair of one class (a clear one) should not. Given a
    plane, each dipole says on which side it wants its rows; a linear programme finds the plane of least priced violation;
    and so on until the sides settle. Each half is cut again until its rows are of one class.

    Parameters
    ----------
    clear_price : float
        What a clear dipole weighs beside a mixed one.
    max_depth : int or None
        Of the tree.
    min_rows : int
        Rows that a node must have to be cut.
    max_rounds : int
        Of turning dipoles at a node.

    Attributes
    ----------
    nodes_ : list of dict
        ``coef`` and ``intercept`` of inner nodes with the numbers of both halves, the class shares of leaves; the root
        is the first.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC 2004, conclusion, on trees
       by the dipolar strategy of earlier work of the first author.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    >>> DipolarTree().fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        clear_price: float = 0.1,
        *,
        max_depth: int | None = None,
        min_rows: int = 2,
        max_rounds: int = 10,
    ) -> None:
        self.clear_price = clear_price
        self.max_depth = max_depth
        self.min_rows = min_rows
        self.max_rounds = max_rounds

    def fit(self, X: Any, y: Any) -> DipolarTree:
        """Grow the tree."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        self.nodes_: list[dict[str, Any]] = []
        self._grow(X, codes, 0)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the shares of the classes in the leaf of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        shares = np.empty((len(X), len(self.classes_)))
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            number, rows = waiting.pop()
            node = self.nodes_[number]
            if "shares" in node:
                shares[rows] = node["shares"]
                continue
            above = X[rows] @ node["coef"] + node["intercept"] > 0
            waiting += [(node["above"], rows[above]), (node["below"], rows[~above])]
        return shares

    def predict(self, X: Any) -> np.ndarray:
        """Give the class that the leaf of each row has most of."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def _grow(self, X: np.ndarray, codes: np.ndarray, depth: int) -> int:
        """Grow the subtree of these rows; give its number."""
        number = len(self.nodes_)
        counts = np.bincount(codes, minlength=len(self.classes_))
        self.nodes_.append({"shares": counts / counts.sum()})
        deep = self.max_depth is not None and depth >= self.max_depth
        if deep or np.count_nonzero(counts) < 2 or len(X) < self.min_rows:
            return number
        weights, intercept = self._plane(X, codes)
        above = X @ weights + intercept > 0
        if above.all() or not above.any():
            return number
        node: dict[str, Any] = {"coef": weights, "intercept": intercept}
        self.nodes_[number] = node
        node["above"] = self._grow(X[above], codes[above], depth + 1)
        node["below"] = self._grow(X[~above], codes[~above], depth + 1)
        return number

    def _plane(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, float]:
        """Turn dipoles and solve until the cut stays; the bisector of a mixed dipole where nothing is cut."""
        bisector = weights, intercept = _bisector(X, codes)
        seen = X @ weights + intercept
        for _ in range(self.max_rounds):
            weights, intercept = cheapest_plane(X, *_wishes(seen, codes, self.clear_price))
            now = X @ weights + intercept
            if (now > 0).all() or not (now > 0).any():
                return bisector
            if np.array_equal(now > 0, seen > 0):
                break
            seen = now
        return weights, intercept


def _wishes(
    position: np.ndarray, codes: np.ndarray, clear_price: float
) -> tuple[np.ndarray, np.ndarray]:
    """How many dipoles want each row above, and how many below."""
    mixed = codes[:, None] != codes
    higher = position[:, None] > position
    up = position[:, None] + position > 0
    clear = ~mixed
    np.fill_diagonal(clear, False)
    n = max(1, len(codes))
    above = (mixed & higher).sum(axis=1) + clear_price * (clear & up).sum(axis=1)
    below = (mixed & ~higher).sum(axis=1) + clear_price * (clear & ~up).sum(axis=1)
    return above / n, below / n


def _bisector(X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, float]:
    """The plane midway between the rows of different classes that are furthest apart among nearest ones."""
    distances = cdist(X, X)
    distances[codes[:, None] == codes] = np.inf
    nearest = distances.min(axis=1)
    first = int(np.argmax(np.where(np.isfinite(nearest), nearest, -1.0)))
    second = int(np.argmin(distances[first]))
    weights = X[first] - X[second]
    size = np.linalg.norm(weights)
    if size > 0:
        weights = weights / size
    return weights, float(-weights @ (X[first] + X[second]) / 2)
