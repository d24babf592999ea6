"""Friedman's problems and random functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from subsel.literature.problems.friedman import friedman1, friedman2, friedman3
from subsel.literature.problems.random_functions import graded_linear, random_function


def test_friedman_targets_are_their_formulas():
    """Without noise the target is the printed function of the relevant columns."""
    X, y = (problem := friedman1(30, 7, random_state=0)).X, problem.y
    assert_allclose(
        y,
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4],
    )
    for make, rule in ((friedman2, np.hypot), (friedman3, lambda a, b: np.arctan(b / a))):
        X, y = (problem := make(30, 3, random_state=0)).X, problem.y
        assert X.shape == (30, 7)
        assert_allclose(y, rule(X[:, 0], X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])))


def test_only_the_first_inputs_are_relevant():
    """The relevant inputs are among the first, and without noise the target can be known exactly."""
    problem = random_function(400, n_relevant=3, n_features=8, random_state=0)
    assert set(problem.relevant) <= {0, 1, 2}
    assert np.ptp(problem.y) > 0
    assert problem.bayes_error == 0


def test_a_random_function_is_locally_predictable():
    """Two rows alike in the relevant inputs have alike targets, whatever the other inputs are."""
    problem = random_function(3000, n_relevant=2, n_features=6, random_state=1)
    Z = problem.X[:, :2]
    nearest = np.array([np.argsort(((Z - z) ** 2).sum(axis=1))[1] for z in Z[:300]])
    assert np.var(problem.y[:300] - problem.y[nearest]) < 0.1 * 2 * np.var(problem.y)


def test_classes_are_quantiles():
    """The classes are even and ordered by the numeric target of the same seed."""
    classes = random_function(210, n_classes=7, random_state=2).y
    values = random_function(210, random_state=2).y
    assert_array_equal(np.bincount(classes), np.full(7, 30))
    assert all(values[classes == k].max() < values[classes == k + 1].min() for k in range(6))


def test_graded_linear_importances():
    """Least squares finds the weights 1 to 4 and nothing else."""
    problem = graded_linear(4000, random_state=0)
    coefficients = LinearRegression().fit(problem.X, problem.y).coef_
    assert_allclose(coefficients[:5], [1, 2, 3, 4, 0], atol=0.05)


def test_more_relevant_inputs_than_inputs_are_refused():
    """The relevant inputs are among the inputs."""
    with pytest.raises(ValueError, match="n_relevant"):
        random_function(10, n_relevant=5, n_features=4)
