"""What a criterion is: parameters that, bound to a task, become an evaluator of subsets."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.space.candidates import Candidates

__all__ = ["Criterion", "Evaluation", "Evaluator", "Wrapper", "refuse_weights"]


@dataclass(frozen=True)
class Evaluation:
    """One subset looked at closely.

    Parameters
    ----------
    quality : float
        Larger is better.
    standard_error : float or None
        Of the quality, where the evaluator has one.
    fold_scores : array or None
        The score of each fold.
    predictions, losses : array or None
        One entry per row, NaN (or None as a whole) where no prediction was held out.

    Examples
    --------
    >>> Evaluation(0.9, standard_error=0.02).quality
    0.9
    """

    quality: float
    standard_error: float | None = None
    fold_scores: np.ndarray | None = None
    predictions: np.ndarray | None = None
    losses: np.ndarray | None = None


def refuse_weights(task: Task, what: str) -> None:
    """Say that row weights mean nothing to a criterion, rather than ignore them."""
    if task.sample_weight is not None:
        raise ValueError(f"{what} does not take sample weights: fit without them.")


class Evaluator:
    """Answers how good subsets are, from everything that could be computed once from the data.

    Attributes
    ----------
    traits : Traits
        What holds for its answers, see `subsel.criteria.traits.Traits`.
    n_refits : int
        How many subsets had to be fitted from scratch.
    final : Evaluator or None
        The evaluator that re-scores the finalists, where this one looks at a sample of the rows.

    Examples
    --------
    >>> class Smallest(Evaluator):
    ...     traits = Traits("minus the size", monotone=False)
    ...     def quality(self, columns):
    ...         return -len(columns)
    >>> Smallest().explain(np.array([2, 5])).quality
    -2
    """

    traits: Traits = Traits()
    n_refits: int = 0
    final: Evaluator | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if loose := sorted(_LOOSE.intersection(vars(cls))):
            raise TypeError(
                f"{cls.__name__} must say {', '.join(loose)} in its traits: traits = Traits(...)."
            )

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Give one quality per candidate, larger is better."""
        return np.array([self.quality(columns) for columns in candidates.columns()], dtype=float)

    def quality(self, columns: np.ndarray) -> float:  # noqa: ARG002
        """Give the quality of one set of columns (the plain way, for evaluators without a better one)."""
        raise TypeError(f"{type(self).__name__} must define evaluate or quality.")

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Look closely at one set of columns."""
        return Evaluation(self.quality(columns))

    def relevances(
        self,
        columns: np.ndarray,  # noqa: ARG002
        stream: tuple[int, int] = (0, 0),  # noqa: ARG002
    ) -> np.ndarray:
        """Say how much a model trained on these columns, and all rows, used each of them.

        Parameters
        ----------
        columns : ndarray of int
            What to train on, in order.
        stream : tuple of int
            The restart and the number of its evaluation: with the seed, what a random learner is keyed by.
        """
        name = self.traits.name or type(self).__name__
        raise TypeError(f"{name} cannot say how much a trained model used each feature.")

    def at(self, options: tuple[int, ...]) -> Evaluator:  # noqa: ARG002
        """The evaluator of one setting of the choices that are searched with the features; itself where there are none."""
        return self

    def fork(self) -> Evaluator:
        """An evaluator for another restart: it shares the data, not the position of incremental state."""
        return self


_LOOSE = {
    "deterministic",
    "exact",
    "has_standard_error",
    "heavy",
    "monotone",
    "shares_state",
}


class Wrapper(Evaluator):
    """Passes every question on to another evaluator: what a wrapper changes, it says itself.

    Parameters
    ----------
    inner : Evaluator
        Who answers.

    Attributes
    ----------
    changed : dict
        The traits that the wrapper gives another value; all others are the inner evaluator's.
    """

    changed: ClassVar[dict[str, Any]] = {}

    def __init__(self, inner: Evaluator) -> None:
        self.inner = inner

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        """The inner evaluator's, with what the wrapper changes."""
        return replace(self.inner.traits, **self.changed)

    @property
    def n_refits(self) -> int:  # type: ignore[override]
        """How many subsets the inner evaluator has fitted from scratch."""
        return self.inner.n_refits

    @property
    def final(self) -> Evaluator | None:  # type: ignore[override]
        """The inner evaluator's, wrapped alike."""
        final = self.inner.final
        if final is None:
            return None
        return self._around(final)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Give one quality per candidate."""
        return self.inner.evaluate(candidates)

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Look closely at one set of columns."""
        return self.inner.explain(columns)

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Say how much a trained model used each column."""
        return self.inner.relevances(columns, stream)

    def at(self, options: tuple[int, ...]) -> Evaluator:
        """The inner evaluator of one setting, wrapped alike."""
        inner = self.inner.at(options)
        if inner is self.inner:
            return self
        return self._around(inner)

    def fork(self) -> Evaluator:
        """A fork of the inner evaluator, wrapped alike."""
        return self._around(copy(self.inner.fork()))

    def _around(self, inner: Evaluator) -> Evaluator:
        twin = copy(self)
        twin.inner = inner
        return twin


@runtime_checkable
class Criterion(Protocol):
    """How good is a subset? Anything with ``bind``."""

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Look at the data once."""
