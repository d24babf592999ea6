"""Refit and score on held-out rows: the criterion that works with any estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.refits.gram_weights import GramWeights
from subsel.criteria.refits.libsvm import LinearSolver
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds, make_folds, shuffled_splitter
from subsel.data.routing import routing_enabled, takes_weights, weight_arguments
from subsel.data.task import Kind, Task
from subsel.models.relevance import model_relevance
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["CrossValidated", "FitFailed"]


class FitFailed(UserWarning):
    """Warning that an estimator could not be fitted to a subset, which counts as the worst."""


@criterion("cross-validated")
@dataclass(frozen=True)
class CrossValidated(Parameters):
    """The mean score over folds of an estimator that is refitted to each subset.

    This criterion works with any estimator.

    Parameters
    ----------
    estimator : estimator
        Any estimator or pipeline of scikit-learn's interface.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``, whose mean this is.
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    fresh : bool, default=False
        Draw new folds for every evaluation instead of making them once per run. Qualities are then
        random.
    rows : int, float or None, default=None
        Evaluate each subset on a fresh random sample of this many rows (or this share of them),
        stratified by class; the finalists are evaluated again on all rows [1]_.

    Notes
    -----
    Sample weights go to ``fit`` of the model at the end of a pipeline, not to the scorer, as in
    ``cross_val_score``. Memory: the data once; each fit holds its columns of one training part.

    References
    ----------
    .. [1] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> task = Task.of(*load_iris(return_X_y=True))
    >>> evaluator = CrossValidated(DecisionTreeClassifier(max_depth=2), cv=3).bind(task)
    >>> evaluator.explain(np.array([2, 3])).quality > evaluator.explain(np.array([0, 1])).quality
    True
    """

    estimator: Any
    scoring: str | Callable | None = None
    _: KW_ONLY
    cv: Any = 5
    fresh: bool = False
    rows: int | float | None = None

    @property
    def serves(self) -> tuple[Kind, ...]:
        """The kinds of task that the estimator supports, both where it does not tell."""
        if is_classifier(self.estimator):
            return ("classification",)
        if is_regressor(self.estimator):
            return ("regression",)
        return ("classification", "regression")

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Make the folds."""
        if self.fresh and isinstance(self.cv, int):
            _check_fresh(self.cv, task)
        elif self.fresh and not hasattr(self.cv, "random_state"):
            raise ValueError(
                f"cv must be a number of folds or a splitter with random_state where fresh=True, "
                f"got {self.cv!r}."
            )
        if task.sample_weight is not None and not takes_weights(self.estimator, routing_enabled()):
            raise ValueError(
                f"{type(self.estimator).__name__} does not take sample_weight: fit without it."
            )
        return _Refit(self, task, seed)


