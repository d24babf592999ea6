"""Simulated annealing, its temperatures and acceptance."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest

from subsel.search.walks.acceptance import metropolis, temperature_accepting
from subsel.search.walks.annealing import Annealing, cooling_factor, geometric
from subsel.space.space import Space
from tests.oracles.driving import drive, random_qualities


def test_metropolis_accepts_losses_as_often_as_it_should():
    """A loss d at temperature T is accepted with probability exp(-d / T)."""
    rng = np.random.default_rng(0)
    accepted = np.mean([metropolis(-0.5, 0.7, rng) for _ in range(20_000)])
    assert accepted == pytest.approx(exp(-0.5 / 0.7), abs=0.015)


@pytest.mark.parametrize("gain", [0.0, 1e-12, np.inf])
def test_metropolis_takes_every_gain(gain):
    """What is no worse is always taken, also without any temperature."""
    assert metropolis(gain, 0.0, np.random.default_rng(0))


def test_temperature_from_changes():
    """The median change that changes anything is accepted with the probability asked for."""
    temperature = temperature_accepting([0.0, -1.0, 2.0, -4.0, 0.0, -np.inf], 0.8)
    assert exp(-2.0 / temperature) == pytest.approx(0.8)
    assert temperature_accepting([0.0, 0.0], 0.8) == 0.0 == temperature_accepting([], 0.8)


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_cooling_leads_from_start_to_end(n):
    """Temperatures fall by the cooling factor from the first to the last."""
    temperatures = list(geometric(10.0, 0.01, n))
    assert len(temperatures) == n and temperatures[0] == 10.0
    assert n == 1 or temperatures[-1] == pytest.approx(0.01)
    assert all(
        b / a == pytest.approx(cooling_factor(10.0, 0.01, n)) for a, b in pairwise(temperatures)
    )
    assert list(geometric(0.0, 0.0, 2)) == [0.0, 0.0]


def test_cold_annealing_is_hill_climbing():
    """Without temperature each step flips one unit of the best subset so far."""
    record = drive(
        Annealing(1e-300, 1e-300, n_flips=1, n_steps=300), random_qualities(2), Space.of(7), seed=3
    )
    here = record.asked[0], record.qualities[0]
    for subset, quality in zip(record.asked[1:], record.qualities[1:]):
        assert (subset.bits ^ here[0].bits).bit_count() == 1
        here = (subset, quality) if quality >= here[1] else here


def test_hot_annealing_accepts_everything():
    """At a large temperature each step flips one unit of the subset before it, 99 times in 100."""
    asked = drive(
        Annealing(1e3, 1e3, n_flips=1, n_steps=2000), random_qualities(2), Space.of(12), seed=3
    ).asked
    assert np.mean([(a.bits ^ b.bits).bit_count() == 1 for a, b in pairwise(asked)]) > 0.99


def test_visits_follow_the_gibbs_law():
    """At a fixed temperature visits are proportional to exp(q / T) times the number of open
    flips.
    """
    q, temperature, n = np.random.default_rng(5).random(16), 0.4, 60_000
    steps = Annealing(temperature, temperature, n_flips=1, n_steps=n + 2).steps(
        Space.of(4), np.random.default_rng(0)
    )
    request, counts = next(steps), np.zeros(16)
    for _ in range(n):
        request = steps.send(q[request.bits])
        counts[steps.gi_frame.f_locals["here"].bits] += 1
    law = np.exp(q / temperature) * [
        0 if s == 0 else 3 if s.bit_count() == 1 else 4 for s in range(16)
    ]
    assert 0.5 * np.abs(counts / n - law / law.sum()).sum() < 0.02


def test_neighbourhood_shrinks():
    """Many units flip when hot, one when cold."""
    record = drive(
        Annealing(1e9, 1e4, n_flips=12, n_steps=400), lambda s: float(s.size), Space.of(60), seed=1
    )
    flips = [(a.bits ^ b.bits).bit_count() for a, b in pairwise(record.asked)]
    assert np.mean(flips[:5]) > 8 and np.mean(flips[100:]) == 1


def test_probe_sets_the_temperature():
    """The first temperature comes from twenty steps that are all accepted.

    Units of quality do not matter.
    """
    one, two = (
        drive(Annealing(n_steps=200), random_qualities(3, scale), Space.of(8), seed=4).asked
        for scale in (1, 2.0**30)
    )
    assert one == two
    steps, quality = Annealing().steps(Space.of(8), np.random.default_rng(4)), random_qualities(3)
    told, request = [], next(steps)
    for _ in range(21):
        told.append(quality(request))
        request = steps.send(told[-1])
    assert steps.gi_frame.f_locals["start"] == pytest.approx(
        -np.median(np.abs(np.diff(told))) / log(0.8)
    )


def test_finds_the_optimum():
    """In most runs annealing finds the best of the 63 subsets of six columns within 400
    evaluations.
    """
    found = 0
    for seed in range(20):
        quality = random_qualities(seed)
        best = max(quality(Space.of(6).from_bits(bits)) for bits in range(1, 64))
        found += (
            drive(Annealing(), quality, Space.of(6), seed=seed, horizon=400, limit=400).best == best
        )
    assert found >= 14


def test_a_given_factor_cools_down_to_the_final_temperature():
    """With a factor the number of steps follows from the temperatures."""
    space = Space.of(8)
    steps = Annealing(1.0, 0.1, cooling_factor=0.5).steps(space, np.random.default_rng(0))
    asked, request = 0, next(steps)
    try:
        while True:
            asked += 1
            request = steps.send(float(request.size))
    except StopIteration:
        pass
    assert asked == 1 + 4  # the start, and temperatures 1, 1/2, 1/4, 1/8
    with pytest.raises(ValueError, match="cooling_factor"):
        list(Annealing(1.0, 0.1, cooling_factor=1.5)._temperatures(1.0, 0.1, 3))


def test_a_given_neighbour_is_what_is_asked_for():
    """The user's function says where to go, at which temperature; rejected steps come back."""
    space, seen = Space.of(8), []

    def turn_first(space, subset, temperature, rng):
        seen.append(temperature)
        return (
            space.flip(subset, 0)
            if subset.size > 1 or 0 not in space.columns(subset)
            else space.flip(subset, 0, 1)
        )

    steps = Annealing(1e-9, 1e-10, n_steps=6, neighbour=turn_first).steps(
        space, np.random.default_rng(1)
    )
    start = next(steps)
    first = steps.send(0.0)
    assert first.bits == turn_first(space, start, 0.0, None).bits
    again = steps.send(
        -1.0
    )  # a loss that a cold walk refuses: the same neighbour of the same start
    assert again.bits == first.bits
    onward = steps.send(1.0)  # a gain: the neighbour of that neighbour
    assert onward.bits == turn_first(space, first, 0.0, None).bits
