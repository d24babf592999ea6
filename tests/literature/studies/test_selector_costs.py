"""The costs of six selectors: their formulas, the order of trial, the slope that is measured, and examples that suffice."""

from itertools import combinations
from math import log2, sqrt

import numpy as np
import pytest

from subsel.assessment import examples_needed
from subsel.literature.studies import (
    SELECTOR_COSTS,
    growth_exponent,
    order_of_trial,
    selector_cost,
    study_cost,
)

PRINTED = {  # rows m = 64, columns n = 256, f = 8, h = 5, t = 10
    "pearson": 256 * 64,
    "relief": 256 * 64**2,
    "gram-schmidt": 8 * 256 * 64,
    "rfe-svm": 256 * 64**2,
    "obd-ard": 64 * 256 * 64 * 5,
    "random-forest": 10 * 16 * 64 * log2(64),
}


@pytest.mark.parametrize("name", SELECTOR_COSTS)
def test_costs_are_those_printed(name):
    """A table of 64 rows and 256 columns costs what the printed formula gives."""
    assert selector_cost(name, 64, 256, n_selected=8, n_hidden=5, n_trees=10) == pytest.approx(
        PRINTED[name]
    )


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("pearson", 2, 2),
        ("relief", 4, 2),
        ("gram-schmidt", 2, 2),
        ("rfe-svm", 4, 2),
        ("obd-ard", 4, 2),
    ],
)
def test_doubling(name, rows, columns):
    """Of wide tables, twice the rows double or square the cost, twice the columns double it; a forest takes the root."""

    def at(m, n):
        return selector_cost(name, m, n, n_selected=5)

    assert at(200, 5000) / at(100, 5000) == pytest.approx(rows)
    assert at(100, 10_000) / at(100, 5000) == pytest.approx(columns)
    forest = selector_cost("random-forest", 100, 10_000) / selector_cost("random-forest", 100, 5000)
    assert forest == pytest.approx(sqrt(2))


def test_simple_selectors_are_tried_first():
    """The univariate ranking comes first, linear ones follow, then the rest by cost; a limit leaves out the dear."""
    order = order_of_trial(500, 2000, 10)
    trials = [SELECTOR_COSTS[name].trial for name in order]
    assert order[0] == "pearson" and trials == sorted(trials) and set(order) == set(SELECTOR_COSTS)
    assert order_of_trial(500, 2000, 10, limit=1.1e6) == ["pearson"]
    assert study_cost(25, 3.0, 10, 4) == 3000


def test_the_slope_is_that_of_the_work():
    """A count of operations in place of seconds gives the exponent exactly, the first run of each size left out."""
    done = [0.0]

    def work(size):
        runs = iter([1e9, *[size**1.5] * 3])

        def run():
            done[0] += next(runs)

        return run

    assert growth_exponent(work, [4, 16, 64], clock=lambda: done[0]) == pytest.approx(1.5)


def test_enough_examples_for_few_features():
    """Random labels of two bits among n are found by the smallest consistent subset as often as the bound promises."""
    n, k, epsilon, delta = 6, 2, 0.25, 0.1
    m = examples_needed(n, k, epsilon, delta)
    rng, failures = np.random.default_rng(0), 0
    whole = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    for _ in range(60):
        table, pair = rng.integers(2, size=4), rng.choice(n, 2, replace=False)
        truth = table[whole[:, pair] @ [1, 2]]
        rows = rng.integers(2**n, size=m)
        failures += np.mean(_smallest_consistent(whole, rows, truth[rows]) != truth) > epsilon
    assert failures / 60 <= delta
    assert examples_needed(1000, 2, epsilon, delta) - m < 2 * np.log(1000 / 3) / epsilon + 1


def _smallest_consistent(whole, rows, y):
    """What a table of the smallest consistent subset says of all rows; 0 where it saw none."""
    for size in range(whole.shape[1] + 1):
        for columns in combinations(range(whole.shape[1]), size):
            keys = (
                whole[:, columns] @ (2 ** np.arange(size))
                if size
                else np.zeros(len(whole), dtype=int)
            )
            seen = dict(zip(keys[rows], y, strict=True))
            if all(seen[key] == label for key, label in zip(keys[rows], y, strict=True)):
                return np.array([seen.get(key, 0) for key in keys])
    raise AssertionError


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: selector_cost("lasso", 10, 10), "name must be one of pearson"),
        (lambda: selector_cost("pearson", 0, 10), "n_rows must be at least 1, got 0"),
        (lambda: selector_cost("pearson", 10, 10, 11), r"n_selected must lie in \[1, 10\], got 11"),
        (lambda: growth_exponent(lambda size: None, [3, 3]), "sizes must hold two different"),
        (lambda: examples_needed(5, 6, 0.1, 0.1), r"n_relevant must lie in \[0, 5\], got 6"),
        (
            lambda: examples_needed(5, 2, 0.0, 0.1),
            "epsilon must lie strictly between 0 and 1, got 0.0",
        ),
    ],
)
def test_bad_arguments_are_named(call, words):
    """An argument out of its domain is named with the value received."""
    with pytest.raises(ValueError, match=words):
        call()
