"""What the trees of a forest lose on their out-of-bag rows when columns are shuffled there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

from subsel import RankingSelector
from subsel.embedded import Importance, out_of_bag_importance
from subsel.embedded.trees.flat_trees import flat_tree, unseen_rows
from subsel.embedded.trees.out_of_bag import Shuffles


def make(kind, n=90, missing=False, seed=0):
    """A table with ties, a constant column and a copy, and a target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 7))
    X[:, 1] = np.round(X[:, 1])
    X[:, 5] = X[:, 0]
    f = X[:, 0] + X[:, 1] * X[:, 2]
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 6] = 1.0
    y = f + 0.3 * rng.standard_normal(n) if kind == "numbers" else np.digitize(f, [-0.5, 0.7])
    return X, y


def losses(predicted, truth, classes):
    """Wrong or not, or the squared error."""
    return (predicted != truth) * 1.0 if classes else (predicted - truth) ** 2


def slow(forest, X, y, n_repeats, conditional, groups, weight, seed):
    """Predict with every tree afresh for every column: d[tree, column, class]."""
    classes = hasattr(forest, "classes_")
    group = np.arange(X.shape[1])
    for members in groups or []:
        group[members] = min(members)
    numbers = np.unique(group, return_inverse=True)[1]
    seed = np.random.RandomState(seed).randint(2**31)
    shuffles = Shuffles.of(np.asarray(X, dtype=np.float32), numbers, conditional, n_repeats)
    found = np.zeros((len(forest.estimators_), X.shape[1], len(forest.classes_) if classes else 1))
    for t, (tree, rows) in enumerate(zip(forest.estimators_, unseen_rows(forest, len(X)))):
        own = losses(tree.predict(X[rows]), y[rows], classes)
        kinds = y[rows].astype(int) if classes else np.zeros(len(rows), int)
        for orders, place in shuffles.orders(
            flat_tree(tree), rows, np.random.default_rng([seed, t])
        ):
            for k in range(X.shape[1]):
                if place[numbers[k]] < 0:
                    continue
                Z = X[rows].copy()
                together = numbers == numbers[k]
                Z[:, together] = Z[orders[place[numbers[k]]]][:, together]
                rise = (losses(tree.predict(Z), y[rows], classes) - own) * weight[rows]
                found[t, k] += np.bincount(kinds, rise, found.shape[2]) / n_repeats
    return found


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_repeats": 3},
        {"feature_groups": [[0, 5], [2, 3]]},
        {"conditional": 0.5},
        {"missing": True},
        {"weights": 1},
    ],
)
def test_equal_to_a_slow_loop(kind, options):
    """Means, z, p-values and classes are those of predicting afresh with every tree for every
    column.
    """
    options = dict(options)
    X, y = make(kind, missing=options.pop("missing", False))
    weight = (
        np.random.default_rng(1).random(len(X)) if options.pop("weights", 0) else np.ones(len(X))
    )
    model = RandomForestRegressor if kind == "numbers" else RandomForestClassifier
    forest = model(12, max_features=0.6, random_state=0).fit(X, y)
    found = out_of_bag_importance(forest, X, y, sample_weight=weight, random_state=3, **options)
    given = (options.get("n_repeats", 1), options.get("conditional"), options.get("feature_groups"))
    rises = slow(forest, X, y, *given, weight, 3)
    d = rises.sum(axis=2)
    assert_allclose(found.importances, d.mean(axis=0), atol=1e-9)
    assert_allclose(found.per_class, rises.mean(axis=0), atol=1e-9)
    error = d.std(axis=0, ddof=1) / np.sqrt(len(d))
    z = np.divide(d.mean(axis=0), error, out=np.zeros(X.shape[1]), where=error > 0)
    assert_allclose(found.z, z, rtol=1e-6, atol=1e-9)
    assert_allclose(found.p_values, norm.sf(z), rtol=1e-6)
    assert found.importances[6] == found.z[6] == 0  # constant: never used


def test_single_precision_sparse_and_threads_do_not_matter():
    """A float32, a sparse or a framed table and several threads give the same numbers."""
    X, y = make("classes")
    X = np.where(np.abs(X) < 0.5, 0, X).astype(np.float32)
    forest = RandomForestClassifier(8, random_state=0).fit(X, y)
    plain = out_of_bag_importance(forest, X, y, random_state=0)
    for table, jobs in ((X.astype(float), 1), (sparse.csr_array(X), 1), (X, 2)):
        assert_array_equal(
            out_of_bag_importance(forest, table, y, random_state=0, n_jobs=jobs).z, plain.z
        )


def test_a_copy_takes_part_of_the_credit_and_a_group_gives_it_back():
    """Two equal columns share the loss; shuffled together they lose more.

    Conditional on each other nothing is left.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    X[:, 1] = X[:, 0]
    y = X[:, 0] + 0.1 * rng.standard_normal(200)
    forest = RandomForestRegressor(20, max_features=1, random_state=0).fit(X, y)
    alone, together, given = (
        out_of_bag_importance(forest, X, y, random_state=0, **options).importances
        for options in ({}, {"feature_groups": [[0, 1]]}, {"conditional": 0.9})
    )
    assert together[0] == together[1] > alone[:2].max()
    assert (given[:2] < 0.2 * alone[:2]).all()


def test_shuffled_labels_give_few_small_p_values():
    """With a target of pure chance about a twentieth of the columns, and surely not a fifth, is
    below 0.05.
    """
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), rng.permutation([0, 1] * 30)
    forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    assert np.mean(out_of_bag_importance(forest, X, y, random_state=0).p_values < 0.05) < 0.2


def test_as_a_score():
    """Importance reads the z-scores, and a cut keeps the columns that matter."""
    X, y = make("numbers", n=150)
    y = X[:, 3] - X[:, 1]
    score = Importance(RandomForestRegressor(25, random_state=0), "out-of-bag", n_repeats=2)
    forest = RandomForestRegressor(25, random_state=0).fit(X, y)
    expected = out_of_bag_importance(forest, X, y, n_repeats=2, random_state=5).z
    assert_array_equal(score(X, y, random_state=5), expected)
    assert RankingSelector(score, cut=2, random_state=0).fit(X, y).get_support(
        indices=True
    ).tolist() == [1, 3]


def test_wrong_arguments_are_named():
    """No bootstrap, another table, no repeats and a wrong bound are refused by name."""
    X, y = make("numbers", n=40)
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        out_of_bag_importance(ExtraTreesRegressor(3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="trained on"):
        out_of_bag_importance(forest, X[:20], y[:20])
    with pytest.raises(ValueError, match="n_repeats"):
        out_of_bag_importance(forest, X, y, n_repeats=0)
    with pytest.raises(ValueError, match="conditional"):
        out_of_bag_importance(forest, X, y, conditional=2.0)
