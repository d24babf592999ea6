"""Trees on one feature score as scikit-learn's trees do, on the rows they grew on and on rows held
out."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from subsel import RankingSelector
from subsel.data import SSV, TreeCuts
from subsel.data.intervals.split_trees import FOLDS, deal
from subsel.data.statistics import blocks
from subsel.ranking import (
    gini,
    mutual_information,
    one_feature_tree,
    one_feature_tree_regression,
    one_rule,
    separability_tree,
)
from tests.oracles.class_order import by_size

RNG = np.random.default_rng(11)
N = 90
Y = RNG.integers(0, 3, N)
NUMBERS = RNG.standard_normal((N, 5)) + np.column_stack(
    [Y, Y == 1, Y == 2, np.zeros(N), np.zeros(N)]
)
FEW = np.round(NUMBERS)
HOLES = np.where(RNG.random(NUMBERS.shape) < 0.2, np.nan, NUMBERS)
FEW_HOLES = np.where(RNG.random(FEW.shape) < 0.2, np.nan, FEW)
TABLES = {"numbers": NUMBERS, "few": FEW, "holes": HOLES, "few holes": FEW_HOLES}
TARGET = np.abs(NUMBERS[:, 0] - 1) * 2 + 0.3 * RNG.standard_normal(N)
WEIGHT = RNG.random(N) * 3
MEASURES = ["accuracy", "gini", "information"]
table_kinds = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def ranks(x):
    """Places of values among all values of a column, missing ones apart."""
    known = np.unique(x[~np.isnan(x)])
    return np.searchsorted(known, x).astype(float)


def guesses(x, train, test, fit, fallback):
    """What scikit-learn's tree on the ranks of known values says, and the target's summary of
    missing ones."""
    place, missing, found = ranks(x), np.isnan(x), np.empty(len(x))
    for rows, apart in ((test & missing, train & missing), (test & ~missing, train & ~missing)):
        if not rows.any():
            continue
        if apart.any() and not missing[rows].any():
            # Ranks between two leaves are cut in the middle, as the thresholds of the tree are.
            found[rows] = fit(place[apart, None], apart).predict(place[rows, None])
        else:
            found[rows] = fallback(apart if apart.any() else train)
    return found[test]


@table_kinds
@pytest.mark.parametrize("max_leaves", [2, 3, 5, 200])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_leaves_are_those_of_the_discretiser(table, max_leaves, weight):
    """Gini and information of the leaves are those of intervals by TreeCuts (scikit-learn)."""
    for measure, statistic, criterion in (
        ("gini", gini, "gini"),
        ("information", mutual_information, "entropy"),
    ):
        found = one_feature_tree(table, Y, weight, measure=measure, max_leaves=max_leaves)
        cutter = TreeCuts(max_leaves, criterion)
        assert_allclose(
            found, statistic(table, Y, discretise=cutter, sample_weight=weight), rtol=1e-12
        )


def fold_of_rows(x, y):
    """Deal rows as the score does: those of a class in the order of their values."""
    dealt, firsts = deal(np.bincount(y))
    fold = np.empty(len(y), dtype=int)
    for k, first in enumerate(firsts):
        rows = np.flatnonzero(y == k)
        rows = rows[np.argsort(x[rows], kind="stable")]
        fold[rows] = np.argmax(np.diff(dealt[:, first : first + len(rows) + 1], axis=1), axis=0)
    return fold


def accuracy_gain(x, y, max_leaves):
    """The cross-validated gain by refitting scikit-learn's tree on every fold."""
    fold, right, uncut = fold_of_rows(x, y), 0, 0

    def majority(rows):
        return np.bincount(y[rows], minlength=3).argmax()

    def grow(table, rows):
        tree = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=0)
        return tree.fit(table, y[rows])

    for held in range(FOLDS):
        train, test = fold != held, fold == held
        right += (guesses(x, train, test, grow, majority) == y[test]).sum()
        uncut += (y[test] == majority(train)).sum()
    return (right - uncut) / (len(y) - uncut)


