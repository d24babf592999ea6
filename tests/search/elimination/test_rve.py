"""Randomised variable elimination and its table of costs."""

from fractions import Fraction
from math import comb, inf, log2

import numpy as np
import pytest
from numpy.testing import assert_allclose

from subsel.engine import run
from subsel.search.elimination.pruning import Pruning
from subsel.search.elimination.removals import RemovalTable, clean_probability, expected_failures
from subsel.search.elimination.rve import Elimination
from subsel.space.space import Block, Space
from tests.oracles.driving import drive
from tests.oracles.table import Table

COSTS = {"constant": None, "linear": float, "quadratic": lambda m: float(m * m + 1)}


def brute_force(n, r, cost):
    """S(n, r) from the recursion in whole numbers, and all numbers of removals that attain it."""
    if n == r:
        return Fraction(0), {0}
    values = {
        k: Fraction(1 if cost is None else cost(n - k)) * Fraction(comb(n, k), comb(n - r, k))
        + brute_force(n - k, r, cost)[0]
        for k in range(1, n - r + 1)
    }
    least = min(values.values())
    return least, {k for k, value in values.items() if value == least}


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@pytest.mark.parametrize("r", range(8))
def test_table_against_brute_force(r, cost):
    """S(n, r) and the best number of removals agree with the recursion in exact arithmetic
    up to n = 8.
    """
    table = RemovalTable(8, r, cost)
    for n in range(r, 9):
        least, best = brute_force(n, r, cost)
        assert table.cost[n] == pytest.approx(float(least)) and table.n_removed[n] in best


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@pytest.mark.parametrize("r", [1, 3, 20])
def test_nearby_search_against_all_removals(r, cost):
    """Beyond 1,000 variables the table stays within 0.5% of the minimum over all numbers of
    removals.
    """
    n = 1600
    table = RemovalTable(n, r, cost)
    totals = np.array(table.cost[: 1000 + 1] + [0.0] * (n - 1000))
    training = np.array([1.0 if cost is None else cost(m) for m in range(n + 1)])
    for m in range(1001, n + 1):
        after = np.arange(m - 1, r - 1, -1)
        tries = 1 / np.cumprod((after - r + 1.0) / (after + 1.0))
        totals[m] = (training[after] * tries + totals[after]).min()
    assert_allclose(table.cost, totals, rtol=5e-3)
    assert (np.array(table.cost) >= totals * (1 - 1e-9)).all()


def test_clean_probability():
    """The chance of a clean removal is the printed 0.58375 for (100, 5, 10), and a ratio of
    binomials everywhere.
    """
    assert clean_probability(100, 5, 10) == pytest.approx(0.58375, abs=5e-6)
    for n in range(1, 9):
        for r in range(n + 1):
            for k in range(n + 1):
                assert clean_probability(n, r, k) == pytest.approx(
                    comb(n - r, k) / comb(n, k), abs=1e-15
                )
    assert expected_failures(10, 9, 1) == pytest.approx(9) and expected_failures(4, 4, 1) == inf


def noiseless(r):
    """Quality falls if and only if one of the first r variables is missing."""
    relevant = (1 << r) - 1
    return lambda subset: float(subset.bits & relevant == relevant)


@pytest.mark.parametrize(("n", "r"), [(40, 6), (12, 1), (15, 12)])
def test_evaluations_match_the_table(n, r):
    """With r known the removals tried number S(n, r) on average, and exactly the relevant
    variables are left.
    """
    space, counts = Space.of(n, low=r, high=r), []
    for seed in range(250):
        record = drive(Elimination(), noiseless(r), space, seed)
        assert record.answer.bits == (1 << r) - 1
        counts.append(len(record.asked) - 1)  # the first is the full set
    error = np.std(counts) / np.sqrt(len(counts))
    assert np.mean(counts) == pytest.approx(RemovalTable(n, r).cost[n], abs=3.5 * error)


@pytest.fixture(scope="module")
def unknown():
    """200 runs without knowing that 6 of 40 variables are relevant."""
    return [drive(Elimination("unknown"), noiseless(6), Space.of(40), seed) for seed in range(200)]


