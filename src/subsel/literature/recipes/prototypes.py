"""Prototypes: the few rows, and columns if wanted, with which nearest neighbours classify as well as with all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.criteria.base import Evaluator, Wrapper
from subsel.criteria.neighbours.prototype_accuracy import (
    PrototypeAccuracy,
    fit_or_constant,
    nearest_codes,
)
from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.engine.budget import Budget
from subsel.engine.driver import run
from subsel.search.registry import Search, find_search
from subsel.search.walks.hill_climbing import HillClimbing
from subsel.search.walks.random_sampling import RandomSampling
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Block, Space

__all__ = ["PrototypeSelector", "mc1", "rmhc_prototypes"]


class PrototypeSelector(ClassifierMixin, ColumnSelector):
    """Search for the rows that serve nearest neighbours best.

    Any search will do, since rows are just another space. A fitted selector classifies by its prototypes, gives them
    (``fit_resample``) for any other learner to be trained on, and keeps the chosen columns (``transform``).

    Parameters
    ----------
    n_prototypes : int, pair of int or None
        How many rows: exactly, or between two bounds. None: three per class.
    features : bool
        Search columns too. By default all are used.
    search : str or Search
        Key of a strategy, or a strategy: ``"random"`` is Monte Carlo sampling, ``"rmhc"`` random mutation hill
        climbing.
    n_neighbors, leave_self_out, estimator : int, bool, classifier or None
        See `subsel.criteria.PrototypeAccuracy`: any learner, trained on the prototypes, may take the place of nearest
        neighbours.
    budget, restarts, n_jobs, random_state, verbose : Any
        See `subsel.SubsetSelector`. By default 1000 evaluations.

    Attributes
    ----------
    prototypes_ : ndarray
        Numbers of the chosen rows.
    support_ : ndarray of bool
        Mask of the chosen columns.
    quality_ : float
        Accuracy on the rows it was fitted to: a guide, not an estimate of performance.
    result_ : Result
        The run, see `subsel.Result`; its columns are rows unless ``features`` were searched too.

    Notes
    -----
    Distances are Euclidean and columns are not scaled, as in scikit-learn's ``KNeighborsClassifier``.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing algorithms*, ICML
       1994.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational Methods of Feature
       Selection*, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = PrototypeSelector(n_prototypes=3, random_state=0).fit(X, y)
    >>> len(selector.prototypes_), selector.quality_ > 0.95
    (3, True)
    """

    def __init__(
        self,
        n_prototypes: int | tuple[int, int] | None = None,
        *,
        features: bool = False,
        search: str | Search = "rmhc",
        n_neighbors: int = 1,
        leave_self_out: bool = False,
        estimator: Any = None,
        budget: Budget | str | int | None = 1000,
        restarts: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.features = features
        self.search = search
        self.n_neighbors = n_neighbors
        self.leave_self_out = leave_self_out
        self.estimator = estimator
        self.budget = budget
        self.restarts = restarts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> PrototypeSelector:
        """Search the rows."""
        X, y = self._receive(X, y)
        check_classification_targets(y)
        task = Task.of(X, y, "classification")
        space = self._space(task)
        criterion = PrototypeAccuracy(
            self.n_neighbors, self.leave_self_out, estimator=self.estimator
        )
        evaluator = _Remembered(criterion.bind(task))
        seed = None
        if self.random_state is not None:
            seed = check_random_state(self.random_state).randint(2**31)
        self.result_ = run(
            find_search(self.search),
            evaluator,
            space,
            budget=Budget.of(self.budget),
            restarts=self.restarts,
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self.quality_, best = evaluator.best()
        self.classes_ = task.classes
        self.prototypes_ = space.columns(best, len(space.blocks) - 1)
        columns = np.arange(task.n_columns)
        if self.features:
            columns = space.columns(best)
        self.support_ = np.isin(np.arange(task.n_columns), columns)
        self.X_fit_ = task.matrix[np.ix_(self.prototypes_, columns)]
        self.y_fit_ = task.y[self.prototypes_]
        if self.estimator is not None:
            self.estimator_ = fit_or_constant(
                self.estimator, self.X_fit_, task.codes[self.prototypes_]
            )
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Fit, and give the prototypes with the chosen columns, and their classes."""
        self.fit(X, y)
        reduced = self.transform(X)
        if hasattr(reduced, "iloc"):
            return reduced.iloc[self.prototypes_], self.y_fit_
        return reduced[self.prototypes_], self.y_fit_

    def predict(self, X: Any) -> np.ndarray:
        """Classify by the nearest prototypes."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=False)[
            :, self.support_
        ]
        if hasattr(X, "toarray"):
            X = X.toarray()
        if self.estimator is not None:
            return self.classes_[self.estimator_.predict(X)]
        codes = np.searchsorted(self.classes_, self.y_fit_)
        distances = cdist(self.X_fit_, X, "sqeuclidean")
        return self.classes_[nearest_codes(distances, codes, self.n_neighbors, len(self.classes_))]

    def _space(self, task: Task) -> Space:
        """Rows, behind the features where those are searched too."""
        asked = self.n_prototypes
        if asked is None:
            asked = min(3 * len(task.classes), task.n_rows)
        if isinstance(asked, (int, np.integer)):
            low = high = asked
        else:
            low, high = asked
        if not 1 <= low <= high <= task.n_rows:
            raise ValueError(
                f"n_prototypes must lie between 1 and {task.n_rows} (the number of rows), got {asked}."
            )
        rows = Block(task.n_rows, name="rows", low=int(low), high=int(high))
        if self.features:
            return Space((Block(task.n_columns), rows))
        return Space((rows,))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class _Remembered(Wrapper):
    """An evaluator that remembers the best eligible candidate of each restart, with all its blocks."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._best: dict[int, tuple[float, Subset]] = {}

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Ask, and note what is better than all before."""
        restart, _ = candidates.stream
        qualities = self.inner.evaluate(candidates)
        for subset, quality in zip(candidates, qualities.tolist()):
            if candidates.space.eligible(subset) and quality > self._best.get(restart, (-1.0,))[0]:
                self._best[restart] = quality, subset
        return qualities

    def best(self) -> tuple[float, Subset]:
        """The best of all restarts, the first of equals."""
        if not self._best:
            raise ValueError("the budget ended before any set of n_prototypes rows was evaluated.")
        return max(
            (self._best[restart] for restart in sorted(self._best)), key=lambda pair: pair[0]
        )


def mc1(n_prototypes: int | None = None, n_draws: int = 1000, **options: Any) -> PrototypeSelector:
    """Monte Carlo sampling of prototypes: so many draws, the best is kept.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing algorithms*, ICML
       1994: Monte Carlo 1.

    Examples
    --------
    >>> mc1(3, n_draws=200).budget
    200
    """
    return PrototypeSelector(
        n_prototypes, search=RandomSampling("sizes"), budget=n_draws, **options
    )


def rmhc_prototypes(
    n_prototypes: int | None = None, n_mutations: int = 1000, **options: Any
) -> PrototypeSelector:
    """Random mutation hill climbing over prototypes, with ``features=True`` over columns too.

    A mutation swaps one prototype for a row that is none, or turns one column over. It is kept if the accuracy is strictly
    higher. Published is a string of the binary numbers of rows, and one bit per column, in which a flipped bit may name a
    row that is absent or taken; drawing an unused row, as here, repairs that. Whether rows or columns mutate is drawn
    by their bits in that string. Any learner will do: ``estimator=...``.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing algorithms*, ICML
       1994.

    Examples
    --------
    >>> rmhc_prototypes(3, features=True).search
    HillClimbing(patience=None, walkers=1, string=True)
    """
    return PrototypeSelector(
        n_prototypes, search=HillClimbing(string=True), budget=n_mutations, **options
    )