@table_kinds
@pytest.mark.parametrize("max_leaves", [2, 4])
def test_accuracy_is_that_of_refitted_trees(table, max_leaves):
    """Ten folds by scikit-learn, on ranks, give the same gain on the majority."""
    expected = [accuracy_gain(x, by_size(x, Y), max_leaves) for x in table.T]
    assert_allclose(one_feature_tree(table, Y, max_leaves=max_leaves), expected, rtol=1e-12)
    assert max(expected) > 0 > min(expected)


def weighted_gain(x, y, weight, max_leaves):
    """The same where rows weigh fractions, parts of which go to folds.

    (value, class) pairs are the rows.
    """
    values = np.unique(x)  # NaN last and once
    place = np.searchsorted(values, x)
    table = np.zeros((len(values), 3))
    np.add.at(table, (place, y), weight)
    dealt, firsts = deal(table.sum(axis=0))
    n_known, right, uncut = len(values) - np.isnan(values[-1]), 0.0, 0.0
    for line in dealt:
        below = np.vstack([np.zeros(3), np.cumsum(table, axis=0)])
        lines = [
            line[first : first + int(np.ceil(total)) + 1] for first, total in zip(firsts, below[-1])
        ]
        held = np.diff(
            np.column_stack([np.interp(b, np.arange(len(f)), f) for b, f in zip(below.T, lines)]),
            axis=0,
        )
        train = np.where(table - held > 1e-9, table - held, 0.0)
        rank, label = np.nonzero(train[:n_known])
        tree = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=0)
        tree.fit(rank[:, None], label, sample_weight=train[rank, label])
        guess = tree.predict(np.arange(len(values))[:, None])
        guess[n_known:] = train[-1].argmax() if train[-1].any() else train.sum(axis=0).argmax()
        right += held[np.arange(len(values)), guess].sum()
        uncut += held[:, train.sum(axis=0).argmax()].sum()
    return (right - uncut) / (weight.sum() - uncut)


@table_kinds
@pytest.mark.parametrize("max_leaves", [2, 4])
def test_weighted_accuracy_is_that_of_refitted_trees(table, max_leaves):
    """Rows of fractional weight are dealt in parts.

    Refitting on what is left of them gives the same gain.
    """
    expected = [weighted_gain(x, by_size(x, Y, WEIGHT), WEIGHT, max_leaves) for x in table.T]
    assert_allclose(
        one_feature_tree(table, Y, WEIGHT, max_leaves=max_leaves), expected, rtol=1e-9, atol=1e-14
    )
    whole = [weighted_gain(x, by_size(x, Y), np.ones(N), max_leaves) for x in table.T]
    assert_allclose(one_feature_tree(table, Y, max_leaves=max_leaves), whole, rtol=1e-9)


def explained(x, y, weight, max_leaves):
    """The cross-validated share of variance by refitting scikit-learn's tree on every fold."""
    fold = import_module("subsel.ranking.scores.one_feature_models.one_feature_tree")._folds(y)
    errors = spread = 0.0

    def mean(rows):
        return np.average(y[rows], weights=weight[rows])

    def grow(table, rows):
        tree = DecisionTreeRegressor(max_leaf_nodes=max_leaves, random_state=0)
        return tree.fit(table, y[rows], sample_weight=weight[rows])

    for held in range(FOLDS):
        train, test = fold != held, fold == held
        errors += weight[test] @ (y[test] - guesses(x, train, test, grow, mean)) ** 2
        spread += weight[test] @ (y[test] - mean(train)) ** 2
    return 1 - errors / spread


@table_kinds
@pytest.mark.parametrize("max_leaves", [2, 4])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_explained_variance_is_that_of_refitted_trees(table, max_leaves, weight):
    """Ten folds by scikit-learn's regression trees give the same share of the variance."""
    given = np.ones(N) if weight is None else weight
    expected = [explained(x, TARGET, given, max_leaves) for x in table.T]
    assert_allclose(
        one_feature_tree_regression(table, TARGET, weight, max_leaves=max_leaves),
        expected,
        rtol=1e-9,
    )
    assert max(expected) > 0 > min(expected)