class _Refit(Evaluator):
    """Clones, fits and scores the estimator fold by fold."""

    def __init__(self, criterion: CrossValidated, task: Task, seed: Any) -> None:
        self.criterion, self.task = criterion, task
        self.scorer = check_scoring(criterion.estimator, criterion.scoring)
        self.seed: int | list[int] | None = None
        if isinstance(seed, np.random.SeedSequence):
            self.seed = seed.generate_state(4).tolist()
        else:
            self.seed = seed
        self.folds = None if criterion.fresh else make_folds(criterion.cv, task)
        self.gram = GramWeights.where_it_pays(criterion.estimator, task)
        if self.gram:
            solver = self.gram.solver
        else:
            solver = LinearSolver.if_supported(criterion.estimator, task)
        self.solver: LinearSolver | None = None
        if criterion.scoring is None and not task.weighted:
            self.solver = solver
        self.traits = Traits(
            f"refit of {type(criterion.estimator).__name__}",
            deterministic=not criterion.fresh and criterion.rows is None,
            standard_error=True,
            exact=False,
            heavy=True,
            certain=self.solver is not None,
            relevance=True,
        )
        self._warned = False
        self._routed = routing_enabled()  # workers do not know the configuration of their parent
        if not self.traits.deterministic:
            self.final = CrossValidated(
                criterion.estimator, criterion.scoring, cv=criterion.cv
            ).bind(task, seed)

    def fork(self) -> Evaluator:
        """Return an evaluator that shares the data, but not a Gram matrix that is updated."""
        if self.gram is None:
            return self
        twin = copy(self)
        twin.gram, twin.n_refits = self.gram.fork(), 0
        return twin

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Refit each candidate on each fold."""
        restart, first = candidates.stream
        qualities = []
        for i, columns in enumerate(candidates.columns()):
            task, folds = self._rows_and_folds(restart, first + i)
            qualities.append(self._mean_score(task, folds, columns))
        self.n_refits += len(qualities)
        return np.array(qualities)

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Fold scores, held-out predictions and their losses."""
        if not self.traits.deterministic:
            assert self.final is not None
            return self.final.explain(columns)
        assert self.folds is not None
        scores, predictions = [], np.full(self.task.n_rows, np.nan, dtype=object)
        for train, test in zip(self.folds.train, self.folds.test):
            model, X = self._fit(self.task, columns, train)
            held = _safe_indexing(X, test)
            scores.append(self.scorer(model, held, self.task.y[test]))
            predictions[test] = model.predict(held)
        error = None
        if len(scores) > 1:
            error = float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
        losses = self._losses(predictions)
        if self.folds.leave_one_out:
            error = float(np.std(losses.astype(float), ddof=1) / np.sqrt(len(losses)))
        return Evaluation(float(np.mean(scores)), error, np.array(scores), predictions, losses)

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Train on all rows and return how much the model uses each column.

        See `subsel.models.relevance.model_relevance`.
        """
        self.n_refits += 1
        if self.gram is not None:
            return np.abs(self.gram.of(columns))
        entropy = [*self._entropy, *stream]
        model = _seeded(clone(self.criterion.estimator), np.random.default_rng(entropy))
        return model_relevance(
            self._trained(model, self.task, columns, np.arange(self.task.n_rows))[0]
        )

    def _losses(self, predictions: np.ndarray) -> np.ndarray:
        """Compute the zero-one loss or absolute error of each held-out row, NaN for others."""
        held = np.array([p == p for p in predictions])
        losses = np.full(len(predictions), np.nan)
        if self.task.kind == "classification":
            losses[held] = predictions[held] != self.task.y[held]
        else:
            losses[held] = np.abs(predictions[held].astype(float) - self.task.y[held])
        return losses

    def _mean_score(self, task: Task, folds: Folds, columns: np.ndarray) -> float:
        try:
            return float(
                np.mean(
                    [self._score(task, columns, *rows) for rows in zip(folds.train, folds.test)]
                )
            )
        except Exception as error:
            if not self._warned:
                name = type(self.criterion.estimator).__name__
                warnings.warn(
                    f"{name} failed on columns {columns[:10].tolist()}: {error}. "
                    "Such subsets count as the worst possible.",
                    FitFailed,
                    stacklevel=2,
                )
                self._warned = True
            return -np.inf

    def _score(self, task: Task, columns: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
        if self.solver and (found := self.solver.accuracy(task, columns, train, test)) is not None:
            return found
        model, X = self._fit(task, columns, train)
        return self.scorer(model, _safe_indexing(X, test), task.y[test])

    def _fit(self, task: Task, columns: np.ndarray, train: np.ndarray) -> tuple[Any, Any]:
        return self._trained(clone(self.criterion.estimator), task, columns, train)

    def _trained(
        self, model: Any, task: Task, columns: np.ndarray, train: np.ndarray
    ) -> tuple[Any, Any]:
        X = task.select(columns)
        if getattr(X, "format", None) == "csc":
            X = X.tocsr()
        weight = None
        if task.weighted:
            weight = task.row_weights[train]
        weights = weight_arguments(self.criterion.estimator, weight, self._routed)
        with config_context(enable_metadata_routing=self._routed):
            return model.fit(_safe_indexing(X, train), task.y[train], **weights), X

    def _rows_and_folds(self, restart: int, index: int) -> tuple[Task, Folds]:
        if self.traits.deterministic:
            assert self.folds is not None
            return self.task, self.folds
        rng, task, cv = (
            np.random.default_rng([*self._entropy, restart, index]),
            self.task,
            self.criterion.cv,
        )
        if self.criterion.rows is not None:
            task = task.rows(_sample_rows(task, self.criterion.rows, rng))
        if self.criterion.fresh:
            cv = _reseeded(cv, task, rng)
        return task, make_folds(cv, task)

    @property
    def _entropy(self) -> list[int]:
        """The first words of the seed of random numbers, before the restart and the evaluation."""
        if self.seed is None:
            return []
        return np.atleast_1d(self.seed).tolist()


def _sample_rows(task: Task, rows: int | float, rng: np.random.Generator) -> np.ndarray:
    """Draw a sorted sample of rows without replacement, within each class if there are any."""
    share = rows if isinstance(rows, float) else rows / task.n_rows
    if not 0 < share <= 1:
        raise ValueError(
            f"rows must be a share in (0, 1] or a number up to {task.n_rows}, got {rows}."
        )
    parts = [np.arange(task.n_rows)]
    if task.kind == "classification":
        parts = [np.flatnonzero(task.codes == c) for c in range(len(task.classes))]
    return np.sort(
        np.concatenate([rng.choice(p, max(1, round(share * len(p))), replace=False) for p in parts])
    )


def _seeded(model: Any, rng: np.random.Generator) -> Any:
    """Set every ``random_state`` that is None to a number drawn from this generator."""
    names = [
        n
        for n, v in sorted(model.get_params().items())
        if v is None and n.split("__")[-1] == "random_state"
    ]
    return model.set_params(**{name: int(rng.integers(2**31)) for name in names})


def _reseeded(cv: Any, task: Task, rng: np.random.Generator) -> Any:
    """Return the splitter with a seed drawn for this evaluation."""
    seed = int(rng.integers(2**31))
    if isinstance(cv, int):
        return shuffled_splitter(cv, task, seed)
    cv = clone(cv, safe=False)
    cv.random_state = seed
    return cv


def _check_fresh(cv: int, task: Task) -> None:
    make_folds(cv, task)
