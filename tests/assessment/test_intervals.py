"""Intervals and tests against closed forms and statsmodels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from subsel.assessment.intervals import (
    clopper_pearson,
    corrected_interval,
    corrected_t_test,
    correlation_interval,
    holm,
    mcnemar,
    mcnemar_one_sided,
    mean_interval,
    variance_interval,
    wilson,
)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (250, 1000)])
def test_frequency_intervals_equal_statsmodels(k, n):
    """Wilson and Clopper-Pearson equal statsmodels' at the ends and in between."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    assert_allclose(wilson(k, n), proportion.proportion_confint(k, n, method="wilson"), atol=1e-12)
    assert_allclose(
        clopper_pearson(k, n), proportion.proportion_confint(k, n, method="beta"), atol=1e-9
    )


def test_without_overlap_the_interval_is_students():
    """A test share of zero gives Student's interval and p-value."""
    scores = np.array([0.2, 0.5, 0.1, 0.4])
    t = stats.ttest_1samp(scores, 0)
    assert_allclose(corrected_interval(scores, 0.0), t.confidence_interval(0.95))
    assert_allclose(corrected_t_test(scores, 0.0), t.pvalue)


def test_overlap_widens_by_the_published_factor():
    """The half width grows by sqrt(1 + J n_test / n_train) (Nadeau and Bengio).

    It is compared with that of Student.
    """
    scores = np.random.default_rng(0).random(10)
    plain, corrected = (
        np.diff(corrected_interval(scores, 0.0)),
        np.diff(corrected_interval(scores, 0.25)),
    )
    assert_allclose(corrected / plain, np.sqrt(1 + 10 * 0.25))


def test_interval_and_test_agree():
    """Zero lies outside the interval exactly when p is below one minus the level."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        d = rng.normal(0.5, 1, 10)
        low, high = corrected_interval(d, 0.25)
        assert (low > 0 or high < 0) == (corrected_t_test(d, 0.25) < 0.05)


def test_degenerate_differences():
    """No difference at all gives p = 1, and one fold gives NaN.

    The same difference in each of five folds gives the p-value of five tosses.
    """
    assert corrected_t_test(np.zeros(5), 0.25) == 1.0
    assert corrected_t_test(np.full(5, 0.125), 0.25) == 2 * 0.5**5
    assert np.isnan(corrected_t_test([0.1], 0.25))
    assert np.isnan(corrected_interval([0.1], 0.25)).all()


@pytest.mark.parametrize(("n1", "n2"), [(12, 25), (0, 3), (7, 7), (0, 0), (1, 0), (30, 5)])
def test_mcnemar_equals_statsmodels(n1, n2):
    """Counts and exact p-value equal statsmodels' on the two by two table."""
    table = pytest.importorskip("statsmodels.stats.contingency_tables")
    first = np.repeat([1, 0, 1, 0], [n1, n2, 4, 6])
    second = np.repeat([0, 1, 1, 0], [n1, n2, 4, 6])
    only_first, only_second, p = mcnemar(first, second)
    assert (only_first, only_second) == (n1, n2)
    assert_allclose(p, table.mcnemar([[4, n1], [n2, 6]], exact=True).pvalue)


def test_holm_equals_statsmodels():
    """Holm's correction equals statsmodels', ties included."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = [0.01, 0.01, 0.2, 0.04, 0.9]
    assert_allclose(holm(p), multitest.multipletests(p, method="holm")[1])


def test_one_sided_mcnemar_is_half_of_the_two_sided():
    """The deviate squared is statsmodels' statistic; few rows have the exact law.

    No row says nothing.
    """
    peer = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar

    first, second = (
        np.repeat([True, False, False], [12, 25, 60]),
        np.repeat([False, True, False], [12, 25, 60]),
    )
    found = mcnemar_one_sided(first, second)
    told = peer([[60, 12], [25, 0]], exact=False, correction=False)
    assert found[:2] == (12, 25)
    assert found.z**2 == pytest.approx(told.statistic) and 2 * found.p_value == pytest.approx(
        told.pvalue
    )
    few = mcnemar_one_sided([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1])
    assert few.p_value == pytest.approx(stats.binomtest(5, 6, alternative="less").pvalue)
    assert mcnemar_one_sided([0, 1], [0, 1]).p_value == 0.5


def test_interval_of_a_correlation_is_scipys():
    """Fisher's transform, for one or many correlations."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40))
    y = y + x
    told = stats.pearsonr(x, y)
    low, high = correlation_interval(told.statistic, 40, 0.9)
    assert (float(low), float(high)) == pytest.approx(tuple(told.confidence_interval(0.9)))
    assert correlation_interval([0.1, 1.0], 40)[1][1] == 1.0
    with pytest.raises(ValueError, match="at least 4"):
        correlation_interval(0.1, 3)


def test_intervals_of_mean_and_variance_cover():
    """95 of a hundred samples of normal values have the truth inside, of mean and of variance."""
    samples = np.random.default_rng(1).normal(2.0, 3.0, size=(4000, 12))

    def inside(ends, truth):
        return ends[0] <= truth <= ends[1]

    for interval, truth in ((mean_interval, 2.0), (variance_interval, 9.0)):
        share = np.mean([inside(interval(s), truth) for s in samples])
        assert abs(share - 0.95) < 0.012
