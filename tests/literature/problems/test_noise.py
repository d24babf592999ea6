"""Pure noise and its halves."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from subsel.literature.problems.noise import pure_noise, stratified_halves


@pytest.mark.parametrize("p", [15, 20, 25, 30])
def test_noise_is_uniform_and_labels_are_fair(p):
    """The columns are uniform on [0, 99], the labels a fair coin, and the seed decides both."""
    problem = pure_noise(2_000, p, random_state=p)
    assert problem.X.min() >= 0
    assert problem.X.max() <= 99
    assert stats.kstest(problem.X.ravel() / 99, "uniform").pvalue > 1e-3
    assert stats.binomtest(int(problem.y.sum()), 2_000).pvalue > 1e-3
    assert_array_equal(problem.X, pure_noise(2_000, p, random_state=p).X)


def test_no_column_tells_the_label():
    """Over many columns the p-values of a t-test are uniform: nothing is related to the labels."""
    problem = pure_noise(200, 500, random_state=0)
    p_values = stats.ttest_ind(problem.X[problem.y == 0], problem.X[problem.y == 1]).pvalue
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("labels", [[0] * 7 + [1] * 5, ["a", "b", "a", "b"]])
def test_halves_share_every_class_evenly(labels):
    """Each row is in one half, and the halves differ by at most one row of each class."""
    y = np.array(labels)
    first, second = stratified_halves(y, random_state=1)
    assert_array_equal(np.sort(np.concatenate([first, second])), np.arange(len(y)))
    for label in np.unique(y):
        assert 0 <= (y[second] == label).sum() - (y[first] == label).sum() <= 1
