"""G-flip."""

import numpy as np
import pytest

from subsel.search.registry import find_search
from subsel.search.walks.gflip import GFlip
from subsel.space.space import Block, Space
from subsel.testing import check_search
from subsel.testing.search import bumpy
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table

STARTS = ["empty", "full", "random"]


def stood(asked, f):
    """The sets it stood at: each request that is better than all before it."""
    at = [asked[0]]
    for s in asked[1:]:
        if f(s) > f(at[-1]):
            at.append(s)
    return at


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("low", "high"), [(1, 6), (2, 4)])
def test_it_ends_where_no_flip_helps(start, low, high):
    """The last set it stood at has no better neighbour within the bounds, and brute force
    bounds it.
    """
    for seed in range(15):
        f = random_table(6, seed).function
        asked = drive(GFlip(start), Space.of(6, low=low, high=high), f, seed)[1]
        assert all(low <= len(s) <= high for s in asked)
        end = stood(asked, f)[-1]
        around = [s for s in oracle.more(end, 6) + oracle.fewer(end) if low <= len(s) <= high]
        assert all(f(s) <= f(end) for s in around)
        assert f(end) <= max(map(f, oracle.everything(6, low, high)))


@pytest.mark.parametrize("start", STARTS)
def test_every_request_is_one_flip_from_where_it_stands(start):
    """It moves by single flips, only upwards, and each pass tries each feature at most once."""
    for seed in range(10):
        f = random_table(6, seed).function
        asked = drive(GFlip(start), Space.of(6), f, seed)[1]
        current = asked[0]
        for s in asked[1:]:
            assert len(s ^ current) == 1
            current = s if f(s) > f(current) else current


def test_the_last_pass_tries_every_feature_and_changes_nothing():
    """It stops only after one whole pass without a flip, and right after it."""
    for seed in range(10):
        f = bumpy(seed)
        asked = drive(GFlip("full"), Space.of(7), f, seed)[1]
        end = stood(asked, f)[-1]
        last = asked[asked.index(end) + 1 :]
        neighbours = 7 - (len(end) == 1)
        assert neighbours <= len(last) < 2 * 7
        assert len({frozenset(s ^ end) for s in last[-neighbours:]}) == neighbours


def test_a_choice_is_one_more_thing_to_flip():
    """At the end no other option of a choice helps either."""
    space = Space((Block(3), Block(4, name="kernel", choice=True)))
    values = {}
    steps = GFlip().steps(space, np.random.default_rng(0))
    subset = next(steps)

    def worth(s):
        return [0.1, 0.5, 0.9, 0.3][space.option(s, 0)] + 0.01 * s.size

    try:
        while True:
            values[subset.bits] = worth(subset)
            subset = steps.send(values[subset.bits])
    except StopIteration:
        pass
    assert max(values.values()) == pytest.approx(0.93)


def test_orders_differ_between_seeds():
    """The order of the features is drawn, so that restarts see different things."""
    runs = {
        tuple(map(tuple, map(sorted, drive(GFlip(), Space.of(6), bumpy(0), seed)[1])))
        for seed in range(5)
    }
    assert len(runs) == 5


def test_it_walks_around_an_exact_size():
    """With an exact size it goes one feature beyond it on either side, and so can exchange
    features.
    """
    improved = 0
    for seed in range(20):
        f = bumpy(seed)
        asked = drive(GFlip(), Space.of(7, low=3, high=3), f, seed)[1]
        assert all(2 <= len(s) <= 4 for s in asked)
        improved += max(f(s) for s in asked if len(s) == 3) > f(asked[0])
    assert improved > 10


@pytest.mark.parametrize("start", STARTS)
def test_promises(start):
    """Whatever it starts from, it keeps what every search promises."""
    check_search(GFlip(start))


def test_a_start_that_does_not_exist_is_refused():
    """The error names the start."""
    assert find_search("gflip") == GFlip()
    with pytest.raises(ValueError, match="start must be 'empty', 'full' or 'random', got 'half'"):
        drive(GFlip("half"), Space.of(3), len)
