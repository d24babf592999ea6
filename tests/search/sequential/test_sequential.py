"""Forward, backward, in tuples, in rounds: the simplest searches."""

from itertools import pairwise
from math import comb

import numpy as np
import pytest

from subsel.search import (
    ExhaustiveForward,
    GeneralisedBackward,
    GeneralisedForward,
    PlusTakeAway,
    SequentialBackward,
    SequentialForward,
)
from subsel.search.registry import find_search
from subsel.space.space import Space
from subsel.testing.search import SPACES
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table

SEEDS = range(6)


def xor(s):
    """Columns 0 and 1 count together only; 2 and 3 a little each."""
    return 1.0 * ({0, 1} <= s) + 0.1 * (2 in s) + 0.05 * (3 in s)


def chosen(search, space, f):
    """The best eligible set asked for."""
    requests, asked, _ = drive(search, space, f)
    subsets = [s for request in requests for s in request]
    return max((c for s, c in zip(subsets, asked) if space.eligible(s)), key=f)


@pytest.mark.parametrize(
    ("n", "d", "g"), [(1, 1, 1), (5, 5, 1), (6, 3, 1), (6, 6, 2), (5, 5, 2), (6, 4, 3), (6, 2, 4)]
)
def test_forward_asks_what_the_plain_version_asks(n, d, g):
    """SFS and GSFS(g) ask for the same sets in the same order as ten lines of set arithmetic."""
    for seed in SEEDS:
        f = random_table(n, seed).function
        assert drive(GeneralisedForward(g), Space.of(n, high=d), f)[1] == oracle.forward(f, n, d, g)


@pytest.mark.parametrize(
    ("n", "d", "g"), [(1, 1, 1), (5, 1, 1), (6, 3, 1), (6, 1, 2), (5, 2, 2), (6, 1, 3)]
)
def test_backward_asks_what_the_plain_version_asks(n, d, g):
    """SBS and GSBS(g) ask for the full set and then what set arithmetic asks for."""
    for seed in SEEDS:
        f = random_table(n, seed).function
        assert drive(GeneralisedBackward(g), Space.of(n, low=d), f)[1] == oracle.backward(
            f, n, d, g
        )


@pytest.mark.parametrize(("n", "d"), [(7, 3), (7, 7), (9, 1)])
def test_forward_evaluations(n, d):
    """To size d of n features forward selection asks for d(2n - d + 1)/2 subsets."""
    assert (
        len(drive(find_search("sfs"), Space.of(n, low=d, high=d), len)[1])
        == d * (2 * n - d + 1) // 2
    )


@pytest.mark.parametrize("n", [2, 5, 9])
def test_backward_evaluations(n):
    """A whole backward run asks for n(n + 1)/2 - 1 subsets, and for the full set only if
    that may be the answer.
    """
    count = n * (n + 1) // 2 - 1
    assert len(drive(find_search("sbs"), Space.of(n, high=n - 1), len)[1]) == count
    assert len(drive(find_search("sbs"), Space.of(n), len)[1]) == count + 1


def test_tuple_evaluations():
    """A step of GSFS(g) from k features asks for C(n - k, g) subsets."""
    requests, _, _ = drive(find_search("gsfs"), Space.of(7, high=5), len)
    assert [len(r) for r in requests] == [comb(7, 2), comb(5, 2), comb(3, 1)]


def test_the_first_step_is_the_univariate_ranking():
    """The feature that is best alone is taken first, of equals the first."""
    worth = np.array([0.2, 0.9, 0.1, 0.9])
    requests, _, _ = drive(SequentialForward(), Space.of(4), lambda s: sum(worth[list(s)]))
    assert 1 in requests[1][0]
    assert all(1 in s for s in requests[1])


@pytest.mark.parametrize("key", ["sfs", "sbs", "gsfs", "gsbs", "pta", "gpta", "sfs-k"])
@pytest.mark.parametrize("seed", range(4))
def test_additive_criteria_are_solved(key, seed):
    """Where features add up, every sequential search finds the best subset of its size."""
    worth = np.random.default_rng(seed).normal(size=6)

    def f(s):
        return round(float(sum(worth[list(s)])), 12)

    space = Space.of(6, low=3, high=3)
    assert chosen(find_search(key), space, f) == frozenset(np.argsort(-worth)[:3].tolist())


@pytest.mark.parametrize(
    ("key", "finds"), [("sfs", False), ("sbs", True), ("gsfs", True), ("sfs-k", True)]
)
def test_two_features_that_count_together_only(key, finds):
    """An exclusive-or pair defeats forward selection, not backward selection, nor pairs."""
    assert (chosen(find_search(key), Space.of(5, low=2, high=2), xor) == {0, 1}) == finds


@pytest.mark.parametrize("key", ["sfs", "sbs"])
@pytest.mark.parametrize("seed", range(4))
def test_sets_are_nested(key, seed):
    """What is taken is never given back: the winners of the steps form a chain."""
    f = random_table(6, seed).function
    requests, _, _ = drive(find_search(key), Space.of(6), f)
    space, chain = Space.of(6), []
    for request in requests:
        chain.append(max((frozenset(space.columns(s).tolist()) for s in request), key=f))
    assert all(a < b or b < a for a, b in pairwise(chain))


@pytest.mark.parametrize("seed", range(4))
def test_one_tuple_of_the_whole_size_is_exhaustive(seed):
    """GSFS(d) to size d asks for every subset of that size."""
    f = random_table(6, seed).function
    asked = drive(GeneralisedForward(3), Space.of(6, low=3, high=3), f)[1]
    assert sorted(map(sorted, asked)) == sorted(map(sorted, oracle.everything(6, 3, 3)))