def test_folds_are_equal_and_span_the_target():
    """Every ten rows in the order of y go to ten folds, whatever the order of the rows."""
    folds = import_module("subsel.ranking.scores.one_feature_models.one_feature_tree")._folds
    fold = folds(TARGET)
    assert_array_equal(
        np.sort(fold[np.argsort(TARGET)].reshape(-1, FOLDS), axis=1),
        np.tile(np.arange(FOLDS), (9, 1)),
    )
    order = RNG.permutation(N)
    assert_array_equal(folds(TARGET[order]), fold[order])


@table_kinds
def test_order_of_rows_and_increasing_transforms_change_nothing(table):
    """Scores depend on the order of the values alone, not on that of the rows."""
    order = RNG.permutation(N)
    for measure in MEASURES:
        scores = one_feature_tree(table, Y, measure=measure)
        assert_allclose(
            one_feature_tree(np.exp(table[order]), Y[order], measure=measure), scores, rtol=1e-12
        )
    scores = one_feature_tree_regression(table, TARGET)
    assert_allclose(
        one_feature_tree_regression(np.exp(table[order]), TARGET[order]), scores, rtol=1e-9
    )


@pytest.mark.parametrize(
    "form", [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]
)
@pytest.mark.parametrize(
    "table", [FEW, FEW_HOLES * 2, NUMBERS * (FEW != 0)], ids=["few", "holes", "zeros"]
)
def test_storage_blocks_and_company_change_nothing(form, table, monkeypatch):
    """Sparse tables, single precision, one column at a time and columns in another order.

    The same scores.
    """
    table = table.astype(np.float32).astype(float)
    scores = {measure: one_feature_tree(table, Y, WEIGHT, measure=measure) for measure in MEASURES}
    of_numbers = one_feature_tree_regression(table, TARGET, WEIGHT)
    for name in ("BLOCK_CELLS", "BLOCK_ENTRIES", "BLOCK_STORED"):
        monkeypatch.setattr(blocks, name, 1)
    turned = form(table[:, ::-1].astype(np.float32))
    for measure, expected in scores.items():
        found = one_feature_tree(turned, np.array(["x", "y", "z"])[Y], WEIGHT, measure=measure)
        assert_allclose(found[::-1], expected, rtol=1e-9, atol=1e-12)
    assert_allclose(
        one_feature_tree_regression(turned, TARGET, WEIGHT)[::-1], of_numbers, rtol=1e-12
    )


@table_kinds
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_are_repetitions(table, form):
    """Whole weights, 0 among them, score as rows left out or repeated."""
    times = RNG.integers(0, 4, N)
    again = np.repeat(np.arange(N), times)
    for measure in MEASURES:
        weighted = one_feature_tree(form(table), Y, times, measure=measure)
        assert_allclose(
            weighted, one_feature_tree(form(table[again]), Y[again], measure=measure), rtol=1e-12
        )


def test_rows_of_no_weight_are_no_rows_of_numbers():
    """In regression they have no fold; weights scale freely."""
    weight = np.where(np.arange(N) % 4 == 0, 0.0, WEIGHT)
    there = weight > 0
    scores = one_feature_tree_regression(HOLES, TARGET, weight)
    assert_allclose(
        one_feature_tree_regression(HOLES[there], TARGET[there], 1e-3 * weight[there]),
        scores,
        rtol=1e-9,
    )


def test_constants_and_missing_columns_score_nothing():
    """A column of one value, known or missing, has one leaf.

    So has any column for a constant target.
    """
    table = np.column_stack([np.full(N, 2.5), np.full(N, np.nan), NUMBERS[:, 0]])
    nothing = {"accuracy": 0, "gini": (np.bincount(Y) ** 2).sum() / N**2, "information": 0}
    for measure, expected in nothing.items():
        scores = one_feature_tree(table, Y, measure=measure)
        assert_allclose(scores[:2], expected, atol=1e-15)
        assert scores[2] > expected + 0.1
    assert_array_equal(one_feature_tree_regression(table, TARGET)[:2], 0)
    assert_array_equal(one_feature_tree_regression(table, np.full(N, 7.0)), 0)


