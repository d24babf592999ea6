"""The random walks RFS1, RFS2, RFS3 and what is known about them."""

from itertools import pairwise
from math import exp, inf

import numpy as np
import pytest
from numpy.testing import assert_allclose

from subsel.literature.studies.convergence import (
    published_bound,
    safe_bound,
    stationary_law,
    steps_to_be_sure,
)
from subsel.search.walks.random_walk import RandomWalk
from subsel.space.space import Space
from tests.oracles.driving import drive, random_qualities


def transition_matrix(n, q, c, low, high):
    """The walk's chances of going from subset to subset, written down from its description."""
    subsets = [s for s in range(1, 1 << n) if low <= s.bit_count() <= high]
    matrix = np.zeros((len(subsets), len(subsets)))
    for i, s in enumerate(subsets):
        inside, outside = (
            [u for u in range(n) if s >> u & 1],
            [u for u in range(n) if not s >> u & 1],
        )
        sides = [[s ^ 1 << a ^ 1 << b for a in inside for b in outside]]
        sides += [[s | 1 << b for b in outside]] if s.bit_count() < high else []
        sides += [[s ^ 1 << a for a in inside]] if s.bit_count() > low else []
        sides = [side for side in sides if side]
        for side in sides:
            for t in side:
                chance = min(1.0, exp(c * (q[t] - q[s]))) / len(sides) / len(side)
                matrix[i, subsets.index(t)] += chance
        matrix[i, i] = 1 - matrix[i].sum()
    return subsets, matrix


@pytest.mark.parametrize(
    ("n", "low", "high"), [(2, 1, 2), (3, 1, 3), (4, 1, 4), (4, 2, 3), (4, 1, 2), (5, 2, 2)]
)
def test_stationary_law(n, low, high):
    """The stationary law is a fixed point of the transition matrix, to 1e-12."""
    q = np.random.default_rng(n).random(1 << n)
    subsets, matrix = transition_matrix(n, q, 2.0, low, high)
    law = stationary_law(np.array([s.bit_count() for s in subsets]), q[subsets], n, 2.0, low, high)
    assert_allclose(law @ matrix, law, atol=1e-12)
    assert law.sum() == pytest.approx(1, abs=1e-12) and law.min() > 0


@pytest.mark.parametrize(("low", "high"), [(1, 4), (2, 3)])
def test_visits_follow_the_stationary_law(low, high):
    """RFS1 visits subsets as often as the stationary law says.

    The counts differ by under 2% in total variation.
    """
    n, c, n_steps = 4, 3.0, 60_000
    q = np.random.default_rng(8).random(1 << n)
    subsets, _ = transition_matrix(n, q, c, low, high)
    law = stationary_law(np.array([s.bit_count() for s in subsets]), q[subsets], n, c, low, high)
    visits = _visits(RandomWalk(c=c, patience=10**9), q, Space.of(n, low=low, high=high), n_steps)
    counts = np.bincount(visits, minlength=1 << n)[subsets] / n_steps
    assert 0.5 * np.abs(counts - law).sum() < 0.02
    gibbs = np.exp(c * q[subsets])
    assert (
        low == 2 or 0.5 * np.abs(counts - gibbs / gibbs.sum()).sum() > 0.05
    )  # it is not the Gibbs law


def _visits(walk, q, space, n_steps):
    """Where the walk stands after each step.

    Where it is proposed from, seen through the generator's frame.
    """
    steps = walk.steps(space, np.random.default_rng(0))
    request, visits = next(steps), []
    for _ in range(n_steps):
        request = steps.send(q[request.bits])
        visits.append(steps.gi_frame.f_locals["walker"].subset.bits)
    return visits


