"""CVGA: features and kernel searched together by a genetic algorithm that sees every solution on a fresh split."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from subsel.criteria.base import Evaluator
from subsel.criteria.refits.fresh_split_score import FreshSplitScore
from subsel.criteria.refits.icomp import IcompPerf, IcompTerms
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.embedded.targets import kind_of
from subsel.engine.budget import Budget
from subsel.engine.driver import run
from subsel.models.kernels import KERNELS, Kernel
from subsel.search.populations.genetic import Genetic
from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

__all__ = [
    "Choosing",
    "Chromosome",
    "CvgaSolution",
    "CvgaStudy",
    "Interval",
    "Seen",
    "cvga",
    "cvga_of",
    "kernel_number",
    "medians_of",
    "ordered",
    "replicate",
]


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
    criterion = FreshSplitScore(estimator, scoring, train_share=train_share, keep=True)
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


class Choosing(Protocol):
    """A criterion with something to choose beside the columns, whose evaluator keeps a record."""

    def choosing(self, option: Any) -> Any:
        """The same with this option."""


class Chromosome(NamedTuple):
    """A chromosome, whatever its code: columns and the number of the kernel from 0."""

    columns: tuple[int, ...]
    kernel: int


class Seen(NamedTuple):
    """Medians of one solution within a replication."""

    score: float
    train_error: float
    test_error: float
    n_visits: int


def replicate(
    task: Task,
    criterion: Choosing,
    kernels: Sequence[Any],
    search: Genetic,
    budget: Budget,
    seed: np.random.SeedSequence,
) -> dict[Chromosome, Seen]:
    """Run the genetic algorithm once: the medians of every distinct solution, in the order of kernels."""
    splits, genes = seed.spawn(2)
    by_code = _ByCode([criterion.choosing(kernel).bind(task, splits) for kernel in kernels])
    space = Space((Block(task.n_columns), Block(len(kernels).bit_length(), name="kernel code")))
    with threadpool_limits(1):
        run(search, by_code, space, budget=budget, seed=genes)
    visits: defaultdict[Chromosome, list[IcompTerms]] = defaultdict(list)
    for number, evaluator in enumerate(by_code.evaluators):
        for columns, terms in evaluator.record:
            visits[Chromosome(tuple(columns.tolist()), number)].append(terms)
    return {solution: medians_of(terms) for solution, terms in visits.items()}


class _ByCode(Evaluator):
    """Sends each chromosome to the evaluator of the kernel that its code names."""

    def __init__(self, evaluators: Sequence[Any]) -> None:
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
            qualities[i] = self.evaluators[kernel_number(code, len(self.evaluators)) - 1].evaluate(
                one
            )[0]
        return qualities


def medians_of(visits: list[IcompTerms]) -> Seen:
    score, _, train_error, test_error = np.median(np.array(visits)[:, :4], axis=0).tolist()
    return Seen(score, train_error, test_error, len(visits))


def kernel_number(code: int, n_kernels: int = 9) -> int:
    """The kernel (from 1) that a binary code names: codes beyond the last are repaired modulo their number.

    The paper's text and its Table 1 disagree on where codes begin; ours begin at 1, as in the table. A code of zeros is
    no code: in the chromosome one of its bits, at random, is turned on. So of nine kernels in four bits the first
    six have two codes, the small bias that the paper mentions.

    >>> [kernel_number(code) for code in (1, 9, 12, 15)]
    [1, 9, 3, 6]
    """
    return (code - 1) % n_kernels + 1


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
    confirmed_scores : tuple of float
        The score on each of those splits, which all finalists share.
    n_support : float, optional
        Mean number of training rows that its model stands on, over those splits; None where the model does not say.
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
    confirmed_scores: tuple[float, ...] = ()
    n_support: float | None = None


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
        return min(
            confirmed, key=lambda s: (s.confirmed_score, len(s.columns)), default=self.solutions[0]
        )

    @property
    def indistinguishable(self) -> tuple[CvgaSolution, ...]:
        """The finalists that are not worse than the best beyond the variation over splits: on one split in forty, or
        more, they are as good or better."""
        best = self.best
        if not best.confirmed_scores:
            return (best,)

        def is_as_good(solution: CvgaSolution) -> bool:
            gaps = np.subtract(solution.confirmed_scores, best.confirmed_scores)
            return bool(np.percentile(gaps, 2.5) <= 0)

        return tuple(s for s in self.solutions if s.confirmed_scores and is_as_good(s))

    @property
    def parsimonious(self) -> CvgaSolution:
        """Of the indistinguishable solutions the one of fewest columns, and of those the one of least score [1]_.

        References
        ----------
        .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic optimizer*,
           European Journal of Pure and Applied Mathematics 9, 2016, section 4.2.
        """
        return min(
            self.indistinguishable, key=lambda s: (len(s.columns), s.confirmed_score or s.score)
        )

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
        rows = ordered(self.solutions, by)[:n]
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
            "support": [s.n_support for s in rows],
        }


def ordered(solutions: Sequence[CvgaSolution], by: str) -> list[CvgaSolution]:
    def confirmed(solution: CvgaSolution) -> float:
        """The score on fresh splits; those that were not scored again come last."""
        if solution.confirmed_score is None:
            return float("inf")
        return solution.confirmed_score

    keys = {
        "score": lambda s: s.score,
        "frequency": lambda s: (-s.frequency, s.score),
        "visits": lambda s: (-s.n_visits, s.score),
        "confirmed": confirmed,
    }
    if by not in keys:
        raise ValueError(f"by must be one of {', '.join(map(repr, keys))}, got {by!r}.")
    return sorted(solutions, key=keys[by])
