"""CVGA: features and kernel searched together by a genetic algorithm that sees every solution on a fresh split."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from subsel.criteria.refits.fresh_split_score import FreshSplitScore
from subsel.criteria.refits.icomp import IcompPerf
from subsel.data.task import Task
from subsel.embedded.targets import kind_of
from subsel.engine.budget import Budget
from subsel.literature.recipes.cvga_replication import (
    Choosing,
    Chromosome,
    Seen,
    kernel_number,
    replicate,
)
from subsel.literature.recipes.cvga_study import CvgaSolution, CvgaStudy, Interval, ordered
from subsel.models.kernels import KERNELS, Kernel
from subsel.search.populations.genetic import Genetic

__all__ = ["CvgaSolution", "CvgaStudy", "cvga", "cvga_of", "kernel_number"]


def cvga(
    X: Any,
    y: Any,
    *,
    criterion: IcompPerf | None = None,
    kernels: Sequence[str | Kernel] = tuple(KERNELS),
    generations: int = 20,
    population: int = 20,
    replications: int = 100,
    n_finalists: int = 20,
    n_confirm: int = 100,
    n_jobs: int | None = None,
    random_state: int | None = None,
    verbose: int = 0,
) -> CvgaStudy:
    """Search features and kernel by the cross-validation genetic algorithm of [1]_.

    A chromosome is one bit per feature and the binary code of a kernel (see `kernel_number`). Every evaluation draws a fresh
    stratified split. Within a replication each distinct solution is given the median of its scores and errors, and
    the least median wins; over replications the medians are averaged and the wins counted.

    Most solutions of a large space are met once, on one split, and of thousands of such scores the least is a lucky
    one. So the finalists (the best by score, and those most often met, for a genetic algorithm returns to what
    does well) are evaluated again on splits of their own; that is ours, not the paper's.

    Parameters
    ----------
    X : array or data frame
        The table.
    y : array
        The classes.
    criterion : IcompPerf, optional
        With any setting; its kernel is searched.
    kernels : sequence of str or callable
        Names or functions.
    generations, population : int
        Of each run of the genetic algorithm, the first population counted; the best one of a generation goes on
        unchanged.
    replications : int
        Independent runs.
    n_finalists : int
        How many solutions by score, and how many by visits, are evaluated again.
    n_confirm : int
        On how many splits. 0: none.
    n_jobs : int or None
        Processes; never changes the answer.
    random_state : int or None
        The seed.
    verbose : int
        Report the progress.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic optimizer*, European
       Journal of Pure and Applied Mathematics 9, 2016, section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> study = cvga(*load_iris(return_X_y=True), replications=2, generations=3, population=6, n_confirm=9, random_state=0)
    >>> study.n_evaluations, study.best.confirmed_error < 0.1
    (32, True)
    """
    plan = _Plan(
        generations, population, replications, n_finalists, n_confirm, n_jobs, random_state, verbose
    )
    criterion = replace(criterion or IcompPerf(), splits=None, keep=True)
    return _study(Task.of(X, y, "classification"), criterion, kernels, plan)


def cvga_of(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    choices: Mapping[str, Sequence[Any]] | None = None,
    scoring: Any = None,
    train_share: float = 0.2,
    generations: int = 20,
    population: int = 20,
    replications: int = 100,
    n_finalists: int = 20,
    n_confirm: int = 100,
    n_jobs: int | None = None,
    random_state: int | None = None,
    verbose: int = 0,
) -> CvgaStudy:
    """Search features and parameters of any estimator as :func:`cvga` does: a fresh split for every evaluation.

    Scores and errors in the study are minus the scores of the estimator, so that the least is the best; what :func:`cvga`
    calls a kernel is here a setting of the parameters.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regressor.
    X, y : array or data frame, array
        The table and its target.
    choices : mapping, optional
        Values for parameters of the estimator (``{"gamma": [0.1, 1.0]}``), searched with the features as further bits.
    scoring : str, callable or None
        As in ``cross_val_score``.
    train_share : float
        Share of the rows (of each class) to train on.
    generations, population, replications, n_finalists, n_confirm, n_jobs, random_state, verbose : Any
        As in :func:`cvga`.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic optimizer*, European
       Journal of Pure and Applied Mathematics 9, 2016, conclusion.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> study = cvga_of(SVC(), *load_iris(return_X_y=True), choices={"C": [0.1, 10.0]}, replications=2, generations=3,
    ...                 population=6, n_confirm=9, random_state=0)
    >>> study.best.columns, study.parsimonious.columns, study.best.confirmed_error < -0.9
    ((2, 3), (2,), True)
    """
    task = Task.of(X, y, kind_of(estimator))
    choices = choices or {}
    settings = [dict(zip(choices, values)) for values in product(*choices.values())]
    plan = _Plan(
        generations, population, replications, n_finalists, n_confirm, n_jobs, random_state, verbose
    )
    criterion = FreshSplitScore(estimator, scoring, train_share, keep=True)
    return _study(task, criterion, settings, plan)


class _Plan(NamedTuple):
    """How much is done."""

    generations: int
    population: int
    replications: int
    n_finalists: int
    n_confirm: int
    n_jobs: int | None
    random_state: int | None
    verbose: int


def _study(task: Task, criterion: Choosing, kernels: Sequence[Any], plan: _Plan) -> CvgaStudy:
    """Replicate, average the medians, look at the finalists again."""
    start = perf_counter()
    if plan.replications < 1 or plan.generations < 1 or plan.population < 2:
        raise ValueError("cvga needs a replication, a generation and a population of two or more.")
    *seeds, last = np.random.SeedSequence(plan.random_state).spawn(plan.replications + 1)
    search = Genetic(population=plan.population)
    budget = Budget(
        evaluations=plan.population + (plan.generations - 1) * (plan.population - search.elite)
    )
    with Parallel(n_jobs=plan.n_jobs, return_as="generator") as pool:
        replicated = pool(
            delayed(replicate)(task, criterion, kernels, search, budget, seed) for seed in seeds
        )
        found = list(_progress(replicated, plan.replications, start, plan.verbose))
    solutions = _summary(found, kernels)
    if plan.n_confirm:
        solutions = _confirmed(solutions, task, criterion, kernels, plan, last)
    n_evaluations = sum(s.n_visits for s in solutions)
    return CvgaStudy(
        tuple(solutions),
        tuple(task.names),
        plan.replications,
        n_evaluations,
        perf_counter() - start,
    )


def _progress(done: Iterable[Any], n: int, start: float, verbose: int) -> Iterable[Any]:
    """Pass results on as they come, reporting about ten times."""
    for number, one in enumerate(done, 1):
        if verbose and (number % max(1, n // 10) == 0 or number == n):
            print(
                f"cvga: {number} of {n} replications, {perf_counter() - start:.0f} s",
                file=sys.stderr,
            )
        yield one


def _summary(found: list[dict[Chromosome, Seen]], kernels: Sequence[Any]) -> list[CvgaSolution]:
    """Average the medians over replications, count the wins; the least score first."""
    medians: defaultdict[Chromosome, list[Seen]] = defaultdict(list)
    wins: Counter[Chromosome] = Counter()
    for replication in found:
        wins[
            min(replication, key=lambda s: (replication[s].score, -replication[s].n_visits, s))
        ] += 1
        for solution, seen in replication.items():
            medians[solution].append(seen)
    rows = [_solution(key, np.array(seen), kernels, wins[key]) for key, seen in medians.items()]
    return sorted(rows, key=lambda s: (s.score, len(s.columns), s.columns, s.kernel))


def _solution(key: Chromosome, seen: np.ndarray, kernels: Sequence[Any], wins: int) -> CvgaSolution:
    score, train_error, test_error, _ = seen.mean(axis=0).tolist()
    return CvgaSolution(
        key.columns,
        _name(kernels[key.kernel]),
        score,
        train_error,
        middle(seen[:, 1]),
        test_error,
        middle(seen[:, 2]),
        wins,
        len(seen),
        int(seen[:, 3].sum()),
    )


def middle(values: np.ndarray) -> Interval:
    """Between which the middle 95% of the values lie."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _name(kernel: Any) -> str:
    """A kernel by its name and its parameters, or a setting by its values."""
    if isinstance(kernel, Mapping):
        return ", ".join(f"{name}={value}" for name, value in kernel.items()) or "as given"
    if isinstance(kernel, partial):
        return f"{_name(kernel.func)}({', '.join(f'{name}={value}' for name, value in kernel.keywords.items())})"
    if isinstance(kernel, str):
        return kernel
    return getattr(kernel, "__name__", repr(kernel))


