"""Separability splits and trees against pairs counted one by one and trees grown row by row."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.data import SSV, open_table
from subsel.data.intervals.split_trees import deal
from subsel.data.statistics.counts import count
from subsel.ranking import (
    bayesian_accuracy,
    mutual_information,
    separability_split,
    separability_tree,
)
from subsel.ranking.stored.rank_stored import rank_stored
from tests.data.stored.stored_tables import write_parquet
from tests.oracles.class_order import by_size

CASES = [
    pytest.param(
        seed,
        n_classes,
        kind,
        strict,
        id=f"{kind}-{n_classes}-{'strict' if strict else 'plain'}-{seed}",
    )
    for seed, n_classes, strict in [(0, 2, False), (1, 3, True), (2, 3, False)]
    for kind in ("numeric", "ties", "names", "missing", "many names")
]


def problem(seed, n_classes, kind, n=24, p=5):
    """A table with some signal, its classes and its nominal columns."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.standard_normal((n, p)) + np.outer(y, np.linspace(0, 2, p))
    nominal = []
    if kind != "numeric":
        X = np.round(X * 1.5)
    if kind == "names":
        X, nominal = np.round(X / 2) % 6, [0, 1, 2, 3]
    if kind == "many names":
        X, nominal = rng.integers(0, 14, (n, p)).astype(float), [0, 2]
    if kind == "missing":
        X[rng.random((n, p)) < 0.15] = np.nan
        nominal = [4]
    return X, y, nominal


def split_value(left, y, strict):
    """Twice the pairs of unlike rows on different sides, less the rows of divided classes, each
    pair visited."""
    pairs = int(np.sum((left[:, None] > left) & (y[:, None] != y)))
    divided = sum(min(np.sum(left & (y == k)), np.sum(~left & (y == k))) for k in set(y.tolist()))
    return (pairs, -divided) if strict else (2 * pairs - divided, 0)


def candidates(x, names):
    """Every split of a column: its cut, None for a subset, and the values on its left."""
    values = np.unique(x)
    if names:
        subsets = [
            values[[subset >> i & 1 == 1 for i in range(len(values))]]
            for subset in range(1, 2 ** (len(values) - 1))
        ]
        return [(None, set(subset)) for subset in subsets]
    return [((a + b) / 2, set(values[values <= a])) for a, b in pairwise(values)]


def best_split(x, y, names, strict):
    """The values left of the best split and its value.

    Of neighbouring best cuts the one nearest to their average.
    """
    splits = candidates(x, names)
    keys = [split_value(np.isin(x, list(left)), y, strict) for _, left in splits]
    places = [i for i, key in enumerate(keys) if key == max(keys)]
    chosen = places[0]
    if not names and places == list(range(places[0], places[-1] + 1)):
        average = np.mean([splits[i][0] for i in places])
        chosen = min(places, key=lambda i: round(abs(splits[i][0] - average), 9))
    first, second = keys[chosen]
    return splits[chosen], (2 * first + second / (1 + len(y)) if strict else first)


class Node:
    """A tree grown on rows until its leaves are pure."""

    def __init__(self, x, y, names, strict):
        counts = np.bincount(y)
        self.guess, self.wrong = counts.argmax(), len(y) - counts.max()
        self.children, self.names, self.values = (), names, set(x)
        if self.wrong and len(self.values) > 1:
            (self.cut, self.left), _ = best_split(x, y, names, strict)
            sides = np.isin(x, list(self.left))
            self.children = tuple(Node(x[side], y[side], names, strict) for side in (sides, ~sides))

    @cache  # noqa: B019
    def leaf(self, degree):
        """Whether all splits below are gone at this degree of pruning, and this one too."""
        saved = self.wrong - sum(child.wrong for child in self.children)
        return not self.children or (
            saved <= degree and all(child.leaf(degree) for child in self.children)
        )

    def degrees(self):
        saved = self.wrong - sum(child.wrong for child in self.children)
        below = [degree for child in self.children for degree in child.degrees()]
        return [max([saved, *below]), *below] if self.children else [0]

    def reach(self, value, degree):
        """The leaf that a value comes to, an unknown name the root."""
        if self.names and value not in self.values:
            return self
        node = self
        while not node.leaf(degree):
            left = value in node.left if node.names else value <= node.cut
            node = node.children[0 if left else 1]
        return node


def folds_of(x, y):
    """The fold of each row: the known ones of a class are dealt in the order of their values."""
    dealt, firsts = deal(np.bincount(y))
    fold = np.empty(len(y), dtype=int)
    for k in np.unique(y):
        rows = np.flatnonzero(~np.isnan(x) & (y == k))
        for place, row in enumerate(rows[np.argsort(x[rows])], start=firsts[k]):
            fold[row] = np.flatnonzero(dealt[:, place + 1] > dealt[:, place])[0]
    return fold


