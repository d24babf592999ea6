"""Checks of searches: legal requests, end, budget, repetition under a seed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from itertools import combinations

import numpy as np

from subsel.engine.requests import WrongRequest
from subsel.search.protocol import Search
from subsel.space.candidates import Subset
from subsel.space.space import Block, Space
from subsel.testing.play import Game, play
from subsel.testing.promise import Promises

__all__ = ["SPACES", "bumpy", "check_search"]

SPACES = {
    "plain": Space.of(5),
    "one": Space.of(1),
    "bounds": Space.of(6, low=2, high=3),
    "exactly": Space.of(6, low=3, high=3),
    "empty allowed": Space.of(4, low=0),
    "fixed": Space.of(6, fixed=[1], forbidden=[4], low=2, high=4),
    "only fixed": Space.of(5, fixed=[1, 3]),
    "groups": Space.of(7, groups=[(0, 1), (3, 4, 5)], low=2, high=5),
    "dead ends": Space.of(7, groups=[(0, 1, 2), (3, 4), (5, 6)], low=4, high=4),
    "costs": Space.of(5, costs=[1, 2, 1, 3, 1], max_cost=5),
    "tight costs": Space.of(4, costs=[3, 3, 3, 1], max_cost=3, low=1),
    "choice": Space((Block(5), Block(3, name="kernel", choice=True))),
    "choice, exactly": Space((Block(5, low=2, high=2), Block(2, name="kernel", choice=True))),
    "rows": Space((Block(3), Block(3, name="rows"))),
}
"""Spaces with every kind of constraint, each with few enough subsets to list."""


def bumpy(seed: int, n_columns: int = 7) -> Callable[[frozenset[int]], float]:
    """Return a quality with random main effects and interactions of all pairs of columns.

    Examples
    --------
    >>> quality = bumpy(0)
    >>> quality(frozenset({0, 1})) == quality(frozenset({0})) + quality(frozenset({1}))
    False
    """
    rng = np.random.default_rng(seed)
    weight, pair = rng.normal(size=n_columns), rng.normal(size=(n_columns, n_columns))
    return lambda s: float(
        sum(weight[c] for c in s) + sum(pair[a, b] for a, b in combinations(sorted(s), 2))
    )


LIMIT = 20_000  # evaluations within which a search must end by itself on a few columns
OBSERVED = 300  # evaluations that are observed where the end does not matter
BUDGETS = (1, 5, 17, OBSERVED)
ENDS = "it ends by itself where no horizon is given"


def check_search(search: Search, spaces: Mapping[str, Space] = SPACES) -> None:
    """Check that a search does what engine, journal and selectors rely on.

    In spaces of every kind (bounds, fixed and forbidden columns, groups, costs, choices, blocks) it
    must request visitable subsets only, among them an eligible one; end by itself; return an
    eligible subset or none; stop when the budget is spent; and repeat its requests under the same
    seed, also while another run of the same object goes on. It must end even if all qualities are
    equal, or minus infinity.

    Parameters
    ----------
    search : Search
        The search, with its parameters.
    spaces : mapping of str to Space
        The spaces in which it is checked, by default all of ``subsel.testing.search.SPACES``. Leave
        out those that the search refuses with an error of its own.

    Raises
    ------
    BrokenPromise
        If a promise does not hold; the message says which, what was observed, and how to reproduce
        it.

    Examples
    --------
    >>> class Empty:
    ...     def steps(self, space, rng, horizon=None):
    ...         quality = yield space.empty()
    >>> check_search(Empty())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    subsel.testing.promise.BrokenPromise: Empty: it asks for visitable subsets only.
      Seen: Subset([], size=0) as question 1 of 1
      To see it: play(search, SPACES['plain'], bumpy(0), seed=0)  # from ...
    """
    _check_protocol(search)
    for name, space in spaces.items():
        for seed in range(2):
            promises = _promises(search, name, f"bumpy({seed})", seed)
            game = _game(promises, search, space, seed, OBSERVED if seed else LIMIT)
            _check_asked(promises, game)
            promises.keep(seed or game.ended, ENDS, f"{len(game.subsets)} questions, and on")
            _check_again(promises, game, seed)
        _check_budgets(search, name, space)
        _check_end(search, name, space, -np.inf)
    _check_end(search, *next(iter(spaces.items())), 1.0)


def _promises(search: Search, name: str, quality: str, seed: int = 0, more: str = "") -> Promises:
    call = f"play(search, SPACES[{name!r}], {quality}, seed={seed}{more})"
    return Promises(type(search).__name__, f"{call}  # from subsel.testing.play and .spaces")


def _check_protocol(search: Search) -> None:
    promises = _promises(search, "plain", "bumpy(0)")
    promises.keep(
        isinstance(search, Search), "it has steps(space, rng, horizon=None)", repr(search)
    )
    steps = search.steps(SPACES["plain"], np.random.default_rng(0), 10)
    promises.keep(
        isinstance(steps, Generator),
        "steps is a generator: it yields what it asks for",
        repr(steps),
    )
    steps.close()


def _game(promises: Promises, search: Search, space: Space, seed: int, limit: int) -> Game:
    try:
        return play(search, space, bumpy(seed), seed, limit)
    except WrongRequest as error:
        promises.broken(
            "it yields subsets, candidates or a Relevance, and returns a subset or nothing", error
        )


def _check_asked(promises: Promises, game: Game) -> None:
    space, subsets = game.space, game.subsets
    promises.keep(
        not game.n_empty,
        "no question is empty",
        f"candidates without a subset after {len(subsets)} subsets",
    )
    if not all(map(space.visitable, set(subsets))):
        number, subset = next((i, s) for i, s in enumerate(subsets, 1) if not space.visitable(s))
        promises.broken(
            "it asks for visitable subsets only",
            f"{subset!r} as question {number} of {len(subsets)}",
        )
    eligible = any(map(space.eligible, set(subsets)))
    promises.keep(
        eligible, "it asks for an eligible subset", f"{len(subsets)} subsets, none of them eligible"
    )
    if game.answer is not None:
        promises.keep(
            space.eligible(game.answer), "its answer is eligible", f"it returned {game.answer!r}"
        )
        promises.keep(
            game.answer in subsets, "it has asked for its answer", f"it returned {game.answer!r}"
        )


def _check_again(promises: Promises, first: Game, seed: int) -> None:
    """Check that the same seed gives the same requests, also while another run goes on."""
    asked = first.subsets[:OBSERVED]
    again = play(first.search, first.space, first.quality, seed, OBSERVED)
    promise = "the same seed asks for the same subsets in the same order: all chance comes from rng"
    promises.keep(again.subsets == asked, promise, lambda: _parting(asked, again.subsets))
    pair = [Game(first.search, first.space, first.quality) for _ in range(2)]
    for game, own in zip(pair, (seed, seed + 1)):
        game.begin(own)
    while not pair[0].ended and len(pair[0].subsets) < OBSERVED:
        for game in pair:
            if not game.ended:
                game.turn(OBSERVED - len(game.subsets))
    promise = (
        "two restarts take turns on one object: "
        "what a run knows stands in local variables of steps, not in self"
    )
    promises.keep(pair[0].subsets == asked, promise, lambda: _parting(asked, pair[0].subsets))


def _parting(one: list[Subset], two: list[Subset]) -> str:
    """Return a phrase on the first request that differs between two runs."""
    pairs = enumerate(zip(one, two), 1)
    where = next(
        (f"question {i} is {a!r} in one run, {b!r} in the other" for i, (a, b) in pairs if a != b),
        None,
    )
    return where or f"{len(one)} questions in one run, {len(two)} in the other"


def _check_budgets(search: Search, name: str, space: Space) -> None:
    for budget in BUDGETS:
        promises = _promises(search, name, "bumpy(0)", more=f", limit={budget}, horizon={budget}")
        game = play(search, space, bumpy(0), limit=budget, horizon=budget)
        promises.keep(
            not game.asked_on,
            "it asks no more once BudgetSpent is thrown into it",
            "another question",
        )
        if game.answer is not None:
            promises.keep(
                space.eligible(game.answer),
                "its answer is eligible",
                f"it returned {game.answer!r}",
            )


def _check_end(search: Search, name: str, space: Space, quality: float) -> None:
    """Check that the search ends even if all qualities are equal."""
    promises = _promises(search, name, f"lambda columns: float('{quality}')")
    game = play(search, space, lambda columns: quality, limit=LIMIT)  # noqa: ARG005
    _check_asked(promises, game)
    seen = f"{len(game.subsets)} questions, and on"
    promises.keep(game.ended, f"{ENDS}, even if all qualities are equal", seen)
