"""What a strategy is: a generator that asks for subsets, is sent their qualities, and may return an answer."""

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
"""What it is sent: the quality of a subset, the qualities of candidates, the relevances of the units of a subset."""

Steps: TypeAlias = Generator[Question, Any, Any]
"""A strategy at work, or a part of one (``yield from``), which may return anything.

What it is sent is an :data:`Answer` of the kind of its question; a whole strategy returns a subset or nothing."""


class BudgetSpent(Exception):
    """Thrown into a strategy when the budget has ended: it may catch it to return its own answer so far."""


@runtime_checkable
class Search(Protocol):
    """Where to look next: anything with ``steps``.

    ``steps`` is a generator. ``quality = yield subset`` asks for one subset, ``qualities = yield
    candidates`` for a batch, larger is better; ``relevances = yield Relevance(subset)`` asks how
    much a trained model used each unit. It may ask for any visitable subset of the space; it may
    return its answer, an eligible subset, and where it returns nothing the best eligible subset it
    has asked for is the answer. A strategy whose own answer is another one catches
    :class:`BudgetSpent` to give it when the budget ends. ``horizon`` is the number of evaluations
    it may expect, or None.

    A strategy that asks for relevances says so by an attribute ``asks_relevance = True``, one that
    is exact for monotone criteria only by ``needs_monotone = True``.
    """

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Ask for subsets."""
