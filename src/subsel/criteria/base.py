"""What a criterion is: parameters that, bound to a task, become an evaluator of subsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from subsel.candidates import Candidates
from subsel.task import Task

__all__ = ["Criterion", "Evaluation", "Evaluator", "refuse_weights"]


@dataclass(frozen=True)
class Evaluation:
    """One subset looked at closely.

    ``predictions`` and ``losses`` hold one entry per row, NaN (or None as a whole) where no prediction was held out.
    """

    quality: float
    standard_error: float | None = None
    fold_scores: np.ndarray | None = None
    predictions: np.ndarray | None = None
    losses: np.ndarray | None = None


def refuse_weights(task: Task, what: str) -> None:
    """Say that row weights mean nothing to a judge, rather than ignore them."""
    if task.sample_weight is not None:
        raise ValueError(f"{what} does not take sample weights: fit without them.")


class Evaluator:
    """Answers how good subsets are, from everything that could be computed once from the data.

    Attributes
    ----------
    deterministic : the same subset always has the same quality, so the engine may remember it.
    monotone : adding a column never lowers the quality.
    has_standard_error : ``explain`` gives one.
    exact : qualities come from a closed form or from the data alone; a model is refitted only where ``n_refits`` counts it.
    heavy : an evaluation takes milliseconds, so that handing candidates to other processes pays.
    shares_state : forks write to memory they share, so that they must not run on threads at the same time.
    n_refits : how many subsets had to be fitted from scratch.
    judge : the name of the judge, for the result.
    final : the evaluator that re-scores the finalists, where this one looks at a sample of the rows.
    """

    deterministic: bool = True
    monotone: bool = False
    has_standard_error: bool = False
    exact: bool = True
    heavy: bool = False
    shares_state: bool = False
    n_refits: int = 0
    judge: str = ""
    final: Evaluator | None = None

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Give one quality per candidate, larger is better."""
        return np.array([self.quality(columns) for columns in candidates.columns()], dtype=float)

    def quality(self, columns: np.ndarray) -> float:
        """Give the quality of one set of columns (the plain way, for evaluators without a better one)."""
        raise TypeError(f"{type(self).__name__} must define evaluate or quality.")

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Look closely at one set of columns."""
        return Evaluation(self.quality(columns))

    def fork(self) -> Evaluator:
        """An evaluator for another restart: it shares the data, not the position of incremental state."""
        return self


@runtime_checkable
class Criterion(Protocol):
    """How good is a subset? Anything with ``bind``."""

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Look at the data once."""
