"""Many walks at once: each by the law of one, in arrays and one by one, through engine,
memory and journal.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.engine import run
from subsel.engine.cache import QualityCache, first_of_each
from subsel.engine.journal.journal import Journal
from subsel.literature.studies.convergence import stationary_law
from subsel.search import Annealing, HillClimbing, RandomSampling, RandomWalk
from subsel.search.walks.walkers import ArrayWalkers, SeparateWalkers, random_masks, start_walkers
from subsel.space.candidates import Candidates
from subsel.space.packed import PackedCandidates
from subsel.space.space import Block, Space
from tests.oracles.walks import MaskWalkers

SEARCHES = [
    RandomWalk(c=3.0),
    RandomWalk(),
    RandomWalk("better"),
    RandomWalk("restart"),
    HillClimbing(),
    Annealing(),
    RandomSampling(),
    RandomSampling(over="sizes"),
]
SPACES = {
    "plain": Space.of(9),
    "bounded": Space.of(70, low=2, high=5),
    "exact size": Space.of(9, low=3, high=3),
    "fixed": Space.of(12, fixed=[2, 7], forbidden=[0], low=3, high=6),
    "groups": Space.of(8, groups=[(0, 1), (3, 4, 5)]),
    "choice": Space((Block(6), Block(3, choice=True))),
    "costs": Space.of(6, costs=[1.0, 2, 3, 4, 5, 6], max_cost=9.0),
}


class ByKey(Evaluator):
    """A quality that is a function of the subset."""

    traits = Traits("by key")

    def evaluate(self, candidates):
        return (candidates.keys % np.uint64(1009)).astype(float) / 1009


def name(search):
    return f"{type(search).__name__}-{getattr(search, 'accept', getattr(search, 'over', ''))}"


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("search", SEARCHES, ids=name)
def test_walkers_ask_legal_subsets_and_repeat_under_a_seed(search, space):
    """Every subset asked for is visitable, keys and sizes are those of its bits, and a seed
    gives the same run.
    """

    def asked(seed):
        steps, seen = replace(search, walkers=5).steps(space, np.random.default_rng(seed), 60), []
        batch = next(steps)
        while len(seen) < 60:
            seen += list(batch)
            try:
                batch = steps.send(ByKey().evaluate(batch))
            except StopIteration:
                break
        return seen

    seen = asked(3)
    for subset in seen:
        assert space.visitable(subset) and subset.key == space.from_bits(subset.bits).key
        assert subset.size == space.from_bits(subset.bits).size
    assert [s.bits for s in asked(3)] == [s.bits for s in seen]
    assert [s.bits for s in asked(4)] != [s.bits for s in seen]


@pytest.mark.parametrize("kind", [ArrayWalkers, SeparateWalkers])
@pytest.mark.parametrize(("low", "high"), [(1, 4), (2, 3)])
def test_each_walker_follows_the_stationary_law(kind, low, high, monkeypatch):
    """A chi-square test of thinned visits, walker by walker.

    No p-value is too small for so many walkers.
    """
    monkeypatch.setattr("subsel.search.walks.random_walk.start_walkers", kind)
    n, c, walkers, steps, thin = 4, 3.0, 12, 3_000, 15
    q = np.random.default_rng(8).random(1 << n)
    subsets = [s for s in range(1, 1 << n) if low <= s.bit_count() <= high]
    law = stationary_law(np.array([s.bit_count() for s in subsets]), q[subsets], n, c, low, high)
    counts = np.zeros((walkers, 1 << n))
    walk = RandomWalk(c=c, patience=10**9, walkers=walkers).steps(
        Space.of(n, low=low, high=high), np.random.default_rng(0)
    )
    request = next(walk)
    for number in range(steps):
        request = walk.send(q[[s.bits for s in request]])
        if number % thin == thin - 1:
            here = [s.bits for s in walk.gi_frame.f_locals["walkers"].here()]
            counts[np.arange(walkers), here] += 1
    expected = law * (steps // thin)
    statistic = ((counts[:, subsets] - expected) ** 2 / expected).sum(axis=1)
    assert chi2.sf(statistic, len(law) - 1).min() > 0.01 / walkers
    assert counts.sum() == counts[:, subsets].sum()


def test_cooled_walkers_follow_the_gibbs_law():
    """At one temperature with one flip a step each visits by exp(q / T) times the number of
    open flips.
    """
    n, walkers, steps, thin = 4, 12, 3_000, 15
    q, space = np.random.default_rng(1).random(1 << n), Space.of(n)
    anneal = Annealing(0.4, 0.4, n_flips=1, n_steps=steps + 2, walkers=walkers)
    counts, walk = np.zeros((walkers, 1 << n)), anneal.steps(space, np.random.default_rng(0))
    request = next(walk)
    for number in range(steps):
        request = walk.send(q[[s.bits for s in request]])
        if number % thin == thin - 1:
            units = walk.gi_frame.f_locals["undo"].max(axis=0)
            counts[
                np.arange(walkers), [s.bits ^ 1 << u for s, u in zip(request, units.tolist())]
            ] += 1
    subsets = np.arange(1, 1 << n)
    law = np.exp(q[subsets] / 0.4) * [3 if int(s).bit_count() == 1 else 4 for s in subsets]
    expected = law / law.sum() * (steps // thin)
    statistic = ((counts[:, subsets] - expected) ** 2 / expected).sum(axis=1)
    assert chi2.sf(statistic, len(law) - 1).min() > 0.01 / walkers


@pytest.mark.parametrize(("low", "high"), [(1, 4), (2, 3), (1, 1), (3, 3)])
def test_random_starts_are_uniform_over_subsets_within_the_bounds(low, high):
    """Chi-square over all subsets of four units, by coins and by sizes."""
    masks = random_masks(Space.of(4, low=low, high=high), np.random.default_rng(0), 6000)
    counts = np.bincount(masks @ (1 << np.arange(4)), minlength=16)
    legal = [s for s in range(16) if low <= s.bit_count() <= high]
    assert counts.sum() == counts[legal].sum() == 6000
    expected = 6000 / len(legal)
    assert (
        chi2.sf(((counts[legal] - expected) ** 2 / expected).sum(), len(legal) - 1) > 0.001
        or len(legal) == 1
    )


def test_rare_sizes_are_drawn_unit_by_unit():
    """Far from half of the units a random subset has its size and every unit is as likely,
    on and off.
    """
    for low, high in ((3, 3), (197, 197)):
        masks = random_masks(Space.of(200, low=low, high=high), np.random.default_rng(0), 4000)
        assert (masks.sum(axis=1) == low).all()
        assert np.abs(masks.mean(axis=0) - low / 200).max() < 0.012


def test_leaps_undo_themselves():
    """A leap changes as many different units as it returns, and moving by them leads back."""
    space, rng = Space.of(40), np.random.default_rng(0)
    walkers = start_walkers(space, rng, 50)
    before = [s.bits for s in walkers.here()]
    undo = walkers.leap(7, rng)
    for old, now, units in zip(before, walkers.here(), undo.T):
        flipped = units[units >= 0].tolist()
        assert len(set(flipped)) == len(flipped) and old ^ now.bits == sum(1 << u for u in flipped)
        assert now.key == space.from_bits(now.bits).key and now.size == now.bits.bit_count()
    walkers.move(undo, np.arange(50) % 2 == 0)
    for number, (old, now) in enumerate(zip(before, walkers.here())):
        assert (old == now.bits) == (number % 2 == 0)
        assert now.key == space.from_bits(now.bits).key


def test_packed_candidates_are_those_of_their_masks():
    """Items, slices, columns, keys and packed bits are those of the same subsets in a list."""
    space, rng = Space.of(130, fixed=[5]), np.random.default_rng(0)
    masks = rng.random((20, 129)) < 0.3
    packed, listed = (
        PackedCandidates.of_masks(space, masks),
        Candidates.of(space, [space.from_mask(m) for m in masks]),
    )
    assert list(packed) == list(listed) and packed.subsets(np.array([3, 1])) == [
        listed[3],
        listed[1],
    ]
    for part in (slice(None), slice(2, 9), slice(0, 0)):
        one, other = packed[part], listed[part]
        assert np.array_equal(one.keys, other.keys) and np.array_equal(one.sizes, other.sizes)
        assert np.array_equal(one.packed(), other.packed()) and len(one) == len(other)
        assert all(np.array_equal(a, b) for a, b in zip(one.columns(), other.columns()))
    assert packed.changes() is None and not packed.structured


def test_a_memory_of_large_batches_forgets_the_oldest():
    """Within the room every quality is found again, overwritten ones anew.

    Past it the oldest are forgotten.
    """
    rng, memory, told = np.random.default_rng(0), QualityCache(4000, 0), {}
    keys = rng.integers(2**64, size=2000, dtype=np.uint64)
    keys[0] = 0
    for part in np.split(keys, 8):
        values = rng.random(len(part))
        memory.learn(part, values)
        told |= dict(zip(part.tolist(), values))
    memory.learn(keys[:100], np.arange(100.0))
    told |= dict(zip(keys[:100].tolist(), np.arange(100.0)))
    asked = np.concatenate([keys, rng.integers(2**64, size=500, dtype=np.uint64)])
    assert [memory.quality(k) for k in asked.tolist()] == [told.get(k) for k in asked.tolist()]
    twice = asked[rng.integers(len(asked), size=3000)]
    assert first_of_each(twice).tolist() == [twice.tolist().index(k) for k in twice.tolist()]
    assert first_of_each(asked).tolist() == list(range(2500))
    later = rng.integers(2**64, size=6000, dtype=np.uint64)
    memory.learn(later, np.ones(6000))
    assert {memory.quality(k) for k in keys.tolist()} == {None}
    assert sum(memory.quality(k) == 1.0 for k in later.tolist()) == 4000


IN_ARRAYS = [
    (space, search) for space in ("bounded", "exact size", "fixed") for search in SEARCHES[:6]
]


@pytest.mark.parametrize(
    ("space", "search"),
    [*IN_ARRAYS, ("wide", SEARCHES[0])],
    ids=lambda given: given if isinstance(given, str) else name(given),
)
def test_compiled_walks_are_those_of_masks(space, search, monkeypatch):
    """Every batch that is asked for has the same bits, keys and sizes."""
    space, n_steps = (Space.of(20_000, high=9), 3) if space == "wide" else (SPACES[space], 25)

    def asked(kind):
        monkeypatch.setattr("subsel.search.walks.walkers.ArrayWalkers", kind)
        steps = replace(search, walkers=7).steps(space, np.random.default_rng(3), 200)
        batch = next(steps)
        for _ in range(n_steps):
            yield batch.packed(), batch.keys, batch.sizes
            try:
                batch = steps.send(ByKey().evaluate(batch))
            except StopIteration:
                break

    for one, other in zip(list(asked(ArrayWalkers)), list(asked(MaskWalkers)), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other))


def test_single_subsets_and_large_batches_share_a_memory():
    """What a large batch learnt is known of a single subset, and the other way round."""
    space, memory = Space.of(12), QualityCache(10_000, 0)
    memory.learn_one(space.subset([3]).key, 0.25)
    batch = PackedCandidates.of_masks(space, random_masks(space, np.random.default_rng(0), 300))
    known, same = memory.recall(batch)
    assert np.isnan(known).sum() >= 299 and np.array_equal(batch.keys[same], batch.keys)
    fresh = np.flatnonzero(same == np.arange(300))
    memory.learn(batch.keys[fresh], np.arange(len(fresh), dtype=float))
    assert (
        memory.quality(int(batch.keys[fresh[7]])) == 7.0
        and memory.quality(space.subset([3]).key) == 0.25
    )
    assert np.array_equal(memory.recall(batch)[0][fresh], np.arange(len(fresh)))


def test_one_large_memory_changes_nothing_but_the_cost(monkeypatch):
    """A run whose memory is too small for it gives the same result."""
    search = RandomWalk(walkers=300, c=3.0)
    plain = run(search, ByKey(), Space.of(11), budget=6000, seed=0)
    monkeypatch.setattr("subsel.engine.driver.MAX_QUALITIES", 500)
    forgetful = run(search, ByKey(), Space.of(11), budget=6000, seed=0)
    assert (
        np.array_equal(plain.trace, forgetful.trace)
        and plain.n_computed < forgetful.n_computed <= 6000
    )


@pytest.mark.parametrize("search", SEARCHES, ids=name)
def test_walkers_are_resumed_from_their_journal(search, tmp_path):
    """A run that goes on from half its budget is the run of the whole, and nothing is
    computed twice.
    """
    search, space = replace(search, walkers=7), Space.of(9)
    task = Task.of(np.eye(10, 9), np.arange(10) % 2)

    def play(budget, folder):
        journal = Journal(folder, {"search": search}, task, np.random.SeedSequence(0))
        return run(search, ByKey(), space, budget=budget, seed=journal.seed, journal=journal)

    whole = play(400, tmp_path / "whole")
    assert play(400, tmp_path / "whole").n_replayed == whole.n_evaluations
    search_of_half = play(200, tmp_path / "half")
    resumed = play(400, tmp_path / "half")
    assert resumed.n_replayed == search_of_half.n_evaluations
    if not isinstance(
        search, Annealing | RandomSampling
    ):  # whose schedule or length follows the first budget
        assert np.array_equal(resumed.trace[:200], whole.trace[:200])
    assert np.array_equal(play(400, tmp_path / "half").trace, resumed.trace)


@pytest.mark.parametrize("walkers", [0, -1, 2.5, "many"])
def test_a_number_of_walkers_is_refused(walkers):
    """Anything but a whole number from one on."""
    with pytest.raises(ValueError, match="walkers must be a positive integer"):
        next(RandomWalk(walkers=walkers).steps(Space.of(4), np.random.default_rng(0)))
