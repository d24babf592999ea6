"""The jobs: select, assess, compare; from options to what was found, without a word printed or a file written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from subsel.assessment.folds.splits import N_REPEATS, N_SPLITS
from subsel.auto import AutoSelector
from subsel.cli.jobs.clock import JobClock
from subsel.cli.jobs.criterion_key import typed_criterion
from subsel.cli.jobs.outcome import SelectionOutcome, cautioned
from subsel.cli.jobs.problem import JobProblem
from subsel.cli.option_checks import blamed
from subsel.cli.options import CompareOptions, SelectOptions
from subsel.cli.reading import Reading
from subsel.data.columns import size_bounds
from subsel.data.files.table import Table
from subsel.data.folds import N_TIMES, LoweredFolds
from subsel.data.task import Kind, guess_kind
from subsel.engine.budget import Budget
from subsel.models.short_names import estimator_of
from subsel.result.document import TableFacts, race_document, selection_document
from subsel.runtime.warning_counts import counted_warnings, in_one_line
from subsel.selector.screening import ScreenedSelector, best_model

__all__ = ["SelectionOutcome", "assess_job", "compare_job", "select_job"]

SETTINGS = (
    "search",
    "estimator",
    "criterion",
    "prefer",
    "scoring",
    "cv",
    "impute",
    "n_features",
    "budget",
    "restarts",
    "seed",
    "choose",
    "fixed",
    "forbidden",
)  # what the document tells of the options
UNASSESSED = "interrupted before the assessment: there is no estimate of performance."
MANY_ROWS = 1_000  # rows beyond which one pass over the folds says enough


def select_job(
    table: Table,
    options: SelectOptions = SelectOptions(),
    *,
    source: str = "the table",
    command: str = "",
    verbose: int = 0,
    begin: float | None = None,
    reading: Reading = Reading(),
) -> SelectionOutcome:
    """Search all rows, then assess by repeating the whole selection in outer folds.

    Parameters
    ----------
    table : Table
        As :func:`subsel.data.files.read_table.read_table` gives it.
    options : SelectOptions
        What is asked for.
    source, command : str
        Where the table came from and what to type to do this again, for the document.
    verbose : int
        Whether to show progress.
    begin : float, optional
        The ``perf_counter`` from which the seconds of the budget count, where the job has begun earlier.
    reading : Reading
        How the file was read, for the document.

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
    job = _Job.of(table, options, begin, reading=reading)
    if options.raced:
        return _raced(job, source, command, verbose)
    n_searches = 1
    if options.assess:
        n_searches += job.n_folds
    selector = job.selector(job.clock.share(n_searches), verbose=verbose, n_jobs=options.jobs)
    problem = job.problem
    with counted_warnings() as warned:
        selector.fit(problem.X, problem.y, **problem.rows)
    assessment, interrupted = None, "interrupted" in selector.result_.stopped_by
    assessed = options.assess and not problem.too_few
    if assessed and not interrupted:
        try:
            assessment = job.assess(selector.budgets_, selector.scoring_, verbose)
        except KeyboardInterrupt:  # in the first fold: the selection stands
            interrupted = True
    notes = _notes(job, selector)
    if assessed and assessment is None:
        notes.append(UNASSESSED)
    if warned:
        notes.append(f"{in_one_line(warned)}.")
    document = selection_document(
        selector.result_,
        names=table.column_names,
        table=job.facts(source),
        settings=_settings(job, selector.scoring_, command),
        models=(selector.model_name_, selector.model_qualities_),
        assessment=assessment,
        notes=notes,
    )
    document["run"] |= {"searched": len(selector.screened_), "starved": selector.starved_}
    interrupted = interrupted or (assessment is not None and assessment.interrupted)
    procedure = job.procedure(selector.budgets_, selector.scoring_)
    found = SelectionOutcome(
        document, selector, job.final_model(selector), assessment, interrupted, procedure
    )
    return cautioned(found, problem.table)


def _raced(job: _Job, source: str, command: str, verbose: int) -> SelectionOutcome:
    """Let whole procedures race; the folds of the race are the assessment."""
    problem, options = job.problem, job.options
    selector = job.racer(verbose=verbose).fit(problem.X, problem.y, **problem.rows)
    assessment = None
    if options.assess:
        assessment = selector.assessment_
    document = selection_document(
        selector.result_,
        names=problem.table.column_names,
        table=job.facts(source),
        settings=_settings(job, selector.scoring_, command),
        models=(selector.taken_[0], {s.name: s.score for s in selector.race_.standings if s.folds}),
        assessment=assessment,
        race=race_document(selector),
        notes=problem.notes,
    )
    interrupted = selector.race_.interrupted
    return cautioned(
        SelectionOutcome(document, selector, selector.model_, assessment, interrupted),
        problem.table,
    )


