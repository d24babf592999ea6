"""Recursive feature elimination: train, drop what the model used least, train again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import can_shrink
from subsel.search.protocol import Steps
from subsel.search.registry import search
from subsel.search.relevance_request import Relevance, Relevances
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["RecursiveElimination"]

Drop = int | float | Literal["half", "powers"]


@search("rfe")
@search("rfe-half", drop="half")
@dataclass(frozen=True)
class RecursiveElimination(Parameters):
    """Recursive feature elimination (RFE): train a model, drop the least used features, repeat.

    It goes down to the lower bound of the size, ``n_features=(low, high)``. A group is dropped
    whole, fixed features stay. The criterion must say how much its model used each feature: an
    estimator with ``coef_`` or ``feature_importances_`` that is refitted, or ridge, least squares
    and linear discriminants without refitting.

    Parameters
    ----------
    drop : int, float, "half" or "powers"
        How many units are dropped at a time: a number; a share of those that remain, at least one;
        half of them; or, with ``"powers"``, down to the next power of two at first and by half from
        then on. Never more than the lower bound allows.
    evaluate_sizes : bool
        Ask for the quality of every eligible subset on the way, so that ``choose="best"`` or
        ``"one-se"`` picks the size, and the answer is the best of them; otherwise the quality of
        the last one only, which is the answer.

    References
    ----------
    .. [1] Guyon, Weston, Barnhill and Vapnik, *Gene selection for cancer classification using
       support vector machines*, Machine Learning 46, 2002.
    .. [2] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 5.

    Examples
    --------
    >>> space = Space.of(3)
    >>> steps = RecursiveElimination().steps(space, np.random.default_rng(0))
    >>> relevances = Relevances(np.arange(3), np.array([0.2, 0.1, 0.9]), np.empty(0))
    >>> asked = next(steps), steps.send(relevances)
    >>> [space.columns(question.subset).tolist() for question in asked]
    [[0, 1, 2], [0, 2]]
    """

    asks_relevance: ClassVar[bool] = True

    drop: Drop = 1
    evaluate_sizes: bool = False

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Train, drop the weakest, until the lower bound is reached."""
        self._check()
        current, best, best_quality = space.full(), None, -np.inf
        while True:
            smaller = None
            if self.evaluate_sizes and space.eligible(current):
                quality = yield current
                if quality >= best_quality:
                    best, best_quality = current, quality
            if current.size > space.low:
                relevances = yield Relevance(current)
                smaller = self._smaller(space, current, relevances)
            if smaller is None:
                break
            current = smaller
        if best is None:
            yield current
        return current if best is None else best

    def _smaller(self, space: Space, current: Subset, relevances: Relevances) -> Subset | None:
        """Without the weakest units, as many as may go; None where none may."""
        whole, n = current, self._how_many(len(relevances.units))
        if space.single:  # then any may go, as long as there are enough
            n = min(n, current.size - max(space.low, space.n_fixed or 1))
            if n == 1:  # the usual case, at a fraction of the price
                return space.flip(current, relevances.units.item(relevances.values.argmin()))
            if n <= 0:
                return None
            return space.flip_all(current, relevances.least(n))
        for unit in relevances.weakest(len(relevances.units)):
            if not n:
                break
            less = space.flip(current, int(unit))
            if can_shrink(space, less) and space.visitable(less):
                current, n = less, n - 1
        return None if current is whole else current

    def _how_many(self, n_units: int) -> int:
        """How many units are dropped of so many."""
        if self.drop == "powers":
            return max(1, n_units - (1 << max(n_units - 1, 1).bit_length() - 1))
        if isinstance(self.drop, float):
            return max(1, int(self.drop * n_units))
        if self.drop == "half":
            return max(1, n_units // 2)
        return int(self.drop)

    def _check(self) -> None:
        named = self.drop in ("half", "powers")
        if not named and (
            isinstance(self.drop, str) or (isinstance(self.drop, float) and not 0 < self.drop < 1)
        ):
            raise ValueError(
                "drop must be a number, a share between 0 and 1, 'half' or 'powers', "
                f"got {self.drop!r}."
            )
        too_small = not named and self.drop < 1  # type: ignore[operator]
        if too_small and not isinstance(self.drop, float):
            raise ValueError(f"drop must be at least 1, got {self.drop}.")
