"""CART with surrogate splits, which route a row where the value of the split is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

__all__ = ["SurrogateTreeClassifier", "SurrogateTreeRegressor"]


@dataclass
class _Node:
    """A node of the tree; a leaf has the column -1."""

    value: np.ndarray  # (n_targets,) weighted means of the targets
    column: int = -1  # the column of the split
    threshold: float = np.nan  # rows up to it go left
    left: int = -1  # index of the left child
    right: int = -1  # index of the right child
    surrogates: tuple[tuple[int, float, bool], ...] = ()  # column, threshold, larger values go left
    most_go_left: bool = True  # the side of rows in which no split is known

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        """Return which rows go left.

        The split decides, or the first surrogate whose column is known, or else the majority.
        """
        left, open_ = np.full(len(X), self.most_go_left), np.ones(len(X), dtype=bool)
        for column, threshold, reverse in ((self.column, self.threshold, False), *self.surrogates):
            known = open_ & ~np.isnan(X[:, column])
            left[known] = (X[known, column] <= threshold) != reverse
            open_ &= ~known
        return left


class _SurrogateTree(BaseEstimator):
    """Growing the tree, and routing rows to its leaves."""

    def __init__(
        self, max_depth: int | None = None, min_samples_leaf: int = 1, *, n_surrogates: int = 5
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_surrogates = n_surrogates

    def _check_parameters(self) -> None:
        for name, least in (("max_depth", 1), ("min_samples_leaf", 1), ("n_surrogates", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} must be at least {least}, got {value!r}.")

    def _grow(self, X: np.ndarray, targets: np.ndarray, weight: np.ndarray) -> None:
        """Grow the tree breadth first.

        ``X`` has shape (n_rows, n_features) with NaN for missing values, ``targets`` shape (n_rows,
        n_targets), ``weight`` shape (n_rows,).
        """
        from subsel._loops.trees.surrogates import best_column

        X, deepest = np.ascontiguousarray(X, dtype=np.float32), self.max_depth or len(X)
        self.nodes_: list[_Node] = []
        own, shared = np.zeros((2, X.shape[1]))
        waiting = [(np.flatnonzero(weight > 0), 0)]
        for rows, depth in waiting:  # the loop appends the children, also those it has yet to visit
            part, w = targets[rows], weight[rows]
            node = _Node(np.average(part, axis=0, weights=w))
            self.nodes_.append(node)
            if (
                depth == deepest
                or len(rows) < 2 * self.min_samples_leaf
                or np.ptp(part, axis=0).max() == 0
            ):
                continue
            column, threshold, gain = best_column(X[rows], part, w, self.min_samples_leaf)
            if column < 0:
                continue
            node.column, node.threshold = int(column), float(threshold)
            own[column] += gain
            shared[column] += gain
            self._add_surrogates(node, X[rows], part, w, shared)
            left = node.goes_left(X[rows])
            node.left, node.right = len(waiting), len(waiting) + 1
            waiting += [(rows[left], depth + 1), (rows[~left], depth + 1)]
        self.feature_importances_ = own / (own.sum() or 1.0)
        self.surrogate_importances_ = shared / weight.sum()

    def _add_surrogates(
        self,
        node: _Node,
        X: np.ndarray,
        targets: np.ndarray,
        weight: np.ndarray,
        shared: np.ndarray,
    ) -> None:
        """Set the surrogates of a node, and add their own decreases of impurity to `shared`.

        ``X``, ``targets`` and ``weight`` hold the rows of the node; ``shared`` has shape
        (n_features,). Surrogates are in the order of their predictive association, and all with a
        positive one are credited, also those beyond ``n_surrogates``.
        """
        from subsel._loops.trees.surrogates import best_surrogates

        known = ~np.isnan(X[:, node.column])
        left = X[known, node.column] <= node.threshold
        node.most_go_left = bool(weight[known][left].sum() >= weight[known][~left].sum())
        association, thresholds, reverse = best_surrogates(X[known], left)
        thresholds = thresholds.astype(np.float32)
        association[node.column] = -np.inf
        order = np.argsort(-association, kind="stable")
        order = order[association[order] > 0]
        node.surrogates = tuple(
            (int(j), float(thresholds[j]), bool(reverse[j])) for j in order[: self.n_surrogates]
        )
        for j in order:
            known = ~np.isnan(X[:, j])
            below = X[known, j] <= thresholds[j]
            t, w = targets[known], weight[known]
            shared[j] += (
                _scatter(t, w) - _scatter(t[below], w[below]) - _scatter(t[~below], w[~below])
            )

    def _values(self, X: Any) -> np.ndarray:
        """Return the value of the leaf of each row, of shape (n_rows, n_targets)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan").astype(np.float32)
        values = np.empty((len(X), len(self.nodes_[0].value)))
        waiting = [(0, np.arange(len(X)))]
        for number, rows in waiting:
            node = self.nodes_[number]
            if node.column < 0:
                values[rows] = node.value
            else:
                left = node.goes_left(X[rows])
                waiting += [(node.left, rows[left]), (node.right, rows[~left])]
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class SurrogateTreeRegressor(RegressorMixin, _SurrogateTree):
    r"""A regression tree in which missing values are routed by surrogate splits.

    A column is evaluated for a split on the rows where it is known [1]_. The surrogates of a split
    are splits of other columns that agree with it better than the majority does: those with a
    predictive association :math:`\lambda > 0` among the rows where both columns are known. A row
    whose value is missing follows the surrogate of the largest association that is known for it,
    and the majority if none is. Without missing values the tree is that of scikit-learn.

    Parameters
    ----------
    max_depth : int, optional
        Largest depth; by default the tree grows until the leaves are pure.
    min_samples_leaf : int
        Least number of rows, with the column known, on each side of a split.
    n_surrogates : int
        Most surrogates stored at a node.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Decreases of impurity by the splits of each column, divided by their total.
    surrogate_importances_ : ndarray of shape (n_features,)
        Decreases of impurity in the units of the target, where also the surrogates of a column
        count as splits [2]_. A column that another one masks has importance here.
    nodes_ : list
        The nodes, the root first.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984, section
       5.3.
    .. [2] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3, equation 10.

    Examples
    --------
    The second column is 9 minus the first:

    >>> X = np.array([[0.0, 9], [1, 8], [2, 7], [3, 6], [np.nan, 5]])
    >>> tree = SurrogateTreeRegressor().fit(X, [0, 0, 1, 1, 1])
    >>> tree.predict([[3, np.nan], [np.nan, 6], [np.nan, 8]])
    array([1., 1., 0.])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SurrogateTreeRegressor:
        """Grow the tree."""
        self._check_parameters()
        X, y = validate_data(self, X, y, y_numeric=True, ensure_all_finite="allow-nan")
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._grow(X, np.asarray(y, dtype=float)[:, None], weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the mean of the leaf of each row."""
        return self._values(X)[:, 0]


class SurrogateTreeClassifier(ClassifierMixin, _SurrogateTree):
    """A classification tree (Gini) in which missing values are routed by surrogate splits.

    Parameters and attributes are those of :class:`SurrogateTreeRegressor`.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984, section
       5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = SurrogateTreeClassifier(max_depth=2).fit(X, y)
    >>> X[:, 3] = np.nan
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SurrogateTreeClassifier:
        """Grow the tree."""
        self._check_parameters()
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._grow(X, (codes[:, None] == np.arange(len(self.classes_))) * 1.0, weight)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the shares of the classes in the leaf of each row."""
        return self._values(X)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most frequent class in the leaf of each row."""
        best = self._values(X).argmax(axis=1)
        return self.classes_[best]


def _scatter(targets: np.ndarray, weight: np.ndarray) -> float:
    """Return the weighted sum of squares about the weighted mean, summed over targets."""
    # sum w t^2 - (sum w t)^2 / sum w
    total = weight.sum()
    if total == 0:
        return 0.0
    return float(weight @ (targets**2).sum(axis=1) - ((weight @ targets) ** 2).sum() / total)
