"""Beam search, with one queue as printed and with a queue per size."""

import pytest

from subsel.search.registry import find_search
from subsel.search.sequential.sequential import SequentialForward
from subsel.search.tree_search.beam import Beam
from subsel.space.space import Space
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table

SEEDS = range(6)


@pytest.mark.parametrize("width", [1, 2, 3, None])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 5), (6, 3)])
def test_one_queue_asks_what_the_plain_version_asks(n, d, width):
    """With one queue the same sets are asked for in the same order as with a sorted list of
    sets.
    """
    for seed in SEEDS:
        f = random_table(n, seed).function
        assert drive(Beam(width), Space.of(n, high=d), f)[1] == oracle.beam(f, n, d, width)


@pytest.mark.parametrize("width", [1, 2, 3, None])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 5), (6, 3)])
def test_a_queue_per_size_asks_what_the_plain_version_asks(n, d, width):
    """With a queue per size the same sets are asked for in the same order as with a list of
    sets per size.
    """
    for seed in SEEDS:
        f = random_table(n, seed).function
        assert drive(Beam(width, by_size=True), Space.of(n, high=d), f)[1] == oracle.beam_by_size(
            f, n, d, width
        )


@pytest.mark.parametrize("key", ["beam", "beam-by-size"])
def test_the_narrowest_beam_is_forward_selection(key):
    """Width 1 asks exactly what SFS asks, equal qualities included."""
    for seed in SEEDS:
        table = random_table(6, seed).function
        for f in (table, lambda s, table=table: round(table(s), 1), lambda s: 1.0):
            space = Space.of(6, high=5)
            assert (
                drive(Beam(1, by_size=key == "beam-by-size"), space, f)[1]
                == drive(SequentialForward(), space, f)[1]
            )


@pytest.mark.parametrize("by_size", [True, False])
def test_the_widest_beam_is_exhaustive(by_size):
    """Without a width every subset up to the bound is asked for, each once."""
    asked = drive(Beam(None, by_size), Space.of(6, high=4), random_table(6, 0).function)[1]
    assert len(asked) == len(set(asked))
    assert set(asked) == set(oracle.everything(6, high=4))


@pytest.mark.parametrize("key", ["beam", "beam-by-size"])
def test_no_subset_is_asked_for_twice(key):
    """Subsets reached from different parents are evaluated once."""
    for seed in SEEDS:
        asked = drive(find_search(key), Space.of(6), random_table(6, seed).function)[1]
        assert len(asked) == len(set(asked))


def test_the_number_of_requests_per_size_is_bounded():
    """A queue per size asks for at most width times n subsets of each size."""
    asked = drive(Beam(2, by_size=True), Space.of(8), lambda s: hash(s) % 97)[1]
    assert all(sum(len(s) == k for s in asked) <= 2 * 8 for k in range(1, 9))


def test_a_width_below_one_is_refused():
    """A queue that holds nothing is an error that names the width."""
    with pytest.raises(ValueError, match="width must be at least 1, got 0"):
        drive(Beam(0), Space.of(3), len)
