"""ACE: artificial contrasts with ensembles, removal of masked columns, and a new look at the residuals."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.utils import check_random_state

from subsel.data.columns import ColumnSelector
from subsel.data.probes import permuted_probes
from subsel.data.task import Task
from subsel.embedded.trees.surrogates import masking
from subsel.runtime.interruption import is_part_of_a_job

__all__ = ["ACE"]


class ACE(ColumnSelector):
    r"""Keep a compact set: columns that beat shuffled contrasts, less those that others mask, pass after pass on residuals.

    In every pass a small forest is trained several times on the columns and fresh shuffled copies (*contrasts*). Relevant
    are the columns whose importance is above a percentile of the contrasts' by a paired t-test. Of these, by falling
    importance and those kept before first, each drops the others it masks: those whose surrogate splits in boosted trees agree with its own better
    than contrasts do. The target is then replaced by what boosting on all columns kept so far leaves of it, and weaker
    effects, hidden before, show in the next pass.

    Parameters
    ----------
    n_replicates : int
        Forests, and boosted models, in every pass.
    n_trees : int
        Trees of each.
    alpha : float
        Level of the t-tests; for relevance it is divided by the number of columns.
    percentile : float, optional
        The contrasts' percentile to beat; 100 is the largest. None: 100 times 1 - alpha.
    max_passes : int
        Passes at most.
    max_features : int, float, str or None
        Columns, contrasts among them, that a node of the forests looks at, as in scikit-learn. None: the root of their
        number, or a tenth of them where that is more, without which a wide table hardly ever shows a node its few good ones.
    random_state : int, RandomState or None
        Seed.
    n_jobs : int, optional
        Workers of the forests; it does not change the answer.
    verbose : int
        Where positive, a line a pass is written to standard error.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns kept.
    passes_ : list of ndarray of int
        The columns that each pass added, most important first.
    masked_by_ : dict
        For every relevant column dropped, the column that masks it.
    stopped_by_ : {"nothing new", "max_passes", "interrupted"}
        Why it ended. After Ctrl-C the passes done stand.

    Notes
    -----
    Classes are worked on as one indicator each, all in one forest, for which the variance summed over indicators is
    Gini's impurity; their residuals are indicators less probabilities. Boosting is refitted on all columns kept rather than
    added to.

    With 8 forests of 15 trees 2 of 100 tables of noise kept a column; ``percentile=100``, the largest contrast, is stricter.
    Where columns matter only together, as in an exclusive or of five, few beat the contrasts of small forests: grow more
    trees, let nodes look at more columns (``max_features=0.5``), or use :class:`subsel.embedded.Boruta`, which keeps all
    relevant columns.

    References
    ----------
    .. [1] Tuv, Borisov, Runger and Torkkola, *Feature selection with ensembles, artificial variables, and redundancy
       elimination*, JMLR 10, 2009.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((150, 6))
    >>> X[:, 3] = X[:, 1]
    >>> y = 4 * X[:, 1] + X[:, 5]
    >>> kept = ACE(n_replicates=5, n_trees=10, random_state=0).fit(X, y).get_support(indices=True)
    >>> len(set(kept) & {1, 3}), 5 in kept
    (1, True)
    """

    def __init__(
        self,
        *,
        n_replicates: int = 20,
        n_trees: int = 50,
        alpha: float = 0.05,
        percentile: float | None = None,
        max_passes: int = 10,
        max_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_replicates = n_replicates
        self.n_trees = n_trees
        self.alpha = alpha
        self.percentile = percentile
        self.max_passes = max_passes
        self.max_features = max_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> ACE:
        """Pass over residuals until nothing new is found."""
        self._check_parameters()
        X, y = self._receive(X, y)
        task = Task.of(X, y)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        self.support_ = np.zeros(task.n_columns, dtype=bool)
        self.passes_: list[np.ndarray] = []
        self.masked_by_: dict[int, int] = {}
        self.stopped_by_ = "max_passes"
        try:
            while len(self.passes_) < self.max_passes and self._add(task, rng):
                self._tell()
        except KeyboardInterrupt:
            if is_part_of_a_job() or not self.passes_:
                raise
            self.stopped_by_ = "interrupted"
        return self

    def _check_parameters(self) -> None:
        least = {"n_replicates": 2, "n_trees": 1, "max_passes": 1}
        for name, low in least.items():
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, got {getattr(self, name)!r}.")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie in (0, 1), got {self.alpha!r}.")
        if self.percentile is not None and not 0 < self.percentile <= 100:
            raise ValueError(
                f"percentile must be None or lie in (0, 100], got {self.percentile!r}."
            )

    def _to_beat(self, contrasts: np.ndarray) -> np.ndarray:
        """The percentile of contrasts, which lie along the last axis."""
        percentile = self.percentile
        if percentile is None:
            percentile = 100 * (1 - self.alpha)
        return np.percentile(contrasts, percentile, axis=-1)

    def _add(self, task: Task, rng: np.random.Generator) -> bool:
        """One pass: whether it found a column that was not there."""
        rest = self._residuals(task, int(rng.integers(2**31)))
        relevant = self._relevant(task.matrix, rest, rng)
        kept = self._unmasked(task.matrix, rest, relevant, rng)
        new = kept[~self.support_[kept]]
        if len(new) == 0:
            self.stopped_by_ = "nothing new"
            return False
        self.support_[new] = True
        self.passes_.append(new)
        return True

    def _residuals(self, task: Task, seed: int) -> np.ndarray:
        """What a boosted model of the columns kept leaves of the target; of classes one column each."""
        X = task.matrix[:, self.support_]
        if task.kind == "regression":
            predicted = task.y.mean()
            if X.size:
                model = GradientBoostingRegressor(random_state=seed)
                predicted = model.fit(X, task.y).predict(X)
            return (task.y - predicted)[:, None]
        indicators = (task.y[:, None] == task.classes) * 1.0
        if X.size:
            return indicators - GradientBoostingClassifier(random_state=seed).fit(
                X, task.y
            ).predict_proba(X)
        return indicators - indicators.mean(axis=0)

    def _relevant(self, X: np.ndarray, rest: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The columns that beat the contrasts: those kept before, then the rest, the most important first."""
        ahead, importances = [], []
        seen = self.max_features
        if seen is None:
            seen = max(int(np.sqrt(2 * X.shape[1])), X.shape[1] // 5)
        target = rest if rest.shape[1] > 1 else rest[:, 0]
        for _ in range(self.n_replicates):
            both, seed = (
                np.hstack((X, permuted_probes(X, random_state=rng.integers(2**31)))),
                int(rng.integers(2**31)),
            )
            forest = RandomForestRegressor(
                self.n_trees, max_features=seen, random_state=seed, n_jobs=self.n_jobs
            )
            own, contrasts = np.split(forest.fit(both, target).feature_importances_, 2)
            ahead.append(own - self._to_beat(contrasts))
            importances.append(own)
        kept = np.flatnonzero(_positive(np.array(ahead)) < self.alpha / X.shape[1])
        return kept[np.lexsort((-np.mean(importances, axis=0)[kept], ~self.support_[kept]))]

    def _unmasked(
        self, X: np.ndarray, rest: np.ndarray, relevant: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Those that no more important one masks."""
        if len(relevant) < 2:
            return relevant
        masks = self._masks(X[:, relevant], rest, rng)
        kept: list[int] = []
        for j, column in enumerate(relevant):
            masters = [int(relevant[i]) for i in kept if masks[i, j]]
            if masters:
                self.masked_by_.setdefault(int(column), masters[0])
            else:
                kept.append(j)
        return relevant[kept]

    def _masks(self, X: np.ndarray, rest: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Whether i masks j, for all pairs."""
        n, ahead = X.shape[1], []
        for _ in range(self.n_replicates):
            both, seed = (
                np.hstack((X, permuted_probes(X, random_state=rng.integers(2**31)))),
                int(rng.integers(2**31)),
            )
            model = GradientBoostingRegressor(
                n_estimators=self.n_trees, max_features="sqrt", random_state=seed
            )
            trees = [
                tree
                for target in rest.T
                for tree in clone(model).fit(both, target).estimators_.ravel()
            ]
            found = masking(trees, both)[:n]
            ahead.append(found[:, :n] - self._to_beat(found[:, n:])[:, None])
        return _positive(np.array(ahead)) < self.alpha

    def _tell(self) -> None:
        if self.verbose > 0:
            print(
                f"pass {len(self.passes_)}: {len(self.passes_[-1])} columns added", file=sys.stderr
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # worked on as a dense table
        return tags


def _positive(differences: np.ndarray) -> np.ndarray:
    """P-values of one-sided t-tests that the mean along the first axis is above 0."""
    mean, spread = differences.mean(axis=0), differences.std(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = ttest_1samp(differences, 0.0, axis=0, alternative="greater").pvalue
    return np.where(spread > 1e-12 * np.abs(mean), p, np.where(mean > 0, 0.0, 1.0))
