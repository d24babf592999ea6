"""CVGA: features and kernel searched together by a genetic algorithm that sees every solution on a fresh split."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from subsel.candidates import Candidates
from subsel.criteria.base import Evaluator
from subsel.criteria.icomp import IcompEvaluator, IcompPerf, IcompTerms
from subsel.criteria.traits import Traits
from subsel.engine import Budget, run
from subsel.learners.kernels import KERNELS, Kernel
from subsel.search.genetic import Genetic
from subsel.space import Block, Space
from subsel.task import Task

__all__ = ["CvgaSolution", "CvgaStudy", "cvga", "kernel_number"]

Interval = tuple[float, float]


@dataclass(frozen=True)
class CvgaSolution:
    """A subset with a kernel, and what the study knows of it.

    Attributes
    ----------
    columns, kernel : tuple of int and str
        The solution.
    score, train_error, test_error : float
        Means, over the replications that met it, of the medians within each: ICOMP-PERF (smaller is better) and error
        rates. Guides, since the solution was chosen by these very splits.
    train_interval, test_interval : pair of float
        Between which 95% of those medians lie.
    frequency : int
        Replications it has won, by the least median score.
    n_replications, n_visits : int
        Replications that met it, evaluations in all.
    confirmed_score, confirmed_error, confirmed_interval : float, float and pair of float, optional
        Median score, mean test error and its 95% range over splits that no search has seen. None where it was not
        among the finalists.
    """

    columns: tuple[int, ...]
    kernel: str
    score: float
    train_error: float
    train_interval: Interval
    test_error: float
    test_interval: Interval
    frequency: int
    n_replications: int
    n_visits: int
    confirmed_score: float | None = None
    confirmed_error: float | None = None
    confirmed_interval: Interval | None = None


@dataclass(frozen=True)
class CvgaStudy:
    """The outcome of `cvga`.

    Attributes
    ----------
    solutions : tuple of CvgaSolution
        All that were met, by published order: the least mean of medians first.
    names : tuple of str
        Names of the columns.
    n_replications, n_evaluations, seconds : int, int and float
        How much was done.
    """

    solutions: tuple[CvgaSolution, ...]
    names: tuple[str, ...]
    n_replications: int
    n_evaluations: int
    seconds: float

    @property
    def best(self) -> CvgaSolution:
        """The finalist with the least score on splits that no search has seen; without finalists, the first."""
        confirmed = [s for s in self.solutions if s.confirmed_score is not None]
        return min(confirmed, key=lambda s: (s.confirmed_score, len(s.columns)), default=self.solutions[0])

    @property
    def kernel_frequency(self) -> dict[str, int]:
        """How many replications each kernel has won, most first."""
        won: Counter[str] = Counter()
        for solution in self.solutions:
            won[solution.kernel] += solution.frequency
        return {kernel: n for kernel, n in won.most_common() if n}

    def table(self, n: int = 10, by: str = "score") -> dict[str, list]:
        """The first solutions as columns of a table, by ``"score"``, ``"frequency"``, ``"visits"`` or ``"confirmed"``.

        ``pandas.DataFrame(study.table())`` shows it.
        """
        rows = _ordered(self.solutions, by)[:n]
        return {
            "subset": [[self.names[c] for c in s.columns] for s in rows],
            "kernel": [s.kernel for s in rows],
            "score": [s.score for s in rows],
            "train_error": [s.train_error for s in rows],
            "train_interval": [s.train_interval for s in rows],
            "test_error": [s.test_error for s in rows],
            "test_interval": [s.test_interval for s in rows],
            "frequency": [s.frequency for s in rows],
            "visits": [s.n_visits for s in rows],
            "confirmed_error": [s.confirmed_error for s in rows],
            "confirmed_interval": [s.confirmed_interval for s in rows],
        }


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
    start = perf_counter()
    if replications < 1 or generations < 1 or population < 2:
        raise ValueError("cvga needs a replication, a generation and a population of two or more.")
    task = Task.of(X, y, "classification")
    criterion = replace(criterion or IcompPerf(), splits=None, keep=True)
    *seeds, last = np.random.SeedSequence(random_state).spawn(replications + 1)
    search = Genetic(population=population)
    budget = Budget(evaluations=population + (generations - 1) * (population - search.elite))
    with Parallel(n_jobs=n_jobs, return_as="generator") as pool:
        replicated = pool(delayed(_replicate)(task, criterion, kernels, search, budget, seed) for seed in seeds)
        found = list(_progress(replicated, replications, start, verbose))
    solutions = _summary(found, kernels)
    if n_confirm:
        solutions = _confirmed(solutions, task, criterion, kernels, n_finalists, n_confirm, last, n_jobs)
    n_evaluations = sum(s.n_visits for s in solutions)
    return CvgaStudy(tuple(solutions), tuple(task.names), replications, n_evaluations, perf_counter() - start)


def kernel_number(code: int, n_kernels: int = 9) -> int:
    """The kernel (from 1) that a binary code names: codes beyond the last are repaired modulo their number.

    The paper's text and its Table 1 disagree on where codes begin; ours begin at 1, as in the table. A code of zeros is
    no code: in the chromosome one of its bits, at random, is turned on. So of nine kernels in four bits the first
    six have two codes, the small bias that the paper mentions.

    >>> [kernel_number(code) for code in (1, 9, 12, 15)]
    [1, 9, 3, 6]
    """
    return (code - 1) % n_kernels + 1


# One replication ----------------------------------------------------------------------------------------------------


class _Solution(NamedTuple):
    """A chromosome, whatever its code: columns and the number of the kernel from 0."""

    columns: tuple[int, ...]
    kernel: int


class _Seen(NamedTuple):
    """Medians of one solution within a replication."""

    score: float
    train_error: float
    test_error: float
    n_visits: int


def _replicate(
    task: Task,
    criterion: IcompPerf,
    kernels: Sequence[str | Kernel],
    search: Genetic,
    budget: Budget,
    seed: np.random.SeedSequence,
) -> dict[_Solution, _Seen]:
    """Run the genetic algorithm once: the medians of every distinct solution, in the order of kernels."""
    splits, genes = seed.spawn(2)
    judge = _ByCode([replace(criterion, kernel=kernel).bind(task, splits) for kernel in kernels])
    space = Space((Block(task.n_columns), Block(len(kernels).bit_length(), name="kernel code")))
    with threadpool_limits(1):
        run(search, judge, space, budget=budget, seed=genes)
    visits: defaultdict[_Solution, list[IcompTerms]] = defaultdict(list)
    for number, evaluator in enumerate(judge.evaluators):
        for columns, terms in evaluator.record:
            visits[_Solution(tuple(columns.tolist()), number)].append(terms)
    return {solution: _medians(terms) for solution, terms in visits.items()}


class _ByCode(Evaluator):
    """Sends each chromosome to the evaluator of the kernel that its code names."""

    def __init__(self, evaluators: Sequence[IcompEvaluator]) -> None:
        self.evaluators = evaluators
        joined = Traits.joined(evaluator.traits for evaluator in evaluators)
        self.traits = replace(joined, name=f"{joined.name}, by kernel")

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Ask one by one, each with the stream of its own request."""
        space, (restart, first) = candidates.space, candidates.stream
        qualities = np.empty(len(candidates))
        for i, chromosome in enumerate(candidates):
            one = Candidates.of(space, [chromosome])
            one.stream = restart, first + i
            code = sum(1 << int(bit) for bit in space.columns(chromosome, 1))
            qualities[i] = self.evaluators[kernel_number(code, len(self.evaluators)) - 1].evaluate(one)[0]
        return qualities


