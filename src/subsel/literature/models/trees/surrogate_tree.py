"""CART with surrogate splits: a row whose value is missing goes the way that other columns say it would have gone."""

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
    """The value of a node and, unless it is a leaf, its split, the splits that stand in for it, and where the rest goes."""

    value: np.ndarray
    column: int = -1
    threshold: float = np.nan
    left: int = -1
    right: int = -1
    substitutes: tuple[tuple[int, float, bool], ...] = ()
    most_go_left: bool = True

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        """Which rows go left: by the split, else by the first substitute that is known, else with most."""
        left, open_ = np.full(len(X), self.most_go_left), np.ones(len(X), dtype=bool)
        for column, threshold, reverse in ((self.column, self.threshold, False), *self.substitutes):
            told = open_ & ~np.isnan(X[:, column])
            left[told] = (X[told, column] <= threshold) != reverse
            open_ &= ~told
        return left


class _SurrogateTree(BaseEstimator):
    """What both share: growing and walking down."""

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
        from subsel._loops.trees.surrogates import best_column

        X, deepest = np.ascontiguousarray(X, dtype=np.float32), self.max_depth or len(X)
        self.nodes_: list[_Node] = []
        own, shared = np.zeros((2, X.shape[1]))
        waiting = [(np.flatnonzero(weight > 0), 0)]
        for rows, depth in waiting:  # grows while it is walked through
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
            self._substitute(node, X[rows], part, w, shared)
            left = node.goes_left(X[rows])
            node.left, node.right = len(waiting), len(waiting) + 1
            waiting += [(rows[left], depth + 1), (rows[~left], depth + 1)]
        self.feature_importances_ = own / (own.sum() or 1.0)
        self.surrogate_importances_ = shared / weight.sum()

    def _substitute(
        self, node: _Node, X: np.ndarray, targets: np.ndarray, weight: np.ndarray, shared: Any
    ) -> None:
        """Find the stand-ins of a node's split, the closest first, and credit them with what their own splits take."""
        from subsel._loops.trees.surrogates import best_surrogates

        known = ~np.isnan(X[:, node.column])
        left = X[known, node.column] <= node.threshold
        node.most_go_left = bool(weight[known][left].sum() >= weight[known][~left].sum())
        association, thresholds, reverse = best_surrogates(X[known], left)
        thresholds = thresholds.astype(np.float32)
        association[node.column] = -np.inf
        order = np.argsort(-association, kind="stable")
        order = order[association[order] > 0]
        node.substitutes = tuple(
            (int(j), float(thresholds[j]), bool(reverse[j])) for j in order[: self.n_surrogates]
        )
        for j in order:
            told = ~np.isnan(X[:, j])
            below = X[told, j] <= thresholds[j]
            t, w = targets[told], weight[told]
            shared[j] += (
                _scatter(t, w) - _scatter(t[below], w[below]) - _scatter(t[~below], w[~below])
            )

    def _values(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan").astype(np.float32)
        found = np.empty((len(X), len(self.nodes_[0].value)))
        waiting = [(0, np.arange(len(X)))]
        for number, rows in waiting:
            node = self.nodes_[number]
            if node.column < 0:
                found[rows] = node.value
            else:
                left = node.goes_left(X[rows])
                waiting += [(node.left, rows[left]), (node.right, rows[~left])]
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class SurrogateTreeRegressor(RegressorMixin, _SurrogateTree):
    r"""A regression tree in which missing values are routed by surrogate splits.

    A column is evaluated for a split on the rows where it is known. The other columns' splits that agree with the chosen one
    better than sending all rows with the majority, by the predictive association :math:`\lambda > 0` among rows where both are
    known, stand in for it in falling order; where none is known, a row goes with most. Without missing values it is the
    tree of scikit-learn.

    Parameters
    ----------
    max_depth : int, optional
        None: until leaves are pure.
    min_samples_leaf : int
        Rows, with the column known, on each side of a split at least.
    n_surrogates : int
        Stand-ins kept at a node.

    Attributes
    ----------
    feature_importances_ : ndarray
        Falls of impurity of the splits, made to sum to 1.
    surrogate_importances_ : ndarray
        The same in the units of the target, counting also what a column's split would take where it could stand in: a
        column that another hides is seen.
    nodes_ : list
        The nodes.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984, section 5.3.
    .. [2] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 7,
       section 3, equation 10.

    Examples
    --------
    >>> X = np.array([[0.0, 9], [1, 8], [2, 7], [3, 6], [np.nan, 5]])  # the second column is the first turned round
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
        """The means of the leaves."""
        return self._values(X)[:, 0]


class SurrogateTreeClassifier(ClassifierMixin, _SurrogateTree):
    """A classification tree (Gini) in which missing values are routed by surrogate splits.

    Parameters and attributes are those of :class:`SurrogateTreeRegressor`.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and regression trees*, 1984, section 5.3.

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
        """Shares of the classes in the leaves."""
        return self._values(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of most rows in the leaf."""
        best = self._values(X).argmax(axis=1)
        return self.classes_[best]


def _scatter(targets: np.ndarray, weight: np.ndarray) -> float:
    """The weighted squares about the mean, summed."""
    total = weight.sum()
    if total == 0:
        return 0.0
    return float(weight @ (targets**2).sum(axis=1) - ((weight @ targets) ** 2).sum() / total)
