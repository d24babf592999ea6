"""SubsetSelector: a search against a criterion, with the face of a scikit-learn selector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from os import PathLike
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from subsel.criteria.base import Criterion, Evaluator
from subsel.criteria.choices import Choices, choice_blocks
from subsel.criteria.evaluators.footprint import fit_into
from subsel.criteria.exact import Exact, criterion_of, exact_criterion, with_device
from subsel.criteria.registry import CRITERIA
from subsel.data.columns import (
    ColumnSelector,
    column_costs,
    column_groups,
    column_numbers,
    most_columns,
    size_bounds,
)
from subsel.data.folds import N_FOLDS, fewer_folds, shuffled_folds
from subsel.data.routing import route_rows, router_of, weighs_its_input
from subsel.data.task import Kind, Task, guess_kind
from subsel.engine.budget import Budget
from subsel.engine.choice import RULES, alternative_swaps, choose, of_size
from subsel.engine.driver import run
from subsel.engine.journal.journal import Journal
from subsel.models.short_names import ESTIMATORS, estimator_of
from subsel.registry.table import canonical, did_you_mean
from subsel.result.result import Result
from subsel.runtime.interruption import is_part_of_a_job
from subsel.search.registry import SEARCHES, Search, find_search
from subsel.selector.held_out_sizes import (
    SizeCurve,
    compare_sizes,
    has_held_out_sizes,
    outer_folds,
)
from subsel.space.space import Block, Space

__all__ = ["CallbackSupportMixin", "SubsetSelector", "search_callback", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Callable) -> Callable:
        """Leave the method as it is."""
        return method


def search_callback(estimator: Any) -> Callable[[Any], bool] | None:
    """Make an engine callback that calls scikit-learn's callbacks; None if there are none."""
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator)

    def tick(progress: Any) -> bool:  # noqa: ARG001
        step = context.subcontext(task_name="search")
        step.call_on_fit_task_begin(estimator=estimator)
        return bool(step.call_on_fit_task_end(estimator=estimator))

    def close() -> None:
        context.call_on_fit_task_end(estimator=estimator)

    tick.close = close  # type: ignore[attr-defined]
    return tick


@dataclass(frozen=True)
class _PartSearch:
    """The complete search of a selector, to be run on the rows of a training part."""

    selector: SubsetSelector
    search: Search
    budget: Budget
    seed: np.random.SeedSequence
    bounds: tuple[int, int]

    def __call__(self, part: Task, fold: int) -> Result:
        """Search on a training part, with a seed of its own for each fold."""
        spawn_key = (*self.seed.spawn_key, fold + 1)
        seed = np.random.SeedSequence(self.seed.entropy, spawn_key=spawn_key)
        selector = self.selector
        evaluator = selector._evaluator(part, seed, self.search)
        space = selector._space(part, self.bounds)
        return run(
            self.search, evaluator, space, budget=self.budget, restarts=selector.restarts, seed=seed
        )


KINDS: tuple[Kind, Kind] = ("classification", "regression")
_NOT_CONFIGURATION = (
    "budget",
    "restarts",
    "n_jobs",
    "random_state",
    "memory",
    "journal",
    "callbacks",
    "verbose",
)


