"""Random numbers drawn many at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsel.search import Annealing, HillClimbing, RandomWalk
from subsel.search.walks.uniforms import BATCH, Uniforms
from subsel.space.space import Block, Space
from tests.oracles.driving import random_qualities


@given(
    seed=st.integers(0, 10**6), n=st.sampled_from([0, 1, 7, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH])
)
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_numbers_are_those_drawn_one_by_one(bits, seed, n):
    """The same numbers in the same order, and the generator stands where it would afterwards."""
    rng, other = np.random.Generator(bits(seed)), np.random.Generator(bits(seed))
    for generator in (rng, other):
        generator.integers(3, dtype=np.uint32)  # leaves half a word in the generator
    with Uniforms(rng) as chances:
        assert [chances.random() for _ in range(n)] == [other.random() for _ in range(n)]
    assert (
        rng.integers(3, size=5, dtype=np.uint32).tolist()
        == other.integers(3, size=5, dtype=np.uint32).tolist()
    )
    assert rng.random() == other.random()


class OneByOne:
    """What `Uniforms` stands for: the generator itself."""

    def __init__(self, rng):
        self.random = rng.random

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


SPACES = [
    Space.of(9),
    Space.of(40, low=3, high=20),
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
SEARCHES = [
    Annealing(n_steps=700),
    Annealing(n_steps=700, neighbour=lambda space, here, temperature, rng: space.sample(rng)),
    RandomWalk("metropolis", patience=700),
    RandomWalk("literal", c=3.0, patience=700),
    RandomWalk("better", patience=700),
    RandomWalk("restart", patience=300),
    HillClimbing(300),
    HillClimbing(300, string=True),
]


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("end", [40, 900])
def test_walks_ask_what_they_ask_with_numbers_drawn_one_by_one(monkeypatch, search, space, end):
    """A walk asks for the same subsets, and leaves the generator alike, broken off or at
    its own end.
    """
    asked, left = [], []
    for kind in (Uniforms, OneByOne):
        for module in ("annealing", "random_walk", "hill_climbing"):
            monkeypatch.setattr(f"subsel.search.walks.{module}.Uniforms", kind)
        rng, quality, seen = np.random.default_rng(4), random_qualities(2), []
        steps = search.steps(space, rng, None)
        subset = next(steps)
        try:
            for _ in range(end):
                seen.append(subset.bits)
                subset = steps.send(quality(subset))
        except StopIteration:
            pass
        steps.close()
        asked.append(seen)
        left.append(rng.random())
    assert asked[0] == asked[1] and left[0] == left[1]
