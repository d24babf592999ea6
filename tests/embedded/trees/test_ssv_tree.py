"""Trees of separability splits over all columns: splits beside the score, ranks by pruning."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded.trees.ssv_tree import best_separability_split, grow_ssv_tree, ssv_tree_ranks
from subsel.ranking import separability_split
from subsel.ranking.prefilter import PreFilter


@parametrize_with_checks([PreFilter()])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("seed", range(4))
def test_the_split_is_that_of_the_score(seed):
    """The value of the best cut over all columns is the largest score of a column, ties among
    values or not.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(40, 5)).astype(float), rng.integers(0, 3, 40)
    cut = best_separability_split(X, y, 3)
    scores = separability_split(X, y)
    assert cut.value == pytest.approx(scores.max()) and cut.feature == np.argmax(scores)


def predicted(node, row):
    while node.children:
        node = node.children[int(row[node.feature] > node.threshold)]
    return node


def test_a_full_tree_makes_no_error():
    """Every leaf is pure where rows differ; halves add up."""
    X, y = load_iris(return_X_y=True)
    root = grow_ssv_tree(X, y)
    assert all(predicted(root, row).errors == 0 for row in X)
    assert sum(node.gain for node in root.walk() if node.children) == root.errors == 100


def ranks_by_hand(X, y):
    """The published loop, on a tree as nested lists."""
    root, ranks, step = grow_ssv_tree(X, y), {}, 0
    while len(ranks) < X.shape[1]:
        nodes = root.walk()
        for f in range(X.shape[1]):
            if f not in ranks and all(node.feature != f for node in nodes if node.children):
                ranks[f] = step
        final = [node for node in nodes if node.final]
        for gain in (min([node.gain for node in final], default=0), 0):
            while found := [
                n for n in root.walk() if n.final and n.gain == gain and (gain == 0 or n in final)
            ]:
                for node in found:
                    node.children, node.feature = [], -1
        step += 1
    return [ranks[f] for f in range(X.shape[1])]


def test_ranks_are_the_steps_at_which_columns_vanish():
    """Unused columns rank 0, the root's ranks last, and all as the loop of the chapter has it."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 6))
    y = ((X[:, 2] > 0) ^ (X[:, 4] > 0.5)).astype(int)
    ranks = ssv_tree_ranks(X, y)
    assert_array_equal(ranks, ranks_by_hand(X, y))
    used = {node.feature for node in grow_ssv_tree(X, y).walk() if node.children}
    assert {j for j in range(6) if ranks[j] > 0} == used
    assert ranks.argmax() == grow_ssv_tree(X, y).feature and set(np.argsort(-ranks)[:2]) == {2, 4}


def test_reasons_to_drop_a_column():
    """Each step sees what the earlier ones left; the last needs a target and many columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = np.column_stack(
        [np.ones(300), np.arange(300) < 2, rng.normal(size=(300, 3)), y + rng.normal(size=300)]
    )
    X[0, 2] = 40.0
    plain = PreFilter().fit(X, y)
    assert plain.reasons_.tolist() == ["constant", "rare", "outlier", "", "", ""]
    strict = PreFilter(many=2, correlation=0.3).fit(X, y)
    assert strict.reasons_.tolist()[3:] == ["uncorrelated", "uncorrelated", ""]
    assert PreFilter().fit(np.ones((5, 3))).support_.sum() == 1
