"""RF-WS: a random forest whose trees draw columns by their importance in earlier trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from subsel.literature.models.trees.sampled_tree import SampledTree, SamplingLaw
from subsel.literature.models.trees.weighted_sampling import ForestHistory
from subsel.runtime.interruption import keep_finished
from subsel.runtime.status_line import StatusLine

__all__ = ["WeightedForestClassifier", "WeightedForestRegressor"]


class _WeightedForest(BaseEstimator):
    """Trees on bootstrap samples, grown one after the other."""

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_draws: int | None = None,
        start: float = 1.0,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_draws = n_draws
        self.start = start
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        for name in ("n_estimators", "min_samples_leaf"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}.")
        for name in ("n_draws", "max_depth"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}.")
        if self.start <= 0:
            raise ValueError(f"start must be positive, got {self.start!r}.")

    def _grow(self, X: np.ndarray, targets: np.ndarray, weight: np.ndarray) -> None:
        """Grow the trees.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            The table.
        targets : ndarray of shape (n_rows, n_targets)
            Numbers, or indicators of classes.
        weight : ndarray of shape (n_rows,)
            Weights of the rows.
        """
        X, n = np.ascontiguousarray(X, dtype=np.float32), X.shape[1]
        centre = weight @ targets / weight.sum()
        spread = max(float(np.sum(weight @ (targets - centre) ** 2) / weight.sum()), 1e-300)
        start = np.full(n, self.start * spread)
        law = SamplingLaw(start, self.n_draws or max(1, round(np.sqrt(n))))
        history = ForestHistory(law, start, self.start)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        self.trees_: list[SampledTree] = []
        total = np.zeros(n)

        def progress() -> str:
            return f"{len(self.trees_)} of {self.n_estimators} trees"

        with StatusLine(progress, shown=self.verbose > 0), keep_finished(self.trees_):
            for _ in range(self.n_estimators):
                tree = self._tree(X, targets, weight, history.law, rng)
                history.learn(tree.importances)
                total += tree.importances
                self.trees_.append(tree)
        self.feature_importances_ = total / (total.sum() or 1.0)
        self.sampling_weights_ = history.law.weights / history.law.weights.sum()

    def _tree(
        self,
        X: np.ndarray,
        targets: np.ndarray,
        weight: np.ndarray,
        law: SamplingLaw,
        rng: np.random.Generator,
    ) -> SampledTree:
        """Grow a tree on a bootstrap sample, drawn by the weights of the rows."""
        counts = rng.multinomial(len(X), weight / weight.sum()).astype(float)
        rows = np.flatnonzero(counts)
        tree = SampledTree(self.max_depth or len(X), self.min_samples_leaf)
        tree.grow(X, targets, counts, rows, law, int(rng.integers(2**31)))
        times = np.repeat(counts[rows, None], targets.shape[1], axis=1)
        tree.set_values(tree.leaves(X[rows]), times * targets[rows], times)
        return tree

    def _mean(self, X: Any) -> np.ndarray:
        """Return the mean prediction of the trees, of shape (n_rows, n_targets)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return np.mean([tree.predict(X) for tree in self.trees_], axis=0)


class WeightedForestRegressor(RegressorMixin, _WeightedForest):
    r"""A regression forest that draws columns by their importance in earlier trees [1]_.

    The method is called RF-WS. After each tree :math:`w_i \leftarrow w_i + V_i / (1 - (1 -
    p_i)^S)`: the importance is divided by the probability that the column is among the S draws of a
    node, so that a column does not gain weight only because it is drawn often. Trees depend on
    those before and are grown one after the other. The method helps where few of many columns
    matter.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    n_draws : int, optional
        Draws at each node, with replacement; the square root of the number of columns by default.
    start : float
        Initial weight of every column, in units of the variance of the target; the authors use 0.1
        to 10.
    max_depth, min_samples_leaf : int
        As in scikit-learn's forests.
    random_state : int, RandomState or None
        Seed of the bootstrap samples and of the draws.
    verbose : int
        If positive, progress is written to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Decreases of impurity by the splits of each column, divided by their total.
    sampling_weights_ : ndarray of shape (n_features,)
        Weights of the columns at the end, divided by their total.
    trees_ : list of SampledTree
        The trees. After Ctrl-C, those completed before.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in
       Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 15, section 2.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(200, 40))
    >>> int(WeightedForestRegressor(30, random_state=0).fit(X, X[:, 7]).sampling_weights_.argmax())
    7
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightedForestRegressor:
        """Grow the trees."""
        self._check_parameters()
        X, y = validate_data(self, X, y, y_numeric=True)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._grow(X, np.asarray(y, dtype=float)[:, None], weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the mean of the trees for each row."""
        return self._mean(X)[:, 0]


class WeightedForestClassifier(ClassifierMixin, _WeightedForest):
    """A classification forest that draws columns by their importance in earlier trees (RF-WS) [1]_.

    The impurity is Gini's. Parameters and attributes are those of :class:`WeightedForestRegressor`.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in
       Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 15, section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(WeightedForestClassifier(10, random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightedForestClassifier:
        """Grow the trees."""
        self._check_parameters()
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._grow(X, (codes[:, None] == np.arange(len(self.classes_))) * 1.0, weight)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the class probabilities, the mean of the trees, of shape (n_rows, n_classes)."""
        return self._mean(X)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
