"""ACE: artificial contrasts with ensembles, and removal of the columns that others mask."""

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
    r"""Select relevant columns that no other column masks, with shuffled copies as contrasts [1]_.

    Every pass has three steps. (1) Small forests are trained on the columns together with
    shuffled copies, the *contrasts*. A column is relevant if a paired t-test over the forests
    finds its importance above a percentile of the importances of the contrasts. (2) The relevant
    columns are visited in order of falling importance, those selected in earlier passes first. A
    column is dropped if a column visited before masks it: the surrogate splits of the one imitate
    the splits of the other, in boosted trees, better than the surrogate splits of contrasts do.
    (3) The target is replaced by its residuals from boosted trees on all columns selected so far,
    so that the next pass can find weaker effects.

    Parameters
    ----------
    n_replicates : int
        Number of forests, and of boosted models, in every pass.
    n_trees : int
        Number of trees in each of them.
    alpha : float
        Level of the t-tests; for relevance it is divided by the number of columns.
    percentile : float, optional
        Percentile of the contrasts that a column must beat; 100 is the largest contrast. None
        stands for 100 times 1 - alpha.
    max_passes : int
        Largest number of passes.
    max_features : int, float, str or None
        Number of columns, contrasts included, that a node of the forests considers, as in
        scikit-learn. None stands for the square root of their number, or a tenth of them where
        that is more; with the square root alone the nodes of a wide table hardly ever see one of
        its few relevant columns.
    random_state : int, RandomState or None
        Seed.
    n_jobs : int, optional
        Number of workers that grow a forest; it does not change the answer.
    verbose : int
        Where positive, every pass writes a line to standard error.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns selected.
    passes_ : list of ndarray of int
        The columns that each pass added, most important first.
    masked_by_ : dict
        For every relevant column dropped, the column that masks it.
    stopped_by_ : {"nothing new", "max_passes", "interrupted"}
        Why it ended. After Ctrl-C the passes completed so far count.

    Notes
    -----
    A classification target becomes one indicator per class. One forest predicts all indicators;
    their variance, summed, is the Gini impurity. The residuals are the indicators minus the
    predicted probabilities. Boosting is refitted on all selected columns in each pass, where the
    paper adds trees to the existing model.

    With 8 forests of 15 trees, a column was selected on 2 of 100 tables of pure noise;
    ``percentile=100`` is stricter. Where columns matter only in combination, as in the exclusive
    or of five columns, few of them beat the contrasts of small forests: grow more trees, let nodes
    consider more columns (``max_features=0.5``), or use :class:`subsel.embedded.Boruta`, which
    keeps all relevant columns.

    References
    ----------
    .. [1] Tuv, Borisov, Runger and Torkkola, *Feature selection with ensembles, artificial
       variables, and redundancy elimination*, JMLR 10, 2009.

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
        """Select columns, pass after pass, until a pass adds none."""
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
                self._report()
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

    def _percentile_of(self, contrasts: np.ndarray) -> np.ndarray:
        """Compute the percentile that a column must beat.

        Parameters
        ----------
        contrasts : ndarray of shape (..., contrasts)
            Importances or masking of the contrasts; the last axis is reduced.
        """
        percentile = self.percentile
        if percentile is None:
            percentile = 100 * (1 - self.alpha)
        return np.percentile(contrasts, percentile, axis=-1)

    def _add(self, task: Task, rng: np.random.Generator) -> bool:
        """Make one pass; return whether it added a column.

        Updates `support_`, `passes_`, `masked_by_` and `stopped_by_`.
        """
        residuals = self._residuals(task, int(rng.integers(2**31)))
        relevant = self._relevant(task.matrix, residuals, rng)
        kept = self._unmasked(task.matrix, residuals, relevant, rng)
        new = kept[~self.support_[kept]]
        if len(new) == 0:
            self.stopped_by_ = "nothing new"
            return False
        self.support_[new] = True
        self.passes_.append(new)
        return True

    def _residuals(self, task: Task, seed: int) -> np.ndarray:
        """Compute the residuals of boosted trees on the columns selected so far.

        Returns
        -------
        ndarray of shape (rows, 1) or (rows, classes)
            Residuals of a numeric target, or of one indicator per class.
        """
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

    def _relevant(
        self, X: np.ndarray, residuals: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Find the columns that beat the contrasts.

        Returns
        -------
        ndarray of int
            The columns selected before and then the others, each part by falling importance.
        """
        leads, importances = [], []
        max_features = self.max_features
        if max_features is None:
            # of the 2p columns, contrasts included, a tenth is p // 5
            max_features = max(int(np.sqrt(2 * X.shape[1])), X.shape[1] // 5)
        target = residuals if residuals.shape[1] > 1 else residuals[:, 0]
        for _ in range(self.n_replicates):
            doubled, seed = _with_contrasts(X, rng)
            forest = RandomForestRegressor(
                self.n_trees, max_features=max_features, random_state=seed, n_jobs=self.n_jobs
            )
            own, contrasts = np.split(forest.fit(doubled, target).feature_importances_, 2)
            leads.append(own - self._percentile_of(contrasts))
            importances.append(own)
        kept = np.flatnonzero(_p_values(np.array(leads)) < self.alpha / X.shape[1])
        return kept[np.lexsort((-np.mean(importances, axis=0)[kept], ~self.support_[kept]))]

    def _unmasked(
        self, X: np.ndarray, residuals: np.ndarray, relevant: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Drop the relevant columns that a column before them masks; updates `masked_by_`."""
        if len(relevant) < 2:
            return relevant
        masks = self._masks(X[:, relevant], residuals, rng)
        kept: list[int] = []
        for j, column in enumerate(relevant):
            masters = [int(relevant[i]) for i in kept if masks[i, j]]
            if masters:
                self.masked_by_.setdefault(int(column), masters[0])
            else:
                kept.append(j)
        return relevant[kept]

    def _masks(self, X: np.ndarray, residuals: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Test for all pairs whether column i masks column j.

        Returns
        -------
        ndarray of bool of shape (columns, columns)
            Row i, column j: whether i masks j.
        """
        n, leads = X.shape[1], []
        for _ in range(self.n_replicates):
            doubled, seed = _with_contrasts(X, rng)
            model = GradientBoostingRegressor(
                n_estimators=self.n_trees, max_features="sqrt", random_state=seed
            )
            trees = [
                tree
                for target in residuals.T
                for tree in clone(model).fit(doubled, target).estimators_.ravel()
            ]
            masked = masking(trees, doubled)[:n]
            leads.append(masked[:, :n] - self._percentile_of(masked[:, n:])[:, None])
        return _p_values(np.array(leads)) < self.alpha

    def _report(self) -> None:
        if self.verbose > 0:
            print(
                f"pass {len(self.passes_)}: {len(self.passes_[-1])} columns added", file=sys.stderr
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # a sparse table is made dense
        return tags


def _with_contrasts(X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Append a shuffled copy of every column, and draw the seed of the model trained on both."""
    contrasts = permuted_probes(X, random_state=rng.integers(2**31))
    return np.hstack((X, contrasts)), int(rng.integers(2**31))


def _p_values(differences: np.ndarray) -> np.ndarray:
    """Test, one-sided, whether the mean of the differences along the first axis exceeds 0.

    Parameters
    ----------
    differences : ndarray of shape (replicates, ...)
        Columns minus contrasts. Where all replicates agree to rounding, the p-value is 0 or 1.
    """
    mean, spread = differences.mean(axis=0), differences.std(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = ttest_1samp(differences, 0.0, axis=0, alternative="greater").pvalue
    return np.where(spread > 1e-12 * np.abs(mean), p, np.where(mean > 0, 0.0, 1.0))
