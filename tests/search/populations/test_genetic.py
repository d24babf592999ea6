"""The genetic algorithm."""

import numpy as np
import pytest

from subsel.search.populations import genetic
from subsel.search.populations.genetic import Genetic
from subsel.space.candidates import Subset
from subsel.space.space import Block, Space
from tests.oracles.driving import drive, random_qualities

SELECTIONS, CROSSOVERS = (
    ("tournament", "rank", "proportional"),
    ("one-point", "uniform", "size-keeping"),
)


@pytest.mark.parametrize("crossover", CROSSOVERS)
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("islands", [1, 3])
def test_best_never_worsens(selection, crossover, islands):
    """With elitism the best quality of every island never falls, also among negative qualities."""
    search = Genetic(
        population=8, selection=selection, crossover=crossover, islands=islands, patience=100
    )
    steps, quality = (
        search.steps(Space.of(10), np.random.default_rng(0)),
        random_qualities(1, scale=-5.0),
    )
    request, best = next(steps), np.full(islands, -np.inf)
    for _ in range(25):
        request = steps.send(np.array([quality(s) for s in request]))
        now = np.array([island.qualities.max() for island in steps.gi_frame.f_locals["islands"]])
        assert (now >= best).all()
        best = now


@pytest.mark.parametrize("crossover", CROSSOVERS)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_finds_the_optimum(selection, crossover):
    """In most runs the best of the 63 subsets of six columns is found within 300 evaluations."""
    found = 0
    for seed in range(12):
        quality = random_qualities(seed)
        best = max(quality(Space.of(6).from_bits(bits)) for bits in range(1, 64))
        search = Genetic(selection=selection, crossover=crossover)
        found += drive(search, quality, Space.of(6), seed=seed, horizon=300, limit=300).best == best
    assert found >= 8


def test_selection_prefers_the_better():
    """Tournament, rank and shifted proportional selection choose members as often as their
    formulas say.
    """
    q, n, rng = np.array([-3.0, -1.0, 0.0, 2.0]), 40_000, np.random.default_rng(0)
    share = {
        name: np.bincount(genetic._SELECTIONS[name](q, n, rng), minlength=4) / n
        for name in SELECTIONS
    }
    np.testing.assert_allclose(share["tournament"], [1 / 16, 3 / 16, 5 / 16, 7 / 16], atol=0.01)
    np.testing.assert_allclose(share["rank"], [0.1, 0.2, 0.3, 0.4], atol=0.01)
    np.testing.assert_allclose(share["proportional"], [0, 0.2, 0.3, 0.5], atol=0.01)


@pytest.mark.parametrize("qualities", [[1.0, 1.0], [-np.inf, -np.inf], [-np.inf, 3.0]])
def test_proportional_selection_of_equals(qualities):
    """A population without differences, or with impossible members, is still chosen from."""
    chosen = genetic._proportional(np.array(qualities), 50, np.random.default_rng(0))
    assert set(chosen.tolist()) <= {0, 1}


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_children_mix_their_parents(crossover):
    """A child has what both parents have, nothing that neither has, and one whole option of
    each choice.
    """
    space, rng = Space((Block(9), Block(3, name="kernel", choice=True))), np.random.default_rng(0)
    children = set()
    for _ in range(200):
        one, other = space.subset([0, 1, 2, 3, 9]), space.subset([2, 3, 4, 5, 6, 11])
        child = space.cross(one, other, genetic._CROSSOVERS[crossover](space, one, other, rng))
        assert space.visitable(child) and {2, 3} <= set(space.units(child).tolist()) <= set(
            range(7)
        )
        assert space.option(child, 0) in (0, 2)
        children.add(child)
        if crossover == "size-keeping":
            assert child.size == one.size
    assert len(children) > 5


def test_one_point_takes_a_head_and_a_tail():
    """One-point crossover takes the first units from one parent and the rest from the
    other, at every cut.
    """
    space, rng = Space.of(5), np.random.default_rng(0)
    masks = {genetic._one_point(space, space.full(), space.full(), rng) for _ in range(200)}
    assert masks == {0b1, 0b11, 0b111, 0b1111}


def test_mutation_rate():
    """Each unit of a child flips with the chance given; by default one unit in all, on average."""
    space, rng = Space.of(50), np.random.default_rng(0)
    start = Subset(0, 0, 0)
    for rate, expected in ((None, 1.0), (0.2, 10.0)):
        flips = [Genetic(mutation=rate)._mutate(space, start, rng).size for _ in range(800)]
        assert np.mean(flips) == pytest.approx(expected, rel=0.12)


def test_default_population():
    """Two members per unit between 10 and 100, all evaluated in one batch."""
    for n, expected in ((3, 10), (20, 40), (400, 100)):
        assert len(next(Genetic().steps(Space.of(n), np.random.default_rng(0)))) == expected


def test_islands_exchange_their_best():
    """Islands have nothing in common for nine generations.

    After the tenth each holds a member of the one before it.
    """
    search = Genetic(population=6, islands=3, patience=100)
    steps, quality = search.steps(Space.of(40), np.random.default_rng(0)), random_qualities(1)
    request, shared = next(steps), []
    for _ in range(11):
        request = steps.send(np.array([quality(s) for s in request]))
        members = [set(island.subsets) for island in steps.gi_frame.f_locals["islands"]]
        shared.append([len(members[i] & members[i - 1]) for i in range(3)])
    assert np.max(shared[:10]) == 0 and min(shared[10]) >= 1


def test_migrants_replace_the_worst():
    """A population takes the best of another in place of its own worst member."""
    subsets = [Subset(bits, bits, 1) for bits in range(4)]
    here, there = (
        genetic._Population(subsets[:2], np.array([0.3, 0.1])),
        genetic._Population(subsets[2:], np.array([0.2, 0.9])),
    )
    taken = here.taking(there)
    assert taken.subsets == [subsets[0], subsets[3]] and taken.qualities.tolist() == [0.3, 0.9]
