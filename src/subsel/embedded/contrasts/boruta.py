"""Boruta: select all columns that beat their shuffled copies more often than by chance."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import binom
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags

from subsel.data.columns import ColumnSelector
from subsel.data.probes import permuted_probes
from subsel.data.task import Task
from subsel.embedded.importance.importance import Importance
from subsel.embedded.trees.forest_halving import default_forest
from subsel.models.relevance import Reader
from subsel.runtime.interruption import is_part_of_a_job

__all__ = ["Boruta"]

FEWEST_SHADOWS = 5  # at least this many, as published (Kursa and Rudnicki 2010, section 2)


class Boruta(ColumnSelector):
    r"""Select all columns that beat the best of their shuffled copies more often than by chance.

    In every round a model is trained on the columns together with shuffled copies (*shadows*) [1]_.
    A column scores a hit if it is more important than the best shadow. After :math:`n` rounds an
    irrelevant column has at most as many hits as a fair coin shows heads. Binomial tests, with
    Bonferroni's correction for the number of columns, confirm a column with too many hits for a
    coin and reject, together with its shadow, a column with too few. The selection is meant to
    contain all relevant columns, also those that repeat each other, rather than a smallest set.

    Parameters
    ----------
    estimator : estimator, optional
        The model whose relevances are used. None stands for a random forest of 500 trees.
    relevance : str or callable, optional
        How relevance is measured, as in :class:`subsel.embedded.Importance`: ``"auto"``,
        ``"coef"``, ``"importance"``, ``"permutation"``, ``"out-of-bag"``, ``"shap"`` or a function.
        None stands for the published setting, z-scores of out-of-bag permutation, without an
        `estimator`, and for ``"auto"`` with one.
    alpha : float
        Level of the tests.
    percentile : float
        A hit is a score above this percentile of the shadows; 100 is the largest.
    max_iter : int
        Largest number of rounds; columns undecided by then are tentative.
    rough_fix : bool
        Whether to keep the tentative columns whose median score is above the median, over
        rounds, of the score to beat.
    random_state : int, RandomState or None
        Seed of the shadows and of the model, which has another seed in every round.
    n_jobs : int, optional
        Number of workers of a model that has this parameter; it does not change the answer.
    verbose : int
        Where positive, every round writes a line to standard error.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns kept.
    confirmed_, tentative_ : ndarray of bool
        Masks of the columns confirmed, and of those undecided.
    hits_ : ndarray of int
        How often each column beat the shadows.
    history_ : ndarray of shape (n_rounds, n_columns)
        Scores, NaN from the rejection of a column on.
    shadows_ : ndarray of shape (n_rounds,)
        The score to beat in every round.
    n_iter_ : int
        Number of rounds completed.
    stopped_by_ : {"decided", "max_iter", "interrupted"}
        Why it ended. After Ctrl-C the decisions made so far count.

    Notes
    -----
    Nearly all of the time is spent in the model. :class:`subsel.models.BinnedForestClassifier` and
    :class:`subsel.models.BinnedForestRegressor` grow forests in a fraction of the time that
    scikit-learn takes. ``Boruta()`` without arguments has the published settings.

    References
    ----------
    .. [1] Kursa and Rudnicki, *Feature selection with the Boruta package*, Journal of Statistical
       Software 36(11), 2010.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 6))
    >>> y = X[:, 1] + X[:, 4] > 0
    >>> forest = RandomForestClassifier(20, max_depth=4)
    >>> selector = Boruta(forest, max_iter=20, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True), selector.stopped_by_
    (array([1, 4]), 'max_iter')
    """

    def __init__(
        self,
        estimator: Any = None,
        relevance: str | Reader | None = None,
        *,
        alpha: float = 0.01,
        percentile: float = 100,
        max_iter: int = 100,
        rough_fix: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.relevance = relevance
        self.alpha = alpha
        self.percentile = percentile
        self.max_iter = max_iter
        self.rough_fix = rough_fix
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Boruta:
        """Train with shadows, round after round, until every column is confirmed or rejected."""
        self._check_parameters()
        X, y = self._receive(X, y)
        task = Task.of(X, y, sample_weight=sample_weight, allow_nan=True)
        score = self._score(task)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        n = task.n_columns
        self.confirmed_, rejected = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.hits_, self.n_iter_, history, shadows = np.zeros(n, dtype=int), 0, [], []
        self.stopped_by_ = "max_iter"
        try:
            while self.n_iter_ < self.max_iter and self.stopped_by_ != "decided":
                scores, shadow = self._round(task, score, ~rejected, rng)
                history.append(scores)
                shadows.append(shadow)
                self._decide(scores > shadow, rejected)
                self._report(rejected)
        except KeyboardInterrupt:
            if is_part_of_a_job() or not history:
                raise
            self.stopped_by_ = "interrupted"
        self.history_, self.shadows_ = np.array(history), np.array(shadows)
        self.tentative_ = ~self.confirmed_ & ~rejected
        self.support_ = self.confirmed_.copy()
        if self.rough_fix:
            self.support_ |= self._likely()
        return self

    def _check_parameters(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie in (0, 1), got {self.alpha!r}.")
        if not 0 < self.percentile <= 100:
            raise ValueError(f"percentile must lie in (0, 100], got {self.percentile!r}.")
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, got {self.max_iter!r}.")

    def _score(self, task: Task) -> Importance:
        """Build the score: the model, without seeds of its own, and how its relevance is read."""
        if self.estimator is not None:
            model, relevance = self.estimator, self.relevance or "auto"
        else:
            model, relevance = default_forest(task.kind), self.relevance or "out-of-bag"
        model = clone(model)
        known = model.get_params()
        model.set_params(**{name: None for name in known if name.endswith("random_state")})
        if self.n_jobs is not None and "n_jobs" in known:
            model.set_params(n_jobs=self.n_jobs)
        return Importance(model, relevance, n_repeats=1)

    def _round(
        self, task: Task, score: Importance, active: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, float]:
        """Score the columns that are not rejected, and new shadows, with one trained model.

        Returns
        -------
        scores : ndarray of shape (columns,)
            NaN where `active` is False.
        score_to_beat : float
            The percentile of the scores of the shadows.
        """
        kept = np.flatnonzero(active)
        X = task.numbers[:, kept]
        shadows = permuted_probes(X, max(len(kept), FEWEST_SHADOWS), rng.integers(2**31))
        if sparse.issparse(X):
            both = sparse.hstack((X, shadows), format="csr")
        else:
            both = np.hstack((X, shadows))
        importances = score(both, task.y, task.sample_weight, int(rng.integers(2**31)))
        scores = np.full(task.n_columns, np.nan)
        scores[kept] = importances[: len(kept)]
        return scores, float(np.percentile(importances[len(kept) :], self.percentile))

    def _decide(self, hits: np.ndarray, rejected: np.ndarray) -> None:
        """Count the hits of a round and test the undecided columns; updates `rejected` in place.

        Also updates `n_iter_`, `hits_`, `confirmed_` and `stopped_by_`.
        """
        self.n_iter_ += 1
        self.hits_ += hits
        undecided = ~self.confirmed_ & ~rejected
        level = self.alpha / len(rejected)
        few = binom.cdf(self.hits_, self.n_iter_, 0.5) < level
        many = binom.sf(self.hits_ - 1, self.n_iter_, 0.5) < level
        self.confirmed_ |= undecided & many
        rejected |= undecided & few
        if (self.confirmed_ | rejected).all():
            self.stopped_by_ = "decided"

    def _likely(self) -> np.ndarray:
        """Mask the tentative columns whose median score exceeds the median score to beat."""
        return self.tentative_ & (np.median(self.history_, axis=0) > np.median(self.shadows_))

    def _report(self, rejected: np.ndarray) -> None:
        if self.verbose > 0:
            counts = f"{self.confirmed_.sum()} confirmed, {rejected.sum()} rejected"
            line = f"round {self.n_iter_}: {counts} of {len(rejected)} columns"
            print(line, file=sys.stderr)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = (
            self.estimator is None or get_tags(self.estimator).input_tags.allow_nan
        )
        return tags
