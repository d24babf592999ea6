"""What every randomised strategy promises, in every kind of space."""

from itertools import pairwise

import numpy as np
import pytest

from subsel.engine import Budget, run
from subsel.search.elimination.pruning import Pruning
from subsel.search.elimination.rve import Elimination
from subsel.search.populations.distribution import Distribution
from subsel.search.populations.genetic import Genetic
from subsel.search.registry import SEARCHES, find_search
from subsel.search.walks.annealing import Annealing
from subsel.search.walks.hill_climbing import HillClimbing
from subsel.search.walks.las_vegas import LasVegas
from subsel.search.walks.random_sampling import RandomSampling
from subsel.search.walks.random_walk import RandomWalk
from subsel.space.space import Block, Space
from tests.oracles.driving import drive, random_qualities
from tests.oracles.table import random_table

SEARCH = {
    "rfs1": RandomWalk(patience=60),
    "rfs2": RandomWalk(accept="better", patience=60),
    "rfs3": RandomWalk(accept="restart", patience=60),
    "random": RandomSampling(n_draws=60),
    "random sizes": RandomSampling(over="sizes", n_draws=60),
    "lvf": LasVegas(n_draws=60),
    "rmhc": HillClimbing(patience=40),
    "annealing": Annealing(n_steps=80),
    "annealing wide": Annealing(n_steps=80, n_flips=4),
    "genetic": Genetic(population=10, patience=4),
    "genetic uniform": Genetic(
        population=10, patience=4, crossover="uniform", selection="rank", islands=2
    ),
    "genetic keeping": Genetic(
        population=10, patience=4, crossover="size-keeping", selection="proportional"
    ),
    "umda": Distribution(model="marginals", population=12, patience=4),
    "chow-liu": Distribution(model="tree", population=12, patience=4),
    "ebna": Distribution(population=12, patience=4),
    "rve": Elimination(),
    "rvers": Elimination(relevant="unknown"),
    "pruning": Pruning(),
}
SPACE = {
    "plain": Space.of(6),
    "one column": Space.of(1),
    "two columns": Space.of(2),
    "bounds": Space.of(7, low=2, high=4),
    "exact": Space.of(7, low=3, high=3),
    "all": Space.of(4, low=4, high=4),
    "fixed": Space.of(7, fixed=[1, 4], forbidden=[6]),
    "only fixed": Space.of(3, fixed=[0, 1], forbidden=[2]),
    "fixed and exact": Space.of(7, fixed=[1, 4], low=4, high=4),
    "groups": Space.of(9, groups=[(0, 1, 2), (5, 8), (3, 4)]),
    "groups and bounds": Space.of(9, groups=[(0, 1, 2), (5, 8), (3, 4)], low=3, high=5),
    "groups and exact": Space.of(9, groups=[(0, 1, 2), (5, 8), (3, 4)], low=5, high=5),
    "costs": Space.of(6, costs=[1, 2, 3, 4, 5, 6], max_cost=9),
    "choice": Space((Block(5), Block(3, name="kernel", choice=True))),
    "two choices": Space(
        (Block(4, low=2, high=2), Block(1, choice=True), Block(2, name="b", choice=True))
    ),
    "rows": Space(
        (Block(4), Block(6, name="rows", low=3, high=3), Block(2, name="kernel", choice=True))
    ),
}
STAY = [
    name for name in SEARCH if name not in ("rve", "rvers", "pruning", "lvf")
]  # these start at the full set


@pytest.mark.parametrize("space", SPACE.values(), ids=SPACE)
@pytest.mark.parametrize("search", SEARCH.values(), ids=SEARCH)
def test_contract(search, space):
    """A strategy ends by itself, asks for visitable subsets, at least one eligible, and
    repeats under a seed.
    """
    quality = random_qualities(3)
    one, two = (drive(search, quality, space, seed=5, limit=20_000) for _ in range(2))
    assert one.ended
    assert all(space.visitable(subset) for subset in one.asked)
    assert any(space.eligible(subset) for subset in one.asked)
    assert one.asked == two.asked and one.answer == two.answer
    if one.answer is not None:
        assert space.eligible(one.answer) and one.answer in one.asked


@pytest.mark.parametrize(
    "space", [SPACE[name] for name in ("bounds", "exact", "fixed and exact", "costs")]
)
@pytest.mark.parametrize("search", [SEARCH[name] for name in STAY], ids=STAY)
def test_stays_within_the_bounds(search, space):
    """Where units are one column wide, walks and populations ask for eligible subsets only."""
    assert all(
        space.eligible(subset) for subset in drive(search, random_qualities(1), space, seed=2).asked
    )


