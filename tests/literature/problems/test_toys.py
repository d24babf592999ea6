"""The toy problems: their errors and what no single feature can tell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from subsel.literature.problems import toys

N = 40_000


def linear_error(problem, subset):
    """The error of the best linear rule, fitted on one half and counted on the other."""
    X, y = problem.X[:, subset], problem.y
    half = len(y) // 2
    return 1 - LinearDiscriminantAnalysis().fit(X[:half], y[:half]).score(X[half:], y[half:])


@pytest.mark.parametrize("figure", sorted(set(toys.TOYS) - {"2-c"}))
def test_gaussian_errors_are_those_of_a_large_sample(figure):
    """Every closed-form error is reached by the linear rule on a large sample."""
    problem = toys.TOYS[figure](N, random_state=1)
    for subset, error in problem.subset_errors.items():
        assert linear_error(problem, subset) == pytest.approx(error, abs=0.015), subset


@pytest.mark.parametrize("spread", [0.3, 0.5, 1.0])
def test_chessboard_error_is_that_of_the_product_rule(spread):
    """The sign of the product errs as the closed form says, and no single column beats a coin."""
    problem = toys.chessboard(N, spread, random_state=0)
    wrong = np.mean(np.sign(problem.X.prod(axis=1)) != problem.y)
    assert wrong == pytest.approx(problem.bayes_error, abs=0.01)
    for j in range(2):
        assert np.mean(np.sign(problem.X[:, j]) == problem.y) == pytest.approx(0.5, abs=0.015)


def test_printed_errors():
    """The errors given with the specification of each case come out of the closed forms."""
    assert toys.one_useful(2).bayes_error == pytest.approx(0.2398, abs=5e-5)
    assert toys.helper(2).bayes_error == pytest.approx(0.0228, abs=5e-5)
    assert toys.chessboard(2, 0.3).bayes_error == pytest.approx(0.00086, abs=5e-6)
    assert toys.noise_reduction(2).bayes_error == pytest.approx(0.2398, abs=5e-5)
    assert toys.anticorrelated_pair(2).bayes_error == pytest.approx(2.9e-7, abs=5e-9)
    assert toys.redundant_pair(2).bayes_error == pytest.approx(0.3077, abs=5e-5)
    errors = toys.forward_against_backward(2).subset_errors
    assert_allclose([errors[2,], errors[0, 2]], [0.1587, 0.1318], atol=5e-5)


def test_a_helper_is_uncorrelated_with_the_label():
    """The background column is independent of the label; the other correlates by two thirds."""
    problem = toys.helper(N, random_state=0)
    correlations = np.corrcoef(np.column_stack((problem.X, problem.y)).T)[-1, :2]
    assert_allclose(correlations, [2 / 3, 0], atol=0.02)


def test_single_columns_cannot_tell_the_pairs_apart():
    """Independent, anti-correlated and redundant pairs have the same single-column laws and unlike pairs."""
    pairs = [toys.TOYS[figure](N, random_state=3) for figure in ("2-d", "2-e", "2-f")]
    for problem in pairs:
        for j in range(2):
            difference = problem.X[problem.y > 0, j].mean() - problem.X[problem.y < 0, j].mean()
            assert difference == pytest.approx(1, abs=0.05)
            assert problem.X[problem.y > 0, j].std() == pytest.approx(1, abs=0.03)
    pooled = [np.corrcoef(problem.X.T)[0, 1] for problem in pairs]
    assert_allclose(pooled, [0.2, -0.584, (0.98 + 0.25) / 1.25], atol=0.02)


def test_probability_only_errs_alike_with_and_without_the_second_column():
    """The sign of the first column errs .168 of the time, and its certainty depends on the second."""
    problem = toys.probability_only(N, random_state=0)
    wrong = np.sign(problem.X[:, 0]) != problem.y
    assert wrong.mean() == pytest.approx(0.168, abs=0.01)
    wide = problem.X[:, 1] > 0
    assert wrong[wide].mean() > wrong[~wide].mean() + 0.1


def test_a_seed_repeats_a_problem():
    """The same seed gives the same rows, another seed others."""
    first, second, third = (toys.chessboard(20, random_state=seed) for seed in (5, 5, 6))
    assert_array_equal(first.X, second.X)
    assert not np.array_equal(first.X, third.X)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: toys.one_useful(5, spread=0.0),
        lambda: toys.helper(5, noise=0.0),
        lambda: toys.chessboard(5, spread=-1.0),
        lambda: toys.noise_reduction(5, spread=0.0),
        lambda: toys.noise_reduction(5, n_features=0),
        lambda: toys.anticorrelated_pair(5, -1.0),
        lambda: toys.redundant_pair(5, 1.5),
    ],
)
def test_what_has_no_law_is_refused(draw):
    """Spreads and correlations for which no error has a closed form are named."""
    with pytest.raises(ValueError, match=r"must (be positive|lie in \(-1, 1\]), got"):
        draw()
