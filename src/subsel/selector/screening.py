"""The best of several quick searches on a screened table, each guided by one model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from subsel._loops.device import NotAccelerated
from subsel.criteria.scoring.measures import check_measure, default_scoring, measurable
from subsel.data.columns import ColumnSelector, column_groups, column_numbers
from subsel.data.encoding.encoder import Impute
from subsel.data.encoding.missing_values import without_gaps
from subsel.data.encoding.selectable_columns import SelectableTable, receive, whole_task
from subsel.data.folds import LoweredFolds
from subsel.data.routing import takes_weights
from subsel.data.storage import dense
from subsel.data.task import Kind, Task, is_frame, select_columns
from subsel.engine.budget import Budget
from subsel.models.short_names import quick_models
from subsel.ranking.selector import RankingSelector
from subsel.result.result import Result
from subsel.runtime.memory import NotEnoughMemory
from subsel.selector.subset import SubsetSelector, size_bounds

__all__ = ["ScreenedSelector", "best_model"]

WIDE = 500  # columns beyond which a table is screened first
MOST = 20  # columns selected at most, unless n_features says otherwise


class ScreenedSelector(ColumnSelector):
    """Screen a very wide table, try several fast models, and use the best selection.

    Columns beyond 500 are screened by their correlation with a numeric target or the F of the
    classes. Then a search runs with each model in turn (ridge, naive Bayes, linear discriminant,
    nearest neighbours), and the selection of the model with the best guide quality, the score that
    its search maximised, is taken by the one-standard-error rule. Everything is decided from the
    rows given to ``fit``, so that assessing it by cross-validation is nested. A frame may hold
    text, dates and missing values: they are told in numbers while the columns of the frame are
    selected, whole.

    Parameters
    ----------
    estimator : estimator or criterion, optional
        Evaluates subsets; None tries several models.
    search : str or search
        As of :class:`SubsetSelector`, like all parameters that are not told here.
    scoring : str or callable, optional
        None takes balanced accuracy for skewed classes, accuracy or R2 otherwise.
    cv : int, splitter or None
        Folds that guide the search, as of :class:`SubsetSelector`.
    n_features : int, float or pair of int, optional
        How many columns; None means at most 20.
    budget : str, int, Budget or mapping
        Seconds are shared by the models; a mapping gives each model its own budget by name.
    restarts : int
        Independent runs of each search.
    choose : {"search", "best", "one-se"}
        Which subset to take.
    fixed, forbidden : sequence of columns, optional
        What must, and what must not be selected.
    feature_groups : lists of columns, or labels, optional
        Columns that are selected as one.
    impute : {"median", "knn", "none"}
        What fills missing values, as of :class:`subsel.data.TableEncoder`; an estimator that reads
        NaN gets them as they are.
    kind : {"classification", "regression"}, optional
        None tells it from y.
    alternatives : bool
        Whether swaps of the chosen subset are looked at.
    n_jobs : int, optional
        Workers; they never change the answer.
    random_state : int, RandomState or None
        Seed of the searches.
    memory : str or float, optional
        What evaluators may take beside the table.
    device : str, optional
        Where subsets are evaluated, as of :class:`subsel.SubsetSelector`; of several models those
        that can be there.
    journal : path, optional
        A directory that remembers the searches.
    verbose : int
        Whether progress is shown.

    Attributes
    ----------
    support_ : array of bool
        Mask of the selected columns.
    result_ : Result
        The result of the search that was taken, in columns of the whole table.
    model_qualities_ : dict
        The guide quality that each model came to.
    model_name_ : str
        The model that was taken.
    model_ : estimator
        That model, not fitted: what to put behind the selector.
    starved_ : list of str
        Models whose budget ended before they had looked at every column once.
    budgets_ : dict
        For each model a budget without seconds that repeats its search.
    candidates_ : array of int
        Columns that may be selected: neither forbidden nor left out.
    screened_ : array of int
        Those of them that passed the screening.
    encoder_ : TableEncoder or None
        What made numbers of text, dates and gaps; None for a table of numbers.
    notes_ : list of str
        What was recognised in the table.
    scoring_ : str or callable
        The scoring that guided.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ScreenedSelector(search="sfs", n_features=2, budget=50).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> list(selector.model_qualities_)
    ['ridge', 'naive Bayes', 'linear discriminant', 'nearest neighbours']
    """

    def __init__(
        self,
        estimator: Any = None,
        search: Any = "sffs",
        *,
        scoring: Any = None,
        cv: Any = None,
        n_features: Any = None,
        budget: Any = "30s",
        restarts: int = 1,
        choose: str = "one-se",
        fixed: Any = None,
        forbidden: Any = None,
        feature_groups: Any = None,
        impute: Impute = "median",
        kind: Kind | None = None,
        alternatives: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        memory: str | float | None = None,
        device: str | None = None,
        journal: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.search = search
        self.scoring = scoring
        self.cv = cv
        self.n_features = n_features
        self.budget = budget
        self.restarts = restarts
        self.choose = choose
        self.fixed = fixed
        self.forbidden = forbidden
        self.feature_groups = feature_groups
        self.impute = impute
        self.kind = kind
        self.alternatives = alternatives
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.memory = memory
        self.device = device
        self.journal = journal
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> ScreenedSelector:
        """Screen, try, choose."""
        X, y = self._receive(X, y)
        whole = whole_task(X, y, self.kind, sample_weight=sample_weight, groups=groups)
        received = receive(
            whole, column_numbers("forbidden", self.forbidden, whole.names), self._filled_by()
        )
        task, self.encoder_, self.notes_ = (
            _encoded(received),
            received.encoder,
            list(received.notes),
        )
        self.scoring_ = self.scoring or default_scoring(task)
        check_measure(
            self.scoring_,
            task.kind,
            task.y,
            self.estimator if hasattr(self.estimator, "fit") else None,
        )
        request = self._request(whole, received)
        screened = self._screen(task, request)
        found = self._try_all(task, request, screened)
        self.model_qualities_ = {
            name: selector.result_.chosen_quality for name, selector in found.items()
        }
        made = received.columns[received.origins.of[screened]]
        self.candidates_, self.screened_ = received.columns, np.unique(made)
        self.starved_ = [
            name
            for name, selector in found.items()
            if _starved(selector.result_, len(self.screened_))
        ]
        best = max(
            found, key=lambda name: (self.model_qualities_[name], -len(found[name].result_.chosen))
        )
        self.result_ = found[best].result_.in_columns(made, tuple(whole.names))
        self.support_ = np.isin(np.arange(whole.n_columns), self.result_.chosen)
        self.model_name_, self.model_ = best, self._models(task)[best]
        return self

    def _filled_by(self) -> Impute:
        """Nothing where the estimator reads gaps."""
        return "none" if self._reads_gaps() else self.impute

    def _reads_gaps(self) -> bool:
        return hasattr(self.estimator, "fit") and get_tags(self.estimator).input_tags.allow_nan

    def _request(self, whole: Task, received: SelectableTable) -> _Request:
        """Translate the fixed, grouped and limited columns of the user into encoded ones."""
        names, origins = whole.names, received.origins
        fixed = received.places("fixed", column_numbers("fixed", self.fixed, names), names)
        low, high = size_bounds(self.n_features, len(received.columns))
        if high is None:
            high = MOST
        most = min(high, len(received.columns))
        groups = received.groups(column_groups(self.feature_groups, names))
        return _Request(origins.made_from(fixed), groups, origins.sizes, low, max(most, len(fixed)))

    @property
    def guides_(self) -> dict[str, float]:
        """The former name of ``model_qualities_``."""
        return self.model_qualities_

    @property
    def guide_name_(self) -> str:
        """The former name of ``model_name_``."""
        return self.model_name_

    def _try_all(
        self, task: Task, request: _Request, screened: np.ndarray
    ) -> dict[str, SubsetSelector]:
        """Search with each model; one that cannot be fitted is left out, unless none can.

        Seconds that a quick model leaves over go to the slower ones after it. What the seconds
        bought is kept as evaluations, so that a fold can repeat the search exactly.
        """
        found: dict[str, SubsetSelector] = {}
        models = self._models(task)
        self.budgets_: dict[str, Budget] = {}
        begin = perf_counter()
        for number, (name, model) in enumerate(models.items()):
            recorded = sum(
                selector.result_.seconds for selector in found.values()
            )  # more than now, after a resume
            budget = self._budget_of(
                name, max(recorded, perf_counter() - begin), len(models) - number
            )
            try:
                found[name] = self._search(task, request, screened, model, budget)
            except (np.linalg.LinAlgError, IndexError, NotEnoughMemory, NotAccelerated):
                if not found and number == len(models) - 1:
                    raise
                continue
            result, left = found[name].result_, replace(budget, seconds=None)
            spent = "seconds" in result.stopped_by
            bought = Budget(evaluations=max(1, result.n_evaluations // self.restarts))
            self.budgets_[name] = bought if spent else left
        return found

    def _budget_of(self, name: str, spent: float, n_left: int) -> Budget:
        if isinstance(self.budget, Mapping):
            return Budget.of(self.budget.get(name))
        budget = Budget.of(self.budget)
        if budget.seconds is None:
            return budget
        return replace(budget, seconds=max(0.05, (budget.seconds - spent) / n_left))

    def _search(
        self, task: Task, request: _Request, screened: np.ndarray, model: Any, budget: Budget
    ) -> SubsetSelector:
        """One search on the screened columns."""
        place = {int(c): i for i, c in enumerate(screened)}
        groups = [[place[c] for c in group if c in place] for group in request.groups]
        sizes, largest = None, len(screened)
        if request.sizes is not None:
            sizes = [request.sizes[c] for c in screened]
            largest = sum(sizes)
        high = min(request.high, largest)
        return SubsetSelector(
            model,
            self.search,
            scoring=self.scoring_,
            cv=self.cv,
            n_features=(min(request.low, high), high),
            budget=budget,
            restarts=self.restarts,
            choose=self.choose,  # type: ignore[arg-type]
            fixed=[place[c] for c in request.fixed if c in place],
            feature_groups=[g for g in groups if len(g) > 1],
            feature_sizes=sizes,
            alternatives=self.alternatives,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            memory=self.memory,
            device=self.device,
            journal=self.journal,
            verbose=self.verbose,
        ).fit(
            dense(select_columns(task.X, screened)),
            task.y,
            sample_weight=task.sample_weight,
            groups=task.groups,
        )

    def _screen(self, task: Task, request: _Request) -> np.ndarray:
        """Select the columns to search: all, or the fixed ones and the best 500 by a score."""
        if task.n_columns <= WIDE:
            return np.arange(task.n_columns)
        score = "anova-f" if task.kind == "classification" else "pearson"
        best = (
            RankingSelector(score, cut=WIDE)
            .fit(without_gaps(task.X), task.y)
            .get_support(indices=True)
        )
        whole = [c for group in request.groups if set(group) & set(best.tolist()) for c in group]
        return np.unique(np.concatenate([best, np.array([*request.fixed, *whole], dtype=np.int64)]))

    def transform(self, X: Any) -> Any:
        """Keep the selected columns; of a frame with text, dates or gaps a frame."""
        check_is_fitted(self)
        if self.encoder_ is None or not is_frame(X):
            return super().transform(X)
        known = getattr(self, "feature_names_in_", None)
        if known is not None:
            X = X[list(known)]
        return select_columns(X, np.flatnonzero(self.support_))

    def _models(self, task: Task) -> dict[str, Any]:
        if self.estimator is not None:
            return {type(_last(self.estimator)).__name__: self.estimator}
        return _usable_models(task.kind, task.n_rows, self.scoring_, task.weighted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class _Request(NamedTuple):
    """The settings of a search in encoded columns; sizes count the user's columns."""

    fixed: list[int]
    groups: list[list[int]]
    sizes: tuple[int, ...] | None
    low: int
    high: int