@pytest.mark.parametrize(
    ("l", "r"), [(2, 1), (3, 1), (3, 2), ((2,), (1,)), ((3,), (2,)), ((2, 1), (1, 1))]
)
@pytest.mark.parametrize(("n", "d"), [(6, 6), (6, 4), (5, 2)])
def test_rounds_ask_what_the_plain_version_asks(n, d, l, r):
    """PTA and GPTA ask for the same sets in the same order as loops over sets."""
    for seed in SEEDS:
        parts = [(1,) * x if isinstance(x, int) else x for x in (l, r)]
        f = random_table(n, seed).function
        assert drive(PlusTakeAway(l, r), Space.of(n, high=d), f)[1] == oracle.plus_take_away(
            f, n, d, *parts
        )


def test_rounds_that_take_nothing_away_are_forward_selection():
    """PTA(l, 0) asks what SFS asks, GPTA((l,), ()) what GSFS(l) asks, PTA(0, r) what SBS
    asks, parts of 1 what PTA asks.
    """
    for seed in SEEDS:
        f = random_table(6, seed).function
        for d in (3, 4, 6):
            space = Space.of(6, high=d)
            assert drive(PlusTakeAway(2, 0), space, f)[1] == drive(SequentialForward(), space, f)[1]
            assert (
                drive(PlusTakeAway((2,), ()), space, f)[1]
                == drive(GeneralisedForward(2), space, f)[1]
            )
            assert (
                drive(PlusTakeAway((1, 1), (1,)), space, f)[1]
                == drive(PlusTakeAway(2, 1), space, f)[1]
            )
        for d in (1, 2, 3):
            space = Space.of(6, low=d)
            assert (
                drive(PlusTakeAway(0, 2), space, f)[1] == drive(SequentialBackward(), space, f)[1]
            )


@pytest.mark.parametrize(("n", "d"), [(6, 1), (6, 3), (5, 2)])
def test_backward_rounds_mirror_forward_rounds(n, d):
    """PTA(1, 2) from the full set is PTA(2, 1) on the complements, where neither comes to
    its last two sets.
    """
    for seed in SEEDS:
        f, every = random_table(n, seed).function, frozenset(range(n))

        def mirrored(s, f=f, every=every):
            return f(every - s) if s != every else -np.inf

        down = drive(PlusTakeAway(1, 2), Space.of(n, low=d + 1, high=n - 1), f)[1]
        up = oracle.plus_take_away(mirrored, n, n - d - 1, (1, 1), (1,))
        assert [every - s for s in down] == [s for s in up if s != every]


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_sfs_k_is_exhaustive_then_greedy(k):
    """SFS-k asks for all k-subsets (k at most the size allowed), then grows the best of them."""
    for seed in SEEDS:
        f = random_table(6, seed).function
        first = [s for s in oracle.everything(6) if len(s) == min(k, 5)]
        expected = first + oracle.forward(f, 6, 5, start=max(first, key=f))
        assert drive(ExhaustiveForward(k=k), Space.of(6, high=5), f)[1] == expected


def test_patience_ends_the_run_where_nothing_improves():
    """With patience=1 forward selection stops after the first step that brings nothing, but
    not below the least size.
    """

    def f(s):
        return -abs(len(s) - 2)

    assert max(map(len, drive(SequentialForward(patience=1), Space.of(6), f)[1])) == 3
    assert max(map(len, drive(SequentialForward(patience=2), Space.of(6), f)[1])) == 4
    assert max(map(len, drive(SequentialForward(patience=1), Space.of(6, low=5), f)[1])) == 6
    assert (
        max(map(len, drive(SequentialForward(patience=1), Space.of(6), lambda s: 1.0)[1])) == 2
    )  # equal is no gain
    assert max(map(len, drive(ExhaustiveForward(k=2, patience=1), Space.of(6), f)[1])) == 3
    assert (
        min(map(len, drive(SequentialBackward(patience=1), Space.of(6), lambda s: len(s))[1])) == 5
    )


def test_tuples_respect_the_cost_bound():
    """No step takes a pair that cannot be paid for together."""
    space = Space.of(4, costs=[3, 3, 1, 1], max_cost=4)
    requests, _, _ = drive(GeneralisedForward(2), space, lambda s: len(s & {0, 1}))
    assert all(space.cost(s) <= 4 for request in requests for s in request)
    assert any(s.size == 2 for request in requests for s in request)


def test_sizes_stay_below_the_bound_with_wide_groups():
    """With groups of unequal width no addition passes the greatest size, and none leads
    where no answer is.
    """
    space = SPACES["dead ends"]
    asked = drive(find_search("sfs"), space, lambda s: len(s))[1]
    assert asked == [{3, 4}, {5, 6}, {3, 4, 5, 6}]
    assert drive(find_search("sbs"), space, lambda s: len(s))[1] == [{3, 4, 5, 6}]


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (GeneralisedForward(0), "g must be at least 1"),
        (ExhaustiveForward(k=0), "k must be at least 1"),
        (PlusTakeAway(2, 2), "l and r must differ"),
        (PlusTakeAway((2, 0), 1), "l must be a number of units"),
        (PlusTakeAway(2, -1), "r must be a number of units"),
    ],
)
def test_wrong_settings_are_named(search, message):
    """A setting that makes no sense is refused with its name and value."""
    with pytest.raises(ValueError, match=message):
        drive(search, Space.of(3), len)
