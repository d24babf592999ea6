"""The protocol of a search strategy: a generator of subsets that is sent their qualities."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from subsel.search.relevance_request import Relevance, Relevances
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["Answer", "BudgetSpent", "Question", "Search", "Steps"]

Question: TypeAlias = Subset | Candidates | Sequence[Subset] | Relevance
"""What a strategy may yield."""

Answer: TypeAlias = float | np.ndarray | Relevances
"""The answer: the quality of a subset, the qualities of candidates, or relevances of units."""

Steps: TypeAlias = Generator[Question, Any, Any]
"""A running strategy, or a part of one (``yield from``), which may return anything.

It is sent an :data:`Answer` of the kind of its question; a complete strategy returns a subset or
nothing.
"""


class BudgetSpent(Exception):
    """Thrown into a strategy when the budget has ended.

    The strategy may catch it to return its own answer.
    """


@runtime_checkable
class Search(Protocol):
    """A search strategy: any object with a generator method ``steps``.

    ``quality = yield subset`` requests the quality of one subset, ``qualities = yield candidates``
    those of a batch; larger is better. ``relevances = yield Relevance(subset)`` requests how much a
    trained model uses each unit. A strategy may request any visitable subset of the space. It may
    return its answer, an eligible subset; if it returns nothing, the answer is the best eligible
    subset that it has requested. A strategy with another answer catches :class:`BudgetSpent` to
    return it when the budget ends. ``horizon`` is the number of evaluations it may expect, or None.

    A strategy that requests relevances has an attribute ``asks_relevance = True``, one that is
    exact for monotone criteria only has ``needs_monotone = True``.
    """

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Yield requests, and receive their answers."""
