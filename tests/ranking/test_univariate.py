"""Means and spread against scipy, scikit-learn and the identities of the literature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from sklearn.feature_selection import f_classif

from subsel.data.statistics.class_moments import ClassMoments
from subsel.ranking.laws import student as permuted_sums
from subsel.ranking.laws import ties as tied_law
from subsel.ranking.registry import find_score
from subsel.ranking.scores.information.gaussian_information import gaussian_information
from subsel.ranking.scores.moments.anova import anova_f, anova_f_p_value, correlation_ratio
from subsel.ranking.scores.moments.class_sums import lambda_ranking, unbalanced_score
from subsel.ranking.scores.moments.fisher import f_score, fisher
from subsel.ranking.scores.moments.pearson import pearson, pearson_p_value
from subsel.ranking.scores.moments.signal_to_noise import signal_to_noise
from subsel.ranking.scores.moments.student_t import t_test, t_test_p_value, welch_t, welch_t_p_value

RNG = np.random.default_rng(1)
X = RNG.standard_normal((40, 6)) * [1, 10, 0.1, 1, 1, 1] + [0, 5, 0, 0, 100, 0]
X[:, 3] = np.round(X[:, 3])
Y = RNG.permutation(np.repeat([0, 1], [25, 15]))
X[Y == 1, 0] += 1.5
A, B = X[Y == 0], X[Y == 1]
BALANCED = np.tile([0, 1], 20)


@pytest.fixture
def large_samples(monkeypatch):
    """Leave all columns to the laws of large samples (exact ones are in test_table_law,
    permutations in test_sequential)."""
    monkeypatch.setattr(tied_law, "OUTCOMES", 0.5)
    monkeypatch.setattr(tied_law, "OUTCOMES_OF_TWO", 0.5)
    monkeypatch.setattr(permuted_sums, "LARGEST_CHECKED", -1.0)


def test_pearson_is_scipys(large_samples):
    """|r| and its p-value are those of scipy, for a numeric target and for two classes."""
    for y in (RNG.standard_normal(40) + X[:, 0], Y):
        peer = [stats.pearsonr(x, y) for x in X.T]
        assert_allclose(pearson(X, y), [abs(r.statistic) for r in peer], rtol=1e-10)
        assert_allclose(pearson_p_value(X, y), [r.pvalue for r in peer], rtol=1e-8)


def test_pearson_of_named_classes_is_that_of_their_numbers():
    """Two classes named by words score as 0 and 1; three are refused."""
    assert_allclose(pearson(X, np.array(["no", "yes"])[Y]), pearson(X, Y))
    with pytest.raises(ValueError, match="2 classes, but y holds 3"):
        pearson(X, np.array(["a", "b", "c"])[np.arange(40) % 3])


def test_t_is_scipys(large_samples):
    """Pooled and Welch t and their p-values are those of scipy."""
    for ours, p_value, equal in ((t_test, t_test_p_value, True), (welch_t, welch_t_p_value, False)):
        peer = stats.ttest_ind(A, B, equal_var=equal)
        assert_allclose(ours(X, Y), np.abs(peer.statistic), rtol=1e-10)
        assert_allclose(p_value(X, Y), peer.pvalue, rtol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_anova_is_scipys_and_scikit_learns(n_classes, large_samples):
    """F and its p-value are those of f_oneway and f_classif, for any number of classes."""
    y = np.arange(40) % n_classes
    peer = stats.f_oneway(*(X[y == k] for k in range(n_classes)))
    assert_allclose(anova_f(X, y), peer.statistic, rtol=1e-9, atol=1e-12)
    assert_allclose(anova_f_p_value(X, y), peer.pvalue, rtol=1e-8)
    assert_allclose(anova_f(X, y), f_classif(X, y)[0], rtol=1e-6, atol=1e-9)


def test_t_f_and_r_are_one_statistic():
    """For two classes F = t^2 = (m - 2) r^2 / (1 - r^2), eta = |r|, and all p-values are equal."""
    r = pearson(X, Y)
    assert_allclose(anova_f(X, Y), t_test(X, Y) ** 2, rtol=1e-10)
    assert_allclose(anova_f(X, Y), 38 * r**2 / (1 - r**2), rtol=1e-10)
    assert_allclose(correlation_ratio(X, Y), r, rtol=1e-10)
    assert_allclose(pearson_p_value(X, Y), t_test_p_value(X, Y), rtol=1e-8)
    assert_allclose(anova_f_p_value(X, Y), t_test_p_value(X, Y), rtol=1e-8)


def test_eta_is_the_correlation_with_the_best_numbering():
    """Eta is the correlation with the classes numbered by their means."""
    y = np.arange(40) % 3
    means = np.array([X[y == k, 0].mean() for k in range(3)])
    assert_allclose(correlation_ratio(X[:, :1], y), abs(np.corrcoef(X[:, 0], means[y])[0, 1]))


def test_fisher_by_definition():
    """Fisher's criterion is its formula, for two classes and for three."""
    two = (A.mean(axis=0) - B.mean(axis=0)) ** 2 / (A.var(axis=0, ddof=1) + B.var(axis=0, ddof=1))
    assert_allclose(fisher(X, Y), two, rtol=1e-9)
    parts = [X[np.arange(40) % 3 == k] for k in range(3)]
    between = sum(len(part) * (part.mean(axis=0) - X.mean(axis=0)) ** 2 for part in parts)
    assert_allclose(
        fisher(X, np.arange(40) % 3),
        between / sum(len(p) * p.var(axis=0) for p in parts),
        rtol=1e-8,
    )


