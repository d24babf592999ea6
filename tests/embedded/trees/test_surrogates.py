"""Surrogate splits against brute force, masking and importances with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from subsel.embedded import masking, surrogate_importances, surrogate_splits


def brute_force(values, goes_left):
    """The largest share of agreeing rows over all thresholds and both ways, -1 where there is no
    threshold.
    """
    levels = np.unique(values)
    best = -1.0
    for threshold in (levels[:-1] + levels[1:]) / 2:
        agree = np.mean((values <= threshold) == goes_left)
        best = max(best, agree, 1 - agree)
    return best


@pytest.mark.parametrize("seed", range(4))
def test_associations_equal_brute_force(seed):
    """At every node of small trees, with ties, constants and copies, the association is that of
    all splits tried.
    """
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((40, 6)), 1).astype(np.float32)
    X[:, 4], X[:, 5] = -X[:, 0], 3.0
    tree = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, X[:, 0] + X[:, 1] * X[:, 2])
    seen = list(surrogate_splits(tree, X))
    assert len(seen) == np.sum(tree.tree_.children_left >= 0)
    for found in seen:
        goes_left = X[found.rows, found.column] <= tree.tree_.threshold[found.node]
        smaller = min(goes_left.mean(), 1 - goes_left.mean())
        for j in range(6):
            best = brute_force(X[found.rows, j], goes_left)
            expected = -np.inf if best < 0 else (smaller - (1 - best)) / smaller
            assert_allclose(found.association[j], expected, atol=1e-9)
            if best >= 0:
                same = (X[found.rows, j] <= found.thresholds[j]) != found.reverse[j]
                assert_allclose(np.mean(same == goes_left), best, atol=1e-9)
        assert_allclose(found.association[found.column], 1.0)
    assert_allclose(
        [f.association[4] for f in seen if f.column == 0], 1.0
    )  # the copy with its sign turned


def test_primary_decreases_sum_to_scikit_learns_importances():
    """The falls of impurity at the nodes, summed per column, are the importances of scikit-
    learn, not normalised.
    """
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    sums = np.zeros(4)
    for found in surrogate_splits(tree, X):
        sums[found.column] += found.decrease
    assert_allclose(sums, tree.tree_.compute_feature_importances(normalize=False))


def test_surrogates_show_what_one_column_hides():
    """In a tree of iris that divides by petals alone, with surrogates all four columns have a
    share, petals the most.
    """
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    plain = tree.tree_.compute_feature_importances(normalize=False)
    found = surrogate_importances(tree, X, y)
    assert (plain[:2] == 0).all() and (found > 0).all()
    assert set(np.argsort(-found)[:2]) == {2, 3}
    assert (found >= plain - 1e-9).all()


def test_masking_is_one_for_copies_and_small_for_strangers():
    """A copy masks and is masked fully, an independent column hardly."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    X[:, 1] = np.exp(X[:, 0])
    trees = [
        DecisionTreeRegressor(max_depth=2, random_state=s).fit(X, X[:, 0] + 2 * X[:, 2])
        for s in range(6)
    ]
    found = masking(trees, X)
    used = found[0, 0] + found[1, 1] > 0
    assert used and found[found > 0].max() <= 1
    assert_allclose(found[0, 1] + found[1, 0], found[0, 0] + found[1, 1])
    assert found[2, 0] < 0.4 and found[2, 2] == 1
