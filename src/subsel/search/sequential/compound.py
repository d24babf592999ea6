"""Backward selection with compound steps: one ranking of the removals serves several of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, can_shrink, shrinking
from subsel.search.registry import Steps, search
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["CompoundBackward"]


@search("compound")
@dataclass(frozen=True)
class CompoundBackward(Parameters):
    """SBS-C: backward selection that drops many features after one round of evaluations.

    A round asks for every single removal, best first. The best is always made; the second, the
    third, ... are made on top of it for as long as the quality does not fall, then the removals are
    evaluated anew. Where most of n features are irrelevant a few rounds of about 2n requests do
    what backward selection needs n rounds for. It ends at the least eligible size.

    References
    ----------
    .. [1] Kohavi and John, *Wrappers for feature subset selection*, Artificial Intelligence 97,
       1997, compound operators.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    Nothing is lost without 0, nor without 2: both are dropped before the removals are evaluated
    again.

    >>> space = Space.of(4)
    >>> steps = CompoundBackward().steps(space, np.random.default_rng(0))
    >>> full, removals = next(steps), steps.send([0.9])
    >>> space.columns(steps.send([0.9, 0.2, 0.8, 0.1]))
    array([1, 3])
    """

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Drop the best, then as many of the next best as do no harm."""
        current = space.full()
        yield from ask_start(space, current)
        while removals := shrinking(space, current):
            qualities = np.asarray((yield removals))
            order = np.argsort(-qualities, kind="stable")
            current, quality = removals[int(order[0])], qualities[order[0]]
            for unit in _units(removals.take(order[1:])):
                compound = space.flip(current, unit)
                if unit in current and space.visitable(compound) and can_shrink(space, compound):
                    compound_quality = yield compound
                    if compound_quality < quality:
                        break
                    current, quality = compound, compound_quality


def _units(removals: Candidates) -> list[int]:
    """The unit that each removal drops; the options of choices that it switches stand behind it."""
    units: list[int] = removals.flips[:, 0].tolist()
    return units