class SubsetSelector(CallbackSupportMixin, ColumnSelector):
    """Search for the subset of features that a criterion likes best.

    Parameters
    ----------
    estimator : Criterion, estimator or str
        A criterion, or any scikit-learn estimator, which is evaluated by cross-validation (exactly
        and without refitting where that is possible). Or the short name of a model or of a
        criterion, as ``subsel methods`` lists them: ``"ridge"`` is a classifier or a regressor,
        whichever the target asks for, behind a scaler where scale matters. Where a model and a
        criterion share a name, it is the model.
    search : str or Search
        Key of a strategy (``subsel methods`` lists them) or a strategy. ``"sfs"`` and ``"sbs"``
        select what scikit-learn's ``SequentialFeatureSelector`` does, but where that lets rounding
        decide: qualities that agree to ten digits are equal here, and the first feature is taken;
        and where neighbours tie in distance. Its parameters are ``search__NAME``, also where it is
        given by key.
    scoring : str, callable or None
        How an estimator is scored; as in scikit-learn.
    cv : int, splitter, iterable or None
        The folds. None: five, shuffled with the seed (without a ``random_state`` always the same),
        so that the order of the rows does not matter. Else as in scikit-learn, where a number keeps
        the order of the rows; but a class of fewer rows lowers their number, with a note. "time"
        predicts each of five later parts of the rows from all that come before.
    exact : {"auto", "require", "never"}
        Use an exact evaluator where there is one that can answer the search (eliminations ask what
        a trained model used), insist on it, or always refit.
    n_features : int, float, pair of int or None
        How many columns to select: exactly, a share of them (rounded down as in scikit-learn),
        between two bounds, or None to let the search decide.
    budget : Budget, str, int or None
        None (the strategy's own end), ``"30s"``, a number of evaluations per restart, or a
        :class:`Budget`.
    restarts : int
        Independent runs of the search; the best answer is taken.
    n_jobs : int or None
        Workers; never changes the answer.
    random_state : int, RandomState or None
        Seed of the search.
    fixed : sequence of str or int, or mask
        Columns that must be in the selection.
    forbidden : sequence of str or int, or mask
        Columns that must not.
    feature_groups : sequence or mapping
        Sets of columns that are selected as one (lists of columns, or one label per column).
    feature_costs : sequence or mapping
        The price of each column.
    feature_sizes : sequence of int
        What each column adds to the size of a selection, by default 1; 1, 0, 0 for three columns of
        a group count the group as one.
    max_cost : float or None
        The most a selection may cost.
    choices : mapping
        Parameters of the estimator (or fields of the criterion) searched together with the
        features, with the options of each; ``chosen_options_`` holds what was chosen.
    choose : {"search", "best", "one-se", "cv", "cv-one-se"}
        The search's own answer; the best subset seen, the smallest of equals; the smallest subset
        within one standard error of the best on the folds that guided the search; the best subset
        of the number of columns that is best on held-out rows ("cv"), or of the smallest number
        within one standard error of it ("cv-one-se"). For the last two the complete search runs
        once in each outer fold and once on all rows, and ``size_curve_`` holds the curve. Only
        they, with a lower bound of 0 or ``n_features="auto"``, may select no column.
    alternatives : bool
        After the search, look at every swap of the chosen subset where that is quick, so that
        ``result_.alternatives()`` can say which feature could replace which.
    memory : str, float or None
        Bytes, or text such as ``"2GB"``, that evaluation may take beside the table; evaluators work
        in blocks to stay under it, and refuse with the number where they cannot. None: what the
        machine has.
    device : str or None
        ``"cpu"`` or ``"cuda"``: evaluate batches of subsets there through PyTorch (the extra
        ``accelerator``), for criteria and estimators that have an accelerated evaluator. None: the
        compiled path of the processor.
    journal : path or None
        A directory that remembers the run, so that the same call goes on where a killed one ended
        (a larger budget extends a finished one). It is found by parameters, data and seed, about 8
        bytes per evaluation.
    journal_key : str or None
        A name and version of your own for what a journal cannot describe (such as folds that a
        generator gives): part of what the run is found by, so that changing it begins another run.
    callbacks : iterable of callable
        Functions called about ten times a second with a :class:`Progress`; returning True ends the
        run.
    verbose : int
        Show progress.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the selected columns.
    estimator_ : Criterion or estimator
        What evaluated the subsets: ``estimator``, or what its name stands for.
    result_ : Result
        Front, trace, alternatives, evaluator, what ended the run.
    chosen_options_ : dict
        With ``choices``, the option chosen of each.
    size_curve_ : SizeCurve or None
        With ``choose="cv"`` or ``"cv-one-se"``, the held-out score of each number of columns.

    Notes
    -----
    Where scikit-learn's metadata routing is enabled, weights go to the estimator and groups to the
    splitter if they requested them; a criterion or a name has no requests of its own, those of the
    selector count. Otherwise weights go to any estimator whose ``fit`` takes them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector(KNeighborsClassifier(), search="sfs", n_features=2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal width (cm)']
    """

    def __init__(
        self,
        estimator: Any,
        search: str | Search = "sffs",
        *,
        scoring: str | Callable | None = None,
        cv: Any = None,
        exact: Exact = "auto",
        n_features: int | float | tuple[int, int] | None = None,
        budget: Budget | str | int | None = None,
        restarts: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        fixed: Any = None,
        forbidden: Any = None,
        feature_groups: Any = None,
        feature_costs: Any = None,
        feature_sizes: Sequence[int] | None = None,
        max_cost: float | None = None,
        choices: Mapping[str, Sequence[Any]] | None = None,
        choose: Literal["search", "best", "one-se", "cv", "cv-one-se"] = "search",
        alternatives: bool = True,
        memory: str | float | None = None,
        device: str | None = None,
        journal: str | PathLike[str] | None = None,
        journal_key: str | None = None,
        callbacks: Iterable[Callable] | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.search = search
        self.scoring = scoring
        self.cv = cv
        self.exact = exact
        self.n_features = n_features
        self.budget = budget
        self.restarts = restarts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.fixed, self.forbidden = fixed, forbidden
        self.feature_groups = feature_groups
        self.feature_costs, self.feature_sizes = feature_costs, feature_sizes
        self.max_cost = max_cost
        self.choices = choices
        self.choose = choose
        self.alternatives = alternatives
        self.memory, self.device = memory, device
        self.journal, self.journal_key = journal, journal_key
        self.callbacks = callbacks
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, those of the search as ``search__NAME``.

        The latter also where the search is given by key.
        """
        params = super().get_params(deep)
        if deep and isinstance(self.search, str) and self.search in SEARCHES:
            inner: dict[str, Any] = getattr(find_search(self.search), "get_params", dict)()
            params |= {f"search__{name}": value for name, value in inner.items()}
        return params

    def set_params(self, **params: Any) -> SubsetSelector:
        """Set parameters by name; ``search__NAME`` turns a key into the strategy it stands for."""
        if any(name.startswith("search__") for name in params):
            params["search"] = find_search(params.get("search", self.search))
        return super().set_params(**params)

    @with_callbacks
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **metadata: Any
    ) -> SubsetSelector:
        """Search.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_columns)
            The table.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), optional
            Weights of rows, for an estimator whose ``fit`` takes them; with metadata routing, that
            requested them.
        groups : array of shape (n_rows,), optional
            Labels of rows for a splitter that keeps them together.
        **metadata : Any
            With metadata routing, the same under the names that were requested for them.

        Returns
        -------
        SubsetSelector
            Itself.
        """
        search, budget = self._checked()
        rows = route_rows(self, sample_weight=sample_weight, groups=groups, **metadata)
        X, y = self._receive(X, y)
        self.estimator_ = self._subject(y)
        task = Task.of(X, y, self._kind(y), **rows, allow_nan=self._allows_nan())
        space, (journal, seed) = self._space(task), self._journal(task, search)
        evaluator = self._evaluator(task, seed, search)
        tick = search_callback(self)
        curve, budget = self._size_curve(task, search, budget, seed)
        result = run(
            search,
            evaluator,
            space,
            budget=budget,
            restarts=self.restarts,
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            callbacks=[*(self.callbacks or ()), *([tick] if tick else [])],
            journal=journal,
        )
        if tick is not None:
            tick.close()  # type: ignore[attr-defined]
        if np.isneginf(result.best_quality) and result.n_evaluations:
            self._explain_failure(result, evaluator)
        self.result_ = self._chosen(result, evaluator, space, tuple(task.names), curve)
        if note := self._fewer_folds(task):
            self.result_ = replace(self.result_, notes=(*self.result_.notes, note))
        self.support_ = np.zeros(task.n_columns, dtype=bool)
        self.support_[list(self.result_.chosen)] = True
        if self.choices:
            options = zip(self.choices.items(), self.result_.chosen_options)
            self.chosen_options_ = {name: values[option] for (name, values), option in options}
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the routing of the metadata of ``fit``, see scikit-learn's user guide."""
        return router_of(self)

    def _checked(self) -> tuple[Search, Budget]:
        """Refuse parameters that mean nothing; the search and the budget that are given."""
        if self.choose not in RULES:
            raise ValueError(f"choose must be one of {', '.join(RULES)}, got {self.choose!r}.")
        if self.restarts < 1:
            raise ValueError(f"restarts must be at least 1, got {self.restarts}.")
        return find_search(self.search), Budget.of(self.budget)

    def _explain_failure(self, result: Result, evaluator: Evaluator) -> None:
        """Say why no subset has a quality: the estimator raises its own error, where it has one."""
        scores = evaluator.explain(result.chosen).fold_scores
        if scores is not None and np.isnan(scores).any():
            raise ValueError(
                f"scoring {self.scoring!r} is not defined on some fold: use another one, or fewer "
                "folds."
            )

    def _chosen(
        self,
        result: Result,
        evaluator: Evaluator,
        space: Space,
        names: tuple[str, ...],
        curve: SizeCurve | None,
    ) -> Result:
        """Apply the rule and look at swaps; interrupted, the search's own answer stands."""
        try:
            rule = "search" if self.choose in ("cv", "cv-one-se") else self.choose
            result, evaluator = choose(result, evaluator, space, rule, names)
            if curve is not None:
                result = of_size(result, curve.chosen)
                if curve.interrupted:
                    note = "interrupted: the number of columns was compared on fewer folds."
                    result = replace(result, notes=(*result.notes, note))
                if curve.chosen == 0:
                    return result
            if self.alternatives and "interrupted" not in result.stopped_by:
                return replace(result, swaps=alternative_swaps(result, evaluator, space))
            return result
        except KeyboardInterrupt:
            if is_part_of_a_job():
                raise
            note = f"interrupted before choose={self.choose!r}: the search's own answer was taken."
            notes = (*result.notes, note)
            return replace(result, stopped_by="interrupted", names=names, notes=notes)

    def _size_curve(
        self,
        task: Task,
        search: Search,
        budget: Budget,
        seed: np.random.SeedSequence,
    ) -> tuple[SizeCurve | None, Budget]:
        """Give the curve of held-out scores by size, and what is left of the budget."""
        self.size_curve_: SizeCurve | None = None
        if self.choose not in ("cv", "cv-one-se"):
            return None, budget
        if not has_held_out_sizes(self.estimator_):
            raise ValueError(
                f"choose={self.choose!r} needs an estimator, or a criterion with folds: "
                f"{type(self.estimator_).__name__} predicts no held-out rows."
            )
        low, high = size_bounds(self.n_features, task.n_columns, task.n_rows)
        if high is None:
            high = most_columns(task.n_columns, task.n_rows)
        folds = outer_folds(self.cv, task, int(seed.generate_state(1)[0]))
        if budget.seconds is not None:
            budget = replace(budget, seconds=budget.seconds / (len(folds) + 1))
        self.size_curve_ = compare_sizes(
            task,
            _PartSearch(self, search, budget, seed, (max(low, 1), high)),
            self.estimator_,
            scoring=self.scoring,
            folds=folds,
            bounds=(low, high),
            one_se=self.choose == "cv-one-se",
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        return self.size_curve_, budget

    def _journal(self, task: Task, search: Search) -> tuple[Journal | None, np.random.SeedSequence]:
        """The journal, where one is kept, and the seed, which a journal may know."""
        seed = self._seed()
        if self.journal is None:
            return None, seed
        configuration = self._configuration(search)
        journal = Journal(self.journal, configuration, task, seed, self.random_state is None)
        return journal, journal.seed

    def _subject(self, y: Any) -> Any:
        """The criterion or the estimator, also where it is given by name."""
        if isinstance(self.estimator, str):
            return _named(self.estimator, lambda: guess_kind(np.asarray(y)))
        return self.estimator

    def _kind(self, y: Any) -> Kind | None:
        subject = self._subject(y)
        if isinstance(subject, Criterion):
            serves: tuple[Kind, ...] = getattr(subject, "serves", ())
            return serves[0] if len(serves) == 1 else None
        if is_classifier(subject):
            return "classification"
        if is_regressor(subject):
            return "regression"
        return guess_kind(np.asarray(y))

    def _evaluator(self, task: Task, seed: np.random.SeedSequence, search: Search) -> Evaluator:
        """Bind the criterion, or one that refits if the search needs relevances it lacks."""
        criterion = partial(self._criterion, task, self._folds(task, seed))
        evaluator = criterion(self.exact).bind(task, seed)
        if self.exact != "auto" or evaluator.traits.relevance:
            return evaluator
        if getattr(search, "asks_relevance", False):
            return criterion("never").bind(task, seed)
        return evaluator

    def _folds(self, task: Task, seed: np.random.SeedSequence) -> Any:
        """Those asked for, or shuffled ones; without a seed of the user's the same in every fit."""
        if self.cv is not None or not hasattr(self.estimator_, "fit"):
            return self.cv
        if self.random_state is None:
            return shuffled_folds(task, 0)
        return shuffled_folds(task, int(seed.generate_state(1)[0]))

    def _criterion(self, task: Task, folds: Any, exact: Exact) -> Criterion:
        """The criterion, under the limit of memory; with choices, that of each setting."""

        def criterion(subject: Any) -> Criterion:
            found = self._criterion_of(subject, folds, exact)
            return fit_into(found, task, self.memory, self.restarts)

        if self.choices:
            return Choices.of(self.estimator_, self.choices, criterion)
        return criterion(self.estimator_)

    def _criterion_of(self, subject: Any, folds: Any, exact: Exact) -> Criterion:
        """What evaluates subsets by an estimator, or a criterion itself."""
        if isinstance(subject, Criterion) and not hasattr(subject, "fit"):
            return with_device(subject, self.device)
        if exact == "auto" and weighs_its_input(subject):
            exact = "never"
        return criterion_of(subject, self.scoring, folds, exact, self.device)

    def _fewer_folds(self, task: Task) -> str:
        """What to tell where a small class made for fewer folds; nothing where it did not."""
        cv = self.cv
        if not hasattr(self.estimator_, "fit"):
            cv = getattr(self.estimator_, "cv", None)
        elif cv is None:
            cv = N_FOLDS
        return fewer_folds(cv, task)[1] if isinstance(cv, int) else ""

    def _allows_nan(self) -> bool:
        return hasattr(self.estimator_, "fit") and get_tags(self.estimator_).input_tags.allow_nan

    def _configuration(self, search: Search) -> dict[str, Any]:
        """What a quality or a request depends on, beside data and seed."""
        given = {
            k: v for k, v in self.get_params(deep=False).items() if k not in _NOT_CONFIGURATION
        }
        named = {"estimator": self.estimator_, "search": search}
        return {"selector": type(self).__name__, **given, **named}

    def _seed(self) -> np.random.SeedSequence:
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return np.random.SeedSequence(self.random_state)
        return np.random.SeedSequence(int(check_random_state(self.random_state).randint(2**31)))

    def _space(self, task: Task, bounds: tuple[int, int | None] | None = None) -> Space:
        if bounds is None:
            bounds = size_bounds(self.n_features, task.n_columns, task.n_rows)
        low, high = max(bounds[0], 1), bounds[1]  # a search visits no empty subset
        features = Block(
            task.n_columns,
            low=low,
            high=high,
            fixed=column_numbers("fixed", self.fixed, task.names),
            forbidden=column_numbers("forbidden", self.forbidden, task.names),
            groups=column_groups(self.feature_groups, task.names),
            costs=column_costs(self.feature_costs, task.names),
            sizes=self.feature_sizes,
            max_cost=self.max_cost,
        )
        return Space((features, *choice_blocks(self.choices or {})))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        subject = self.estimator
        if isinstance(subject, str):
            subject = getattr(self, "estimator_", None) or _first_of(subject)
        if hasattr(subject, "fit"):
            inner = get_tags(subject)
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
            if self.exact != "never":  # exact criteria read any table of numbers
                exact = exact_criterion(subject, self.scoring, self.cv or N_FOLDS)
                tags.input_tags.sparse = inner.input_tags.sparse or exact is not None
            else:
                tags.input_tags.sparse = inner.input_tags.sparse
            tags.classifier_tags = inner.classifier_tags
        else:
            tags.input_tags.sparse = True
        return tags


def _named(name: str, kind_of_target: Callable[[], Kind]) -> Any:
    """Give the model of a short name, for the kind of the target; else the criterion."""
    if name in ESTIMATORS:
        model = ESTIMATORS[name]
        kinds = [kind for kind, make in zip(KINDS, (model.classifier, model.regressor)) if make]
        return estimator_of(name, kinds[0] if len(kinds) == 1 else kind_of_target())
    if name not in CRITERIA:
        near = did_you_mean(canonical(name), [*ESTIMATORS, *CRITERIA])
        raise ValueError(f"estimator: there is no model or criterion named {name!r}. {near}")
    cls = CRITERIA[name]
    open_ = [p.name for p in signature(cls).parameters.values() if p.default is p.empty]
    if open_:
        raise ValueError(
            f"estimator: the criterion {name!r} needs its parameter {open_[0]!r}: "
            f"give {cls.__name__}({open_[0]}=...) instead of its name."
        )
    return cls()


def _first_of(name: str) -> Any:
    """Give what a name stands for before a target is known; None where `fit` will raise."""
    try:
        return _named(name, lambda: KINDS[0])
    except ValueError:
        return None
