"""How many evaluations a search will ask for is told before it starts, without touching it."""

import numpy as np
import pytest

from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.engine.rehearsal import ROUNDS, expected_evaluations
from subsel.search import RandomWalk, find_search
from subsel.space import Block, Space

SPACES = [
    Space.of(9, low=2, high=4),
    Space.of(9, fixed=[3], groups=[(0, 1)]),
    Space((Block(4), Block(2, "k", choice=True))),
]


class Sums(Evaluator):
    """A quality that a search can follow."""

    traits = Traits("sums", relevance=True)

    def quality(self, columns):
        return float(np.cos(columns).sum())

    def relevances(self, columns, stream=(0, 0)):
        return np.cos(columns) ** 2


@pytest.mark.parametrize("key", ["sfs", "sbs", "exhaustive", "rfe"])
@pytest.mark.parametrize("space", SPACES, ids=["plain", "groups", "choice"])
def test_searches_that_ask_the_same_whatever_they_hear(key, space):
    """What they ask for is known to the last evaluation."""
    asked = run(find_search(key), Sums(), space).n_evaluations
    assert expected_evaluations(find_search(key), space, np.inf) == asked


def test_so_many_or_more_are_all_the_same():
    """A rehearsal ends at the number that is of interest; a search that never ends is guessed at by then."""
    assert expected_evaluations(find_search("sfs"), Space.of(1000), most=100) == ROUNDS * 1000
    endless = RandomWalk(patience=10**9)
    assert expected_evaluations(endless, Space.of(4), most=np.inf) > ROUNDS * 4


class Counting:
    """Counts how often it was begun, and gives up on what no criterion gives."""

    def __init__(self):
        self.begun = 0

    def steps(self, space, rng, horizon=None):
        self.begun += 1
        if (yield space.sample(rng)) != 7.0:
            raise RuntimeError("made up")


class NotCopied(Counting):
    def __deepcopy__(self, memo):
        raise TypeError("there is one of it only")


@pytest.mark.parametrize("search", [Counting(), NotCopied()])
def test_a_search_that_cannot_be_rehearsed_is_guessed_at(search):
    """Neither its errors nor its state are told from a rehearsal."""
    assert expected_evaluations(search, Space.of(6), np.inf) == 6 * ROUNDS
    assert search.begun == 0
