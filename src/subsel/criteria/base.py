"""Criteria and evaluators: parameters that, bound to a task, become an evaluator of subsets."""

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
    """The evaluation of one subset in detail.

    Parameters
    ----------
    quality : float
        Larger is better.
    standard_error : float or None
        The standard error of the quality, where the evaluator has one.
    fold_scores : ndarray of shape (folds,) or None
        The score of each fold.
    predictions, losses : ndarray of shape (n,) or None
        One entry per row, NaN where a row was not held out; None where no row was.
    row_scores : ndarray of shape (n,) or None
        The score of each held-out row, NaN elsewhere, where the quality is a mean over rows.

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
    row_scores: np.ndarray | None = None


def refuse_weights(task: Task, what: str) -> None:
    """Raise ValueError for row weights, which the criterion `what` would ignore."""
    if task.sample_weight is not None:
        raise ValueError(f"{what} does not take sample weights: fit without them.")


class Evaluator:
    """An evaluator of subsets, with everything that can be computed once from the data.

    Attributes
    ----------
    traits : Traits
        What holds for its qualities, see `subsel.criteria.traits.Traits`.
    n_refits : int
        How many subsets a model had to be fitted for.
    final : Evaluator or None
        The evaluator that scores the finalists again, where this one uses a sample of the rows.

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
                f"{cls.__name__} must set {', '.join(loose)} in its traits: traits = Traits(...)."
            )

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate, larger is better."""
        return np.array([self.quality(columns) for columns in candidates.columns()], dtype=float)

    def quality(self, columns: np.ndarray) -> float:  # noqa: ARG002
        """Return the quality of one set of columns; for evaluators without a faster `evaluate`."""
        raise TypeError(f"{type(self).__name__} must define evaluate or quality.")

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality of one set of columns, with details where there are any."""
        return Evaluation(self.quality(columns))

    def relevances(
        self,
        columns: np.ndarray,  # noqa: ARG002
        stream: tuple[int, int] = (0, 0),  # noqa: ARG002
    ) -> np.ndarray:
        """Return how much a model trained on these columns, and all rows, used each of them.

        Parameters
        ----------
        columns : ndarray of int
            The columns to train on, ascending.
        stream : tuple of int
            The restart and the number of its evaluation, which key a random learner together with
            the seed.

        Returns
        -------
        ndarray of shape (len(columns),)
            Relevances, not negative.
        """
        name = self.traits.name or type(self).__name__
        raise TypeError(f"{name} cannot say how much a trained model used each feature.")

    def at(self, options: tuple[int, ...]) -> Evaluator:  # noqa: ARG002
        """Return the evaluator of one setting of the choices that are searched with the features.

        It is the evaluator itself where there are no choices.
        """
        return self

    def fork(self) -> Evaluator:
        """Return an evaluator for another restart: it shares the data, but no position."""
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
    """An evaluator that passes requests on to another one, and changes what a subclass defines.

    Parameters
    ----------
    inner : Evaluator
        The other evaluator.

    Attributes
    ----------
    changed : dict
        The traits to which the wrapper gives other values.
    """

    changed: ClassVar[dict[str, Any]] = {}

    def __init__(self, inner: Evaluator) -> None:
        self.inner = inner

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        """The traits of the inner evaluator, with what the wrapper changes."""
        return replace(self.inner.traits, **self.changed)

    @property
    def n_refits(self) -> int:  # type: ignore[override]
        """How many subsets the inner evaluator has fitted a model for."""
        return self.inner.n_refits

    @property
    def final(self) -> Evaluator | None:  # type: ignore[override]
        """The evaluator of finalists of the inner evaluator, in the same wrapper."""
        final = self.inner.final
        if final is None:
            return None
        return self._around(final)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate."""
        return self.inner.evaluate(candidates)

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality of one set of columns, with details where there are any."""
        return self.inner.explain(columns)

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Return how much a trained model used each column."""
        return self.inner.relevances(columns, stream)

    def at(self, options: tuple[int, ...]) -> Evaluator:
        """Return the inner evaluator of one setting, in the same wrapper."""
        inner = self.inner.at(options)
        if inner is self.inner:
            return self
        return self._around(inner)

    def fork(self) -> Evaluator:
        """Return a fork of the inner evaluator, in the same wrapper."""
        return self._around(copy(self.inner.fork()))

    def _around(self, inner: Evaluator) -> Evaluator:
        twin = copy(self)
        twin.inner = inner
        return twin


@runtime_checkable
class Criterion(Protocol):
    """A criterion: anything with ``bind``.

    See Also
    --------
    subsel.criteria.LeastSquares : A criterion.
    subsel.criteria.criterion : A decorator that enters a criterion in the table, with an example.
    """

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Compute what subsets share, and return an evaluator; the seed is for random models."""
