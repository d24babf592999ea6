"""Trees of oblique planes that separate pairs of rows of different classes."""

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
    r"""A tree of planes chosen by dipoles, which are pairs of rows [1]_.

    A pair of different classes (a mixed dipole) should be cut, a pair of one class (a clear dipole)
    should not. Given a plane, each dipole votes for the side on which its rows should be; a linear
    programme finds the plane with the least weighted violation of these votes; both steps alternate
    until no row changes its side. Each half is divided again until its rows are of one class.

    Parameters
    ----------
    clear_price : float
        Weight of a clear dipole relative to a mixed one.
    max_depth : int or None
        Largest depth of the tree; None for no limit.
    min_rows : int
        Least number of rows of a node that is divided.
    max_rounds : int
        Most linear programmes solved for one node.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    nodes_ : list of dict
        The nodes, the root first. An inner node has ``coef``, ``intercept`` and, as ``above`` and
        ``below``, the indices of its children; a leaf has the ``shares`` of the classes.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004, conclusion, on trees by the dipolar strategy of earlier work of the first author.

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
        """Return the shares of the classes in the leaf of each row."""
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
        """Return the most frequent class in the leaf of each row."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def _grow(self, X: np.ndarray, codes: np.ndarray, depth: int) -> int:
        """Append the subtree of these rows to `nodes_`, and return the index of its root.

        ``codes``, of shape (n_rows,), holds the indices of the classes.
        """
        number = len(self.nodes_)
        counts = np.bincount(codes, minlength=len(self.classes_))
        self.nodes_.append({"shares": counts / counts.sum()})
        deepest = self.max_depth is not None and depth >= self.max_depth
        if deepest or np.count_nonzero(counts) < 2 or len(X) < self.min_rows:
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
        """Return weights and intercept of the plane that divides these rows.

        Votes and linear programmes alternate until the sides of all rows stay. The plane is the
        bisector of a mixed dipole if a programme puts all rows on one side.
        """
        bisector = weights, intercept = _bisector(X, codes)
        previous = X @ weights + intercept
        for _ in range(self.max_rounds):
            weights, intercept = cheapest_plane(X, *_votes(previous, codes, self.clear_price))
            current = X @ weights + intercept
            if (current > 0).all() or not (current > 0).any():
                return bisector
            if np.array_equal(current > 0, previous > 0):
                break
            previous = current
        return weights, intercept


def _votes(
    position: np.ndarray, codes: np.ndarray, clear_price: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted votes of the dipoles, over the rows, for each row to be above and below.

    ``position``, of shape (n_rows,), is the signed distance from the plane, up to a factor. The
    higher row of a mixed dipole should be above and the other below; both rows of a clear dipole
    should be on the side of their midpoint.
    """
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
    """Return the bisector of the largest of the shortest mixed dipoles of the rows."""
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
