"""Single-feature classifiers against every threshold tried in turn, and pair by pair."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from subsel.ranking.scores.one_feature_models.one_rule import (
    accuracy_minus_error,
    bayesian_accuracy,
    one_rule,
)
from subsel.ranking.scores.one_feature_models.single_variable_classifier import (
    single_variable_classifier,
)
from subsel.ranking.scores.one_feature_models.split_value import separability_split
from subsel.ranking.scores.one_feature_models.threshold import (
    threshold_accuracy,
    threshold_balanced_accuracy,
    threshold_cost,
    threshold_f1,
)
from subsel.ranking.scores.ranks.kolmogorov_smirnov import kolmogorov_smirnov
from subsel.ranking.scores.ranks.mann_whitney import auc

RNG = np.random.default_rng(4)
X = RNG.standard_normal((30, 5))
X[:, 2:] = np.round(X[:, 2:] * [2, 1, 0.5])
Y = RNG.permutation(np.repeat([0, 1], [19, 11]))
X[Y == 1, 0] += 1
MANY = RNG.integers(0, 4, 30)


def best(metric, x, y):
    """The largest value of a metric over every threshold in both directions, constant rules among
    them."""
    guesses = [x > t for t in (-np.inf, *x)]
    return max(metric(y, guess.astype(int)) for g in guesses for guess in (g, ~g))


@pytest.mark.parametrize(
    ("score", "metric"),
    [
        (threshold_accuracy, accuracy_score),
        (threshold_balanced_accuracy, balanced_accuracy_score),
        (threshold_f1, lambda y, guess: f1_score(y, guess, zero_division=0)),
    ],
)
def test_best_threshold_is_the_best_of_all(score, metric):
    """Accuracy, balanced accuracy and F1 are the best that any threshold reaches."""
    assert_allclose(score(X, Y), [best(metric, x, Y) for x in X.T], rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_least_cost_is_the_least_of_all(alpha):
    """The cost alpha fn + fp is the least that any threshold reaches, with its sign changed."""

    def gain(y, guess):
        return -(alpha * np.mean((y == 1) & (guess == 0)) + np.mean((y == 0) & (guess == 1)))

    assert_allclose(threshold_cost(X, Y, alpha=alpha), [best(gain, x, Y) for x in X.T], rtol=1e-12)


def test_threshold_identities():
    """Balanced accuracy is (1 + KS) / 2; the default cost is 2 p- BER.

    Two values make it the AUC.
    """
    balanced = threshold_balanced_accuracy(X, Y)
    assert_allclose(balanced, (1 + kolmogorov_smirnov(X, Y)) / 2)
    assert_allclose(-threshold_cost(X, Y), 2 * (19 / 30) * (1 - balanced))
    binary = (X > 0).astype(float)
    assert_allclose(threshold_balanced_accuracy(binary, Y), auc(binary, Y))


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("given_as", [np.asarray, sparse.csc_array])
def test_single_variable_classifier_is_its_rule(balanced, given_as):
    """The score is the accuracy of sign[(x - middle)(mu+ - mu-)] on the training rows, zero
    counting as plus."""
    table = np.column_stack([X, -X, np.abs(X), np.ones(30), Y == 0])
    plus, minus = table[Y == 1].mean(axis=0), table[Y == 0].mean(axis=0)
    guess = ((table - (minus + (plus - minus) / 2)) * (plus - minus) >= 0).astype(int)
    metric = balanced_accuracy_score if balanced else accuracy_score
    expected = [metric(Y, g) for g in guess.T]
    assert_allclose(single_variable_classifier(given_as(table), Y, balanced=balanced), expected)


@pytest.mark.parametrize("y", [Y, MANY])
def test_bayesian_accuracy_by_definition(y):
    """J_BC is the gain over the majority of guessing the likeliest class of each value."""
    shares = np.bincount(y) / 30
    for x, found in zip(X.T, bayesian_accuracy(X, y)):
        accuracy = sum(np.bincount(y[x == v]).max() for v in np.unique(x)) / 30
        assert_allclose(found, (accuracy - shares.max()) / (1 - shares.max()))


def test_bayesian_accuracy_of_the_tables_of_the_book():
    """The three example tables have J_BC .50, .50 and .62."""
    tables = np.array([[[50, 0], [25, 25]], [[45, 5], [20, 30]], [[41, 9], [10, 40]]])
    x = np.column_stack([np.repeat([0, 1, 0, 1], table.ravel()) for table in tables])
    assert_allclose(bayesian_accuracy(x, np.repeat([0, 1], 50)), [0.5, 0.5, 0.62])


@pytest.mark.parametrize(("gamma", "theta"), [(0.0, 0.0), (1.0, 0.0), (3.0, 0.05), (1.0, 0.2)])
def test_accuracy_minus_error_by_definition(gamma, theta):
    """J(gamma) adds the decided values; a column without any is dropped."""
    expected = []
    for x in X[:, 2:].T:
        chances = [np.bincount(Y[x == v], minlength=2) / 30 for v in np.unique(x)]
        decided = [c for c in chances if abs(c[0] - c[1]) >= theta]
        expected.append(sum(c.max() - gamma * c.min() for c in decided) if decided else -np.inf)
    assert_allclose(
        accuracy_minus_error(X[:, 2:], Y, gamma=gamma, theta=theta), expected, atol=1e-12
    )


def intervals(x, y, bucket):
    """Holte's intervals of one column, row by row; each is the list of its labels."""
    held, found = [], []
    for value in np.unique(x):
        labels = y[x == value]
        counts = np.bincount(held, minlength=4) if held else np.zeros(4)
        if counts.max() >= bucket and np.any(labels != counts.argmax()):
            found.append(held)
            held = []
        held = held + list(labels)
    return [*found, held]


