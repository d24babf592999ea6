"""AutoSelector: a race of complete procedures for a table about which little is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import check_scoring
from sklearn.utils import ClassifierTags, RegressorTags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.assessment.folds.fold_journal import FoldJournal, hold
from subsel.assessment.folds.splits import make_splits, splits_notes
from subsel.assessment.race.combination import Combination
from subsel.assessment.race.contender import Contender
from subsel.assessment.race.contenders import Field, plain_contenders
from subsel.assessment.race.costs import TableShape
from subsel.assessment.race.nested_score import nested_score
from subsel.assessment.race.plan import RaceSchedule, plan_race
from subsel.assessment.race.preference import MEMBERS, TOLERATED, Preference, preferred_option
from subsel.assessment.race.preprocessing import encoded_contenders
from subsel.assessment.race.rounds import Race, race
from subsel.assessment.race.searches import (
    elimination_contender,
    search_contender,
    search_contenders,
)
from subsel.assessment.race.winner import (
    columns_of,
    fitted_first,
    in_columns,
    race_assessment,
    winner_result,
)
from subsel.criteria.scoring.measures import check_measure, default_scoring, measurable
from subsel.data.columns import ColumnSelector, column_groups, column_numbers
from subsel.data.encoding.encoder import Impute
from subsel.data.encoding.selectable_columns import SelectableTable, receive, whole_task
from subsel.data.task import Kind, Task, is_frame, select_columns
from subsel.engine.budget import Budget
from subsel.models.committee import CommitteeClassifier, CommitteeRegressor
from subsel.models.subset_model import SubsetModel
from subsel.runtime.status_line import StatusLine
from subsel.runtime.warning_counts import counted_warnings, in_one_line
from subsel.selector.subset import size_bounds

__all__ = ["AutoSelector"]

RACING = 0.85  # share of the seconds for the race; fit and assessment of the winner need the rest
N_FOLDS = 5  # the number of folds of the race, where no splitter is given
MANY_ROWS = 10_000  # with more rows the race runs on a sample; the winner is fitted on all rows


class AutoSelector(ColumnSelector):
    """Compare complete procedures and take the best, or the smallest that is as good.

    The procedures are all features, the columns that are best one by one, an L1 path, importances
    of trees, and searches guided by exact evaluators, each followed by a model. All run the same
    folds, with the selection repeated in every fold, so that no procedure is scored on rows it has
    seen; poor ones are dropped early. A pandas or polars frame may hold text, truth values, dates
    and missing values: every procedure encodes them as numbers again in every fold, and columns of
    the frame are selected. The winner is then fitted on all rows. Which procedures run depends on
    the shape of the table and the budget, not on measured times; only where a machine is so slow
    that the budget would be exceeded are procedures or folds left out, with a note.

    Parameters
    ----------
    estimator : estimator, optional
        The model of all procedures; None compares several models.
    search : str or Search, default="sffs"
        How the searches among the procedures look for subsets.
    prefer : {"balance", "accuracy", "few"}, default="balance"
        "balance" takes the smallest procedure that is nearly as good as the best; "accuracy" the
        best; "few" the smallest that is tolerable, for which searches for at most 2, 4 and 8
        columns also run.
    committee : int, optional
        The largest number of procedures that are combined; None is three, and one for
        ``prefer="few"``. A procedure that is clearly worse than the best is not included, and with
        ``prefer="balance"`` several are combined only where that is better than any single one by
        more than the tolerance.
    scoring : str or callable, optional
        The measure; None is R2, accuracy, or balanced accuracy for skewed classes.
    cv : int or splitter, optional
        The folds of the race; None: five shuffled ones, repeated while the budget allows. "time"
        predicts each of five later parts of the rows from all that come before.
    n_features : int, float or pair, optional
        As of :class:`SubsetSelector`; the upper bound holds for all procedures, and for the union
        of the columns of a committee.
    budget : str, int or Budget, default="60s"
        Seconds for all of it; a number of evaluations limits each search instead.
    fixed, forbidden : columns, optional
        Names, numbers or mask of columns that must be, or must not be, in the selection.
    feature_groups : lists of columns, or labels, optional
        Columns that are selected as one.
    impute : {"median", "knn", "none"}, default="median"
        What fills missing values, learnt again in every fold, as in
        :class:`subsel.data.TableEncoder`. Models that accept NaN get the values unfilled; with
        "none" only those take part.
    kind : {"classification", "regression"}, optional
        None infers it from y.
    n_jobs : int, optional
        The number of workers; it does not change the result.
    random_state : int or RandomState, optional
        The seed of folds, searches and models.
    memory : str or float, optional
        As of :class:`SubsetSelector`.
    journal : path, optional
        A directory that keeps each finished fold, so that the same call does not repeat it.
    verbose : int, default=0
        Show progress.

    Attributes
    ----------
    support_ : ndarray of bool
        The mask of the selected columns; for a committee, those of any member.
    shares_ : ndarray
        The share of the members that selected each column.
    race_ : Race
        The results of every procedure: score, size and cost in seconds.
    taken_ : list of str
        The names of the chosen procedures.
    model_ : estimator
        The winner, or the committee, fitted on all rows of the given table.
    nested_score_ : NestedScore
        Its expected score on new rows, corrected for the choice of the best, and the cost of
        selecting in comparison with all features.
    assessment_ : Assessment
        The winner's folds with these numbers, as :func:`subsel.assess` gives them.
    result_ : Result
        The selection of the winner, as the result of a search.
    scoring_ : str or callable
        The measure that was used.
    encoder_ : TableEncoder or None
        The encoder of text, dates and missing values, fitted again in every fold; None for a table
        of numbers.
    notes_ : list of str
        What was recognised in the table.
    plan_ : RaceSchedule
        The contenders that took part, the number of repeats, and the names of those left out for
        lack of time.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AutoSelector(n_features=(1, 6), budget="2s", random_state=0).fit(X, y)
    >>> bool(selector.get_support().sum() <= 6), bool(selector.nested_score_.estimate > 0.9)
    (True, True)
    >>> selector.predict(X[:3])
    array([0, 0, 0])
    """

    _began: float | None = None  # the perf_counter at which the job began that this is a part of
    _kept_back: float = 0.0  # seconds of the budget that the job needs afterwards

    def __init__(
        self,
        estimator: Any = None,
        search: Any = "sffs",
        *,
        prefer: Preference = "balance",
        committee: int | None = None,
        scoring: Any = None,
        cv: Any = None,
        n_features: Any = None,
        budget: Any = "60s",
        fixed: Any = None,
        forbidden: Any = None,
        feature_groups: Any = None,
        impute: Impute = "median",
        kind: Kind | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        memory: str | float | None = None,
        journal: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.search = search
        self.prefer = prefer
        self.committee = committee
        self.scoring = scoring
        self.cv = cv
        self.n_features = n_features
        self.budget = budget
        self.fixed = fixed
        self.forbidden = forbidden
        self.feature_groups = feature_groups
        self.impute = impute
        self.kind = kind
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.memory = memory
        self.journal = journal
        self.verbose = verbose

    def count_from(self, began: float, kept_back: float) -> AutoSelector:
        """Count the seconds of the budget from an earlier moment, for a job that this is a part of.

        Parameters
        ----------
        began : float
            The ``perf_counter`` at which the job began.
        kept_back : float
            Seconds of the budget that the job needs afterwards.
        """
        self._began, self._kept_back = began, kept_back
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> AutoSelector:
        """Run the race, choose the winner, and fit it on all rows."""
        begin = self._began or perf_counter()
        if self.prefer not in ("accuracy", "balance", "few"):
            raise ValueError(f"prefer must be 'accuracy', 'balance' or 'few', got {self.prefer!r}.")
        X, y = self._receive(X, y)
        whole = whole_task(X, y, self.kind, sample_weight=sample_weight, groups=groups)
        received = receive(
            whole, column_numbers("forbidden", self.forbidden, whole.names), self.impute
        )
        task, allowed = received.task, received.columns
        self.encoder_, self.notes_ = (
            received.encoder,
            [*received.notes, *splits_notes(self.cv, task)],
        )
        seed = int(check_random_state(self.random_state).randint(2**31))
        self.scoring_ = self.scoring or default_scoring(task)
        check_measure(self.scoring_, task.kind, task.y)
        if self.verbose and self.estimator is not None and np.isfinite(self._seconds):
            print(
                "subsel: the seconds are looked at between fits: "
                f"one fit of {self.estimator} is not cut short."
            )
        sample, committee = _sampled(task, seed), self.committee or MEMBERS[self.prefer]
        field = self._field(whole, received)
        self.race_ = self._race(sample, field, seed, begin)
        together = Combination(self.race_, sample, self.scoring_)
        taken = list(preferred_option(self.race_, self.prefer, committee, together))
        self.taken_ = [standing.name for standing in taken]
        with (
            StatusLine(lambda: f"fitting on all rows: {', '.join(self.taken_)}", self.verbose > 0),
            counted_warnings() as warned,
        ):
            taken, members = fitted_first(taken, self.race_, task, seed, field.most)
            self.taken_ = [standing.name for standing in taken]
        self.race_ = _noted(self.race_, warned)
        chosen = [allowed[columns_of(member, task.n_columns)] for member in members]
        self.shares_ = np.bincount(np.concatenate(chosen), minlength=whole.n_columns) / len(members)
        self.support_ = self.shares_ > 0
        self.model_ = _combined_model(members, allowed, task)
        self.nested_score_ = nested_score(
            self.race_, taken, self.prefer, sample, self.scoring_, seed, committee=committee
        )
        seconds = self._seconds - self._kept_back
        found = race_assessment(
            self.race_,
            taken[0],
            self.nested_score_,
            sample,
            self.scoring_,
            seed=seed,
            seconds=seconds,
            left=begin + seconds - perf_counter(),
            n_jobs=self.n_jobs,
        )
        self.assessment_ = in_columns(found, allowed, whole.names)
        origins = allowed[received.origins.of]
        self.result_ = winner_result(
            members[0], taken[0], chosen[0], origins, whole, self.race_, table_notes=self.notes_
        )
        if task.kind == "classification":
            self.classes_ = task.classes
        return self

    @property
    def _seconds(self) -> float:
        """The seconds of the budget, infinite where none are given."""
        seconds = Budget.of(self.budget).seconds
        if seconds is None:
            return np.inf
        return seconds

    def _field(self, whole: Task, received: SelectableTable) -> Field:
        """Describe the table for the contenders, in the columns that they are given."""
        origins, names = received.origins, whole.names
        fixed = origins.made_from(
            received.places("fixed", column_numbers("fixed", self.fixed, names), names)
        )
        groups = received.groups(column_groups(self.feature_groups, names))
        _, most = size_bounds(self.n_features, len(received.columns))
        rows = int(0.8 * min(whole.n_rows, MANY_ROWS))
        classes = len(whole.classes) if whole.kind == "classification" else 1
        return Field(
            whole.kind,
            TableShape(rows, len(origins.of), classes),
            sparse.issparse(whole.X),
            tuple(map(tuple, groups)),
            tuple(fixed),
            most,
            balanced=self.scoring_ == "balanced_accuracy",
            only=self.estimator,
            seconds=Budget.of(self.budget).seconds or np.inf,
            column_sizes=origins.sizes,
            scoring=self.scoring_,
        )

    def _offered(self, field: Field, seed: int) -> list[Contender]:
        """Give the possible contenders, the most promising for their cost in seconds first."""
        budget = Budget.of(self.budget)
        settings = {"random_state": seed, "memory": self.memory, "scoring": self.scoring_}
        if self.cv == "time":
            settings["cv"] = "time"
        if budget.evaluations is not None:
            settings["budget"] = budget.evaluations
        offered = list(plain_contenders(field))
        if self.estimator is None:
            searches = search_contenders(field, self.search, few=self.prefer == "few", **settings)
            offered[5:5] = [*searches, elimination_contender(field, **settings)]
        else:
            offered.insert(
                1, search_contender(field, "the model", self.estimator, self.search, **settings)
            )
        offered = self._able(offered)
        if self.encoder_ is None:
            return offered
        return list(encoded_contenders(offered, self.encoder_))

    def _race(self, task: Task, field: Field, seed: int, begin: float) -> Race:
        offered, cv = self._offered(field, seed), self.cv
        if cv is None:
            cv = N_FOLDS
        passes = [make_splits(cv, task, seed)]
        self.plan_: RaceSchedule = plan_race(
            offered, self._seconds, len(passes[0]), field.shape.rows
        )
        if self.cv is None:
            passes = [make_splits(cv, task, seed + i) for i in range(self.plan_.repeats)]
        splits = [
            replace(split, repeat=repeat) for repeat, once in enumerate(passes) for split in once
        ]
        journal = self._journal(task, seed)
        with hold(journal, splits):
            found = race(
                self.plan_.contenders,
                task,
                splits,
                check_scoring(self.plan_.contenders[0].procedure, self.scoring_),
                str(self.scoring_),
                seed,
                deadline=begin + RACING * (self._seconds - self._kept_back),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                journal=journal,
                tolerance=TOLERATED["few"] if self.prefer == "few" else 0.0,
            )
        finished = any(
            standing.folds for standing in found.standings if standing.contender.eligible
        )
        if found.interrupted and not finished:
            raise KeyboardInterrupt
        if not finished:
            raise ValueError("; ".join(found.notes) or "no procedure could be fitted.")
        return found

    def _able(self, offered: list[Contender]) -> list[Contender]:
        """Give the contenders whose model has the outputs that the measure needs."""
        able = [
            contender for contender in offered if measurable(contender.procedure, self.scoring_)
        ]
        if not able:
            check_measure(self.scoring_, "classification", np.array([0, 1]), self.estimator)
        return able

    def _journal(self, task: Task, seed: int) -> FoldJournal | None:
        if self.journal is None:
            return None
        contenders = [[c.name, c.procedure] for c in self.plan_.contenders]
        asked = {"race": contenders, "scoring": self.scoring_, "cv": self.cv}
        return FoldJournal(self.journal, asked, task, seed, self.random_state is None)

    def transform(self, X: Any) -> Any:
        """Select the columns; a frame with text, dates or missing values stays a frame."""
        check_is_fitted(self)
        if self.encoder_ is None or not is_frame(X):
            return super().transform(X)
        return select_columns(self._table(X), np.flatnonzero(self.support_))

    def predict(self, X: Any) -> np.ndarray:
        """Predict with the winner, or the committee."""
        X = self._table(X)
        return self.model_.predict(X)

    @available_if(lambda self: hasattr(getattr(self, "model_", None), "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give class probabilities, where the winner has them."""
        X = self._table(X)
        return self.model_.predict_proba(X)

    @available_if(lambda self: hasattr(getattr(self, "model_", None), "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Give the decision function of the winner, where it has one."""
        X = self._table(X)
        return self.model_.decision_function(X)

    def _table(self, X: Any) -> Any:
        """Check new rows and put their columns into the order of fit."""
        check_is_fitted(self)
        if not is_frame(X):
            return validate_data(
                self, X, reset=False, accept_sparse=("csr", "csc"), ensure_all_finite=False
            )
        known = getattr(self, "feature_names_in_", None)
        if known is None or list(X.columns) == list(known):
            return X
        return X[list(known)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        kind = "classification" if hasattr(self, "classes_") else self.kind
        if kind == "classification":  # scorers ask classifiers for more than their predictions
            tags.estimator_type = "classifier"
            tags.classifier_tags, tags.regressor_tags = ClassifierTags(), None
        elif kind is not None:
            tags.estimator_type = "regressor"
            tags.classifier_tags, tags.regressor_tags = None, RegressorTags()
        return tags


def _sampled(task: Task, seed: int) -> Task:
    """Sample the rows where there are more than MANY_ROWS."""
    if task.n_rows <= MANY_ROWS:
        return task
    rows = np.sort(np.random.default_rng(seed).choice(task.n_rows, MANY_ROWS, replace=False))
    return task.rows(rows)


def _noted(race: Race, warned: Mapping[str, int]) -> Race:
    """Add a note on all warnings to a race."""
    said = in_one_line(Counter(race.warned) + Counter(warned))
    if not said:
        return race
    return replace(race, notes=(*race.notes, f"{said}."))


def _combined_model(members: list[Any], allowed: np.ndarray, task: Task) -> Any:
    """Combine the members into one model, with the columns that are allowed."""
    if len(members) == 1:
        return SubsetModel(allowed, members[0])
    committee: Any = CommitteeRegressor(members)
    if task.kind == "classification":
        committee = CommitteeClassifier(members)
        committee.classes_ = task.classes
    committee.members_ = members
    return SubsetModel(allowed, committee)