@pytest.mark.parametrize("c", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_hitting_time_lies_under_the_bounds(n, c):
    """From the worst start the exact expected steps to the best subset are fewer than
    either bound.
    """
    q = np.random.default_rng(n).random(1 << n)
    subsets, matrix = transition_matrix(n, q, c, 1, n)
    others = [i for i, s in enumerate(subsets) if s != max(subsets, key=lambda s: q[s])]
    times = np.linalg.solve(
        np.eye(len(others)) - matrix[np.ix_(others, others)], np.ones(len(others))
    )
    apart = [(s, t) for s in subsets for t in subsets if 0 < (s ^ t).bit_count() <= 2]
    drop = max(abs(q[s] - q[t]) for s, t in apart)
    assert times.max() <= safe_bound(n, c, drop) and times.max() <= published_bound(n, c, drop)


def test_bounds_by_hand():
    """The bounds are the printed power, the repaired sum, and infinity where they overflow."""
    assert safe_bound(3, 2.0, 0.5) == pytest.approx(sum((9 * exp(1)) ** m for m in (1, 2, 3)))
    assert published_bound(3, 2.0, 0.5, diameter=2) == pytest.approx((27 * exp(1)) ** 2)
    assert safe_bound(1000, 1.0, 1.0) == published_bound(1000, 1.0, 1.0) == inf
    assert steps_to_be_sure(10.0, 2**-5) == 100.0


def test_moves_are_swaps_additions_and_removals():
    """Accepting everything, about a third of the steps from the middle sizes are of each
    kind, and none is idle.
    """
    asked = drive(
        RandomWalk(c=0.0, patience=10**9), random_qualities(0), Space.of(20), limit=9000
    ).asked
    growth = np.array([b.size - a.size for a, b in pairwise(asked) if 1 < a.size < 20])
    assert_allclose([np.mean(growth == g) for g in (-1, 0, 1)], 1 / 3, atol=0.03)
    assert all(
        (a.bits ^ b.bits).bit_count() == (2 if a.size == b.size else 1) for a, b in pairwise(asked)
    )


def test_strict_walk_never_moves_sideways():
    """RFS2 proposes from the first of the best subsets seen."""
    record = drive(
        RandomWalk("better", patience=80),
        lambda s: round(random_qualities(4)(s), 1),
        Space.of(6),
        seed=1,
    )
    here = record.asked[0], record.qualities[0]
    for subset, quality in zip(record.asked[1:], record.qualities[1:]):
        assert 1 <= (subset.bits ^ here[0].bits).bit_count() <= 2
        here = (subset, quality) if quality > here[1] else here


def test_equal_scores_are_moves():
    """On a plateau RFS1 wanders far, RFS2 stays where it began."""
    far = drive(RandomWalk(c=5.0, patience=400), lambda s: 1.0, Space.of(30)).asked
    near = drive(RandomWalk("better", patience=400), lambda s: 1.0, Space.of(30)).asked
    assert max((s.bits ^ far[0].bits).bit_count() for s in far) > 8
    assert max((s.bits ^ near[0].bits).bit_count() for s in near) == 2


def test_failure_restarts():
    """RFS3 goes on from a brand-new subset after every failure, and scores it."""
    asked = drive(RandomWalk("restart", patience=100), lambda s: 1.0, Space.of(40)).asked
    distances = [(a.bits ^ b.bits).bit_count() for a, b in pairwise(asked)]
    assert max(distances[::2]) <= 2 and np.mean(distances[1::2]) > 12


def test_inverse_temperature_from_the_probe():
    """With c from the probe walk the median loss of that walk is accepted with probability
    0.2, whatever the units.
    """
    one, two = (
        drive(RandomWalk(patience=200), random_qualities(3, scale), Space.of(8), seed=4).asked
        for scale in (1, 2.0**30)
    )
    assert one == two
    losses = -np.diff(
        drive(RandomWalk(), random_qualities(3), Space.of(8), seed=4, limit=31).qualities
    )
    steps = RandomWalk(patience=200).steps(Space.of(8), np.random.default_rng(4))
    quality, request = random_qualities(3), next(steps)
    for _ in range(40):
        request = steps.send(quality(request))
    temperature = steps.gi_frame.f_locals["temperature"]
    assert exp(-np.median(losses[losses > 0]) / temperature) == pytest.approx(0.2)


def test_large_space():
    """A walk among 100,000 columns keeps its lists in step with its bits."""
    space = Space.of(100_000, high=60)
    asked = drive(
        RandomWalk(c=1.0, patience=10**6), lambda s: s.key / 2**64, space, limit=300
    ).asked
    assert all(
        s == space.from_bits(s.bits) and s.size == s.bits.bit_count() <= 60 for s in asked[::20]
    )
    assert asked[-1].key == space.from_bits(asked[-1].bits).key


def sizes_walked(c):
    """The sizes that a walk accepted as algorithm 1 is printed asks for, where small
    subsets are better.
    """
    steps, sizes = (
        RandomWalk("literal", c=c, patience=200).steps(Space.of(6), np.random.default_rng(0)),
        [],
    )
    try:
        request = next(steps)
        while True:
            sizes.append(request.size)
            request = steps.send(-float(request.size))
    except StopIteration:
        return sizes


def test_the_printed_rule_refuses_small_losses_and_takes_large_ones():
    """With c = 0 a walk never moves to a worse subset, with an infinite c it takes every
    loss and no draw.
    """
    from subsel.search.walks.acceptance import literal

    rng = np.random.default_rng(0)

    def often(gain, c):
        return np.mean([literal(gain, np.inf if c == 0 else 1 / c, rng) for _ in range(2000)])

    assert (
        often(-1.0, 0.0) == 0
        and often(-1e-9, 1e300) == 1
        and often(0.0, 3.0) == 0
        and often(1e-9, 3.0) == 1
    )
    assert often(-1.0, 1.0) == pytest.approx(1 - np.exp(-1), abs=0.04)
    assert often(-0.01, 1.0) < 0.05 < 0.9 < often(-5.0, 1.0)
    still = sizes_walked(0.0)
    assert max(still) <= still[0] + 1 and max(sizes_walked(inf)) == 6
