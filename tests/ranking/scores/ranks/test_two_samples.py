"""AUC, Kolmogorov-Smirnov, T*KS and runs against scipy, scikit-learn and enumeration."""

from importlib import import_module
from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.metrics import roc_auc_score

from subsel.ranking.laws import ties as tied_law
from subsel.ranking.scores.moments.student_t import t_test
from subsel.ranking.scores.ranks.kolmogorov_smirnov import (
    kolmogorov_smirnov,
    kolmogorov_smirnov_p_value,
    t_times_ks,
)
from subsel.ranking.scores.ranks.mann_whitney import auc, auc_p_value
from subsel.ranking.scores.ranks.runs import runs, runs_p_value

RNG = np.random.default_rng(2)
X = RNG.standard_normal((40, 6))
X[:, 3:] = np.round(X[:, 3:] * [1, 2, 0.3])
Y = RNG.permutation(np.repeat([0, 1], [25, 15]))
X[Y == 1, 0] += 1


def test_auc_is_scikit_learns():
    """The area, in its better direction, is roc_auc_score of the raw column, ties and weights
    included."""
    weight = RNG.random(40) + 0.1
    for w in (None, weight):
        area = np.array([roc_auc_score(Y, x, sample_weight=w) for x in X.T])
        assert_allclose(auc(X, Y, w), np.maximum(area, 1 - area), rtol=1e-12)


@pytest.fixture
def large_samples(monkeypatch):
    """Leave tied columns to the laws of large samples (their exact ones are in test_tied_law)."""
    monkeypatch.setattr(tied_law, "OUTCOMES", 0.5)
    monkeypatch.setattr(tied_law, "OUTCOMES_OF_TWO", 0.5)
    monkeypatch.setattr(import_module("subsel.ranking.scores.ranks.runs"), "LARGEST_CHECKED", -1.0)


@pytest.mark.parametrize("sizes", [(25, 15), (3, 4), (8, 30), (1, 5), (1, 1), (9, 9)])
def test_auc_p_value_is_scipys(sizes, large_samples):
    """The p-value is that of mannwhitneyu, exact or normal as scipy decides, where ties are not
    enumerated."""
    y = RNG.permutation(np.repeat([0, 1], sizes))
    table = X[: sum(sizes)]
    peer = [stats.mannwhitneyu(x[y == 1], x[y == 0]).pvalue for x in table.T]
    assert_allclose(auc_p_value(table, y), np.nan_to_num(peer, nan=1.0), rtol=1e-9)


def test_auc_of_a_binary_column_is_balanced_accuracy():
    """For a feature of two values, AUC = (tpr + 1 - fpr) / 2."""
    binary = (X > 0.3).astype(float)
    gap = binary[Y == 1].mean(axis=0) - binary[Y == 0].mean(axis=0)
    assert_allclose(auc(binary, Y), (1 + np.abs(gap)) / 2)


def test_auc_without_ties_is_the_rank_correlation():
    """Without ties r = (AUC - 1/2) sqrt(12 n+ n- / (m^2 - 1)), r being that of the ranks."""
    ranks = stats.rankdata(X[:, :3], axis=0)
    r = [abs(np.corrcoef(rank, Y)[0, 1]) for rank in ranks.T]
    assert_allclose(r, (auc(X[:, :3], Y) - 0.5) * np.sqrt(12 * 25 * 15 / (40**2 - 1)))


@pytest.mark.parametrize("score", [auc, kolmogorov_smirnov, runs])
def test_increasing_maps_change_nothing(score):
    """A strictly increasing map of a column leaves its score."""
    assert_allclose(score(np.exp(X), Y), score(X, Y))


@pytest.mark.parametrize("sizes", [(25, 15), (20, 20), (3, 4), (1, 5)])
def test_ks_is_scipys(sizes, large_samples):
    """Gap and exact p-value are those of ks_2samp, which supposes no ties."""
    y = RNG.permutation(np.repeat([0, 1], sizes))
    table = X[: sum(sizes)]
    peer = [stats.ks_2samp(x[y == 1], x[y == 0], method="exact") for x in table.T]
    assert_allclose(kolmogorov_smirnov(table, y), [p.statistic for p in peer], rtol=1e-12)
    assert_allclose(kolmogorov_smirnov_p_value(table, y), [p.pvalue for p in peer], rtol=1e-9)


def test_ks_of_many_rows_is_scipys_large_sample_law():
    """Beyond 10,000 pairs the p-value is scipy's asymptotic one."""
    x, y = RNG.standard_normal((300, 4)), np.arange(300) % 2
    x[y == 1] += [0, 0.1, 0.5, 2]
    peer = [stats.ks_2samp(c[y == 1], c[y == 0], method="asymp").pvalue for c in x.T]
    assert_allclose(kolmogorov_smirnov_p_value(x, y), peer, rtol=1e-9)


