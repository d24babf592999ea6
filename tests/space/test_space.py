"""The space of subsets: what is visitable, what is eligible, and which moves there are."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

SPACES = {
    "plain": Space.of(5),
    "bounds": Space.of(6, low=2, high=3),
    "fixed": Space.of(6, fixed=[1, 4], forbidden=[0]),
    "groups": Space.of(7, groups=[(0, 3), (1, 2, 5)], low=2, high=5),
    "sizes": Space.of(7, groups=[(0, 1, 2), (3, 4)], sizes=[1, 0, 0, 1, 0, 1, 1], low=1, high=3),
    "fixed sizes": Space.of(5, groups=[(0, 1)], sizes=[1, 0, 1, 1, 1], fixed=[0, 1], high=2),
    "costs": Space.of(5, costs=[1, 2, 3, 4, 5], max_cost=7),
    "choice": Space((Block(4), Block(3, name="kernel", choice=True))),
    "rows": Space((Block(3), Block(4, name="rows", low=2, high=3))),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())
def test_flips_of_a_base_agree_with_building_the_subset(space):
    """Bits, key, size and columns of a candidate equal those of the same subset built from
    scratch.
    """
    rng = np.random.default_rng(0)
    for _ in range(20):
        base = space.sample(rng)
        for candidates in (
            space.additions(base),
            space.removals(base),
            space.swaps(base),
            space.flips(base),
        ):
            for i, subset in enumerate(candidates):
                again = space.from_bits(subset.bits)
                assert (subset.bits, subset.key, subset.size) == (again.bits, again.key, again.size)
                assert candidates.keys[i] == again.key
                assert (
                    candidates.sizes[i]
                    == again.size
                    == space.blocks[0].width(space.columns(subset))
                )
                assert space.visitable(subset)


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())
def test_changes_rebuild_the_columns(space):
    """Base columns plus the added minus the removed ones are the columns of the candidate."""
    base = space.sample(np.random.default_rng(1))
    for candidates in (space.additions(base), space.removals(base), space.swaps(base)):
        changes = candidates.changes()
        if changes is None:
            continue
        for subset, added, removed in zip(candidates, changes.added, changes.removed):
            rebuilt = set(changes.base) - set(removed) | set(added)
            assert sorted(rebuilt) == space.columns(subset).tolist()


def test_single_columns_have_changes():
    """Additions, removals and swaps of single columns are rectangular, also beside fixed
    columns.
    """
    space = SPACES["fixed"]
    base = space.subset([0, 1])
    assert space.additions(base).changes().added.shape == (1, 1)
    assert space.removals(base).changes().removed.shape == (2, 1)
    assert (
        space.swaps(base).changes().added.shape
        == space.swaps(base).changes().removed.shape
        == (2, 1)
    )


@given(st.sets(st.integers(0, 40)), st.lists(st.integers(0, 40), max_size=30))
def test_flipping_is_symmetric_difference(start, flips):
    """Flipping units one after the other is the symmetric difference, in bits, key and size."""
    space = Space.of(41)
    subset, wanted = space.subset(start), set(start)
    for unit in flips:
        subset, wanted = space.flip(subset, unit), wanted ^ {unit}
    assert subset.bits == space.subset(wanted).bits
    assert (subset.key, subset.size) == (space.subset(wanted).key, len(wanted))
    assert space.columns(subset).tolist() == sorted(wanted)


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
def test_flipping_many_at_once_is_flipping_one_by_one(start, flips):
    """In bits, key and size, with groups, sizes and a choice in the space."""
    features = Block(43, groups=[(0, 1, 2)], sizes=[1, 0, 2] + [1] * 40)
    space = Space((features, Block(3, name="kernel", choice=True)))
    once = one_by_one = space.subset(start)
    for unit in flips:
        one_by_one = space.flip(one_by_one, unit)
    once = space.flip(once, *flips)
    assert (once.bits, once.key, once.size) == (one_by_one.bits, one_by_one.key, one_by_one.size)


def test_eligible_respects_size_group_and_cost():
    """Of all unions of groups, exactly those within the bounds are eligible."""
    space = Space.of(5, groups=[(0, 1)], low=2, high=3, costs=[1, 1, 1, 5, 1], max_cost=4)
    units = [(0, 1), (2,), (3,), (4,)]
    for k in range(5):
        for chosen in combinations(range(4), k):
            columns = sorted(c for u in chosen for c in units[u])
            cost = sum([1, 1, 1, 5, 1][c] for c in columns)
            assert space.eligible(space.subset(chosen)) == (2 <= len(columns) <= 3 and cost <= 4)


def test_a_second_block_has_bounds_of_its_own():
    """A subset is eligible only if every block is within its bounds."""
    space = SPACES["rows"]
    assert space.eligible(space.subset([0, 3, 4]))
    assert not space.eligible(space.subset([0, 3]))
    assert space.columns(space.subset([0, 3, 4]), block=1).tolist() == [0, 1]


def test_a_choice_always_has_one_option():
    """Turning an option on turns its rival off; additions run through every option."""
    space = SPACES["choice"]
    subset = space.flip(space.subset([0]), 5)
    assert space.option(subset, 0) == 1
    assert space.visitable(subset)
    additions = space.additions(subset)
    assert len(additions) == 3 * 3
    assert {space.option(s, 0) for s in additions} == {0, 1, 2}
    assert not space.visitable(space.from_bits(0b0000001))


def test_crossing_takes_choices_whole():
    """However the mask cuts, a child has exactly one option."""
    space = SPACES["choice"]
    first, second = space.subset([0, 4]), space.subset([1, 6])
    for mask in range(2**7):
        child = space.cross(first, second, mask)
        assert (child.bits >> 4).bit_count() == 1
        assert (child.key, child.size) == (
            space.from_bits(child.bits).key,
            (child.bits & 0b1111).bit_count(),
        )


def test_uniform_samples_are_uniform():
    """Sampling over all subsets within bounds gives each the same chance."""
    space = Space.of(4, low=1, high=3)
    rng = np.random.default_rng(0)
    counts = np.bincount([space.sample(rng).bits for _ in range(14_000)], minlength=16)
    assert counts[0] == counts[15] == 0
    assert abs(counts[1:15] - 1000).max() < 150


def test_narrow_bounds_are_sampled_without_endless_rejection():
    """A size far from half of the columns is drawn directly."""
    space = Space.of(2000, low=3, high=5)
    sizes = [space.sample(np.random.default_rng(i)).size for i in range(30)]
    assert set(sizes) <= {3, 4, 5}
    assert sizes.count(5) > 25


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())
def test_repair_gives_an_eligible_subset(space):
    """Whatever is repaired ends within the bounds."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        start = space.from_mask(rng.integers(0, 2, space.n_units, dtype=np.uint8))
        assert space.eligible(space.repair(start, rng))


