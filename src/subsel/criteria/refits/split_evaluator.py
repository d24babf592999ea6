"""What evaluators on fresh or fixed splits share: the median over splits, and splits drawn once for the finalists."""

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
    """Evaluates subsets on a fresh split each, or on fixed ones; ``record`` holds what was kept.

    Parameters
    ----------
    criterion : Criterion
        With ``train_share``, ``splits`` (None: fresh ones) and ``keep``.
    task : Task
        The table.
    seed : int, SeedSequence or None
        Of the splits.
    traits : Traits
        What holds for its answers.
    """

    def __init__(self, criterion: Any, task: Task, seed: Any, traits: Traits) -> None:
        self.criterion, self.task, self.seed, self.traits = criterion, task, seed, traits
        self.draws = FreshSplits(task, criterion.train_share, seed)
        self.fixed = [self.draws.draw(number) for number in range(criterion.splits or 0)]
        self.record: list[tuple[np.ndarray, Any]] = []

    @abstractmethod
    def terms(self, columns: np.ndarray, split: FreshSplit) -> Any:
        """Evaluate a subset on a split; the answer has a ``score``, less is better."""

    @cached_property
    def final(self) -> Any:  # type: ignore[override]
        """With fresh splits: the evaluator of the finalists, on splits drawn once."""
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
        """The median over the splits that the finalists are evaluated on."""
        final = self if self.final is None else self.final
        scores = np.array([-final.terms(columns, split).score for split in final.fixed])
        return Evaluation(float(np.median(scores)), fold_scores=scores)

    def sampled(self, columns: np.ndarray, n_splits: int, stream: int = 2**31) -> list[Any]:
        """Evaluate a subset on splits of its own, which no search has seen (``stream`` tells sets of splits apart)."""
        return [self.terms(columns, self.draws.draw(stream, number)) for number in range(n_splits)]