def test_absence_may_tell():
    """Missing values are a leaf of their own, held-out ones too."""
    y = np.arange(60) % 3
    x = np.where(y == 2, np.nan, y == 1).astype(float)[:, None]
    assert_array_equal(one_feature_tree(x, y, max_leaves=2), 1)
    assert_array_equal(one_feature_tree(x, y, measure="gini", max_leaves=2), 1)
    assert_array_equal(
        one_feature_tree_regression(x, np.array([3.0, -1.0, 8.0])[y], max_leaves=2), 1
    )


def test_more_cuts_find_what_one_cannot():
    """Classes that alternate along a column need as many leaves as there are turns."""
    x, y = np.arange(100.0)[:, None], np.arange(100) // 20 % 2
    gains = [one_feature_tree(x, y, max_leaves=leaves)[0] for leaves in (2, 5)]
    assert gains[0] < 0.1 and gains[1] > 0.9


@pytest.mark.parametrize("n_classes", [2, 8])
def test_few_rows(n_classes):
    """Fewer rows than folds, and classes of one row, have a score."""
    y = np.arange(8) % n_classes
    for measure in MEASURES:
        assert np.isfinite(one_feature_tree(NUMBERS[:8], y, measure=measure)).all()
    assert np.isfinite(one_feature_tree_regression(NUMBERS[:2], TARGET[:2])).all()


def test_weights_of_all_sizes():
    """Sums of weights that differ by many orders leave digits behind that are no rows.

    Scores stay scores.
    """
    rng = np.random.default_rng(2)
    for table in TABLES.values():
        for _ in range(20):
            weight = 10.0 ** rng.uniform(-9, 3, N)
            for measure in MEASURES:
                assert np.all(
                    one_feature_tree(table, Y, weight, measure=measure, max_leaves=N) < 1.1
                )  # ln 3 at most
            assert np.all(
                one_feature_tree_regression(table, 1e6 * TARGET, weight, max_leaves=N) <= 1
            )


@pytest.mark.parametrize(
    ("key", "y"), [("one-feature-tree", Y), ("one-feature-tree-regression", TARGET)]
)
def test_the_selector_takes_them(key, y):
    """By name, with missing values and weights."""
    selector = RankingSelector(key, cut=1).fit(HOLES, y, sample_weight=WEIGHT)
    assert selector.get_support().tolist() == [True, False, False, False, False]


def test_refusals():
    """Messages name the argument and the value."""
    with pytest.raises(
        ValueError, match="measure must be one of 'accuracy', 'gini', 'information', got 'error'"
    ):
        one_feature_tree(NUMBERS, Y, measure="error")
    for function, y in ((one_feature_tree, Y), (one_feature_tree_regression, TARGET)):
        for leaves in (1, 2.5):
            with pytest.raises(
                ValueError, match=f"max_leaves must be a whole number of at least 2, got {leaves}"
            ):
                function(NUMBERS, y, max_leaves=leaves)
    with pytest.raises(
        ValueError, match="sample_weight must count rows to deal them to folds, these sum to 1"
    ):
        one_feature_tree(NUMBERS, Y, np.full(N, 1 / N))
    with pytest.raises(ValueError, match="at least two rows of positive weight, got 1"):
        one_feature_tree_regression(NUMBERS, TARGET, np.arange(N) == 3)


@pytest.mark.parametrize("order", [[0, 2, 1], [1, 2, 0], [2, 1, 0]])
def test_names_of_classes_decide_nothing(order):
    """Renamed classes, of equal sizes too, leave the scores of trees and of 1R as they are."""
    y = np.arange(N) % 3
    X = np.round(RNG.standard_normal((N, 8)) + 0.5 * (y == 1)[:, None], 1)
    renamed = np.array(order)[y]
    for score in (one_feature_tree, separability_tree, one_rule):
        assert_array_equal(score(X, renamed), score(X, y))
    assert_array_equal(SSV().fit(X, renamed).transform(X), SSV().fit(X, y).transform(X))
