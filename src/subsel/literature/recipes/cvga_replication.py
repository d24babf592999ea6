"""One run of CVGA's genetic algorithm: chromosomes of features and a kernel code, each seen on fresh splits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from subsel.criteria.base import Evaluator
from subsel.criteria.refits.icomp import IcompTerms
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.engine.budget import Budget
from subsel.engine.driver import run
from subsel.search.populations.genetic import Genetic
from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

__all__ = ["Choosing", "Chromosome", "Seen", "kernel_number", "medians_of", "replicate"]


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
