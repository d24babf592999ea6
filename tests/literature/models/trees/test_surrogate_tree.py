"""Trees that route missing values by surrogate splits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import surrogate_importances, surrogate_splits
from subsel.literature.models import SurrogateTreeClassifier, SurrogateTreeRegressor

RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((120, 4)).astype(np.float32).astype(float)
TABLE[:, 3] = (0.3 * TABLE[:, 3] - TABLE[:, 0]).astype(np.float32)


@parametrize_with_checks(
    [SurrogateTreeClassifier(max_depth=2), SurrogateTreeRegressor(max_depth=2)]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_without_missing_values_it_is_scikit_learns():
    """Weighted predictions and importances are those of scikit-learn's trees.

    The credit of surrogates is that of its nodes.
    """
    y, weight = TABLE[:, 0] + TABLE[:, 1] * TABLE[:, 2], RNG.random(120)
    ours = SurrogateTreeRegressor(4, 3).fit(TABLE, y, weight)
    peer = DecisionTreeRegressor(max_depth=4, min_samples_leaf=3, random_state=0).fit(
        TABLE, y, weight
    )
    assert_allclose(ours.predict(TABLE), peer.predict(TABLE), atol=1e-9)
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-9)
    codes = np.digitize(y, [-1, 1])
    ours, peer = (
        SurrogateTreeClassifier(3).fit(TABLE, codes),
        DecisionTreeClassifier(max_depth=3, random_state=0),
    )
    assert_allclose(
        ours.predict_proba(TABLE), peer.fit(TABLE, codes).predict_proba(TABLE), atol=1e-9
    )
    assert_allclose(
        ours.surrogate_importances_, surrogate_importances(peer, TABLE, codes), atol=1e-9
    )


def brute_force(values, left):
    """The association of the best split of one column, tried one by one."""
    known = ~np.isnan(values)
    values, left = values[known], left[known]
    smaller, levels = min(left.sum(), (~left).sum()), np.unique(values)
    if smaller == 0 or len(levels) < 2:
        return -np.inf
    shares = [np.sum((values <= cut) == left) for cut in (levels[:-1] + levels[1:]) / 2]
    agree = max(max(n, len(values) - n) for n in shares)
    return (smaller - (len(values) - agree)) / smaller


def slow_way(node, row):
    """One row at one node, by the words of the book."""
    for column, threshold, reverse in ((node.column, node.threshold, False), *node.surrogates):
        if not np.isnan(row[column]):
            return (row[column] <= threshold) != reverse
    return node.most_go_left


def test_missing_values_go_as_the_closest_column_says():
    """At every node the surrogates are those of brute force, in descending order.

    Every row is routed as in a slow loop.
    """
    X = TABLE.astype(np.float32)
    X[RNG.random(X.shape) < 0.25] = np.nan
    y = TABLE[:, 0] + 0.5 * TABLE[:, 1]
    tree = SurrogateTreeRegressor(3, 5).fit(X, y)
    waiting, substituted = [(0, np.arange(120))], 0
    predicted = np.empty(120)
    for number, rows in waiting:
        node = tree.nodes_[number]
        assert_allclose(node.value, y[rows].mean())
        if node.column < 0:
            predicted[rows] = node.value
            continue
        known = rows[~np.isnan(X[rows, node.column])]
        left = X[known, node.column] <= node.threshold
        found = np.array([brute_force(X[known, j], left) for j in range(4)])
        found[node.column] = -np.inf
        columns = [column for column, _, _ in node.surrogates]
        assert_array_equal(np.sort(found[columns])[::-1], found[columns])
        assert set(columns) == set(np.flatnonzero(found > 0))
        assert node.most_go_left == (left.sum() >= len(left) / 2)
        ways = np.array([slow_way(node, row) for row in X[rows]])
        substituted += np.isnan(X[rows, node.column]).sum()
        waiting += [(node.left, rows[ways]), (node.right, rows[~ways])]
    assert substituted > 20
    assert_array_equal(tree.predict(X), predicted)


def test_surrogates_serve_better_than_the_majority():
    """If the column of the root is missing, surrogates lower the error considerably.

    The comparison is with a tree that follows the majority.
    """
    X, y = TABLE.copy(), TABLE[:, 0]
    X[:, 0] = np.nan

    def error(n):
        tree = SurrogateTreeRegressor(3, n_surrogates=n).fit(TABLE, y)
        return np.mean((tree.predict(X) - y) ** 2)

    assert error(5) < 0.4 * error(0)


def test_hidden_columns_are_seen_also_with_missing_values():
    """On iris with missing values all four columns have a share, petals the largest.

    Missing values in scikit-learn's trees are accepted too.
    """
    X, y = load_iris(return_X_y=True)
    X[RNG.random(X.shape) < 0.1] = np.nan
    found = SurrogateTreeClassifier(2).fit(X, y).surrogate_importances_
    assert (found > 0).all() and set(np.argsort(-found)[:2]) == {2, 3}
    peer = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    for node in surrogate_splits(peer, X):
        known = node.rows[~np.isnan(X[node.rows, node.column])]
        left = X[known, node.column].astype(np.float32) <= peer.tree_.threshold[node.node]
        assert_allclose(
            node.association, [brute_force(X[known, j].astype(np.float32), left) for j in range(4)]
        )
    assert (surrogate_importances(peer, X, y) > 0).all()


@pytest.mark.parametrize(
    "options", [{"max_depth": 0}, {"min_samples_leaf": 0}, {"n_surrogates": -1}]
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        SurrogateTreeRegressor(**options).fit(TABLE, TABLE[:, 0])
