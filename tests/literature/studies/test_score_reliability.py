"""Ties, many values, unions of tests, bounds on the error: what the figures of the sources say, and brute force."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from subsel import RankingSelector
from subsel.literature.studies import SecondOpinion, bayes_error_bounds, value_bias
from subsel.literature.studies.score_reliability import second_opinion
from subsel.ranking import column_average_correlation, presence_count, uniformity_p_value
from subsel.ranking.aggregation.committee import UnionOfTests
from subsel.ranking.aggregation.votes import votes
from subsel.ranking.cuts.by_rank import gap_sizes
from subsel.ranking.registry import SCORES

RNG = np.random.default_rng(5)


def rows_of(table, n):
    """A binary column and two classes with the given shares of n rows, classes along the first axis."""
    counts = np.rint(np.array(table) * n).astype(int)
    column = [np.repeat([0, 1], per_class) for per_class in counts]
    return np.concatenate(column), np.repeat([0, 1], counts.sum(axis=1))


def test_the_tables_of_the_book_are_ordered_by_a_pair_of_indices():
    """Accuracy ties two of three tables, information decides (printed: J .50 .50 .62, I .3113 .2141 .2987 bits)."""
    tables = [[[0.5, 0], [0.25, 0.25]], [[0.45, 0.05], [0.2, 0.3]], [[0.41, 0.09], [0.1, 0.4]]]
    columns, ys = zip(*(rows_of(table, 400) for table in tables))
    X, y = np.column_stack(columns), ys[0]
    assert all(np.array_equal(y, other) for other in ys)
    assert_allclose(SCORES["bayesian-accuracy"].function(X, y), [0.5, 0.5, 0.62], atol=1e-9)
    information = SCORES["mutual-information"].function(X, y) / np.log(2)
    assert_allclose(information, [0.3113, 0.2141, 0.2987], atol=5e-5)
    assert_array_equal(
        np.argsort(-SecondOpinion("bayesian-accuracy", "mutual-information")(X, y)), [2, 0, 1]
    )
    assert_array_equal(np.argsort(-information), [0, 2, 1])


@pytest.mark.parametrize("seed", range(5))
def test_second_opinions_are_lexicographic(seed):
    """The order is that of sorting pairs; only equal pairs are equal, and NaN is last."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 3, 30) / 3, rng.integers(0, 3, 30).astype(float)
    first[0], first[1] = np.nan, np.inf
    found = second_opinion(first + 1e-14 * rng.random(30), second)
    pairs = list(zip(np.where(np.isnan(first), -np.inf, first), second))
    for i, one in enumerate(pairs):
        for j, other in enumerate(pairs):
            assert (found[i] > found[j]) == (one > other)


def test_scores_that_like_many_values_rise_with_them():
    """Information and Gini grow in proportion to the values, faster with more classes; MDL, SU and Relief hardly."""
    values = (2, 10, 20, 40)

    def bias(key, n_classes=2):
        return value_bias(
            partial(SCORES[key].function, discretise=None), values, n_classes, random_state=0
        )

    for key in ("mutual-information", "gini"):
        two, five = bias(key), bias(key, 5)
        assert np.all(np.diff(two) > 0) and np.all(np.diff(five) > 0)
        assert five[-1] - five[0] > 1.5 * (two[-1] - two[0])
        slope = np.diff(two) / np.diff(values)
        assert slope.max() < 2 * slope.min()
    mutual, uncertainty = bias("mutual-information"), bias("symmetrical-uncertainty")
    assert uncertainty[-1] / uncertainty[0] < 0.5 * mutual[-1] / mutual[0]
    assert np.all(bias("mdl-index") < 0)
    relief = value_bias("relieff", (2, 40), n_samples=150, n_features=30, random_state=0)
    assert np.all(np.abs(relief) < 0.02)