@pytest.mark.parametrize("bucket", [1, 2, 3, 6])
@pytest.mark.parametrize("y", [Y, MANY])
def test_one_rule_is_the_rule_grown_row_by_row(y, bucket):
    """1R scores the gain of the intervals that grow as Holte's do."""
    majority = np.bincount(y).max()
    for x, found in zip(X.T, one_rule(X, y, bucket=bucket)):
        correct = sum(np.bincount(part).max() for part in intervals(x, y, bucket))
        assert_allclose(found, max(correct - majority, 0) / (30 - majority))


def test_one_rule_of_single_rows_is_pure():
    """With a bucket of one and distinct values the rule is always right."""
    assert_array_equal(one_rule(X[:, :2], Y, bucket=1), 1.0)


def split_value(x, y, strict):
    """The separability split value by counting pairs, over all cuts."""
    values = [0.0]
    for cut in np.unique(x)[:-1]:
        left = x <= cut
        pairs = np.sum(left[:, None] & ~left[None, :] & (y[:, None] != y[None, :]))
        penalty = sum(min(np.sum(left & (y == k)), np.sum(~left & (y == k))) for k in np.unique(y))
        values.append(2 * pairs - penalty / ((1 + len(y)) if strict else 1))
    return max(values)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("y", [Y, MANY])
def test_split_value_is_that_of_counted_pairs(y, strict):
    """SSV is twice the separated pairs less the divided rows, at the best cut."""
    assert_allclose(
        separability_split(X, y, strict=strict), [split_value(x, y, strict) for x in X.T]
    )


def test_a_perfect_split_separates_all_pairs():
    """Two classes of five rows apart score 2 * 5 * 5."""
    assert_array_equal(separability_split(np.arange(10.0)[:, None], np.repeat([0, 1], 5)), 50.0)


def test_constant_columns_get_the_constant_rule():
    """A constant column scores what the best constant rule does, gains nothing and has no cut."""
    x = np.full((30, 1), 0.1)
    assert_allclose(threshold_accuracy(x, Y), 19 / 30)
    assert_allclose([threshold_balanced_accuracy(x, Y), single_variable_classifier(x, Y)], 0.5)
    assert_allclose(threshold_f1(x, Y), 2 * 11 / (30 + 11))
    assert_array_equal([bayesian_accuracy(x, Y), one_rule(x, Y), separability_split(x, Y)], 0.0)


def test_nearest_mean_is_that_of_fractions():
    """Rows in the very middle are positive and equal means make a constant rule, whatever rounding
    says of either."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(6, 20))
        x, y = rng.integers(-4, 5, n), rng.permutation(np.r_[0, 0, 1, 1, rng.integers(0, 2, n - 4)])
        (n0, n1), (s0, s1) = np.bincount(y), np.bincount(y, x).astype(int)
        apart = s1 * n0 - s0 * n1
        guess = (2 * x * n0 * n1 - s1 * n0 - s0 * n1) * np.sign(apart) >= 0
        for scale in (1, 10):  # whole numbers and tenths
            found = single_variable_classifier((x / scale)[:, None], y)
            assert_allclose(found, balanced_accuracy_score(y, guess))


def test_a_difference_of_exactly_theta_is_decided():
    """Three rows of ten against two differ by a tenth, though .3 - .2 does not as a difference of
    floats."""
    X = np.repeat([0.0, 1.0], [5, 5])[:, None]
    y = np.array([0, 0, 0, 1, 1, 0, 0, 1, 1, 1])
    assert_allclose(accuracy_minus_error(X, y, theta=0.1), 0.6 - 0.4)