def test_unknown_r_keeps_every_relevant_variable(unknown):
    """Without a noise in the criterion no relevant variable is ever lost."""
    assert all(record.answer.bits & 0b111111 == 0b111111 for record in unknown)


def test_unknown_r_nearly_always_keeps_only_those(unknown):
    """In about 98% of the runs nothing but the relevant variables is left."""
    assert np.mean([record.answer.size == 6 for record in unknown]) >= 0.95


def test_unknown_r_costs_about_twice(unknown):
    """The search for r costs about twice what knowing it does."""
    ratio = np.mean([len(record.asked) for record in unknown]) / RemovalTable(40, 6).cost[40]
    assert 1.5 < ratio < 2.5


@pytest.mark.parametrize(("n", "r"), [(8, 1), (9, 9), (30, 29), (64, 2)])
def test_unknown_r_at_the_edges(n, r):
    """One relevant variable, all of them, all but one.

    Every relevant one is kept and the search ends.
    """
    for seed in range(10):
        record = drive(Elimination("unknown"), noiseless(r), Space.of(n), seed, limit=5000)
        assert record.ended and record.answer.bits & (1 << r) - 1 == (1 << r) - 1


def test_without_an_exact_number_r_is_searched_for():
    """RVE without an exact number of features is RVErS."""
    one, two = (
        drive(Elimination(relevant), noiseless(3), Space.of(20), 1)
        for relevant in ("n_features", "unknown")
    )
    assert one.asked == two.asked


def test_comes_down_where_everything_is_relevant():
    """Where every removal hurts, RVE still comes down to the number asked for, by removals
    that hurt little.
    """
    space = Space.of(12, low=4, high=4)
    record = drive(Elimination(), lambda s: float(s.bits), space, 3)
    assert record.answer.size == 4 and record.answer.bits >> 8 > 0


def test_evaluations_grow_with_the_logarithm():
    """With r = 5 the cost of eliminating from 4,096 variables is a small multiple of r log
    n, far under n.
    """
    table = RemovalTable(4096, 5)
    assert table.cost[4096] < 4 * 5 * log2(4096)
    growth = np.diff([table.cost[2**e] for e in range(6, 13)])
    assert growth.max() < 1.3 * growth.min()


def test_tolerance():
    """A removal that costs no more than the tolerance is kept."""
    record = drive(
        Elimination("unknown", tolerance=0.015),
        lambda s: 0.01 * s.size + noiseless(2)(s),
        Space.of(10),
        0,
    )
    assert record.answer.bits & 0b11 == 0b11 and record.answer.size < 10
    strict = drive(
        Elimination("unknown"), lambda s: 0.01 * s.size + noiseless(2)(s), Space.of(10), 0
    )
    assert strict.answer.size == 10


def test_large_space():
    """Five relevant variables among 20,000 are found in a few hundred evaluations."""
    record = drive(Elimination("unknown"), noiseless(5), Space.of(20_000), 1, limit=2000)
    assert record.answer.bits == 0b11111 and len(record.asked) < 600


@pytest.mark.parametrize("search", [Elimination(), Pruning()])
def test_answer_when_the_budget_ends(search):
    """A budget that ends before the search does leaves what is left so far.

    The last subset that was no worse.
    """
    table = Table(lambda s: float({0, 1, 2} <= s))
    result = run(search, table, Space.of(30), budget=12, seed=0)
    assert result.n_evaluations == 12
    assert set(result.chosen.tolist()) == [s for s in table.asked[:-1] if {0, 1, 2} <= s][-1]
    assert 3 <= len(result.chosen) < 30


def test_choice_is_settled_at_the_full_set():
    """The option that suits the full set best is kept to the end."""
    space = Space((Block(6), Block(3, name="kernel", choice=True)))
    record = drive(Elimination(), lambda s: noiseless(2)(s) + (space.option(s, 0) == 1), space, 0)
    assert space.option(record.answer, 0) == 1 and space.columns(record.answer).tolist() == [0, 1]
