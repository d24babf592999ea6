"""The Las Vegas filter."""

import numpy as np
import pytest

from subsel.engine import run
from subsel.search.walks.las_vegas import LasVegas
from subsel.space.space import Space
from tests.oracles.driving import drive, random_qualities
from tests.oracles.table import Table

RELEVANT = 0b0010_0110


def consistent(subset):
    """Monotone: the share of the relevant units that is there."""
    return (subset.bits & RELEVANT).bit_count() / 3


def test_finds_the_smallest_consistent_subset():
    """With enough draws the answer is the smallest subset that is as consistent as all features."""
    for seed in range(5):
        assert (
            drive(LasVegas(n_draws=4000), consistent, Space.of(8), seed=seed).answer.bits
            == RELEVANT
        )


@pytest.mark.parametrize("threshold", [None, 0.4, 0.9, 2.0])
@pytest.mark.parametrize("bounds", [{}, {"low": 2, "high": 5}])
def test_answer_follows_from_what_was_seen(threshold, bounds):
    """The answer is the smallest eligible subset seen that reaches the threshold, the
    better of equally small ones.
    """
    space, quality = Space.of(7, **bounds), random_qualities(5)
    for seed in range(5):
        record = drive(LasVegas(threshold, n_draws=60), quality, space, seed=seed)
        reached = record.qualities[0] if threshold is None else threshold
        good = [
            s for s, q in zip(record.asked, record.qualities) if q >= reached and space.eligible(s)
        ]
        expected = min(good, key=lambda s: (s.size, -quality(s)), default=None)
        assert record.answer == expected


def test_sizes_never_grow():
    """No subset larger than the smallest good one so far is drawn."""
    record = drive(LasVegas(n_draws=300), consistent, Space.of(8), seed=1)
    smallest = 8
    for subset, quality in zip(record.asked, record.qualities):
        assert subset.size <= smallest
        smallest = min(smallest, subset.size) if quality >= 1 else smallest


def test_engine_uses_its_answer():
    """Through the engine the chosen subset is the smallest good one, not the best one seen."""
    table = Table(lambda s: 1.0 + 0.1 * len(s) if {1, 2} <= s else 0.0)
    result = run(LasVegas(threshold=1.0, n_draws=500), table, Space.of(5), seed=0)
    np.testing.assert_array_equal(result.chosen, [1, 2])


def test_answer_when_the_budget_ends():
    """A budget that ends before the draws do leaves the smallest good subset so far."""
    table = Table(lambda s: 1.0 + 0.1 * len(s) if {1, 2} <= s else 0.0)
    result = run(LasVegas(threshold=1.0, n_draws=5000), table, Space.of(5), budget=40, seed=0)
    good = [s for s in table.asked if {1, 2} <= s]
    assert result.n_evaluations == 40 and len(result.chosen) == min(map(len, good))
