"""Large populations are bred as rows of bits, by the law of breeding one child after the other."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from subsel.search.populations import genetic
from subsel.search.populations.breeding import (
    breeds_in_arrays,
    draw_masks,
    mutate_masks,
    settle_masks,
)
from subsel.search.populations.distribution import Distribution
from subsel.search.populations.genetic import Genetic
from subsel.search.walks.membership import settle
from subsel.search.walks.random_sampling import draw
from subsel.space.packed import PackedCandidates
from subsel.space.space import Block, Space

P = 5
PLACES = 1 << np.arange(P)


def alike(one, other):
    """Whether two samples of subsets, as numbers, may come from one law."""
    counts = np.stack([np.bincount(some, minlength=1 << P) for some in (one, other)])
    counts = counts[:, counts.sum(axis=0) > 0]
    rare = counts.sum(axis=0) < 20
    counts = (
        np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)]) if rare.any() else counts
    )
    return counts.shape[1] == 1 or chi2_contingency(counts[:, counts.any(axis=0)]).pvalue > 0.001


@pytest.mark.parametrize("crossover", ["one-point", "uniform", "size-keeping"])
@pytest.mark.parametrize("bounds", [(0, 5), (2, 3)])
def test_offspring_follow_the_law_of_breeding_one_by_one(crossover, bounds):
    """Selection, crossover, mutation and repair together, over all subsets of five units."""
    space, n = Space.of(P, low=bounds[0], high=bounds[1]), 1200
    parents = settle_masks(
        space, np.random.default_rng(1).random((n + 1, P)) < 0.4, np.random.default_rng(2)
    )
    qualities = parents @ np.array([3.0, -1.0, 0.5, 2.0, -2.0])
    search, select = (
        Genetic(crossover=crossover, mutation=0.2, crossover_rate=0.7),
        genetic._tournament,
    )
    cross = genetic._CROSSOVERS[crossover]
    listed = genetic._Population([space.from_mask(mask) for mask in parents], qualities)
    rows = genetic._Population(parents, qualities)
    plain = search._brood(space, listed, select, cross, np.random.default_rng(3))
    arrays = [
        search._brood(space, rows, select, cross, np.random.default_rng(seed))
        for seed in range(4, 9)
    ]
    assert all(len(brood) == n for brood in arrays)
    assert alike(np.concatenate(arrays) @ PLACES, np.array([s.bits for s in plain]))


@pytest.mark.parametrize("over", ["subsets", "sizes"])
def test_first_populations_follow_the_law_of_single_draws(over):
    """Over subsets and over sizes first, with a feature that is always there."""
    space = Space.of(P + 1, fixed=[2], low=2, high=4)
    rng = np.random.default_rng(0)
    masks = draw_masks(space, rng, over, 4000)
    assert alike(masks @ PLACES, np.array([draw(space, rng, over).bits for _ in range(2000)]))


@pytest.mark.parametrize("bounds", [(2, 3), (5, 5), (0, 1)])
def test_settling_follows_the_law_of_settling_one_by_one(bounds):
    """From one subset outside the bounds, every repair is as likely; those inside stay."""
    space, rng = Space.of(P, low=bounds[0], high=bounds[1]), np.random.default_rng(0)
    for mask in ([0, 0, 0, 0, 0], [1, 1, 0, 1, 1], [0, 1, 0, 0, 0]):
        many = settle_masks(space, np.tile(np.array(mask, dtype=bool), (1500, 1)), rng)
        single = [settle(space, space.from_mask(np.array(mask)), rng).bits for _ in range(700)]
        assert alike(many @ PLACES, np.array(single))


def test_mutation_flips_every_bit_with_its_chance():
    """Each place as often as any other, neighbours independently; never at 0 and always at 1."""
    masks = np.zeros((20_000, P), dtype=bool)
    mutate_masks(masks, 0.3, np.random.default_rng(0))
    expected = np.random.default_rng(1).random((20_000, P)) < 0.3
    assert alike(masks @ PLACES, expected @ PLACES)
    for rate, value in ((0.0, False), (1.0, True)):
        rows = np.zeros((3, 70), dtype=bool)
        mutate_masks(rows, rate, np.random.default_rng(0))
        assert (rows == value).all()


@pytest.mark.parametrize(
    "search",
    [Genetic(population=300, islands=2), Distribution("marginals", population=300)],
    ids=["genetic", "umda"],
)
def test_large_populations_improve_and_repeat_under_a_seed(search):
    """They ask for packed batches, the best quality never falls, and the same seed asks for
    the same subsets.
    """
    space, runs = Space.of(30, low=2, high=12), []
    for _ in range(2):
        steps, asked, best = search.steps(space, np.random.default_rng(7)), [], []
        request = next(steps)
        for _ in range(8):
            assert (
                isinstance(request, PackedCandidates)
                and request.sizes.min() >= 2
                and request.sizes.max() <= 12
            )
            asked.append(request.keys)
            masks = request._masks()
            qualities = masks @ np.linspace(-1, 1, 30)
            best.append(qualities.max())
            request = steps.send(qualities)
        runs.append(np.concatenate(asked))
        assert max(best[4:]) > best[0]
    assert np.array_equal(*runs)


def test_small_populations_groups_and_choices_are_bred_one_by_one():
    """As before."""
    assert not breeds_in_arrays(Space.of(9), 100) and breeds_in_arrays(Space.of(9), 300)
    assert not breeds_in_arrays(Space((Block(5), Block(3, name="kernel", choice=True))), 300)
    assert not breeds_in_arrays(Space.of(9, groups=[(0, 1)]), 300)