def cross_validated_degree(x, y, names, strict, fold):
    degrees = sorted(set(Node(x, y, names, strict).degrees()) | {0})
    errors = np.zeros(len(degrees))
    for f in np.unique(fold):
        held = fold == f
        if held.all():
            continue
        tree = Node(x[~held], y[~held], names, strict)
        errors += [
            sum(tree.reach(v, d).guess != k for v, k in zip(x[held], y[held])) for d in degrees
        ]
    error = errors.min() / len(y)
    allowed = errors.min() + np.sqrt(error * (1 - error) * len(y)) + 1e-9
    return max(d for d, e in zip(degrees, errors) if e <= allowed)


def tree_and_degree(x, y, names, strict, degree):
    """The slow tree of the known rows of a column, and its degree of pruning."""
    y = by_size(x, y)
    known = ~np.isnan(x)
    names = names and len(np.unique(x[known])) <= 10
    tree = Node(x[known], y[known], names, strict)
    if degree is None:
        degree = cross_validated_degree(x[known], y[known], names, strict, folds_of(x, y)[known])
    return tree, degree


def slow_score(x, y, names, strict, degree):
    tree, degree = tree_and_degree(x, y, names, strict, degree)
    y = by_size(x, y)
    most = np.bincount(y).argmax()
    if tree.leaf(degree):
        return 0.0
    guesses = [most if np.isnan(v) else tree.reach(v, degree).guess for v in x]
    majority = np.sum(y == most)
    return (np.sum(np.equal(guesses, y)) - majority) / (len(y) - majority)


@pytest.mark.parametrize(("seed", "n_classes", "kind", "strict"), CASES)
def test_the_split_value_is_that_of_counted_pairs(seed, n_classes, kind, strict):
    """The best of all cuts, or of all subsets of up to ten names, missing values left out."""
    X, y, nominal = problem(seed, n_classes, kind)
    found = separability_split(X, y, strict=strict, nominal=nominal)
    for j, x in enumerate(X.T):
        known = ~np.isnan(x)
        names = j in nominal and len(np.unique(x[known])) <= 10
        assert_allclose(found[j], best_split(x[known], y[known], names, strict)[1], rtol=1e-12)


@pytest.mark.parametrize(("seed", "n_classes", "kind", "strict"), CASES)
@pytest.mark.parametrize("degree", [0, 1.5, None])
def test_trees_are_those_grown_row_by_row(seed, n_classes, kind, strict, degree):
    """Score and intervals are those of a tree on rows, pruned by degree or by the same
    cross-validation."""
    X, y, nominal = problem(seed, n_classes, kind)
    found = separability_tree(X, y, strict=strict, nominal=nominal, degree=degree)
    assert_allclose(
        found,
        [slow_score(x, y, j in nominal, strict, degree) for j, x in enumerate(X.T)],
        atol=1e-12,
    )
    codes = SSV(degree, strict, nominal=nominal).fit(X, y).transform(X)
    for j, x in enumerate(X.T):
        tree, chosen = tree_and_degree(x, y, j in nominal, strict, degree)
        leaves = [None if np.isnan(v) else tree.reach(v, chosen) for v in x]
        assert (
            len(set(zip(map(id, leaves), codes[:, j])))
            == len(set(map(id, leaves)))
            == len(set(codes[:, j]))
        )


def test_the_answers_of_the_book():
    """Labels 0, 0, 1, 1 give 8; a perfect split of a and b rows 2ab, whatever the scale.

    A constant column has none.
    """
    assert_array_equal(separability_split(np.arange(4)[:, None], [0, 0, 1, 1]), 8)
    for a, b in [(5, 5), (1, 7), (3, 9)]:
        x = np.arange(a + b, dtype=float)[:, None]
        y = np.repeat(["n", "p"], [a, b])
        assert_array_equal(separability_split(np.hstack([x, 100 * x - 7, np.exp(x)]), y), 2 * a * b)
    X = np.column_stack([np.ones(4), [np.nan] * 4, [np.nan, 1, 2, np.nan], [1, np.nan, np.nan, 2]])
    assert_array_equal(separability_split(X, [0, 1, 1, 0]), [0, 0, 0, 0])
    assert_array_equal(separability_tree(X, [0, 1, 1, 0]), [0, 0, 0, 0])


# How often each class meets each value, such that three neighbouring cuts are equally good.
TIED = [
    [[2, 0, 2], [1, 1, 0], [0, 2, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 2], [0, 1, 2]],
    [[2, 1, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1], [0, 2, 2], [0, 1, 0], [0, 1, 1]],
    [[1, 2, 2], [1, 1, 0], [0, 1, 0], [2, 2, 0], [2, 1, 0]],
    [[2, 0, 2], [0, 0, 1], [1, 1, 0], [0, 1, 1], [2, 1, 0], [2, 1, 0]],
]