def test_f_score_by_definition_and_identity():
    """The F-score is its formula and a constant times Fisher's.

    Balanced, ANOVA's F is m times it.
    """
    above = (A.mean(axis=0) - X.mean(axis=0)) ** 2 + (B.mean(axis=0) - X.mean(axis=0)) ** 2
    assert_allclose(
        f_score(X, Y), above / (A.var(axis=0, ddof=1) + B.var(axis=0, ddof=1)), rtol=1e-8
    )
    assert_allclose(anova_f(X, BALANCED), 40 * f_score(X, BALANCED), rtol=1e-9)


def test_balanced_welch_is_fisher():
    """With classes of equal size the square of Welch's t is that size times Fisher's criterion."""
    assert_allclose(welch_t(X, BALANCED) ** 2, 20 * fisher(X, BALANCED), rtol=1e-9)


def test_signal_to_noise_by_definition():
    """The ratio is its formula with the deviations of the population."""
    expected = np.abs(A.mean(axis=0) - B.mean(axis=0)) / (A.std(axis=0) + B.std(axis=0))
    assert_allclose(signal_to_noise(X, Y), expected, rtol=1e-9)


def test_sums_over_classes_by_definition():
    """Lambda ranking is the product with the signs.

    The unbalanced score with penalty 1 is the same.
    """
    signs = np.where(Y == 1, 1.0, -1.0)
    assert_allclose(lambda_ranking(X, Y), signs @ X, rtol=1e-9)
    assert_allclose(
        lambda_ranking(X, Y, centre=True, absolute=True),
        np.abs(signs @ (X - X.mean(axis=0))),
        rtol=1e-8,
    )
    assert_allclose(unbalanced_score(X, Y, penalty=1.0), lambda_ranking(X, Y), rtol=1e-9)
    assert_allclose(unbalanced_score(X, Y), np.where(Y == 1, 1.0, -3.0) @ X, rtol=1e-9)
    assert_allclose(
        unbalanced_score(X, Y, penalty=15 / 25), 15 * (B.mean(axis=0) - A.mean(axis=0)), rtol=1e-8
    )


SEPARATED = np.array([[0.1, 0.1], [0.1, 0.1], [0.7, 0.1], [0.7, 0.1]])


@pytest.mark.parametrize("score", [t_test, welch_t, anova_f, fisher, f_score, signal_to_noise])
def test_separation_without_spread_is_infinite(score):
    """Two different constants score infinity, one constant 0."""
    assert_array_equal(score(SEPARATED, [0, 0, 1, 1]), [np.inf, 0.0])


@pytest.mark.parametrize(
    "p_value", [pearson_p_value, t_test_p_value, welch_t_p_value, anova_f_p_value]
)
def test_p_values_at_the_ends(p_value, large_samples):
    """Separation without spread has p-value 0, a constant column 1; two rows are no evidence."""
    assert_allclose(p_value(SEPARATED, [0, 0, 1, 1]), [0.0, 1.0], atol=1e-15)
    assert_array_equal(p_value(SEPARATED[1:3], [0, 1]), [1.0, 1.0])


