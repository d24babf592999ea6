"""Oscillating search."""

from itertools import pairwise

import pytest

from subsel.search.sequential.oscillating import Oscillating
from subsel.search.sequential.sequential import SequentialForward
from subsel.space.space import Space
from subsel.testing.search import bumpy
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 1), (5, 2), (6, 3), (6, 5), (6, 6)])
def test_asks_what_the_plain_version_asks(n, d, depth):
    """The same sets are asked for in the same order as by swings over sets."""
    for seed in range(10):
        f = random_table(n, seed).function
        assert (
            drive(Oscillating(depth), Space.of(n, low=d, high=d), f)[1]
            == oracle.oscillating(f, n, d, depth)[0]
        )


def test_it_only_gets_better_at_one_size():
    """Every set it stands at has size d, each is better than the one before, none beats
    exhaustive search.
    """
    moved = 0
    for seed in range(30):
        f = random_table(6, seed).function
        asked, stood = oracle.oscillating(f, 6, 3, 3)
        assert drive(Oscillating(3), Space.of(6, low=3, high=3), f)[1] == asked
        assert {len(s) for s in stood} == {3}
        assert all(f(a) < f(b) for a, b in pairwise(stood))
        assert f(stood[-1]) <= max(map(f, oracle.everything(6, 3, 3)))
        moved += len(stood) - 1
    assert moved > 10  # it does leave its start


def test_the_end_is_no_worse_than_forward_selection():
    """The best set of size d that it asks for is at least as good as the end of SFS."""
    for seed in range(10):
        f = random_table(6, seed).function
        asked = drive(Oscillating(), Space.of(6, low=3, high=3), f)[1]
        end = [s for s in oracle.forward(f, 6, 3) if len(s) == 3]
        assert max(f(s) for s in asked if len(s) == 3) >= max(map(f, end))


def test_depth_one_ends_where_no_greedy_swap_helps():
    """With depth=1, dropping the least useful and adding the best (or the reverse) does not
    improve on the end.
    """
    for seed in range(20):
        f = random_table(6, seed).function
        asked = drive(Oscillating(1), Space.of(6, low=3, high=3), f)[1]
        _, stood = oracle.oscillating(f, 6, 3, 1)
        end = stood[-1]
        assert end in asked
        down = max(oracle.fewer(end), key=f)
        up = max(oracle.more(end, 6), key=f)
        assert max(map(f, oracle.more(down, 6))) <= f(end)
        assert max(map(f, oracle.fewer(up))) <= f(end)


def test_a_free_size_is_fixed_by_the_start():
    """Where the size is free, the swings are around the size at which forward selection was
    best.
    """

    def f(s):
        return -abs(len(s) - 2) + 0.01 * sum(s)

    _, asked, _ = drive(Oscillating(1), Space.of(6), f)
    swings = asked[6 * 7 // 2 :]
    assert {len(s) for s in swings} == {1, 2, 3}


def test_swings_end_at_an_eligible_size():
    """With groups of unequal width the last step of a swing is taken among subsets of
    eligible size.
    """
    space = Space.of(7, low=3, high=3, groups=[(0, 1)])
    for seed in range(5):
        requests, _, _ = drive(Oscillating(1), space, bumpy(seed))
        forward, _, _ = drive(SequentialForward(), space, bumpy(seed))
        swings = requests[len(forward) :]
        assert len(swings) >= 4
        assert all(s.size == 3 for request in swings[1::2] for s in request)


def test_a_depth_below_one_is_refused():
    """The error names the depth."""
    with pytest.raises(ValueError, match="depth must be at least 1, got 0"):
        drive(Oscillating(0), Space.of(3), len)