def _medians(visits: list[IcompTerms]) -> _Seen:
    score, _, train_error, test_error = np.median(np.array(visits), axis=0).tolist()
    return _Seen(score, train_error, test_error, len(visits))


def _progress(done: Iterable[Any], n: int, start: float, verbose: int) -> Iterable[Any]:
    """Pass results on as they come, reporting about ten times."""
    for number, one in enumerate(done, 1):
        if verbose and (number % max(1, n // 10) == 0 or number == n):
            print(f"cvga: {number} of {n} replications, {perf_counter() - start:.0f} s", file=sys.stderr)
        yield one


# All replications ---------------------------------------------------------------------------------------------------


def _summary(found: list[dict[_Solution, _Seen]], kernels: Sequence[str | Kernel]) -> list[CvgaSolution]:
    """Average the medians over replications, count the wins; the least score first."""
    medians: defaultdict[_Solution, list[_Seen]] = defaultdict(list)
    wins: Counter[_Solution] = Counter()
    for replication in found:
        wins[min(replication, key=lambda s: (replication[s].score, -replication[s].n_visits, s))] += 1
        for solution, seen in replication.items():
            medians[solution].append(seen)
    rows = [_solution(key, np.array(seen), kernels, wins[key]) for key, seen in medians.items()]
    return sorted(rows, key=lambda s: (s.score, len(s.columns), s.columns, s.kernel))


def _solution(key: _Solution, seen: np.ndarray, kernels: Sequence[str | Kernel], wins: int) -> CvgaSolution:
    score, train_error, test_error, _ = seen.mean(axis=0).tolist()
    return CvgaSolution(
        key.columns,
        _name(kernels[key.kernel]),
        score,
        train_error,
        _interval(seen[:, 1]),
        test_error,
        _interval(seen[:, 2]),
        wins,
        len(seen),
        int(seen[:, 3].sum()),
    )


def _interval(values: np.ndarray) -> Interval:
    """Between which the middle 95% of the values lie."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _name(kernel: str | Kernel) -> str:
    return kernel if isinstance(kernel, str) else getattr(kernel, "__name__", repr(kernel))


def _ordered(solutions: Sequence[CvgaSolution], by: str) -> list[CvgaSolution]:
    last = float("inf")
    keys = {
        "score": lambda s: s.score,
        "frequency": lambda s: (-s.frequency, s.score),
        "visits": lambda s: (-s.n_visits, s.score),
        "confirmed": lambda s: last if s.confirmed_score is None else s.confirmed_score,
    }
    if by not in keys:
        raise ValueError(f"by must be one of {', '.join(map(repr, keys))}, got {by!r}.")
    return sorted(solutions, key=keys[by])


def _confirmed(
    solutions: list[CvgaSolution],
    task: Task,
    criterion: IcompPerf,
    kernels: Sequence[str | Kernel],
    n_finalists: int,
    n_splits: int,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
) -> list[CvgaSolution]:
    """Judge the finalists on the same fresh splits, all of them."""
    named = {_name(kernel): kernel for kernel in kernels}
    finalists = {*_ordered(solutions, "score")[:n_finalists], *_ordered(solutions, "visits")[:n_finalists]}
    asked = [s for s in solutions if s in finalists]
    judge = delayed(_judge_again)
    again = Parallel(n_jobs=n_jobs)(
        judge(task, replace(criterion, kernel=named[s.kernel]), s.columns, n_splits, seed) for s in asked
    )
    better = {s: replace(s, **fields) for s, fields in zip(asked, again)}
    return [better.get(s, s) for s in solutions]


def _judge_again(
    task: Task, criterion: IcompPerf, columns: tuple[int, ...], n_splits: int, seed: np.random.SeedSequence
) -> dict[str, Any]:
    with threadpool_limits(1):
        terms = np.array(criterion.bind(task, seed).sampled(np.array(columns), n_splits))
    return {
        "confirmed_score": float(np.median(terms[:, 0])),
        "confirmed_error": float(terms[:, 3].mean()),
        "confirmed_interval": _interval(terms[:, 3]),
    }