def test_a_union_keeps_what_any_test_keeps():
    """Margins at or above 0 are the union of the single tests, each at its own threshold, also through the selector."""
    y = np.repeat([0, 1], 30)
    X = RNG.standard_normal((60, 40))
    X[:, :5] += y[:, None]
    X[:, 5] = np.where(y == 1, 0.1, 1) * X[:, 5]
    thresholds = {"auc": 0.01, "runs": 0.005, "t-test": 0.002}
    alone = [SCORES[key].p_value(X, y) <= alpha for key, alpha in thresholds.items()]
    union = UnionOfTests(thresholds)
    assert_array_equal(union(X, y) >= 0, votes(alone, 1))
    assert not np.array_equal(votes(alone, 1), votes(alone, 3))
    selector = RankingSelector(union, cut="threshold:0").fit(X, y)
    assert_array_equal(selector.get_support(), votes(alone, 1))
    with pytest.raises(ValueError, match=r"relieff.*no p-value"):
        UnionOfTests({"relieff": 0.1})(X, y)


@pytest.mark.parametrize("at_least", [1, 2, 3, 4])
def test_votes_are_counted(at_least):
    """A feature stays with so many votes; the number of votes must be possible."""
    masks = RNG.random((4, 50)) < 0.5
    assert_array_equal(votes(masks, at_least), [sum(column) >= at_least for column in masks.T])
    with pytest.raises(ValueError, match="at_least"):
        votes(masks, at_least + 4)


def test_uniform_p_values_look_uniform():
    """Over repeated draws of noise the check rejects as often as it promises; a few real effects are seen."""
    rejected = [uniformity_p_value(RNG.random(300)) <= 0.1 for _ in range(300)]
    assert 0.05 < np.mean(rejected) < 0.16
    assert uniformity_p_value(np.append(RNG.random(300), np.full(40, 1e-3))) < 1e-3
    assert uniformity_p_value(RNG.random(300) ** 0.1) > 0.5  # too large a p-value is no finding
    assert uniformity_p_value(np.full(5, np.nan)) == pytest.approx(1.0)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_bayes_error_lies_within_its_bounds(n_classes):
    """For random laws the exact error of the best rule lies between the bounds, and Fano's is sharp in its equation."""
    for _ in range(40):
        counts = RNG.integers(0, 8, (4, n_classes)) ** 2 + (RNG.random((4, n_classes)) < 0.2)
        counts[0] += 1
        x = np.repeat(np.repeat(np.arange(4), n_classes), counts.ravel())
        y = np.repeat(np.tile(np.arange(n_classes), 4), counts.ravel())
        error = 1 - counts.max(axis=1).sum() / counts.sum()
        lower, upper = bayes_error_bounds(x[:, None], y, discretise=None)
        assert lower[0] - 1e-9 <= error <= upper[0] + 1e-9
        joint = counts / counts.sum()
        given = np.divide(
            joint, joint.sum(axis=1, keepdims=True), out=np.ones_like(joint), where=joint > 0
        )
        left = -(joint * np.log2(given)).sum()
        e = lower[0]
        entropy = 0 if e == 0 else -e * np.log2(e) - (1 - e) * np.log2(1 - e)
        assert entropy + e * np.log2(max(n_classes - 1, 1)) == pytest.approx(left, abs=1e-6)
        assert upper[0] <= left / 2 + 1e-9 or upper[0] == pytest.approx(e)


def test_the_upper_bound_is_attained():
    """Where every posterior is a coin or certain, half the entropy left is the error."""
    x, y = (
        np.repeat([0, 1, 2], [20, 30, 40]),
        np.r_[np.tile([0, 1], 10), np.zeros(30, int), np.ones(40, int)],
    )
    lower, upper = bayes_error_bounds(x[:, None], y)
    assert upper[0] == pytest.approx(10 / 90) and lower[0] < upper[0]


