"""Best-first search."""

import pytest

from subsel.search.sequential.sequential import SequentialForward
from subsel.search.tree_search.best_first import BestFirst
from subsel.space.space import Space
from subsel.testing import check_search
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table

DIRECTIONS = ["forward", "backward", "both"]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("stale", [1, 2, 5])
def test_asks_what_the_plain_version_asks(direction, stale):
    """The same sets are asked for in the same order as with a list of unexpanded sets."""
    n = 6
    ways = {
        "forward": lambda s: oracle.more(s, n),
        "backward": oracle.fewer,
        "both": lambda s: oracle.more(s, n) + oracle.fewer(s),
    }[direction]
    start = frozenset(range(n)) if direction == "backward" else frozenset()
    for seed in range(10):
        f = random_table(n, seed).function
        expected = oracle.best_first(f, n, ways, start, stale)
        assert drive(BestFirst(direction, stale), Space.of(n), f)[1] == expected


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_patience_without_end_is_exhaustive(direction):
    """If it never goes stale it ends when every subset has been asked for, each once."""
    asked = drive(BestFirst(direction, stale=10**6), Space.of(5), random_table(5, 1).function)[1]
    assert sorted(map(sorted, asked)) == sorted(map(sorted, oracle.everything(5)))


def test_it_goes_back_to_a_subset_it_left():
    """When the greedy path ends in a dead end, the next best subset seen before is expanded."""
    worth = {frozenset({0}): 3.0, frozenset({1}): 2.9, frozenset({1, 2}): 5.0}

    def f(s):
        return worth.get(s, 0.1 * (1 in s) - 0.1 * len(s))

    assert frozenset({1, 2}) in drive(BestFirst(stale=2), Space.of(5, high=2), f)[1]
    assert frozenset({1, 2}) not in drive(SequentialForward(), Space.of(5, high=2), f)[1]


@pytest.mark.parametrize("direction", ["forward", "both"])
def test_an_exact_size_is_reached(direction):
    """With an exact size the start is grown greedily, so that the size is reached however
    poor the way there.
    """
    asked = drive(
        BestFirst(direction, stale=1), Space.of(8, low=5, high=5), lambda s: -len(s) - min(s)
    )[1]
    assert any(len(s) == 5 for s in asked)
    assert max(map(len, asked)) <= 6


def test_both_directions_exchange_features_at_an_exact_size():
    """Searching both ways around an exact size finds a swap that forward selection misses."""
    worth = {frozenset({0}): 3.0, frozenset({1, 2}): 9.0}

    def f(s):
        return worth.get(s, len(s & {0, 1}) + 0.5 * (2 in s) + len(s) / 10)

    space = Space.of(4, low=2, high=2)
    assert frozenset({1, 2}) not in drive(SequentialForward(), space, f)[1]
    assert frozenset({1, 2}) in drive(BestFirst("both"), space, f)[1]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_promises(direction):
    """In either direction, it keeps what every search promises."""
    check_search(BestFirst(direction))


def test_wrong_settings_are_named():
    """A setting that makes no sense is refused with its name and value."""
    with pytest.raises(ValueError, match="'both', got 'up'"):
        drive(BestFirst("up"), Space.of(3), len)
    with pytest.raises(ValueError, match="stale must be at least 1, got 0"):
        drive(BestFirst(stale=0), Space.of(3), len)
