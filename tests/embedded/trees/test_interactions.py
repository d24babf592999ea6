"""Pairs that act together, by boosting on residuals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeRegressor

from subsel.embedded import interaction_scores
from subsel.embedded.trees.interactions import _credit, _two_levels

TABLE = np.random.default_rng(0).standard_normal((400, 5))


@pytest.mark.parametrize("kind", ["product", "xor", "classes"])
def test_the_pair_that_interacts_comes_first(kind):
    """A product and exclusive or of two of five columns score highest, beside strong effects of
    single columns.
    """
    product = TABLE[:, 1] * TABLE[:, 4]
    y = {
        "product": product + 2 * TABLE[:, 0],
        "xor": np.sign(product) + TABLE[:, 2],
        "classes": product > 0,
    }[kind]
    found = interaction_scores(TABLE, y, n_estimators=100, random_state=0)
    assert_array_equal(found, found.T)
    assert set(np.unravel_index(found.argmax(), found.shape)) == {1, 4}


def test_a_sum_of_effects_has_no_pairs():
    """Of an additive target all pairs together get less than a tenth of what the pair of a
    product gets.
    """
    additive = interaction_scores(TABLE, TABLE[:, 1] + TABLE[:, 4] ** 2, random_state=0)
    product = interaction_scores(TABLE, 2 * TABLE[:, 1] * TABLE[:, 4], random_state=0)
    assert additive.max() < 0.1 * product[1, 4]


def test_the_credit_of_one_tree():
    """A tree of three leaves gives its pair the impurity it takes.

    One that asks for one column twice gives none.
    """
    y = np.where(TABLE[:, 0] > 0, 2.0 * (TABLE[:, 3] > 0), 5.0)
    tree = DecisionTreeRegressor(max_leaf_nodes=3, random_state=0).fit(TABLE, y)
    assert_allclose(_credit(tree, 5)[0, 3], y.var())
    assert_allclose(_credit(tree, 5).sum(), 2 * y.var())
    alone = DecisionTreeRegressor(max_leaf_nodes=3, random_state=0).fit(
        TABLE, np.digitize(TABLE[:, 2], [-1, 1])
    )
    assert not _credit(alone, 5).any()


def squares(y, weight, part):
    """The weighted squares about the mean of some rows."""
    return (
        0.0
        if not part.any()
        else weight[part] @ (y[part] - np.average(y[part], weights=weight[part])) ** 2
    )


def brute_force(X, y, weight, i, j):
    """What the best tree that asks for i, then for j on both sides, takes from the squares.

    All thresholds tried.
    """
    everything, best = np.ones(len(y), dtype=bool), 0.0
    for root in np.unique(X[:, i])[:-1]:
        left = X[:, i] <= root
        rest = 0.0
        for side in (left, ~left):
            cuts = [
                squares(y, weight, side & (X[:, j] <= t)) + squares(y, weight, side & (X[:, j] > t))
                for t in X[:, j]
            ]
            rest += min([squares(y, weight, side), *cuts])
        best = max(best, squares(y, weight, everything) - rest)
    return best


def test_looking_ahead_is_trying_all_trees_of_two_levels():
    """On few rows with ties and weights, every pair's score is that of all thresholds tried, in
    the better order.
    """
    rng = np.random.default_rng(1)
    X, y, weight = (
        np.round(rng.standard_normal((14, 3)), 1),
        rng.standard_normal(14),
        rng.random(14),
    )
    found = _two_levels(X, y, weight, 20)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        best = max(brute_force(X, y, weight, i, j), brute_force(X, y, weight, j, i))
        assert_allclose(found[i, j], best / weight.sum())
    assert_array_equal(found, found.T)


def test_looking_ahead_finds_the_pair_among_much_noise():
    """Among sixty columns of noise, where a greedy tree has nothing to begin with, the pair of a
    product comes first.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 62))
    y = X[:, 7] * X[:, 40] + X[:, 3]
    found = interaction_scores(X, y, look_ahead=True, n_estimators=60, random_state=0)
    assert set(np.unravel_index(found.argmax(), found.shape)) == {7, 40}
    assert np.sort(np.triu(found).ravel())[-2] < 0.8 * found.max()


def test_three_classes_are_refused():
    """A message says what to do with more than two classes."""
    with pytest.raises(ValueError, match="one against the rest"):
        interaction_scores(TABLE, np.digitize(TABLE[:, 0], [-1, 1]))
