"""The simplest driver of a search, which records everything the search requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from subsel.engine.cache import EmptyCache
from subsel.engine.requests import (
    BatchRequest,
    RelevanceRequest,
    Request,
    read_request,
    read_return,
)
from subsel.search.protocol import BudgetSpent, Search
from subsel.search.relevance_request import Relevances
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["Game", "play"]

Quality = Callable[[frozenset[int]], float]


@dataclass
class Game:
    """A run of a search, with a record of its requests.

    Parameters
    ----------
    search : Search
        The search.
    space : Space
        The space it searches.
    quality : callable
        ``quality(columns)`` returns the quality of a frozenset of columns.

    Attributes
    ----------
    subsets : list of Subset
        All requested subsets, in order.
    n_empty : int
        The number of requests without a subset.
    answer : Subset or None
        The subset that the search returned.
    ended : bool
        Whether the search ended by itself.
    asked_on : bool
        Whether it made a request after it was stopped, since the budget was spent.
    """

    search: Search
    space: Space
    quality: Quality
    subsets: list[Subset] = field(default_factory=list)
    n_empty: int = 0
    answer: Subset | None = None
    ended: bool = False
    asked_on: bool = False
    _known: dict[int, float] = field(default_factory=dict)

    def begin(self, seed: int, horizon: int | None = None) -> None:
        """Create the generator of the search."""
        self.steps, self._sent = (
            self.search.steps(self.space, np.random.default_rng(seed), horizon),
            None,
        )

    def turn(self, left: float = np.inf) -> None:
        """Receive one request and prepare its answer; a batch is cut to `left` subsets."""
        name = type(self.search).__name__
        try:
            question = self.steps.send(self._sent)
        except StopIteration as stop:
            self.answer, self.ended = read_return(stop.value, name), True
            return
        request = read_request(
            question, self.space, EmptyCache(), (0, len(self.subsets)), left=left, search=name
        )
        asked = _asked_subsets(request)
        self.subsets += asked
        self.n_empty += not asked
        self._sent = self._answer(request, asked)

    def _answer(self, request: Request, asked: list[Subset]) -> Any:
        """Return the answer to a request: qualities, or made-up relevances."""
        if isinstance(request, RelevanceRequest):
            units = self.space.units(request.subset)
            return Relevances(
                units, np.abs(np.sin(1.0 + units)), np.ones(len(self.space.blocks[0].fixed))
            )
        qualities = [self._quality_of(subset) for subset in asked]
        if isinstance(request, BatchRequest):
            return np.array(qualities, dtype=float)
        return qualities[0]

    def _quality_of(self, subset: Subset) -> float:
        if subset.bits not in self._known:
            self._known[subset.bits] = float(
                self.quality(frozenset(self.space.columns(subset).tolist()))
            )
        return self._known[subset.bits]

    def stop(self) -> None:
        """Stop the search, since the budget is spent; it may still return an answer."""
        try:
            self.steps.throw(BudgetSpent())
            self.asked_on = True
        except StopIteration as stop:
            self.answer = read_return(stop.value, type(self.search).__name__)
        except BudgetSpent:
            pass
        self.steps.close()


def play(
    search: Search,
    space: Space,
    quality: Quality,
    seed: int = 0,
    limit: int = 10_000,
    horizon: int | None = None,
) -> Game:
    """Run a search until it ends or has received `limit` qualities.

    Parameters
    ----------
    search : Search
        The search.
    space : Space
        The space it searches.
    quality : callable
        ``quality(columns)`` returns the quality of a frozenset of columns. Relevances are made up.
    seed : int
        The seed of the search.
    limit : int
        The number of evaluations after which the search is stopped.
    horizon : int or None
        The number of evaluations that the search expects.

    Returns
    -------
    Game
        The record of the run.

    Examples
    --------
    >>> from subsel.search import find_search
    >>> game = play(find_search("sfs"), Space.of(3), lambda columns: -abs(len(columns) - 2))
    >>> [game.space.columns(subset).tolist() for subset in game.subsets], game.ended
    ([[0], [1], [2], [0, 1], [0, 2], [0, 1, 2]], True)
    """
    game = Game(search, space, quality)
    game.begin(seed, horizon)
    while not game.ended and not game.n_empty and len(game.subsets) < limit:
        game.turn(limit - len(game.subsets))
    if not game.ended:
        game.stop()
    return game


def _asked_subsets(request: Request) -> list[Subset]:
    """Return the subsets of a request."""
    if isinstance(request, BatchRequest):
        return list(request.batch)
    return [request.subset]
