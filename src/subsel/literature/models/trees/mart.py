"""MART: gradient tree boosting whose trees draw columns by what earlier trees found in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from subsel.literature.models.trees.sampled_tree import SampledTree, SamplingLaw
from subsel.literature.models.trees.weighted_sampling import LAWS
from subsel.runtime.interruption import keep_finished
from subsel.runtime.status_line import StatusLine

__all__ = ["MARTClassifier", "MARTRegressor"]


class _MART(BaseEstimator):
    """What both share: the rounds."""

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
        """Round after round: a tree for every column of targets on what is left of it."""
        X, n = np.ascontiguousarray(X, dtype=np.float32), X.shape[1]
        n_draws = self.n_draws or max(1, round(np.sqrt(n) / 2))
        scores = np.tile(self.initial_, (len(X), 1))
        rest = targets - self._expected(scores)
        spread = max(float(np.sum(weight @ (rest**2)) / weight.sum()), 1e-300)
        start = np.full(n, spread)
        history = LAWS[self.sampling](SamplingLaw(start.copy(), n_draws), start, self.fading)
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
        rest: np.ndarray,
        weight: np.ndarray,
        law: SamplingLaw,
        rng: np.random.Generator,
    ) -> list[SampledTree]:
        rows = np.flatnonzero(weight > 0)
        if self.subsample < 1:
            rows = np.sort(rng.choice(rows, max(1, int(self.subsample * len(rows))), replace=False))
        trees = []
        for k in range(rest.shape[1]):
            tree = SampledTree(self.max_depth, self.min_samples_leaf)
            tree.grow(X, rest[:, [k]], weight, rows, law, int(rng.integers(2**31)))
            part, w = rest[rows][:, [k]], weight[rows, None]
            tree.set_values(
                tree.leaves(X[rows]), w * part * self._factor(), w * self._curvature(part)
            )
            trees.append(tree)
        return trees

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        scores = np.tile(self.initial_, (len(X), 1))
        for trees in self.trees_:
            scores += self.learning_rate * np.column_stack(
                [tree.predict(X)[:, 0] for tree in trees]
            )
        return scores


class MARTRegressor(RegressorMixin, _MART):
    r"""Boosted trees for numbers, with columns drawn at every node by what earlier trees found in them.

    With ``sampling="full"`` this is MART-WS, with ``"recent"`` GTB-FS, with ``"uniform"`` MART-US; with as many draws as
    columns all of them are plain gradient tree boosting. Squared loss.

    Parameters
    ----------
    n_estimators : int
        Rounds.
    sampling : {"full", "recent", "uniform"}
        What weights follow: importances of all trees so far beside a fading start, of recent trees above a floor, or nothing.
    n_draws : int, optional
        Draws at a node, with replacement; None is half the root of the number of columns. As many as there are columns,
        or more: all are looked at.
    fading : float
        For ``"full"`` how fast the start fades (the authors: 0.5 to 2); for ``"recent"`` what a tree counts one tree later.
    learning_rate, max_depth, min_samples_leaf, subsample : float, int, int, float
        As in scikit-learn's gradient boosting.
    random_state : int, RandomState or None
        Seed of draws.
    verbose : int
        Where positive, a line on standard error says how far it is.

    Attributes
    ----------
    feature_importances_ : ndarray
        Falls of the mean square, summed over trees, made to sum to 1.
    sampling_weights_ : ndarray
        The chances of columns at the end.
    trees_ : list of lists
        The trees of every round. Ctrl-C keeps those grown so far.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in Guyon, Gunn, Nikravesh
       and Zadeh (eds.), *Feature Extraction*, 2006, chapter 15.
    .. [2] Tuv, *Ensemble learning*, ibid., chapter 7, section 2.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(200, 40))
    >>> model = MARTRegressor(100, random_state=0).fit(X, X[:, 7])
    >>> int(model.sampling_weights_.argmax()), bool(model.score(X, X[:, 7]) > 0.9)
    (7, True)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MARTRegressor:
        """Boost."""
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

    def _curvature(self, rest: np.ndarray) -> np.ndarray:
        return np.ones_like(rest)

    def predict(self, X: Any) -> np.ndarray:
        """The sum of all trees."""
        return self._scores(X)[:, 0]


class MARTClassifier(ClassifierMixin, _MART):
    """Boosted trees for classes, with columns drawn at every node by what earlier trees found in them.

    Deviance; one tree a round for two classes, else one a class. Parameters and attributes are those of
    :class:`MARTRegressor`.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in Guyon, Gunn, Nikravesh
       and Zadeh (eds.), *Feature Extraction*, 2006, chapter 15.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(MARTClassifier(20, random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MARTClassifier:
        """Boost."""
        self._check_parameters()
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_.tolist()}): there is nothing to tell apart."
            )
        priors = np.bincount(codes, weight) / weight.sum()
        chances = np.clip(priors, 1e-15, 1 - 1e-15)
        indicators = (codes[:, None] == np.arange(len(priors))) * 1.0
        if len(priors) == 2:
            self.initial_ = np.log(chances[1:] / chances[:1])
            indicators = indicators[:, 1:]
        else:
            self.initial_ = np.log(chances)
        self._boost(X, indicators, weight)
        return self

    def _expected(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities: of the second class, or of all."""
        if scores.shape[1] == 1:
            return 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
        return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))

    def _factor(self) -> float:
        n = len(self.classes_)
        return 1.0 if n == 2 else (n - 1) / n

    def _curvature(self, rest: np.ndarray) -> np.ndarray:
        return np.abs(rest) * (1 - np.abs(rest))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities."""
        chances = self._expected(self._scores(X))
        if chances.shape[1] == 1:
            return np.hstack((1 - chances, chances))
        return chances

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