@pytest.mark.parametrize(
    "p_value", [pearson_p_value, t_test_p_value, welch_t_p_value, anova_f_p_value]
)
def test_two_pairs_apart_are_little_evidence(p_value):
    """Two of the six labellings of two pairs of equal values separate them.

    One third, and one of a constant.
    """
    assert_allclose(p_value(SEPARATED, [0, 0, 1, 1]), [1 / 3, 1.0], rtol=1e-12)


def test_p_values_are_uniform_under_chance():
    """Under independent labels the p-values of t pass a test of uniformity."""
    noise = np.random.default_rng(5).standard_normal((30, 2000))
    for p_value in (t_test_p_value, welch_t_p_value, pearson_p_value):
        assert stats.kstest(p_value(noise, np.arange(30) % 2), "uniform").pvalue > 0.01


def test_two_classes_are_asked_for():
    """A score of two classes refuses three, in a table or in moments."""
    with pytest.raises(ValueError, match="2 classes, but y holds 3"):
        t_test(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="the moments hold 3"):
        t_test(ClassMoments(3, 6))


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
def test_sums_of_bits_are_whole(given_as):
    """Columns that count the same tie exactly, dense or sparse, so that rounding does not order
    them."""
    rng = np.random.default_rng(0)
    bits, y = (rng.random((301, 400)) < 0.1).astype(float), (rng.random(301) < 0.2).astype(int)
    inside, outside = bits[y == 1].sum(axis=0), bits[y == 0].sum(axis=0)
    assert_array_equal(unbalanced_score(given_as(bits), y), inside - 3 * outside)
    assert_array_equal(lambda_ranking(given_as(bits), y), inside - outside)
    assert find_score("unbalanced-difference") is find_score("unbalanced-score")


def test_gaussian_information_is_a_difference_of_entropies():
    """H(X) - H(X | Y) of normal laws; rows of the overall variance smooth it.

    It sees spread alone.
    """
    y = np.arange(40) % 3
    sizes, total = np.bincount(y), X.var(axis=0)
    spread = np.array([X[y == k].var(axis=0) for k in range(3)])
    for rows in (0.0, 1.0, 5.0):
        smooth = (sizes[:, None] * spread + rows * total) / (sizes[:, None] + rows)
        expected = 0.5 * (np.log(total) - sizes / 40 @ np.log(smooth))
        assert_allclose(
            gaussian_information(X, y, smoothing=rows),
            np.maximum(expected, 0),
            rtol=1e-7,
            atol=1e-9,
        )
    lone, flat = np.arange(5.0)[:, None], np.array([0.0, 0.0, 0.0, 5.0, 6.0])[:, None]
    assert np.isfinite(gaussian_information(lone, [0, 0, 1, 1, 2])).all()
    assert np.isfinite(gaussian_information(flat, [0, 0, 0, 1, 1])).all()
    wide = (
        np.random.default_rng(0).standard_normal((4000, 1))
        * np.where(np.arange(4000) % 2, 3, 1)[:, None]
    )
    assert gaussian_information(wide, np.arange(4000) % 2)[0] > 0.2
    with pytest.raises(ValueError, match="smoothing must not be negative, got -1"):
        gaussian_information(X, y, smoothing=-1.0)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e100])
def test_p_values_do_not_depend_on_the_unit(scale):
    """Neither what is tiny nor what is large is lost in squares."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    for p_value in (t_test_p_value, welch_t_p_value, anova_f_p_value):
        assert_allclose(p_value(scale * X, y), p_value(X, y), rtol=1e-9)


def test_fewer_rows_with_weight_than_values_allowed():
    """Rows of no weight are left out before values are counted, which may leave very few."""
    X = np.array([[2.0, 1], [-1, -1], [-2, -2], [2, 1], [0, 1], [1, 1], [0, 2]])
    y, weight = np.array([0, 1, 0, 1, 1, 1, 0]), np.array([2, 2, 2, 0, 3, 2, 3])
    rows = np.repeat(np.arange(7), weight)
    for p_value in (t_test_p_value, anova_f_p_value):
        assert_allclose(p_value(X, y, weight), p_value(X[rows], y[rows]), rtol=1e-9)
