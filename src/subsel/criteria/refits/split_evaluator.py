"""The base of evaluators on fresh or fixed splits.

A quality is the median over splits; finalists are evaluated on splits drawn once.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.refits.fresh_splits import FreshSplit, FreshSplits
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.space.candidates import Candidates

__all__ = ["SplitEvaluator"]

N_FINAL = 25  # splits over which the finalists of a search with fresh splits are evaluated again


class SplitEvaluator(Evaluator):
    """Evaluates each subset on a fresh split, or all subsets on fixed ones.

    Where ``criterion.keep`` is true, ``record`` lists all evaluations.

    Parameters
    ----------
    criterion : Criterion
        With ``train_share``, ``splits`` (None: fresh ones) and ``keep``.
    task : Task
        The table.
    seed : int, SeedSequence or None
        Seed of the splits.
    traits : Traits
        The properties of its qualities.
    """

    def __init__(self, criterion: Any, task: Task, seed: Any, traits: Traits) -> None:
        self.criterion, self.task, self.seed, self.traits = criterion, task, seed, traits
        self.draws = FreshSplits(task, criterion.train_share, seed)
        self.fixed = [self.draws.draw(number) for number in range(criterion.splits or 0)]
        self.record: list[tuple[np.ndarray, Any]] = []

    @abstractmethod
    def terms(self, columns: np.ndarray, split: FreshSplit) -> Any:
        """Evaluate a subset on a split; the result has a ``score``, smaller is better."""

    @cached_property
    def final(self) -> Any:  # type: ignore[override]
        """The evaluator of finalists, on splits drawn once; None where splits are fixed."""
        if self.traits.deterministic:
            return None
        return replace(self.criterion, splits=N_FINAL, keep=False).bind(self.task, self.seed)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Evaluate each candidate on the split of its request, or on all fixed ones."""
        restart, first = candidates.stream
        qualities = np.empty(len(candidates))
        for i, columns in enumerate(candidates.columns()):
            splits = self.fixed or [self.draws.draw(restart, first + i)]
            found = [self.terms(columns, split) for split in splits]
            qualities[i] = -np.median([terms.score for terms in found])
            if self.criterion.keep:
                self.record += [(columns, terms) for terms in found]
        return qualities

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Evaluate one subset as a finalist, with its score on each split."""
        final = self if self.final is None else self.final
        scores = np.array([-final.terms(columns, split).score for split in final.fixed])
        return Evaluation(float(np.median(scores)), fold_scores=scores)

    def sampled(self, columns: np.ndarray, n_splits: int, stream: int = 2**31) -> list[Any]:
        """Evaluate a subset on splits that no search has used.

        Different ``stream`` numbers give different sets of splits.
        """
        return [self.terms(columns, self.draws.draw(stream, number)) for number in range(n_splits)]
