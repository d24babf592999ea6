"""Subspaces of a given size, and the criterion without a margin, against exhaustive search and
plain programmes.
"""

from itertools import combinations

import numpy as np
import pytest

from subsel.criteria import Separability
from subsel.data.task import Task
from subsel.embedded import perceptron_criterion, separable, subspace_of_size


@pytest.mark.parametrize("seed", range(4))
def test_the_subspace_of_a_size_is_the_best_of_all(seed):
    """Branch and bound finds the least criterion over all subspaces of the size.

    Exchange is never better and mostly equal.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 6))
    y = (X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=30) > 0).astype(int)
    evaluator = Separability().bind(Task.of(X, y))
    every = {c: -evaluator.quality(np.array(c)) for c in combinations(range(6), 3)}
    exact = subspace_of_size(X, y, 3, method="exact")
    assert exact.criterion == pytest.approx(min(every.values()), rel=1e-7)
    assert every[tuple(exact.features)] == pytest.approx(exact.criterion, rel=1e-7)
    exchanged = subspace_of_size(X, y, 3)
    assert len(exchanged.features) == 3 and exchanged.criterion >= exact.criterion - 1e-9
    assert exchanged.criterion <= 1.3 * exact.criterion


def test_the_perceptron_criterion_is_zero_exactly_where_classes_are_separable():
    """Against the plain programme of separability, on separable and inseparable rows.

    Its plane has the value it says.
    """
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(30):
        X, y = rng.normal(size=(8, 2)), np.arange(8) % 2
        found, truth = perceptron_criterion(X, y), separable(X, y).separable
        assert (found.value == 0) == truth
        seen.add(truth)
        signed = np.where(y == 1, 1, -1) * (X @ found.coef + found.intercept)
        assert signed.mean() == pytest.approx(1.0)
        assert np.maximum(0, -signed).sum() == pytest.approx(found.value, abs=1e-6)
    assert seen == {True, False}


def test_the_perceptron_criterion_is_the_least_over_planes():
    """No plane found by many tries, brought to mean distance one, does better."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 2)), rng.integers(0, 2, 20)
    sign = np.where(y == 1, 1, -1)
    tried = rng.normal(size=(20000, 3))
    signed = sign * (tried[:, :2] @ X.T + tried[:, 2:])
    signed = signed[signed.mean(axis=1) > 1e-3]
    values = np.maximum(0, -signed / signed.mean(axis=1, keepdims=True)).sum(axis=1)
    least = perceptron_criterion(X, y).value
    assert least <= values.min() + 1e-9 and values.min() < 1.2 * least