@pytest.mark.parametrize("table", TIED, ids=len)
def test_of_neighbouring_best_cuts_the_one_nearest_to_their_average(table):
    """The spacing of the values decides between cuts that separate as much."""
    from subsel._loops.trees.split_value import Comparison, _best_cut

    table = np.array(table, dtype=float)
    rank, y = (
        np.repeat(part.ravel(), table.astype(int).ravel()) for part in np.indices(table.shape)
    )
    keys = [split_value(rank <= v, y, False) for v in range(len(table) - 1)]
    places = np.array([i for i, key in enumerate(keys) if key == max(keys)])
    assert_array_equal(np.diff(places), [1, 1])
    for steps in np.random.default_rng(0).choice([1.0, 2.0, 40.0], (20, len(table))):
        values = np.cumsum(steps)
        middles = (values[1:] + values[:-1])[places] / 2
        nearest = places[np.abs(middles - middles.mean()).argmin()]
        bounds = np.column_stack([values, values])
        compare = Comparison(False, 0.0, np.empty(3), table.sum(axis=0))
        assert _best_cut(table, bounds, 0, len(table), compare)[0] == nearest + 1
        bounds[places[1], 1] += 0.25  # a run of several values, with worse cuts inside
        compare = Comparison(False, 0.0, np.empty(3), table.sum(axis=0))
        assert _best_cut(table, bounds, 0, len(table), compare)[0] == places[0] + 1


def test_the_average_is_that_of_the_cuts():
    """Of four cuts or more it is their spacing that decides; of two the first is taken."""
    from subsel._loops.trees.split_value import _nearest_average

    for values, nearest in [
        ([0, 1, 2, 3, 4], 2),
        ([0, 1, 2, 3, 40], 3),
        ([0, 37, 38, 39, 40], 2),
        ([0, 1, 2], 1),
    ]:
        bounds = np.repeat(np.array(values, dtype=float)[:, None], 2, axis=1)
        assert _nearest_average(bounds, 1, len(values) - 1) == nearest


@pytest.mark.parametrize("degree", [0, None])
def test_unpruned_intervals_tell_as_much_as_the_values(degree):
    """At degree 0 the score is that of the values themselves, of numbers and of names.

    Pruned it is no more.
    """
    X, y, _ = problem(5, 3, "ties", n=80)
    every = bayesian_accuracy(X, y)
    for nominal in (None, np.arange(5)):
        found = separability_tree(X, y, degree=degree, nominal=nominal)
        assert np.all(found <= every + 1e-12)
        if degree == 0:
            assert_allclose(found, every)


def test_rows_of_missing_values_are_guessed_by_the_majority():
    """They go down all branches: a perfect column gains on its known rows only."""
    x = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, np.nan, np.nan, np.nan])
    y = np.array([0] * 5 + [1] * 4 + [0, 1, 1])
    assert_allclose(separability_tree(x[:, None], y, degree=0), (9 + 1 - 6) / 6)
    assert_allclose(separability_split(x[:, None], y), 2 * 5 * 4)


