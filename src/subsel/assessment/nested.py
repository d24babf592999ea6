"""Assess a whole procedure: its selection is repeated inside every outer fold."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from inspect import isfunction, signature
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from subsel.assessment.estimates import Assessment
from subsel.assessment.folds.fold import Fold, FoldSettings, run_fold
from subsel.assessment.folds.fold_journal import FoldJournal, hold
from subsel.assessment.folds.halves import N_PAIRS, run_halves
from subsel.assessment.folds.procedure import Procedure, scoring_name
from subsel.assessment.folds.splits import Split, make_splits, scoring_of_folds, splits_notes
from subsel.assessment.intervals import check_confidence
from subsel.assessment.permutation import Permutation, permutation_p_value, shuffled_labels
from subsel.assessment.summary import summarise
from subsel.criteria.scoring.measures import check_measure
from subsel.data.task import Task
from subsel.engine.budget import Budget
from subsel.runtime.fold_loop import run_jobs, why_ended

__all__ = ["assess"]

FEWEST_FOLDS = 2  # the number of folds that are run even if the budget ends earlier


def assess(
    selector: Any,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: str | Callable | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    references: bool = True,
    probes: bool | int = False,
    permutations: int = 0,
    stability_pairs: int = N_PAIRS,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: Any = None,
    budget: Any = None,
    journal: str | PathLike[str] | None = None,
    journal_key: str | None = None,
    verbose: int = 0,
) -> Assessment:
    """Assess a selection and its model, with the selection repeated in every fold.

    The quality that guided a search is not an estimate of performance, because it is the best of
    many [1]_, and selection on all rows before cross-validation makes noise appear informative
    [2]_. Here the held-out rows take no part in selection or fitting.

    Parameters
    ----------
    selector : selector, pipeline or None
        Any scikit-learn selector, or a pipeline of transformers with one; None selects all
        features.
    estimator : estimator or None
        The model fitted on the selected features. None if ``selector`` is itself a predictor: a
        pipeline, from whose selector the selection is then read, a search over one, or a model with
        ``get_support``.
    cv : int, splitter or None
        None (five shuffled folds, twice; stratified for classification, groups kept together), a
        number of folds, or any scikit-learn splitter, grouped or time-ordered ones too; "time"
        predicts each of five later parts of the rows from all that come before.
    scoring : str or callable, optional
        As in scikit-learn. None is R2 for regression and accuracy for classification, but balanced
        accuracy if the largest class has at least 1.5 times the rows of the smallest.
    groups, sample_weight : array, optional
        One label and one weight per row. Weights go to every step that takes them, and to the
        score; groups to the outer splitter and to selectors that take them.
    references : bool
        Compare with all features, the best single one, a univariate choice and a random one of
        equal size.
    probes : bool or int
        The number of shuffled copies of columns that take part in the selection, to estimate how
        many selected features are false (True: as many as there are columns). Each fold then
        selects twice.
    permutations : int
        The number of shufflings of the labels that test the complete procedure [2]_. Each repeats
        one pass over the folds, with the selection: the cost is ``permutations`` times that of the
        first repeat.
    stability_pairs : int
        Pairs of disjoint halves of the rows on which the selection is repeated, without a model, to
        measure whether other rows would give the same features. Three pairs cost six selections on
        half of the rows; 0 omits stability.
    confidence : float
        Level of all intervals.
    n_jobs : int, optional
        The number of workers over folds; it does not change the result.
    random_state : int, RandomState or None
        The seed of folds, probes, shufflings, and of every step without a seed of its own.
    budget : str or Budget, optional
        Seconds for the folds, as in ``"5m"``. After them no fold is begun except the first two, and
        the assessment is that of the finished folds. Shufflings of the labels are not counted.
    journal : str or path, optional
        A directory that keeps each finished fold, so that the same call does not repeat it; a drawn
        seed is recorded. A selector may have a journal of its own there, for the fold in progress.
    journal_key : str, optional
        A name and version for objects that a journal cannot describe; see
        :class:`SubsetSelector`.
    verbose : int
        Where positive, progress is shown.

    Returns
    -------
    Assessment
        After an interruption (Ctrl-C) it is the assessment of the finished folds, with a note.
        KeyboardInterrupt is raised if no fold is finished.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4,
       the levels of testing.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2,
       random probes, and section 2.3.5, selection bias.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((60, 500)), np.repeat([0, 1], 30)  # X is noise
    >>> a = assess(SelectKBest(k=10), GaussianNB(), X, y, random_state=0)
    >>> bool(a.interval[0] < 0.5 < a.interval[1]), a.sizes.tolist()
    (True, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10])
    """
    begin = perf_counter()
    procedure = Procedure.of(selector, estimator)
    task = make_task(X, y, procedure, groups, sample_weight)
    _check(probes, permutations, confidence)
    asked = {"procedures": [[selector, estimator]], "scoring": scoring, "cv": cv}
    asked |= {"references": bool(references), "probes": probes}
    seed, fold_journal = seed_and_journal(journal, asked, task, random_state, journal_key)
    splits, notes = make_splits(cv, task, seed), splits_notes(cv, task)
    plan = make_plan(
        procedure, task, scoring, splits=splits, seed=seed, notes=notes, references=references
    )
    plan.n_probes = task.n_columns if probes is True else int(probes)
    jobs = ((split, i) for i, split in enumerate(splits))
    permutation, halves = None, list[Fold]()
    with hold(fold_journal, splits):
        deadline = deadline_of(budget, begin)
        done, interrupted = run_jobs(
            run_fold,
            plan,
            jobs,
            len(splits),
            n_jobs=n_jobs,
            verbose=verbose,
            what="assess",
            journal=fold_journal,
            deadline=deadline,
            at_least=FEWEST_FOLDS,
        )
        if not done:
            raise KeyboardInterrupt
        if len(done) < len(splits):
            notes.append(
                f"{why_ended(interrupted)}: {len(done)} of {len(splits)} folds were finished."
            )
        elif not interrupted:
            halves, interrupted = run_halves(
                plan,
                done,
                stability_pairs,
                notes,
                n_jobs=n_jobs,
                journal=fold_journal,
                deadline=deadline,
            )
        if permutations and not interrupted and len(done) == len(splits):
            permutation = _permute(
                plan,
                cv,
                splits,
                done,
                permutations,
                n_jobs=n_jobs,
                verbose=verbose,
                notes=notes,
                journal=fold_journal,
            )
    n_shuffled = 0 if permutation is None else len(permutation.scores)
    assessment = summarise(
        plan,
        splits,
        done,
        confidence,
        permutation=permutation,
        notes=notes,
        seconds=perf_counter() - begin,
        halves=halves,
    )
    return replace(assessment, interrupted=interrupted or n_shuffled < permutations)


def deadline_of(budget: Any, begin: float) -> float:
    """Give the ``perf_counter`` after which no fold is begun; infinity without a time limit."""
    seconds = Budget.of(budget).seconds
    if seconds is None:
        return np.inf
    return begin + seconds


def seed_and_journal(
    folder: str | PathLike[str] | None,
    asked: dict[str, Any],
    task: Task,
    random_state: Any,
    key: str | None,
) -> tuple[int, FoldJournal | None]:
    """Give the seed of an assessment and its journal, if there is one.

    A recorded seed replaces a drawn one. ``asked``, the settings of the assessment, is extended by
    the key.
    """
    seed = int(check_random_state(random_state).randint(2**31))
    if folder is None:
        return seed, None
    if key is not None:
        asked["journal_key"] = key
    journal = FoldJournal(folder, asked, task, seed, random_state is None)
    return journal.number, journal


def make_task(X: Any, y: Any, procedure: Procedure, groups: Any, sample_weight: Any) -> Task:
    """Check the data and make a task of them."""
    task = Task.of(X, y, procedure.kind, groups=groups, sample_weight=sample_weight, allow_nan=True)
    if sparse.issparse(task.X):
        X = task.X.tocsr()
        return Task(X, task.y, task.kind, task.names, task.sample_weight, task.groups)
    return task


def _check(probes: Any, permutations: int, confidence: float) -> None:
    check_confidence(confidence)
    if probes < 0:
        raise ValueError(f"probes must be True, False or a number of at least 0, got {probes!r}.")
    if permutations < 0:
        raise ValueError(f"permutations must be at least 0, got {permutations!r}.")


def make_plan(
    procedure: Procedure,
    task: Task,
    scoring: Any,
    *,
    splits: list[Split],
    seed: int,
    notes: list[str],
    references: bool,
) -> FoldSettings:
    """Find the measure, check that weights can be used, and collect what every fold needs.

    Appends to ``notes``.
    """
    if scoring is None:
        scoring = scoring_of_folds(task, splits, notes)
    check_measure(scoring, task.kind, task.y)
    scorer = check_scoring(procedure.model, scoring)
    name = scoring_name(scoring)
    if (
        task.weighted
        and isfunction(scoring)
        and "sample_weight" not in signature(scoring).parameters
    ):
        raise ValueError(
            f"scoring {name!r} takes no sample_weight: give it that argument, or assess "
            "without weights."
        )
    if task.weighted and not all(accepted := procedure.takes("sample_weight")):
        if not any(accepted):
            raise ValueError(
                "neither the selector nor the estimator takes sample_weight: assess without it."
            )
        notes.append(
            "one of selector and estimator does not take sample weights and was fitted "
            "without them."
        )
    return FoldSettings(procedure, task, scorer, name, seed, references=bool(references))


def _permute(
    plan: FoldSettings,
    cv: Any,
    splits: list[Split],
    done: list[Fold],
    permutations: int,
    *,
    n_jobs: int | None,
    verbose: int,
    notes: list[str],
    journal: FoldJournal | None,
) -> Permutation | None:
    """Run one pass over the folds for each shuffling of the labels; appends to ``notes``.

    The folds are made again for the shuffled labels.
    """
    first = [fold for fold, split in zip(done, splits) if split.repeat == 0]
    cost = permutations * sum(fold.seconds for fold in first)
    notes.append(
        f"the permutation test repeated the selection {permutations} x {len(first)} times."
    )
    if verbose:
        print(
            f"subsel: permutation test, {permutations} x {len(first)} folds: {cost:.0f} s of work",
            file=sys.stderr,
        )
    rng = np.random.default_rng([plan.seed, 2**31])
    jobs = (
        job for b in range(permutations) for job in _shuffled_jobs(plan, cv, len(first), b, rng)
    )
    total = permutations * len(first)
    answers, interrupted = run_jobs(
        run_fold,
        plan,
        jobs,
        total,
        n_jobs=n_jobs,
        verbose=verbose,
        what="permutation test",
        journal=journal,
    )
    n_complete = len(answers) // len(first)
    if interrupted:
        notes.append(f"interrupted: {n_complete} of {permutations} shufflings were finished.")
    if n_complete == 0:
        return None
    scores = (
        np.array([fold.score for fold in answers[: n_complete * len(first)]])
        .reshape(n_complete, -1)
        .mean(axis=1)
    )
    score = float(np.mean([fold.score for fold in first]))
    return Permutation(score, scores, permutation_p_value(score, scores))


def _shuffled_jobs(
    plan: FoldSettings, cv: Any, n_folds: int, b: int, rng: np.random.Generator
) -> Iterable[tuple]:
    """Give the jobs of one shuffling: split, number of the fold and shuffled labels."""
    task = plan.task
    y = shuffled_labels(task.y, task.groups, rng)
    task = Task(task.X, y, task.kind, task.names, task.sample_weight, task.groups)
    splits = make_splits(cv, task, int(rng.integers(2**31)))[:n_folds]
    return ((split, 10**6 + b * n_folds + i, y) for i, split in enumerate(splits))
