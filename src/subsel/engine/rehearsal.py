"""How many evaluations a search will ask for: it is rehearsed for a moment with made-up qualities."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from time import perf_counter
from typing import Any

import numpy as np

from subsel.candidates import Subset
from subsel.relevance_question import Relevance, Relevances
from subsel.search.protocol import Search
from subsel.space import Space

__all__ = ["expected_evaluations"]

SECONDS = 0.2  # that a rehearsal may take
ROUNDS = 50  # evaluations for each unit that a search is taken to ask for whose end is not in sight by then


def expected_evaluations(search: Search, space: Space, most: float) -> float:
    """How many evaluations a search asks for to its own end, about.

    A copy of it is told random qualities. A search that cannot be copied, or cannot go on with these, is guessed at.

    Parameters
    ----------
    search : Search
        The search.
    space : Space
        What it searches.
    most : float
        So many or more are all the same to who asks: the rehearsal ends there.

    Examples
    --------
    >>> from subsel.search import find_search
    >>> expected_evaluations(find_search("sfs"), Space.of(6, low=2, high=2), most=np.inf)
    11
    """
    n, ended = 0, False
    with suppress(Exception):  # whatever the matter is, the search itself will say
        n, ended = _rehearse(deepcopy(search), space, most)
    return n if ended else max(n, ROUNDS * space.n_units)


def _rehearse(search: Search, space: Space, most: float) -> tuple[int, bool]:
    """The evaluations asked for, and whether the search has ended with them."""
    rng, until = np.random.default_rng(0), perf_counter() + SECONDS
    steps, answer, n = search.steps(space, np.random.default_rng(0), None), None, 0
    while n < most and perf_counter() < until:
        try:
            question = steps.send(answer)
        except StopIteration:
            return n, True
        answer = _made_up(question, space, rng)
        n += 1 if isinstance(question, (Subset, Relevance)) else len(question)
    steps.close()
    return n, False


def _made_up(question: Any, space: Space, rng: np.random.Generator) -> Any:
    """An answer of the kind that a question asks for."""
    if isinstance(question, Relevance):
        units = space.units(question.subset)
        return Relevances(units, rng.random(len(units)), rng.random(space.n_fixed))
    return rng.random() if isinstance(question, Subset) else rng.random(len(question))
