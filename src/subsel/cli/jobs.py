"""The jobs: select, assess, compare; from options to what was found, without a word printed or a file written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from subsel.assessment.splits import N_REPEATS, N_SPLITS
from subsel.auto import AutoSelector
from subsel.cli.checked_options import blamed
from subsel.cli.criterion_key import typed_criterion
from subsel.cli.options import BadOption, CompareOptions, SelectOptions
from subsel.cli.selected import Selected, cautioned
from subsel.columns import column_numbers, size_bounds
from subsel.datasets.table import Table
from subsel.document import TableFacts, race_document, selection_document
from subsel.engine import Budget
from subsel.estimators import estimator_of
from subsel.gathered_warnings import gathered, in_one_line
from subsel.screened import ScreenedSelector, best_model
from subsel.task import Kind, guess_kind

__all__ = ["Selected", "assess_job", "compare_job", "select_job"]

SETTINGS = (
    "search",
    "estimator",
    "criterion",
    "prefer",
    "scoring",
    "cv",
    "n_features",
    "budget",
    "restarts",
    "seed",
    "choose",
    "fixed",
    "forbidden",
)  # what the document tells of the options
UNASSESSED = "interrupted before the assessment: there is no estimate of performance."
FOLDS_END = 0.9  # of the seconds, after which no fold is begun: the rest is for the report
MOMENT = 0.001  # seconds: a budget must have some
MANY_ROWS = 1_000  # rows beyond which one pass over the folds says enough


def select_job(
    table: Table,
    options: SelectOptions = SelectOptions(),
    *,
    source: str = "the table",
    command: str = "",
    verbose: int = 0,
    begin: float | None = None,
) -> Selected:
    """Search all rows, then assess by repeating the whole selection in outer folds.

    Parameters
    ----------
    table : Table
        As :func:`subsel.datasets.files.read_table` gives it.
    options : SelectOptions
        What is asked for.
    source, command : str
        Where the table came from and what to type to do this again, for the document.
    verbose : int
        Whether to show progress.
    begin : float, optional
        The ``perf_counter`` from which the seconds of the budget count, where the job has begun earlier.

    Returns
    -------
    Selected
        The document, the fitted selector and the assessment.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> iris = Table(X, y, ["sl", "sw", "pl", "pw"], "kind")
    >>> found = select_job(iris, SelectOptions(search="sfs", estimator="nb", n_features=2, budget="100", assess=False))
    >>> found.document["selected"]
    ['pl', 'pw']
    """
    job = _Job.of(table, options, begin)
    if options.raced:
        return _raced(job, source, command, verbose)
    n_searches = 1 + job.n_folds if options.assess else 1
    selector = job.selector(job.share(n_searches), verbose=verbose, n_jobs=options.jobs)
    with gathered() as warned:
        selector.fit(table.frame(), table.y)
    assessment, interrupted = None, "interrupted" in selector.result_.stopped_by
    if options.assess and not interrupted:
        try:
            assessment = job.assess(selector.budgets_, selector.scoring_, verbose)
        except KeyboardInterrupt:  # in the first fold: the selection stands
            interrupted = True
    notes = _notes(job, selector) + ([UNASSESSED] if options.assess and assessment is None else [])
    document = selection_document(
        selector.result_,
        names=table.names,
        table=TableFacts(source, len(table.y), len(table.names), table.target, job.kind),
        settings=_settings(options, selector.scoring_, command),
        models=(selector.model_name_, selector.model_qualities_),
        assessment=assessment,
        notes=notes + ([f"{in_one_line(warned)}."] if warned else []),
    )
    document["run"] |= {"searched": len(selector.screened_), "starved": selector.starved_}
    interrupted = interrupted or (assessment is not None and assessment.interrupted)
    model = job.named_model() if options.criterion else selector.model_
    procedure = job.procedure(selector.budgets_, selector.scoring_)
    return cautioned(Selected(document, selector, model, assessment, interrupted, procedure), table)


def _raced(job: _Job, source: str, command: str, verbose: int) -> Selected:
    """Let whole procedures race; the folds of the race are the assessment."""
    table, options = job.table, job.options
    racer = job.racer(verbose=verbose)
    racer._began = job.begin
    selector = racer.fit(table.frame(), table.y)
    document = selection_document(
        selector.result_,
        names=table.names,
        table=TableFacts(source, len(table.y), len(table.names), table.target, job.kind),
        settings=_settings(options, selector.scoring_, command),
        models=(selector.taken_[0], {s.name: s.score for s in selector.race_.standings if s.folds}),
        assessment=selector.assessment_ if options.assess else None,
        race=race_document(selector),
        notes=list(table.notes),
    )
    assessment, interrupted = selector.assessment_ if options.assess else None, selector.race_.interrupted
    return cautioned(Selected(document, selector, selector.model_, assessment, interrupted), table)


def assess_job(
    table: Table, options: SelectOptions = SelectOptions(), *, verbose: int = 0, begin: float | None = None
) -> Any:
    """Say how good selecting in this way is, without a selection on all rows; gives an :class:`Assessment`.

    The parameters are those of :func:`select_job`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> iris = Table(X, y, ["sl", "sw", "pl", "pw"], "kind")
    >>> found = assess_job(iris, SelectOptions(search="sfs", estimator="nb", n_features=2, budget="100"))
    >>> found.performance > 0.9, found.sizes.tolist()
    (True, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    """
    job = _Job.of(table, options, begin)
    if options.raced:
        racer = job.racer(verbose=verbose)
        racer._began = job.begin
        return racer.fit(table.frame(), table.y).assessment_
    return job.assess(job.share(job.n_folds), options.scoring, verbose)


def compare_job(
    table: Table, options: CompareOptions = CompareOptions(), *, verbose: int = 0, begin: float | None = None
) -> Any:
    """Assess several searches on the same folds; gives a :class:`Comparison`.

    The parameters are those of :func:`select_job`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> iris = Table(X, y, ["sl", "sw", "pl", "pw"], "kind")
    >>> compare_job(iris, CompareOptions(methods=("sfs:nb", "sbs:nb"), n_features=2, budget="100")).names
    ('sfs:nb', 'sbs:nb')
    """
    from subsel.assessment import compare

    job = _Job.of(table, options, begin)
    return compare(
        list(zip(options.methods, job.pipelines(options.methods))),
        None,
        table.frame(),
        table.y,
        cv=job.outer_cv,
        scoring=options.scoring,
        n_jobs=options.jobs,
        random_state=options.seed,
        budget=job.left(),
        journal=options.journal,
        verbose=verbose,
    )


@dataclass(frozen=True, eq=False)
class _Job:
    """A table and what is asked of it."""

    table: Table
    options: SelectOptions
    kind: Kind
    begin: float

    @classmethod
    def of(cls, table: Table, options: SelectOptions, begin: float | None = None) -> _Job:
        """See that what is asked can be done with this table, before any work begins."""
        for name in (*options.fixed, *options.forbidden):
            if name == table.target:
                raise BadOption(f"{name!r} is the target: it can be neither fixed nor forbidden.")
        job = cls(table, options, options.task or guess_kind(np.asarray(table.y)), begin or perf_counter())
        with blamed():
            size_bounds(options.n_features, len(table.names))
            _whole_groups((*options.fixed, *options.forbidden), table)
            methods = options.methods if isinstance(options, CompareOptions) else ()
            for key in filter(None, [options.estimator, *(method.partition(":")[2] for method in methods)]):
                estimator_of(key, job.kind)
            if options.criterion is not None:
                job.evaluated_by()
        return job

    def left(self) -> Budget | None:
        """The seconds of the budget that folds may still take."""
        seconds = Budget.of(self.options.budget).seconds
        if seconds is None:
            return None
        return Budget(seconds=max(MOMENT, self.begin + FOLDS_END * seconds - perf_counter()))

    @property
    def outer_cv(self) -> int | None:
        """The folds of an assessment: repeated ones, or one pass where rows are many."""
        return N_SPLITS if len(self.table.y) > MANY_ROWS else None

    @property
    def n_folds(self) -> int:
        """How many outer folds there are, repeats counted."""
        return N_SPLITS if self.outer_cv else N_SPLITS * N_REPEATS

    def share(self, n_searches: int) -> Budget:
        """The budget of one search of a job that searches so many times: they share its seconds."""
        budget = Budget.of(self.options.budget)
        return budget if budget.seconds is None else replace(budget, seconds=budget.seconds / n_searches)

    def selector(
        self, budget: Any, search: str | None = None, estimator: str | None = None, **changes: Any
    ) -> ScreenedSelector:
        """The selector that was asked for, or one with another search and estimator."""
        o, table = self.options, self.table
        return ScreenedSelector(
            self.evaluated_by(estimator),
            search or o.search or "sffs",
            scoring=o.scoring,
            cv=o.cv,
            n_features=o.n_features,
            budget=budget,
            restarts=o.restarts,
            choose=o.choose,
            fixed=_whole_groups(o.fixed, table) or None,
            forbidden=_whole_groups(o.forbidden, table) or None,
            feature_groups=[g for g in table.groups.values() if len(g) > 1] or None,
            kind=self.kind,
            random_state=o.seed,
            memory=o.memory,
            journal=o.journal,
            **changes,
        )

    def racer(self, **changes: Any) -> AutoSelector:
        """The race that was asked for."""
        o, table = self.options, self.table
        return AutoSelector(
            prefer=o.prefer,
            scoring=o.scoring,
            n_features=o.n_features,
            budget=o.budget,
            fixed=_whole_groups(o.fixed, table) or None,
            forbidden=_whole_groups(o.forbidden, table) or None,
            feature_groups=[g for g in table.groups.values() if len(g) > 1] or None,
            kind=self.kind,
            n_jobs=o.jobs,
            random_state=o.seed,
            memory=o.memory,
            journal=o.journal,
            **changes,
        )

    def evaluated_by(self, key: str | None = None) -> Any:
        """What guides a search: the model named, the criterion or model of the options, or None for several models."""
        o = self.options
        if key is None and o.criterion is not None:
            usual = {"scoring": o.scoring, "cv": o.cv, "estimator": o.estimator}
            return typed_criterion(o.criterion, self.kind, **usual)
        return self.named_model() if key is None else estimator_of(key, self.kind)

    def model(self, key: str | None, scoring: Any) -> Any:
        """The model behind a selection: the one named, or the best of several."""
        return (
            estimator_of(key, self.kind) if key else best_model(self.kind, len(self.table.y), scoring, self.options.cv)
        )

    def named_model(self) -> Any:
        """The model that was asked for, if any."""
        key = self.options.estimator
        return None if key is None else estimator_of(key, self.kind)

    def procedure(self, budget: Any, scoring: Any) -> Pipeline:
        """Selection and model as one: what is assessed, and what is fitted on all rows."""
        return make_pipeline(self.selector(budget, alternatives=False), self.model(self.options.estimator, scoring))

    def assess(self, budget: Any, scoring: Any, verbose: int) -> Any:
        """Repeat the whole selection in every fold."""
        from subsel.assessment import assess

        o = self.options
        selector, model = (step for _, step in self.procedure(budget, scoring).steps)
        return assess(
            selector,
            model,
            self.table.frame(),
            self.table.y,
            cv=self.outer_cv,
            scoring=scoring,
            permutations=o.permutations,
            n_jobs=o.jobs,
            random_state=o.seed,
            budget=self.left(),
            journal=o.journal,
            verbose=verbose,
        )

    def pipelines(self, methods: Sequence[str]) -> list[Pipeline]:
        """A selector and a model for each ``SEARCH`` or ``SEARCH:ESTIMATOR``; all folds of all share the budget."""
        budget, o = self.share(len(methods) * self.n_folds), self.options
        parts = [method.partition(":")[::2] for method in methods]
        return [
            make_pipeline(self.selector(budget, search, key or None), self.model(key or o.estimator, o.scoring))
            for search, key in parts
        ]


def _whole_groups(names: Sequence[str], table: Table) -> list[int]:
    """Column numbers of names; the name of an encoded text column stands for all its columns."""
    numbers: list[int] = []
    for name in names:
        known = table.groups.get(name)
        numbers += column_numbers("--fixed/--forbidden", [name], table.names) if known is None else known
    return numbers


def _settings(options: SelectOptions, scoring: str, command: str) -> dict[str, Any]:
    """What was asked for, as the document tells it."""
    told = lambda value: list(value) if isinstance(value, tuple) else value
    asked = {name: told(getattr(options, name)) for name in SETTINGS}
    return asked | {"scoring": scoring, "command": command}


def _notes(job: _Job, selector: ScreenedSelector) -> list[str]:
    """What the user should know of the table and of what was decided for it."""
    notes, n_columns = list(job.table.notes), len(job.table.names)
    if selector.scoring_ == "balanced_accuracy" and job.options.scoring is None:
        notes.append("the classes are skewed: guided and assessed by balanced accuracy.")
    if len(selector.screened_) < n_columns:
        notes.append(
            f"the table is wide: {len(selector.screened_)} of {n_columns} columns passed a univariate screening."
        )
    return notes
