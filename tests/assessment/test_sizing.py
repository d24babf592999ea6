"""Sizes of test and validation sets against the printed examples and by simulation."""

import numpy as np
import pytest

from subsel.assessment.sizing import (
    error_bar,
    hoeffding_margin,
    rows_for_mean,
    rows_for_test,
    rows_for_validation,
    search_margin,
)


@pytest.mark.parametrize(
    ("ber", "rows", "bar"),
    [
        (10.73, 700, 1.17),
        (3.30, 2000, 0.40),
        (8.54, 800, 0.99),
        (1.26, 6500, 0.14),
        (6.22, 1800, 0.57),
    ],
)
def test_error_bars_of_the_challenge(ber, rows, bar):
    """The printed error bars of the five test sets are reproduced to two decimals."""
    assert round(100 * error_bar(ber / 100, rows), 2) == bar


def test_rule_of_a_hundred_over_the_error():
    """For a small error and a bar of a tenth the size is 100 / E.

    An error of 5% needs about 2000 rows.
    """
    assert abs(rows_for_test(0.05) / 2000 - 1) < 0.06
    assert abs(rows_for_test(0.001) / 100_000 - 1) < 0.002


def test_gaussian_size_of_the_appendix():
    """sigma 1, half width .1, level 95% need 384.1 rows, hence 385.

    A coin of sigma 1/2 at .05 the same.
    """
    assert rows_for_test(0.5, bar=0.05, confidence=0.95) == 385


def test_size_is_enough_and_not_more():
    """The rows give the bar that was asked for, one row fewer does not."""
    for error in (0.01, 0.2, 0.5):
        n = rows_for_test(error, relative=0.2)
        assert (
            error_bar(error, n) <= 0.2 * error * (1 + 1e-9) < error_bar(error, n - 1) * (1 + 2e-9)
        )


def test_validation_rows_invert_the_margin():
    """The rows for a margin have that margin, one row fewer does not.

    More subsets need more rows.
    """
    for n_subsets in (1, 1000, 2**400):
        n = rows_for_validation(n_subsets, 0.1)
        assert search_margin(n_subsets, n) <= 0.1 < search_margin(n_subsets, n - 1)
    assert rows_for_validation(2**200, 0.1) > rows_for_validation(200, 0.1)


def test_margin_covers():
    """The error of the best of 200 subsets lies within the margin at least 95 times in 100.

    The subsets have error 0.4.
    """
    rng = np.random.default_rng(0)
    best = rng.binomial(100, 0.4, (1000, 200)).min(axis=1) / 100
    assert (best + search_margin(200, 100) >= 0.4).mean() >= 0.95


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: rows_for_test(0.0), "error"),
        (lambda: rows_for_test(0.1, relative=0.1, bar=0.1), "not both"),
        (lambda: rows_for_test(0.1, bar=-1), "positive"),
        (lambda: search_margin(0, 10), "n_subsets"),
        (lambda: search_margin(10, 0), "n_rows"),
        (lambda: rows_for_validation(10, 0.1, risk=1.0), "risk"),
    ],
)
def test_bad_arguments_are_named(call, what):
    """A message names the argument."""
    with pytest.raises(ValueError, match=what):
        call()


def test_rows_for_a_mean():
    """Normal values need (z s / e)^2 rows, any values s^2 / (a e^2): the appendix's example."""
    assert rows_for_mean(1.0, 0.1) == 385 and rows_for_mean(1.0, 0.1, normal=False) == 2000
    draws = np.random.default_rng(0).exponential(
        size=(2000, rows_for_mean(1.0, 0.2, 0.1, normal=False))
    )
    assert np.mean(np.abs(draws.mean(axis=1) - 1) >= 0.2) <= 0.1
    with pytest.raises(ValueError, match="positive"):
        rows_for_mean(1.0, 0.0)


def test_one_classifier_is_a_search_of_one():
    """Hoeffding's margin holds for a fixed classifier."""
    assert hoeffding_margin(200, 0.05) == pytest.approx(np.sqrt(np.log(20) / 400))
    errors = np.random.default_rng(0).binomial(200, 0.3, 20000) / 200
    assert np.mean(0.3 - errors > hoeffding_margin(200, 0.05)) < 0.05
