"""The lists of what is on and off, and random moves from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsel.search.walks.membership import Membership, Walker, settle
from subsel.space.space import Block, Space

SPACES = [
    Space.of(8),
    Space.of(8, low=3, high=3),
    Space.of(9, groups=[(0, 1, 2), (5, 8)], low=3, high=5),
    Space(
        (
            Block(5, fixed=[2]),
            Block(4, name="rows", low=2, high=2),
            Block(3, name="kernel", choice=True),
        )
    ),
]


@given(flips=st.lists(st.integers(0, 6), max_size=40))
def test_lists_hold_what_is_on(flips):
    """After any flips the lists hold the symmetric difference, and the size counts columns."""
    space = Space.of(9, groups=[(0, 1, 2)])
    members, on = Membership(space, 0, space.subset([1, 3])), {1, 3}
    for unit in flips:
        assert members.flip(unit) == unit
        on ^= {unit}
        assert set(members.on()) == on
        assert members.size == sum(3 if unit == 0 else 1 for unit in on)


@given(seed=st.integers(0, 10**6), space=st.sampled_from(SPACES), n=st.integers(1, 5))
def test_leaps_are_undone(seed, space, n):
    """A leap changes the subset, moving by what it gave back restores it, and the lists
    agree with the bits.
    """
    rng = np.random.default_rng(seed)
    walker = Walker.start(space, rng)
    start = walker.subset
    undo = walker.leap(n, rng)
    assert walker.subset != start and space.visitable(walker.subset)
    _agree(walker)
    walker.move(undo)
    assert walker.subset == start
    _agree(walker)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 9), low=st.integers(0, 12))
def test_leaps_far_from_the_bounds_are_flips_one_after_the_other(seed, n, low):
    """The loop for walks that meet no bound takes the units, and leaves the lists, that
    drawing one by one does.
    """
    space = Space.of(30, low=low, high=low + 15)
    walkers = [Walker.start(space, np.random.default_rng(seed)) for _ in range(2)]
    slow = walkers[1]._axes[0]
    made, rng = [], np.random.default_rng(seed + 1)
    for _ in range(n):
        units = slow.propose_flip(rng)
        if not set(units) & set(made):
            made += [slow.flip(unit) for unit in units]
    assert walkers[0].leap(n, np.random.default_rng(seed + 1)) == made[::-1]
    fast = walkers[0]._axes[0]
    assert (fast._order, fast._place, fast.n_on, fast.size) == (
        slow._order,
        slow._place,
        slow.n_on,
        slow.size,
    )
    assert walkers[0].subset == space.subset(fast.on()) and walkers[0].subset.size == fast.size


@given(
    seed=st.integers(0, 10**6),
    space=st.sampled_from([*SPACES[:3], Space.of(30)]),
    n=st.integers(1, 9),
)
def test_undoing_is_flipping_one_after_the_other(seed, space, n):
    """A leap is undone as by flips in turn, the last first.

    Bits, sizes and the lists, on which later draws depend.
    """
    walkers = [Walker.start(space, np.random.default_rng(seed)) for _ in range(2)]
    start, (fast, slow) = walkers[0].subset, (walker._axes[0] for walker in walkers)
    made, again = (walker.leap(n, np.random.default_rng(seed + 1)) for walker in walkers)
    assert made == again
    walkers[0].undo(made, start)
    for unit in made:
        slow.flip(unit)
    assert (fast._order, fast._place, fast.n_on, fast.size) == (
        slow._order,
        slow._place,
        slow.n_on,
        slow.size,
    )
    assert walkers[0].subset is start and set(fast.on()) == set(Membership(space, 0, start).on())


def _agree(walker):
    fresh = Walker(walker.space, walker.subset)
    for axis, other in zip(walker._axes, fresh._axes):
        if isinstance(axis, Membership):
            assert set(axis.on()) == set(other.on()) and axis.size == other.size
        else:
            assert axis._now == other._now


@pytest.mark.parametrize("space", SPACES)
def test_settled_subsets_are_eligible(space):
    """Settling gives an eligible subset from any start, and leaves an eligible one alone."""
    rng = np.random.default_rng(0)
    n_bits = space.n_units
    for bits in range(1 << n_bits):
        subset = space.from_mask(np.array([bits >> u & 1 for u in range(n_bits)]))
        settled = settle(space, subset, rng)
        assert space.eligible(settled) and space.visitable(settled)
        if space.eligible(subset) and space.visitable(subset):
            assert settled == subset
