"""Exhaustive search."""

from itertools import pairwise
from math import comb

import numpy as np
import pytest

from subsel.search.tree_search import exhaustive
from subsel.search.tree_search.exhaustive import Exhaustive
from subsel.space.space import Block, Space
from subsel.testing.search import SPACES
from tests.oracles.sequential import drive, everything


@pytest.mark.parametrize(
    ("n", "low", "high"), [(1, 1, 1), (6, 1, 6), (7, 3, 3), (7, 2, 4), (8, 8, 8), (8, 7, 8)]
)
def test_every_eligible_subset_once(n, low, high):
    """It asks for each subset of eligible size exactly once, smaller ones first, as many as
    the binomials say.
    """
    asked = drive(Exhaustive(), Space.of(n, low=low, high=high), len)[1]
    assert len(asked) == sum(comb(n, k) for k in range(low, high + 1))
    assert set(asked) == set(everything(n, low, high))
    assert [len(s) for s in asked] == sorted(len(s) for s in asked)


@pytest.mark.parametrize("cells", [2**16, 40, 4, 1])
@pytest.mark.parametrize(("n", "low", "high"), [(8, 1, 8), (9, 4, 4), (9, 3, 6), (10, 9, 10)])
def test_neighbours_in_the_list_are_one_exchange_apart(n, low, high, cells, monkeypatch):
    """However it is cut into batches, each subset is the one before with one feature added
    or exchanged.
    """
    monkeypatch.setattr(exhaustive, "_CELLS", cells)
    requests, asked, _ = drive(Exhaustive(), Space.of(n, low=low, high=high), len)
    assert all(len(a - b) <= 1 and len(b - a) <= 1 for a, b in pairwise(asked))
    assert set(asked) == set(everything(n, low, high))
    assert len(asked) == len(set(asked))
    assert cells > 1000 or len(requests) > high - low + 1  # the cut was made


def test_batches_add_to_a_common_base(monkeypatch):
    """A batch is structured: equally many features added to one base, so that an evaluator
    can work incrementally.
    """
    monkeypatch.setattr(exhaustive, "_CELLS", 60)
    requests, _, _ = drive(Exhaustive(), Space.of(9, low=2, high=5), len)
    for request in requests:
        changes = request.changes()
        assert changes is not None
        assert changes.removed.shape[1] == 0
        assert len(request.flips) * request.flips.shape[1] <= 60 or request.flips.shape[1] == 1


@pytest.mark.parametrize("name", sorted(SPACES))
def test_exactly_the_eligible_subsets_of_any_space(name):
    """With fixed features, groups, costs, choices and further blocks, each eligible subset
    is asked for once.
    """
    space = SPACES[name]
    n_bits = space.n_units + sum(map(len, space.choices))
    every = [space.from_bits(bits) for bits in range(2**n_bits)]
    expected = {s.bits for s in every if space.visitable(s) and space.eligible(s)}
    requests, _, _ = drive(Exhaustive(), space, len)
    asked = [s.bits for request in requests for s in request]
    assert len(asked) == len(set(asked))
    assert set(asked) == expected


def test_a_search_too_long_is_refused_with_its_length():
    """More subsets than the limit are counted and refused before the first request."""
    with pytest.raises(ValueError, match="1,073,741,823 subsets, more than limit=100,000,000"):
        next(Exhaustive().steps(Space.of(30), np.random.default_rng(0)))
    space = Space((Block(30, low=2, high=2), Block(11, name="kernel", choice=True)))
    with pytest.raises(
        ValueError, match="4,785 subsets, more than limit=4,784"
    ):  # 30 * 29 / 2 pairs under 11 kernels
        next(Exhaustive(limit=4784).steps(space, np.random.default_rng(0)))


def test_the_limit_itself_is_allowed():
    """Exactly as many subsets as the limit are not refused."""
    assert len(drive(Exhaustive(limit=63), Space.of(6), len)[1]) == 63


def test_large_spaces_with_few_subsets():
    """All but one of 2,000 features, or pairs of 300, are listed without deep recursion."""
    batch = next(Exhaustive().steps(Space.of(2000, low=1999, high=1999), np.random.default_rng(0)))
    assert batch[0].size == 1999
    requests = Exhaustive().steps(Space.of(300, low=2, high=2), np.random.default_rng(0))
    count, batch = 0, next(requests)
    with pytest.raises(StopIteration):
        while True:
            count += len(batch)
            batch = requests.send(np.zeros(len(batch)))
    assert count == comb(300, 2)


def test_ties_go_to_the_smallest_and_first():
    """Where all are equal, the first asked for is the first feature alone."""
    assert drive(Exhaustive(), Space.of(5), lambda s: 0.0)[1][0] == {0}
    assert drive(Exhaustive(), Space.of(5, low=3), lambda s: 0.0)[1][0] == {0, 1, 2}