@pytest.mark.parametrize(
    "given_as", [sparse.csr_array, sparse.csc_matrix, np.asfortranarray, np.float32]
)
@pytest.mark.parametrize("score", [separability_split, separability_tree])
def test_storage_and_the_order_of_rows_change_nothing(score, given_as):
    """Sparse, single, by columns, shuffled, with fractional weights: the same scores."""
    X, y, _ = problem(6, 3, "ties", n=90)
    X[np.abs(X) < 2] = 0
    weight = np.random.default_rng(0).choice([0.5, 1.3, 2.1, 0.0], 90)
    order = np.random.default_rng(1).permutation(90)
    for w in (None, weight):
        expected = score(X, y, w, nominal=[1, 3])
        assert_allclose(score(given_as(X), y, w, nominal=[1, 3]), expected, rtol=1e-9)
        shuffled = score(
            given_as(X[order]), y[order], None if w is None else w[order], nominal=[1, 3]
        )
        assert_allclose(shuffled, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", ["numeric", "ties", "names", "missing"])
def test_weights_are_repetitions(kind):
    """Weights 0 to 3 score as rows left out or repeated, split, tree and chosen degree alike."""
    X, y, nominal = problem(7, 3, kind, n=50)
    times = np.random.default_rng(2).integers(0, 4, 50)
    again = np.repeat(np.arange(50), times)
    for score in (separability_split, separability_tree):
        expected = score(X[again], y[again], nominal=nominal)
        assert_allclose(score(X, y, times, nominal=nominal), expected, rtol=1e-12)
        assert_allclose(score(X, y, sample_weight=times, nominal=nominal), expected, rtol=1e-12)


def test_rows_are_dealt_equally_and_by_lot():
    """Folds and classes are even; dealt in turn, rows held out would lie as those kept do and noise
    would pass."""
    sizes = np.array([137, 12, 40])
    dealt, firsts = deal(sizes)
    parts = np.array(
        [dealt[:, first + size] - dealt[:, first] for first, size in zip(firsts, sizes)]
    )
    assert_array_equal(parts.sum(axis=1), sizes)
    assert np.ptp(parts, axis=1).max() <= 1 and np.ptp(parts.sum(axis=0)) <= 1
    folds = np.diff(dealt[:, : sizes[0] + 1], axis=1).argmax(axis=0)
    assert len(set(folds[:10])) < 10 and np.mean(folds[10:] == folds[:-10]) < 0.3


def test_signal_is_not_pruned_away():
    """A column that tells the classes well apart keeps its cuts, noise scores less."""
    rng, y = np.random.default_rng(0), np.arange(100) % 2
    noise, signal = (
        rng.standard_normal((100, 200)),
        rng.standard_normal((100, 200)) + 2 * y[:, None],
    )
    assert separability_tree(signal, y).min() > 0.3
    assert separability_tree(noise, y).mean() < separability_tree(signal, y).mean() - 0.2


def test_refusals_name_the_value():
    """A negative degree, weights that cannot be rows, names of columns that are not there, tables
    without columns' names."""
    X, y, _ = problem(8, 2, "ties")
    with pytest.raises(ValueError, match="degree must be at least 0, got -1"):
        separability_tree(X, y, degree=-1)
    with pytest.raises(
        ValueError, match="got a sum of 1; scale the weights to sum to the number of rows"
    ):
        separability_tree(X, y, np.full(24, 1 / 24))
    with pytest.raises(ValueError, match=r"nominal must hold feature indices in \[0, 4\]"):
        separability_split(X, y, nominal=[5])
    with pytest.raises(ValueError, match="transform X and count the codes"):
        mutual_information(X, y, discretise=SSV(nominal=[0]))


@parametrize_with_checks([SSV()])
def test_the_discretiser_keeps_scikit_learns_rules(estimator, check):
    """It passes scikit-learn's checks of estimators."""
    check(estimator)


def test_codes_follow_cuts_and_groups():
    """A value on a cut lies left; unknown and missing names get the code after the last."""
    X = np.array([[0, 1], [1, 2], [2, 3], [3, 1], [4, 2], [5, 3], [np.nan, np.nan]])
    fitted = SSV(degree=0, nominal=[False, True]).fit(X, [0, 0, 0, 1, 1, 1, 1])
    assert_array_equal(fitted.cut_points_[0], [2.5])
    assert_array_equal(fitted.transform(X)[:, 0], [0, 0, 0, 1, 1, 1, 2])
    assert_array_equal(fitted.transform([[2.5, 4.0]])[0], [0, fitted.groups_[1][1].max() + 1])
    groups = SSV(degree=0, nominal=[0]).fit(X[:6, 1:], list("aabaab"))
    assert_array_equal(groups.transform([[1], [2], [3], [9], [np.nan]]).ravel(), [0, 0, 1, 2, 2])


def test_all_names_missing():
    """A nominal column without a value has the one code of missing values."""
    X = np.column_stack([np.full(6, np.nan), np.arange(6)])
    assert_array_equal(SSV(nominal=[0]).fit(X, [0, 0, 0, 1, 1, 1]).transform(X)[:, 0], np.zeros(6))


def test_recoding_tables_is_transforming_rows():
    """Codes of values in counted tables are the codes of the rows they were counted from."""
    X, y, _ = problem(9, 3, "missing")
    codes, tables = SSV().fit_transform(X, y), count(X, y, 3)
    for (values, _), code, x, expected in zip(
        tables, np.split(SSV().recode(tables), tables.starts[1:]), X.T, codes.T
    ):
        assert_array_equal(code[np.searchsorted(values, x)], expected)


def test_a_stored_table_has_no_nominal_columns(tmp_path):
    """Its columns come a few at a time, so that their numbers would not be those of the table."""
    table = open_table(
        write_parquet(
            tmp_path / "t.parquet",
            {"a": [0.0, 1, 2, 3], "b": [0.0, 1, 0, 1], "y": list("nppn")},
            [4],
        )
    )
    assert_array_equal(rank_stored(table, "y", "ssv", 1, memory="50MB").scores_, [3, 2])
    with pytest.raises(ValueError, match="nominal"):
        rank_stored(table, "y", "ssv", 1, memory="50MB", options={"nominal": [0]})