def _encoded(received: SelectableTable) -> Task:
    """The table as numbers, filled by what all its rows tell."""
    task, encoder = received.task, received.encoder
    if encoder is None:
        return task
    fitted = clone(encoder).fit(task.X)
    names = tuple(fitted.get_feature_names_out())
    return Task(fitted.transform(task.X), task.y, task.kind, names, task.sample_weight, task.groups)


def best_model(
    kind: Kind, n_rows: int, scoring: Any = None, cv: Any = None, weighted: bool = False
) -> GridSearchCV:
    """Find the fast model with the best cross-validated score on the given columns."""
    models = list(_usable_models(kind, n_rows, scoring, weighted).values())
    return GridSearchCV(
        Pipeline([("model", models[0])]), {"model": models}, scoring=scoring, cv=_splitter(cv)
    )


def _usable_models(kind: Kind, n_rows: int, scoring: Any, weighted: bool) -> dict[str, Any]:
    """List the fast models that support the measure, and weights where there are any."""
    return {
        name: model
        for name, model in quick_models(kind, n_rows).items()
        if measurable(model, scoring) and (not weighted or takes_weights(model))
    }


def _splitter(cv: Any) -> Any:
    """Folds that small classes lower, shuffled where no folds are given, or in the order of time."""
    if cv is None:
        return LoweredFolds(random_state=0)
    if isinstance(cv, int):
        return LoweredFolds(cv)
    if isinstance(cv, str):
        return TimeSeriesSplit(5)
    return cv


def _starved(result: Result, n_columns: int) -> bool:
    """Whether a search was ended before it can have looked at every column."""
    ended = any(limit in result.stopped_by for limit in ("seconds", "evaluations"))
    return ended and result.n_evaluations < n_columns


def _last(estimator: Any) -> Any:
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1]
    return estimator