def test_t_times_ks_is_the_product_of_the_p_values():
    """The score is minus the logarithm of the product."""
    student = 2 * stats.t.sf(t_test(X, Y), len(Y) - 2)
    product = student * kolmogorov_smirnov_p_value(X, Y)
    assert_allclose(t_times_ks(X, Y), -np.log(product), rtol=1e-8, atol=1e-12)


def test_t_times_ks_does_not_underflow():
    """Far beyond the smallest float the score still grows with the separation, as Student's law
    says."""
    y = np.arange(2000) % 2
    x = np.column_stack([RNG.standard_normal(2000) * 0.01 + y * gap for gap in (0.2, 1.0, 5.0)])
    scores = t_times_ks(x, y)
    assert np.all(np.isfinite(scores)) and np.all(np.diff(scores) > 0)
    t = stats.ttest_ind(x[y == 0], x[y == 1]).statistic[2]
    tail = -1998 / 2 * np.log(1998 / (1998 + t**2))  # leading term of -log p
    assert abs(scores[2] - kolmogorov_log(1000, 1000) - tail) < 10


def kolmogorov_log(n, m):
    """-log p of a gap of one, by the leading term of the large-sample law."""
    return 2 * n * m / (n + m) - np.log(2)


def agreements(x, y):
    """Equal neighbours averaged over all orders that sort x."""
    orders = [o for o in permutations(range(len(x))) if np.all(np.diff(x[list(o)]) >= 0)]
    return np.mean([np.sum(y[list(o)][1:] == y[list(o)][:-1]) for o in orders])


SMALL = [
    np.array(c, float)
    for c in ([0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 1, 2], [0] * 6, [1, 0, 1, 0, 0, 0])
]


@pytest.mark.parametrize("x", SMALL)
def test_runs_average_over_all_orders_of_the_ties(x):
    """The closed form is the mean number of equal neighbours over every order consistent with x."""
    y = np.array([0, 1, 1, 0, 1, 1])
    assert_allclose(runs(x[:, None], y), agreements(x, y))


def labelings(n, m):
    """Every way to give n + m rows their labels."""
    for chosen in combinations(range(n + m), m):
        y = np.zeros(n + m, int)
        y[list(chosen)] = 1
        yield y


@pytest.mark.parametrize("n", [2, 3])
def test_runs_p_value_is_the_enumerated_one_without_ties(n):
    """Without ties the p-value is the share of labelings with at least as many equal neighbours."""
    x = RNG.permutation(7).astype(float)[:, None]
    counts = np.array([runs(x, y)[0] for y in labelings(7 - n, n)])
    for y, count in zip(labelings(7 - n, n), counts):
        assert_allclose(runs_p_value(x, y), np.mean(counts >= count - 1e-9))


@pytest.mark.parametrize("x", SMALL[1:])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_runs_p_value_with_ties_has_the_permutation_mean_and_variance(x, n, large_samples):
    """With ties that are not enumerated the normal law has the mean and the variance of the count
    over all labelings."""
    counts = np.array([runs(x[:, None], y)[0] for y in labelings(6 - n, n)])
    y = next(labelings(6 - n, n))
    expected = (
        1.0
        if counts.std() < 1e-9
        else stats.norm.sf(runs(x[:, None], y)[0], counts.mean(), counts.std())
    )
    assert_allclose(runs_p_value(x[:, None], y), expected, rtol=1e-9)


def test_runs_sees_what_is_not_monotone():
    """A U-shaped column has a small p-value by runs and none to speak of by AUC."""
    x = np.linspace(-1, 1, 60)[:, None]
    y = (np.abs(x[:, 0]) > 0.5).astype(int)
    assert runs_p_value(x, y)[0] < 1e-6 < 0.5 < auc_p_value(x, y)[0]


def test_constant_columns_have_an_answer():
    """A constant column: AUC 1/2, no gap, the expected agreement, no product, p-values 1."""
    x = np.full((40, 1), 3.3)
    assert_array_equal(auc(x, Y), 0.5)
    assert_array_equal(kolmogorov_smirnov(x, Y), 0.0)
    assert_allclose(runs(x, Y), (25 * 24 + 15 * 14) / 40)
    assert_allclose(t_times_ks(x, Y), 0.0)
    for p_value in (auc_p_value, kolmogorov_smirnov_p_value, runs_p_value):
        assert_array_equal(p_value(x, Y), 1.0)


@pytest.mark.parametrize("p_value", [kolmogorov_smirnov_p_value, auc_p_value])
def test_whole_weights_repeat_rows_in_p_values(p_value):
    """A row of weight w is w rows to the exact laws too, of columns with and without ties."""
    rng = np.random.default_rng(5)
    table, y = rng.standard_normal((24, 3)), np.arange(24) % 2
    table[:, 2] = table[:, 2].round()
    weight = rng.integers(0, 4, 24)
    weight[:2] = 1
    rows = np.repeat(np.arange(24), weight)
    assert_allclose(p_value(table, y, weight), p_value(table[rows], y[rows]), rtol=1e-9)
    assert_allclose(p_value(table, y, np.ones(24)), p_value(table, y), rtol=1e-9)
