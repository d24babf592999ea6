"""MART: gradient tree boosting whose trees draw columns by their importance in earlier trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from subsel.literature.models.trees.sampled_tree import SampledTree, SamplingLaw
from subsel.literature.models.trees.weighted_sampling import LAWS, History
from subsel.runtime.interruption import keep_finished
from subsel.runtime.status_line import StatusLine

__all__ = ["MARTClassifier", "MARTRegressor"]


class _MART(BaseEstimator):
    """The rounds of boosting; a subclass supplies the loss.

    A subclass sets ``initial_`` in `fit` and has ``_expected(scores)``, the predictions at given
    scores, of shape (n_rows, n_targets) as these, and ``_factor()`` and ``_curvature(residuals)``,
    which define the values of leaves.
    """

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        sampling: str = "full",
        n_draws: int | None = None,
        fading: float = 1.0,
        learning_rate: float = 0.1,
        max_depth: int = 3,
        min_samples_leaf: int = 1,
        subsample: float = 1.0,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.n_draws = n_draws
        self.fading = fading
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.subsample = subsample
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if self.sampling not in LAWS:
            raise ValueError(f"sampling must be one of {', '.join(LAWS)}, got {self.sampling!r}.")
        for name in ("n_estimators", "max_depth", "min_samples_leaf"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}.")
        if self.n_draws is not None and self.n_draws < 1:
            raise ValueError(f"n_draws must be at least 1, got {self.n_draws!r}.")
        if not 0 < self.subsample <= 1:
            raise ValueError(f"subsample must lie in (0, 1], got {self.subsample!r}.")

    def _boost(self, X: np.ndarray, targets: np.ndarray, weight: np.ndarray) -> None:
        """Grow in each round one tree per target on its residuals.

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
        n_draws = self.n_draws or max(1, round(np.sqrt(n) / 2))
        scores = np.tile(self.initial_, (len(X), 1))
        residuals = targets - self._expected(scores)
        # the initial weight of a column is the largest importance that a tree could give it
        spread = max(float(np.sum(weight @ (residuals**2)) / weight.sum()), 1e-300)
        start = np.full(n, spread)
        law = SamplingLaw(start, n_draws)
        history: History = LAWS[self.sampling](law, start, self.fading)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        self.trees_: list[list[SampledTree]] = []
        total = np.zeros(n)

        def progress() -> str:
            return f"{len(self.trees_)} of {self.n_estimators} rounds"

        with StatusLine(progress, shown=self.verbose > 0), keep_finished(self.trees_):
            for _ in range(self.n_estimators):
                trees = self._round(X, targets - self._expected(scores), weight, history.law, rng)
                scores += self.learning_rate * np.column_stack(
                    [tree.predict(X)[:, 0] for tree in trees]
                )
                importances = np.sum([tree.importances for tree in trees], axis=0)
                history.learn(importances)
                total += importances
                self.trees_.append(trees)
        self.feature_importances_ = total / (total.sum() or 1.0)
        self.sampling_weights_ = history.law.weights / history.law.weights.sum()

    def _round(
        self,
        X: np.ndarray,
        residuals: np.ndarray,
        weight: np.ndarray,
        law: SamplingLaw,
        rng: np.random.Generator,
    ) -> list[SampledTree]:
        """Return the trees of one round, one for each column of `residuals`."""
        # Leaves take one Newton step for their rows, the sum of the residuals over the sum of the
        # second derivatives of the loss; for K > 2 classes times (K - 1) / K (Friedman, "Greedy
        # function approximation: a gradient boosting machine", Annals of Statistics 29, 2001,
        # sections 4.5 and 4.6).
        rows = np.flatnonzero(weight > 0)
        if self.subsample < 1:
            rows = np.sort(rng.choice(rows, max(1, int(self.subsample * len(rows))), replace=False))
        trees = []
        for k in range(residuals.shape[1]):
            tree = SampledTree(self.max_depth, self.min_samples_leaf)
            tree.grow(X, residuals[:, [k]], weight, rows, law, int(rng.integers(2**31)))
            part, w = residuals[rows][:, [k]], weight[rows, None]
            tree.set_values(
                tree.leaves(X[rows]), w * part * self._factor(), w * self._curvature(part)
            )
            trees.append(tree)
        return trees

    def _scores(self, X: Any) -> np.ndarray:
        """Return the initial scores plus those from all trees, of shape (n_rows, n_targets)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        scores = np.tile(self.initial_, (len(X), 1))
        for trees in self.trees_:
            scores += self.learning_rate * np.column_stack(
                [tree.predict(X)[:, 0] for tree in trees]
            )
        return scores


class MARTRegressor(RegressorMixin, _MART):
    r"""Boosted regression trees that draw columns by their importance in earlier trees [1]_.

    The loss is the squared error. With ``sampling="full"`` the method is called MART-WS, with
    ``"recent"`` GTB-FS and with ``"uniform"`` MART-US [1]_; with at least as many draws as columns
    all of them are plain gradient tree boosting [2]_.

    Parameters
    ----------
    n_estimators : int
        Number of rounds.
    sampling : {"full", "recent", "uniform"}
        What the weights of the columns are: the importances from all trees so far plus initial
        weights that fade, the importances from recent trees above a floor, or equal weights.
    n_draws : int, optional
        Draws at each node, with replacement; half the square root of the number of columns by
        default. All columns are considered if there are at least as many draws.
    fading : float
        If ``sampling="full"``, how fast the initial weights fade (the authors use 0.5 to 2); if
        ``"recent"``, the factor by which the importances from a tree shrink with each later tree.
    learning_rate, max_depth, min_samples_leaf, subsample : float, int, int, float
        As in scikit-learn's gradient boosting.
    random_state : int, RandomState or None
        Seed of the draws.
    verbose : int
        If positive, progress is written to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Decreases of the mean square by the splits of each column, summed over trees and divided by
        their total.
    sampling_weights_ : ndarray of shape (n_features,)
        Weights of the columns at the end, divided by their total.
    initial_ : ndarray of shape (n_targets,)
        The score before the first round.
    trees_ : list of list of SampledTree
        The trees of each round. After Ctrl-C, those of the rounds completed before.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in
       Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 15.
    .. [2] Tuv, *Ensemble learning*, ibid., chapter 7, section 2.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(200, 40))
    >>> model = MARTRegressor(100, random_state=0).fit(X, X[:, 7])
    >>> int(model.sampling_weights_.argmax()), bool(model.score(X, X[:, 7]) > 0.9)
    (7, True)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MARTRegressor:
        """Fit the initial score and the trees."""
        self._check_parameters()
        X, y = validate_data(self, X, y, y_numeric=True)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.initial_ = np.array([np.average(y, weights=weight)])
        self._boost(X, np.asarray(y, dtype=float)[:, None], weight)
        return self

    def _expected(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _factor(self) -> float:
        return 1.0

    def _curvature(self, residuals: np.ndarray) -> np.ndarray:
        return np.ones_like(residuals)

    def predict(self, X: Any) -> np.ndarray:
        """Return the sum of the initial score and all trees."""
        return self._scores(X)[:, 0]


class MARTClassifier(ClassifierMixin, _MART):
    """Boosted classification trees that draw columns by their importance in earlier trees [1]_.

    The loss is the deviance. A round grows one tree for two classes and one tree per class for
    more. Parameters and attributes are those of :class:`MARTRegressor`.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in
       Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 15.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(MARTClassifier(20, random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MARTClassifier:
        """Fit the initial scores and the trees."""
        self._check_parameters()
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        shares = np.bincount(codes, weight) / weight.sum()
        priors = np.clip(shares, 1e-15, 1 - 1e-15)
        indicators = (codes[:, None] == np.arange(len(priors))) * 1.0
        if len(priors) == 2:
            self.initial_ = np.log(priors[1:] / priors[:1])
            indicators = indicators[:, 1:]
        else:
            self.initial_ = np.log(priors)
        self._boost(X, indicators, weight)
        return self

    def _expected(self, scores: np.ndarray) -> np.ndarray:
        """Return the probabilities of the second of two classes, or of all of more classes."""
        if scores.shape[1] == 1:
            return 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
        return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))

    def _factor(self) -> float:
        n = len(self.classes_)
        return 1.0 if n == 2 else (n - 1) / n

    def _curvature(self, residuals: np.ndarray) -> np.ndarray:
        # |t - p| is p or 1 - p: this is p (1 - p), the second derivative of the deviance
        return np.abs(residuals) * (1 - np.abs(residuals))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the class probabilities, of shape (n_rows, n_classes)."""
        probabilities = self._expected(self._scores(X))
        if probabilities.shape[1] == 1:
            return np.hstack((1 - probabilities, probabilities))
        return probabilities

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
