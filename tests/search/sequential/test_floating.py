"""Floating selection, plain and adaptive."""

from itertools import pairwise

import numpy as np
import pytest

from subsel.search.registry import find_search
from subsel.search.sequential.floating import (
    AdaptiveFloatingBackward,
    AdaptiveFloatingForward,
    FloatingBackward,
    FloatingForward,
)
from subsel.search.sequential.sequential import SequentialForward
from subsel.space.space import Space
from subsel.testing.search import bumpy
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table

SEEDS = range(12)
KEYS = ["sffs", "sbfs", "asffs", "asbfs"]
WAYS = {
    "forward": (FloatingForward, AdaptiveFloatingForward),
    "backward": (FloatingBackward, AdaptiveFloatingBackward),
}


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 2), (5, 3), (6, 4), (6, 6)])
def test_forward_asks_what_the_printed_version_asks(n, d):
    """SFFS asks for the same sets in the same order as the corrected pseudocode on sets."""
    for seed in SEEDS:
        f = random_table(n, seed).function
        assert drive(find_search("sffs"), Space.of(n, high=d), f)[1] == oracle.sffs(f, n, d)[0]


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 1), (5, 3), (6, 2), (6, 1)])
def test_backward_asks_what_the_printed_version_asks(n, d):
    """SBFS asks for the same sets in the same order as the mirrored pseudocode on sets."""
    for seed in SEEDS:
        f = random_table(n, seed).function
        assert drive(find_search("sbfs"), Space.of(n, low=d), f)[1] == oracle.sbfs(f, n, d)[0]


@pytest.mark.parametrize(("r_max", "b"), [(1, 3), (2, 0), (2, 1), (3, 2)])
@pytest.mark.parametrize(("n", "d"), [(6, 4), (6, 6), (5, 2)])
def test_adaptive_asks_what_the_plain_version_asks(n, d, r_max, b):
    """Adaptive floating asks what 1, 2, ... r units at a time on sets ask, r shrinking with
    the distance to d.
    """
    for seed in SEEDS:
        f = random_table(n, seed).function
        search = AdaptiveFloatingForward(r_max, b)
        assert drive(search, Space.of(n, high=d), f)[1] == oracle.asffs(f, n, d, r_max, b)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_adaptive_with_single_units_is_floating(direction):
    """With r_max=1 the adaptive version makes the same requests whatever its neighbourhood."""
    for seed in SEEDS:
        f, space = random_table(6, seed).function, Space.of(6, low=2, high=4)
        plain, adaptive = WAYS[direction]
        plain = drive(plain(), space, f)[1]
        assert drive(adaptive(r_max=1, neighbourhood=0), space, f)[1] == plain
        walked = oracle.sffs(f, 6, 4) if direction == "forward" else oracle.sbfs(f, 6, 2)
        assert plain == [s for s in walked[0] if len(s) < 6]


def test_what_it_keeps_is_the_best_it_has_seen():
    """The pseudocode's best[k] is the best set of size k asked for, and no set beats
    exhaustive search.
    """
    for seed in SEEDS:
        f = random_table(6, seed).function
        asked, kept = oracle.sffs(f, 6, 6)
        assert drive(find_search("sffs"), Space.of(6), f)[1] == asked
        for k in range(1, 7):
            assert f(kept[k]) == max(f(s) for s in asked if len(s) == k)
            assert f(kept[k]) <= max(f(s) for s in oracle.everything(6, k, k))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("seed", range(10))
def test_the_best_per_size_only_improves(key, seed):
    """Each set it moves to is a new best of its size, or the best of its size already known."""
    f, space = random_table(6, seed).function, Space.of(6)
    requests, _, _ = drive(find_search(key), space, f)
    best: dict[int, float] = {}
    requests = requests[key.endswith("bfs") :]  # without the full set, which is asked for alone
    for request, following in pairwise(requests):
        sets = [frozenset(space.columns(s).tolist()) for s in request]
        for s in sets:
            best[len(s)] = max(best.get(len(s), -np.inf), f(s))
        stood = frozenset(space.columns(following.base).tolist())
        assert f(stood) == best[len(stood)]


def test_it_undoes_a_choice():
    """A feature that was the best alone but is not needed any more is dropped again."""
    worth = {
        frozenset({0}): 1.0,
        frozenset({1, 2}): 3.0,
        frozenset({0, 1}): 2.0,
        frozenset({0, 1, 2}): 2.5,
    }

    def f(s):
        return worth.get(s, 0.1 * len(s))

    space = Space.of(4, high=3)
    assert frozenset({1, 2}) not in drive(SequentialForward(), space, f)[1]
    asked = drive(find_search("sffs"), space, f)[1]
    assert frozenset({1, 2}) in asked
    assert {1, 2, 3} in asked  # and it went on from there


@pytest.mark.parametrize("seed", range(5))
def test_without_gain_from_stepping_back_it_is_forward_selection(seed):
    """On an additive criterion the sets that grow are those of SFS."""
    worth = np.random.default_rng(seed).random(6)

    def f(s):
        return float(sum(worth[sorted(s)]))

    requests, _, _ = drive(find_search("sffs"), Space.of(6), f)
    grown = [s for request in requests for s in request if request[0].size > request.base.size]
    assert grown == [
        s for request in drive(SequentialForward(), Space.of(6), f)[0] for s in request
    ]


def test_margin_goes_beyond_the_bound():
    """With a margin the search passes the greatest size, forward, and the least, backward,
    by so many features.
    """
    f = bumpy(0)
    assert max(map(len, drive(FloatingForward(margin=2), Space.of(7, high=3), f)[1])) == 5
    assert max(map(len, drive(FloatingForward(margin=0), Space.of(7, high=3), f)[1])) == 3
    assert min(map(len, drive(FloatingBackward(margin=2), Space.of(7, low=5), f)[1])) == 3
    assert min(map(len, drive(FloatingBackward(margin=9), Space.of(7, low=5), f)[1])) == 1


def test_wrong_settings_are_named():
    """A setting that makes no sense is refused with its name and value."""
    with pytest.raises(ValueError, match="r_max must be at least 1, got 0"):
        drive(AdaptiveFloatingForward(r_max=0), Space.of(3), len)
