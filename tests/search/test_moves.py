"""Steps that keep an answer within reach."""

from itertools import combinations

import numpy as np
import pytest

from subsel.search.moves import band, can_shrink, growing, shrinking
from subsel.space.space import Space

GROUPS = [[(0, 1, 2), (3, 4), (5, 6)], [(0, 1), (2, 3), (4, 5)], [(1, 4, 6), (0, 5)], []]
BOUNDS = [(4, 4), (3, 5), (2, 2), (1, 7), (6, 6)]


def spaces():
    for groups in GROUPS:
        for low, high in BOUNDS:
            try:
                yield Space.of(7, low=low, high=high, groups=groups)
            except ValueError:  # no union of groups has such a size
                continue


def every_subset(space):
    return [
        space.subset(c)
        for k in range(space.n_units + 1)
        for c in combinations(range(space.n_units), k)
    ]


@pytest.mark.parametrize("n", [1, 2])
def test_additions_that_may_still_become_an_answer(n):
    """An addition is offered exactly if the subset has a superset (or is itself) of
    eligible size.
    """
    for space in spaces():
        every = every_subset(space)
        answers = [s.bits for s in every if space.eligible(s)]
        for subset in every:
            offered = {s.bits for s in growing(space, subset, n)}
            open_ended = {
                s.bits
                for s in space.additions(subset, n)
                if any(s.bits & a == s.bits for a in answers)
            }
            assert offered == open_ended


@pytest.mark.parametrize("n", [1, 2])
def test_removals_that_may_still_become_an_answer(n):
    """A removal is offered exactly if the subset has a subset (or is itself) of eligible size."""
    for space in spaces():
        every = every_subset(space)
        answers = [s.bits for s in every if space.eligible(s)]
        for subset in every:
            offered = {s.bits for s in shrinking(space, subset, n)}
            open_ended = {
                s.bits for s in space.removals(subset, n) if any(s.bits & a == a for a in answers)
            }
            assert offered == open_ended
            assert can_shrink(space, subset) == any(subset.bits & a == a for a in answers)


def test_a_ceiling_above_the_bound_and_a_floor_below_it():
    """Beyond the bounds, up to the ceiling or down to the floor, every step is offered."""
    space = Space.of(7, low=4, high=4, groups=GROUPS[0])
    assert {s.size for s in growing(space, space.empty(), 2, ceiling=5)} == {4, 5}
    assert {s.size for s in shrinking(space, space.full(), 2, floor=2)} == {2, 3}


def test_the_band_connects_what_is_eligible():
    """By single flips within the band every eligible subset is reached from every other."""
    for space in spaces():
        low, high = band(space)
        inside = {s.bits for s in every_subset(space) if low <= s.size <= high}
        eligible = {s.bits for s in every_subset(space) if space.eligible(s)}
        reached, frontier = set(), {min(eligible)}
        while frontier:
            reached |= frontier
            frontier = {
                b ^ 1 << u for b in frontier for u in range(space.n_units)
            } & inside - reached
        assert eligible <= reached


def test_fixed_features_count():
    """Sizes include what is fixed."""
    space = Space.of(5, fixed=[0, 1], low=3, high=3)
    assert [space.columns(s).tolist() for s in growing(space, space.empty())] == [
        [0, 1, 2],
        [0, 1, 3],
        [0, 1, 4],
    ]
    assert not len(growing(space, space.subset([0])))
    assert np.array_equal([s.size for s in shrinking(space, space.subset([0, 1]))], [3, 3])