def _confirmed(
    solutions: list[CvgaSolution],
    task: Task,
    criterion: Choosing,
    kernels: Sequence[Any],
    plan: _Plan,
    seed: np.random.SeedSequence,
) -> list[CvgaSolution]:
    """Score the finalists on the same fresh splits, all of them."""
    named = {_name(kernel): kernel for kernel in kernels}
    finalists = {
        *ordered(solutions, "score")[: plan.n_finalists],
        *ordered(solutions, "visits")[: plan.n_finalists],
    }
    asked = [s for s in solutions if s in finalists]
    again = Parallel(n_jobs=plan.n_jobs)(
        delayed(_score_again)(
            task, criterion.choosing(named[s.kernel]), s.columns, plan.n_confirm, seed
        )
        for s in asked
    )
    better = {s: replace(s, **fields) for s, fields in zip(asked, again)}
    return [better.get(s, s) for s in solutions]


def _score_again(
    task: Task,
    criterion: Any,
    columns: tuple[int, ...],
    n_splits: int,
    seed: np.random.SeedSequence,
) -> dict[str, Any]:
    with threadpool_limits(1):
        terms = np.array(criterion.bind(task, seed).sampled(np.array(columns), n_splits))
    support = float(terms[:, 4].mean())
    n_support = None
    if not np.isnan(support):
        n_support = support
    return {
        "confirmed_score": float(np.median(terms[:, 0])),
        "confirmed_error": float(terms[:, 3].mean()),
        "confirmed_interval": middle(terms[:, 3]),
        "confirmed_scores": tuple(terms[:, 0].tolist()),
        "n_support": n_support,
    }
