"""Networks and trees of planes, and the votes of dipoles counted one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import DipolarTree, RankedNetwork
from subsel.literature.models.planes.cpl_planes import cheapest_plane, plane_with_one_class_pure
from subsel.literature.models.trees.dipolar_tree import _votes


@pytest.mark.slow
@parametrize_with_checks([RankedNetwork(max_units=15), DipolarTree(max_depth=3, max_rounds=2)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("model", [RankedNetwork(), DipolarTree()])
@pytest.mark.parametrize("seed", range(3))
def test_consistent_rows_are_classified_without_error(model, seed):
    """Training rows are classified correctly, even with random labels.

    Copies of a row share one label.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(40, 2)).astype(float)
    labels = rng.integers(0, 3, size=(5, 5))
    y = labels[X[:, 0].astype(int), X[:, 1].astype(int)]
    assert model.fit(X, y).score(X, y) == 1.0


def test_ranked_planes_have_one_class_above():
    """Each plane has rows of one class alone above it, among those that no earlier plane has."""
    X, y = load_iris(return_X_y=True)
    model = RankedNetwork().fit(X, y)
    left = np.ones(len(X), dtype=bool)
    for unit in model.units_:
        above = left & (X @ unit.coef + unit.intercept > 0)
        assert above.any() and set(y[above]) == {unit.code}
        left &= ~above
    assert set(y[left]) == {model.default_} and model.score(X, y) == 1.0
    assert len(model.units_) <= 6


def test_the_pure_plane_misses_least():
    """No row of another class lies above, and where a plane separates all rows of the class do."""
    X, y = load_iris(return_X_y=True)
    weights, intercept, caught = plane_with_one_class_pure(X, y == 0)
    assert_array_equal(caught, y == 0)
    assert (X[y > 0] @ weights + intercept).max() < 0


def test_prices_on_both_sides():
    """The plane of least priced violation on a line, where it can be tried out."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    up, down = np.array([0.0, 1.0, 2.0, 3.0]), np.array([3.0, 0.5, 0.0, 1.0])

    def cost(w, b):
        return up @ np.maximum(0, 1 - X[:, 0] * w - b) + down @ np.maximum(0, 1 + X[:, 0] * w + b)

    weights, intercept = cheapest_plane(X, up, down)
    tried = [cost(w, b) for w in np.linspace(-3, 3, 61) for b in np.linspace(-3, 3, 61)]
    assert cost(weights[0], intercept) <= min(tried) + 1e-9


def test_votes_of_dipoles_one_by_one():
    """The votes are those of a loop over dipoles.

    A mixed dipole puts its higher row above and the other below, a clear one both on the side of

     their midpoint.
    """
    rng = np.random.default_rng(0)
    position, codes = rng.normal(size=12), rng.integers(0, 3, 12)
    above, below = np.zeros(12), np.zeros(12)
    for i in range(12):
        for j in range(i):
            if codes[i] != codes[j]:
                high, low = (i, j) if position[i] > position[j] else (j, i)
                above[high] += 1
                below[low] += 1
            else:
                side = above if position[i] + position[j] > 0 else below
                side[[i, j]] += 0.1
    found = _votes(position, codes, 0.1)
    assert_allclose(found, (above / 12, below / 12))


def test_planes_of_dipoles_are_few():
    """Iris takes few oblique cuts, which generalise; depth is kept."""
    X, y = load_iris(return_X_y=True)
    model = DipolarTree(min_rows=10).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9
    assert len(DipolarTree(max_depth=1).fit(X, y).nodes_) == 3