@pytest.mark.parametrize("name", ["groups and bounds", "groups and exact"])
@pytest.mark.parametrize("search", [SEARCH[name] for name in STAY], ids=STAY)
def test_stays_near_the_bounds(search, name):
    """Where units are wider, sizes leave the bounds by less than the widest unit."""
    space = SPACE[name]
    sizes = [subset.size for subset in drive(search, random_qualities(1), space, seed=2).asked]
    assert min(sizes) >= space.low - 2 and max(sizes) <= space.high + 2


@pytest.mark.parametrize(
    "name", ["bounds", "exact", "groups and bounds", "groups and exact", "choice", "rows", "costs"]
)
def test_walks_reach_every_eligible_subset(name):
    """The random walk and the flips of annealing connect all eligible subsets."""
    space = SPACE[name]
    n_bits = space.n_units + sum(map(len, space.choices))
    every = {
        s
        for s in map(space.from_bits, range(1 << n_bits))
        if space.visitable(s) and space.eligible(s)
    }
    for search in (
        RandomWalk(c=0.0, patience=10**6),
        Annealing(1e9, 1e9, n_steps=10**6, n_flips=1),
    ):
        assert every <= set(drive(search, random_qualities(1), space, limit=12_000).asked)


@pytest.mark.parametrize("search", SEARCH.values(), ids=SEARCH)
def test_engine(search):
    """Under the engine a budget is exact, and the best found is the best of the table's
    qualities asked for.
    """
    table = random_table(6, seed=1)
    result = run(search, table, Space.of(6), budget=Budget(evaluations=25), seed=3)
    assert result.n_evaluations <= 25
    assert result.best_quality == pytest.approx(max(map(table.function, table.asked)), rel=1e-9)


@pytest.mark.parametrize("key", sorted(set(SEARCH) & set(SEARCHES)))
def test_keys_make_strategies_that_use_the_horizon(key):
    """With defaults and a horizon, a strategy in the table goes on for at least that long,
    or has its own answer.
    """
    record = drive(find_search(key), random_qualities(2), Space.of(6), horizon=300, limit=1000)
    assert len(record.asked) >= 300 or record.answer is not None


@pytest.mark.parametrize("name", ["rfs1", "rfs2", "rmhc", "genetic", "umda", "annealing"])
def test_defaults_end(name):
    """With all defaults and no horizon a strategy ends by itself."""
    assert drive(find_search(name), random_qualities(2), Space.of(5), limit=50_000).ended


def test_size_first_reaches_small_subsets():
    """Sampling sizes first spreads sizes evenly.

    Sampling subsets concentrates them at half the columns.
    """
    space = Space.of(100)
    sizes = [s.size for s in drive(RandomSampling("sizes", 2000), lambda s: 0.0, space).asked]
    assert np.bincount(sizes, minlength=101)[1:].reshape(10, 10).sum(axis=1).min() > 130
    sizes = [s.size for s in drive(RandomSampling("subsets", 2000), lambda s: 0.0, space).asked]
    assert min(sizes) > 25 and max(sizes) < 75


def test_sampling_is_uniform_over_subsets():
    """Every subset of four columns is drawn equally often."""
    asked = drive(RandomSampling(n_draws=6000), lambda s: 0.0, Space.of(4)).asked
    counts = np.bincount([s.bits for s in asked], minlength=16)
    assert (
        counts[0] == 0 and ((counts[1:] - 400) ** 2 / 400).sum() < 36.1
    )  # 99.9% of chi-square, 14 df


def test_mutation_climbs_strictly():
    """Each mutation changes one unit of the best so far, and only a strictly better one is kept."""
    record = drive(
        HillClimbing(patience=60), lambda s: round(random_qualities(4)(s), 1), Space.of(6), seed=1
    )
    here = record.asked[0], record.qualities[0]
    for subset, quality in zip(record.asked[1:], record.qualities[1:]):
        assert (subset.bits ^ here[0].bits).bit_count() == 1
        here = (subset, quality) if quality > here[1] else here


def test_mutation_changes_one_prototype():
    """With a fixed number of rows a mutation exchanges one row, or flips one feature, or
    switches the choice.
    """
    space = SPACE["rows"]
    record = drive(HillClimbing(patience=60), random_qualities(4), space, seed=1)
    assert all(len(space.columns(s, 1)) == 3 for s in record.asked)
    assert all((a.bits ^ b.bits).bit_count() <= 4 for a, b in pairwise(record.asked))


@pytest.mark.parametrize(
    "search",
    [
        RandomWalk("never"),
        RandomSampling("rows"),
        Genetic(selection="?"),
        Genetic(crossover="?"),
        Distribution("?"),
        Elimination("?"),
    ],
)
def test_unknown_settings(search):
    """A setting that does not exist is refused by name."""
    with pytest.raises(ValueError, match="must be"):
        drive(search, lambda s: 0.0, Space.of(3))