def assess_job(
    table: Table,
    options: SelectOptions = SelectOptions(),
    *,
    verbose: int = 0,
    begin: float | None = None,
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
        return job.race_assessment(verbose)
    job.refuse_few_rows()
    return job.with_notes(job.assess(job.clock.share(job.n_folds), options.scoring, verbose))


def compare_job(
    table: Table,
    options: CompareOptions = CompareOptions(),
    *,
    verbose: int = 0,
    begin: float | None = None,
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
    from subsel.assessment.comparison import compare

    job = _Job.of(table, options, begin)
    job.refuse_few_rows()
    found = compare(
        list(zip(options.methods, job.pipelines(options.methods))),
        None,
        job.problem.X,
        job.problem.y,
        **job.problem.rows,
        cv=job.outer_cv,
        scoring=options.scoring,
        n_jobs=options.jobs,
        random_state=options.seed,
        budget=job.clock.left(),
        journal=options.journal,
        verbose=verbose,
    )
    return job.with_notes(found)


@dataclass(frozen=True, eq=False)
class _Job:
    """A table and what is asked of it."""

    problem: JobProblem
    options: SelectOptions
    clock: JobClock
    reading: Reading = field(default_factory=Reading)

    @classmethod
    def of(
        cls, table: Table, options: SelectOptions, begin: float | None = None, **more: Any
    ) -> _Job:
        """See that what is asked can be done with this table, before any work begins."""
        kind = options.task or guess_kind(np.asarray(table.y))
        methods = getattr(options, "methods", ())
        with blamed():
            named = _named_model(options.estimator, kind)
            for key in filter(None, (method.partition(":")[2] for method in methods)):
                estimator_of(key, kind)
            size_bounds(options.n_features, len(table.column_names))
        clock = JobClock(Budget.of(options.budget), begin or perf_counter())
        job = cls(JobProblem.of(table, options, named), options, clock, **more)
        with blamed():
            if options.criterion is not None:
                job.evaluated_by()
        if not options.raced and not methods:
            job.problem.refuse_gaps(named)
        return job

    def refuse_few_rows(self) -> None:
        """Refuse an assessment for which a class has too few rows."""
        if self.problem.too_few:
            raise ValueError(self.problem.too_few)

    def facts(self, source: str) -> TableFacts:
        """What the document says of the table."""
        table, kind = self.problem.table, self.problem.kind
        return TableFacts(source, len(table.y), len(table.column_names), table.target, kind)

    @property
    def inner_cv(self) -> Any:
        """The folds that guide a search, shuffled where they do not follow time; None for the usual ones."""
        cv = self.options.cv
        if isinstance(cv, int):
            return LoweredFolds(cv, random_state=self.options.seed)
        return cv

    @property
    def outer_cv(self) -> Any:
        """The folds of an assessment: repeated ones, one pass where rows are many, or those that follow time."""
        if self.options.cv == "time":
            return "time"
        return N_SPLITS if len(self.problem.y) > MANY_ROWS else None

    @property
    def n_folds(self) -> int:
        """How many outer folds there are, repeats counted."""
        if self.options.cv == "time":
            return N_TIMES
        return N_SPLITS if self.outer_cv else N_SPLITS * N_REPEATS

    def selector(
        self, budget: Any, search: str | None = None, estimator: str | None = None, **changes: Any
    ) -> ScreenedSelector:
        """The selector that was asked for, or one with another search and estimator."""
        o, problem = self.options, self.problem
        return ScreenedSelector(
            self.evaluated_by(estimator),
            search or o.search or "sffs",
            scoring=o.scoring,
            cv=self.inner_cv,
            n_features=o.n_features,
            budget=budget,
            restarts=o.restarts,
            choose=o.choose,
            fixed=problem.numbers("--fixed", o.fixed),
            forbidden=problem.numbers("--forbidden", o.forbidden),
            feature_groups=problem.feature_groups,
            impute=o.impute,
            kind=problem.kind,
            random_state=o.seed,
            memory=o.memory,
            device=o.device,
            journal=o.journal,
            **changes,
        )

    def racer(self, **changes: Any) -> AutoSelector:
        """The race that was asked for, its seconds counted from the beginning of the job."""
        o, problem = self.options, self.problem
        return AutoSelector(
            prefer=o.prefer,
            scoring=o.scoring,
            cv="time" if o.cv == "time" else None,
            n_features=o.n_features,
            budget=o.budget,
            fixed=problem.numbers("--fixed", o.fixed),
            forbidden=problem.numbers("--forbidden", o.forbidden),
            feature_groups=problem.feature_groups,
            impute=o.impute,
            kind=problem.kind,
            n_jobs=o.jobs,
            random_state=o.seed,
            memory=o.memory,
            journal=o.journal,
            **changes,
        ).count_from(self.clock.begin, self.clock.writing)

    def race_assessment(self, verbose: int) -> Any:
        """The folds of a race as an assessment, with what the user should know of the table."""
        problem = self.problem
        selector = self.racer(verbose=verbose).fit(problem.X, problem.y, **problem.rows)
        return self.with_notes(selector.assessment_, *selector.notes_)

    def with_notes(self, found: Any, *more: str) -> Any:
        """An assessment or a comparison that also tells what the user should know of the table."""
        notes = (*self.problem.notes, *more)
        if not notes:
            return found
        return replace(found, notes=(*notes, *found.notes))

    def evaluated_by(self, key: str | None = None) -> Any:
        """What guides a search: the model named, the criterion or model of the options, or None for several models."""
        o = self.options
        if key is None and o.criterion is not None:
            folds = self.inner_cv or LoweredFolds(random_state=o.seed)
            usual = {"scoring": o.scoring, "cv": folds, "estimator": o.estimator}
            return typed_criterion(o.criterion, self.problem.kind, **usual)
        return _named_model(key or o.estimator, self.problem.kind)

    def model(self, key: str | None, scoring: Any) -> Any:
        """The model behind a selection: the one named, or the best of several."""
        problem = self.problem
        if key:
            return problem.behind(estimator_of(key, problem.kind))
        weighted = problem.table.sample_weight is not None
        return problem.behind(
            best_model(problem.kind, len(problem.y), scoring, self.inner_cv, weighted)
        )

    def named_model(self) -> Any:
        """The model that was asked for, if any."""
        return _named_model(self.options.estimator, self.problem.kind)

    def final_model(self, selector: ScreenedSelector) -> Any:
        """The model that goes with a selection; None where a criterion chose and none was named."""
        if self.options.criterion:
            return self.named_model()
        return self.problem.behind(selector.model_)

    def procedure(self, budget: Any, scoring: Any) -> Pipeline:
        """Selection and model as one: what is assessed, and what is fitted on all rows."""
        return make_pipeline(
            self.selector(budget, alternatives=False), self.model(self.options.estimator, scoring)
        )

    def assess(self, budget: Any, scoring: Any, verbose: int) -> Any:
        """Repeat the whole selection in every fold."""
        from subsel.assessment.nested import assess

        o = self.options
        selector, model = (step for _, step in self.procedure(budget, scoring).steps)
        return assess(
            selector,
            model,
            self.problem.X,
            self.problem.y,
            **self.problem.rows,
            cv=self.outer_cv,
            scoring=scoring,
            permutations=o.permutations,
            n_jobs=o.jobs,
            random_state=o.seed,
            budget=self.clock.left(),
            journal=o.journal,
            verbose=verbose,
        )

    def pipelines(self, methods: Sequence[str]) -> list[Pipeline]:
        """A selector and a model for each ``SEARCH`` or ``SEARCH:ESTIMATOR``; all folds of all share the budget."""
        budget, o = self.clock.share(len(methods) * self.n_folds), self.options
        parts = [method.partition(":")[::2] for method in methods]
        return [
            make_pipeline(
                self.selector(budget, search, key or None),
                self.model(key or o.estimator, o.scoring),
            )
            for search, key in parts
        ]


def _named_model(key: str | None, kind: Kind) -> Any:
    """The model of a key; None where none was named."""
    if key is None:
        return None
    return estimator_of(key, kind)


def _settings(job: _Job, scoring: str, command: str) -> dict[str, Any]:
    """What was asked for, as the document tells it; how the file is read only where that was said."""
    asked = {name: getattr(job.options, name) for name in SETTINGS}
    for name, value in asked.items():
        if isinstance(value, tuple):
            asked[name] = list(value)
    read = {name: value for name, value in asdict(job.reading).items() if value is not None}
    return asked | {"scoring": scoring, "command": command} | read


def _notes(job: _Job, selector: ScreenedSelector) -> list[str]:
    """What the user should know of the table and of what was decided for it."""
    notes, n_columns = list(job.problem.notes), len(selector.candidates_)
    if job.problem.too_few and job.options.assess:
        notes.append(job.problem.too_few)
    notes += selector.notes_
    if selector.scoring_ == "balanced_accuracy" and job.options.scoring is None:
        notes.append("the classes are skewed: guided and assessed by balanced accuracy.")
    if len(selector.screened_) < n_columns:
        notes.append(
            f"the table is wide: {len(selector.screened_)} of {n_columns} columns passed a univariate screening."
        )
    return notes