@pytest.mark.parametrize("squared", [False, True])
def test_column_averages_are_rows_of_the_correlation_matrix(squared, monkeypatch):
    """The score is the mean of a row of |corrcoef| of the columns and the target, whatever signs and scales are."""
    from subsel.data.statistics import blocks

    X, y = RNG.standard_normal((40, 9)), RNG.standard_normal(40)
    X[:, 3] = 2 * X[:, 1] + 0.1 * X[:, 3]
    r = np.abs(np.corrcoef(np.column_stack((X, y)).T))
    expected = (r**2 if squared else r).mean(axis=1)[:-1]
    assert_allclose(column_average_correlation(X, y, squared=squared), expected, rtol=1e-10)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 1)
    flipped = X * np.array([1, -3, 1e6, 1, 1e-6, 1, -1, 1, 2]) + 5
    assert_allclose(column_average_correlation(flipped, y, squared=squared), expected, rtol=1e-6)
    constant = np.column_stack((X, np.full(40, 0.1)))
    assert column_average_correlation(constant, y)[-1] == 0


def test_column_averages_show_a_cluster():
    """Columns that vary together stand above the largest gap."""
    hidden = RNG.standard_normal((200, 3))
    X = np.hstack((hidden @ RNG.standard_normal((3, 10)), RNG.standard_normal((200, 60))))
    selector = RankingSelector("column-average-correlation", cut="gap").fit(X, hidden[:, 0])
    assert_array_equal(np.flatnonzero(selector.get_support()), np.arange(10))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_presence_counts_rows(form):
    """How many rows hold something: neither zero nor missing; weights count rows."""
    X = RNG.integers(0, 2, (30, 8)) * RNG.random((30, 8))
    X[2, 3], X[4] = np.nan, 0
    weight = RNG.integers(0, 3, 30)
    there = (X != 0) & ~np.isnan(X)
    assert_allclose(presence_count(form(X)), there.sum(axis=0))
    assert_allclose(presence_count(form(X), sample_weight=weight), weight @ there)


def test_the_mean_of_probes_is_a_coarse_sieve():
    """Features above the mean score of shuffled columns stay: nearly a third of binary noise, and what tells."""
    y = np.repeat([0, 1], 100)
    X = RNG.integers(0, 2, (200, 600))
    X[:, 0] = y
    selector = RankingSelector(
        "mutual-information", cut="probe-mean", n_probes=600, random_state=0
    ).fit(X, y)
    kept = selector.get_support()
    bar = selector.probe_scores_.mean()
    assert_array_equal(kept, selector.scores_ > bar)
    assert (
        kept[0] and 0.2 < kept[1:].mean() < 0.42
    )  # chi-square of one degree exceeds its mean in 32 %
    assert "mean of 600 permuted probes" in selector.evidence_
    with pytest.raises(ValueError, match="takes no value"):
        RankingSelector("t-test", cut="probe-mean:2").fit(X, y)


def test_gap_sizes_are_the_widest_gaps():
    """Candidates end where consecutive scores fall furthest, ascending; equal scores give all."""
    scores = RNG.permutation(
        np.r_[np.linspace(10, 9.8, 5), np.linspace(7, 6.9, 10), np.linspace(1, 0, 50), np.nan]
    )
    assert_array_equal(gap_sizes(scores, n_sizes=2), [5, 15])
    assert len(gap_sizes(scores)) == 10 and gap_sizes(scores, most=7).max() <= 7
    assert_array_equal(gap_sizes(np.ones(4)), [4])


def test_the_number_of_features_is_validated_at_gaps():
    """Only sizes at gaps of the ranking are tried, and one of them is kept."""
    y = np.repeat([0, 1], 40)
    X = RNG.standard_normal((80, 30))
    X[:, :4] += 1.5 * y[:, None]
    selector = RankingSelector("t-test", cut="cv-gap", estimator=LogisticRegression()).fit(X, y)
    assert_array_equal(selector.validation_.sizes, gap_sizes(selector.scores_))
    assert selector.get_support().sum() == selector.validation_.chosen
    with pytest.raises(ValueError, match="'cv-gap' needs an estimator"):
        RankingSelector("t-test", cut="cv-gap").fit(X, y)