def test_repair_finds_the_only_affordable_subset():
    """Where chance will not find it, the cheapest columns do."""
    space = Space.of(60, low=3, high=3, costs=[1.0] * 3 + [50.0] * 57, max_cost=3)
    assert space.columns(space.repair(space.empty(), np.random.default_rng(0))).tolist() == [
        0,
        1,
        2,
    ]


def test_additions_stay_within_the_cost_bound():
    """A column that would break the cost bound is not offered."""
    space = SPACES["costs"]
    base = space.from_columns([3])
    assert [space.columns(s).tolist() for s in space.additions(base)] == [[0, 3], [1, 3], [2, 3]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": 4, "high": 2}, "bounds"),
        ({"high": 9, "low": 8}, "between 1 and 5"),
        ({"fixed": [0, 1], "high": 1}, "bounds"),
        ({"fixed": [0], "forbidden": [0]}, "both fixed and forbidden"),
        ({"fixed": [7]}, "column 7 does not exist"),
        ({"groups": [(0, 1), (1, 2)]}, "overlap"),
        ({"groups": [(0, 1)], "fixed": [0]}, "flips as one"),
        ({"groups": [(0, 1), (2, 3, 4)], "low": 1, "high": 1}, "no union of whole groups"),
        ({"costs": [1, 2]}, "feature_costs must be 5"),
        ({"costs": [1] * 5, "low": 3, "max_cost": 2}, "the least any answer costs"),
    ],
)
def test_impossible_spaces_are_refused(options, message):
    """A space without an answer is refused with the reason."""
    with pytest.raises(ValueError, match=message):
        Space.of(5, **options)


def test_a_population_keeps_its_order():
    """A batch without structure gives its subsets back as they were."""
    space = Space.of(6)
    subsets = [space.subset(s) for s in ([0], [1, 2], [5])]
    batch = Candidates.of(space, subsets)
    assert list(batch) == subsets
    assert batch.take(np.array([2, 0]))[0] == subsets[2]
    assert batch.changes() is None
    assert batch[1:].sizes.tolist() == [2, 1]


def test_large_groups_of_additions_are_counted():
    """Pairs of additions are all pairs, in order."""
    space = Space.of(5)
    pairs = space.additions(space.subset([2]), 2)
    assert [space.columns(s).tolist() for s in pairs] == [
        sorted((2, *p)) for p in combinations([0, 1, 3, 4], 2)
    ]


@pytest.mark.parametrize("name", ["sizes", "fixed sizes"])
def test_sizes_count_what_columns_were_made_from(name):
    """By brute force: the eligible subsets are those whose groups and single columns number
    within the bounds.
    """
    space = SPACES[name]
    free = [space.unit_columns(u) for u in range(space.n_units)]
    fixed = int(bool(space.blocks[0].fixed))
    for n in range(len(free) + 1):
        for units in combinations(range(len(free)), n):
            subset = space.subset(units)
            assert subset.size == n + fixed
            if subset.size:
                assert space.eligible(subset) == (space.low <= n + fixed <= space.high)
    rng = np.random.default_rng(0)
    drawn = [space.sample(rng) for _ in range(50)]
    assert all(space.eligible(subset) for subset in drawn)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([1, 1], "3 non-negative"),
        ([1, -1, 1], "3 non-negative"),
        ([0, 0, 1], "at least 1"),
        ([1, 0, 0], "at least 1"),
    ],
)
def test_bad_sizes_are_named(sizes, message):
    """Sizes are one per column, and nothing that can be on adds nothing."""
    with pytest.raises(ValueError, match=message):
        Space.of(3, groups=[(0, 1)], sizes=sizes)


@pytest.mark.parametrize("n", [0, 1, 8, 9, 40])
def test_units_turned_over_together_or_one_by_one(n):
    """The same subset either way, with keys and size, whether the units are on or off."""
    rng = np.random.default_rng(n)
    for space in (Space.of(60), Space.of(60, fixed=[3, 59], groups=[(0, 1, 2)])):
        subset = space.subset(rng.permutation(space.n_units)[:20].tolist())
        units, expected = rng.permutation(space.n_units)[:n], subset
        for unit in units.tolist():
            expected = space.flip(expected, unit)
        assert space.flip_all(subset, units) == expected == space.flip(subset, *units.tolist())
