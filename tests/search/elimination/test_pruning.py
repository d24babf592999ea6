"""Rapid randomised pruning."""

import numpy as np
import pytest

from subsel.search.elimination.pruning import Pruning, greedy_removals
from subsel.search.elimination.removals import clean_probability
from subsel.space.space import Space
from tests.oracles.driving import drive


def noiseless(r):
    """Quality falls if and only if one of the first r variables is missing."""
    relevant = (1 << r) - 1
    return lambda subset: float(subset.bits & relevant == relevant)


@pytest.mark.parametrize("n", [2, 7, 30])
def test_greedy_removals(n):
    """The number removed maximises k p(n, r, k) over all k."""
    for r in range(n):
        value = [k * clean_probability(n, r, k) for k in range(n - r + 1)]
        assert value[greedy_removals(n, r)] == pytest.approx(max(value))


@pytest.mark.parametrize(("n", "r"), [(40, 6), (25, 1), (10, 10), (300, 4)])
def test_keeps_the_relevant(n, r):
    """No relevant variable is lost, and in most runs nothing else is left."""
    answers = [drive(Pruning(), noiseless(r), Space.of(n), seed).answer for seed in range(40)]
    assert all(answer.bits & (1 << r) - 1 == (1 << r) - 1 for answer in answers)
    assert np.mean([answer.size == r for answer in answers]) > 0.75


def test_known_number():
    """With an exact number of features the search comes down to it."""
    for seed in range(20):
        assert (
            drive(Pruning(), noiseless(4), Space.of(30, low=4, high=4), seed).answer.bits == 0b1111
        )


def test_fewer_evaluations_than_variables():
    """Five relevant ones among 2,000 take fewer than a quarter as many evaluations as there
    are variables.
    """
    counts = [len(drive(Pruning(), noiseless(5), Space.of(2000), seed).asked) for seed in range(5)]
    assert np.mean(counts) < 500
