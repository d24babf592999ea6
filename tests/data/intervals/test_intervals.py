"""Discretisers: scikit-learn's rules, cuts against slow versions, and limits of all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.mixture import GaussianMixture
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.data import intervals
from subsel.data.intervals.equal import EqualFrequency, EqualWidth
from subsel.data.intervals.mdl import MDL
from subsel.data.intervals.modl import MODL, partition_cost
from subsel.data.intervals.tree_cuts import TreeCuts
from subsel.data.intervals.two_gaussians import TwoGaussians, fit_mixtures
from subsel.data.statistics.counts import count

EVERY = [
    EqualWidth(),
    EqualFrequency(),
    MDL(),
    MODL(),
    MODL(exact=True),
    TreeCuts(),
    TwoGaussians(),
]
BY_ORDER = [EqualFrequency(4), MDL(), MODL(), MODL(exact=True), TreeCuts(4)]


def exported():
    """Every discretiser that the package exports, and other ways of making one.

    Exporting a class enrols it.
    """
    classes = [getattr(intervals, name) for name in intervals.__all__]
    kinds = [
        made
        for made in classes
        if issubclass(made, intervals.Discretiser) and made is not intervals.Discretiser
    ]
    return [*(made() for made in kinds), MODL(exact=True)]


@parametrize_with_checks(exported())
def test_discretisers_keep_scikit_learns_rules(estimator, check):
    """Every discretiser passes scikit-learn's checks of estimators."""
    check(estimator)


def example(seed, n=60, n_classes=3, ties=False):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = rng.normal(size=(n, 3)) + np.outer(y, [2, 1, 0])
    return (X * 2).round() if ties else X, y


@pytest.mark.parametrize("discretiser", EVERY, ids=str)
def test_codes_are_whole_numbers_that_follow_the_cuts(discretiser):
    """Codes count the cut points below; a value on a cut lies left; constants are not cut.

    Missing is apart.
    """
    X, y = example(0)
    X = np.column_stack([X, np.ones(len(y))])
    X[4, 0] = np.nan
    fitted = clone(discretiser).fit(X, y)
    codes = fitted.transform(X)
    assert codes.dtype.kind == "i" and codes.min() >= 0
    assert len(fitted.cut_points_[3]) == 0 and (codes[:, 3] == codes[0, 3]).all()
    assert codes[4, 0] == (
        2 if isinstance(discretiser, TwoGaussians) else len(fitted.cut_points_[0]) + 1
    )
    if not isinstance(discretiser, TwoGaussians):
        below = [(fitted.cut_points_[1] < x).sum() for x in X[:, 1]]
        assert_array_equal(codes[:, 1], below)
        cut = np.full((1, 4), fitted.cut_points_[1][0])
        assert fitted.transform(cut)[0, 1] == 0


@pytest.mark.parametrize("discretiser", EVERY, ids=str)
def test_recoding_tables_is_transforming_rows(discretiser):
    """Codes of values in counted tables are the codes of the rows they were counted from."""
    X, y = example(1, ties=True)
    X[7, 1] = np.nan
    codes = clone(discretiser).fit_transform(X, y)
    tables = count(X, y, 3)
    recoded = discretiser.recode(tables)
    for (values, _), code, x, expected in zip(
        tables, np.split(recoded, tables.starts[1:]), X.T, codes.T
    ):
        assert_array_equal(code[np.searchsorted(values, x)], expected)


@pytest.mark.parametrize("discretiser", BY_ORDER, ids=str)
@pytest.mark.parametrize("ties", [False, True])
def test_order_alone_decides(discretiser, ties):
    """An increasing transform, float32, and a permutation of the rows change no code."""
    X, y = example(2, ties=ties)
    codes = clone(discretiser).fit_transform(X, y)
    assert_array_equal(clone(discretiser).fit_transform(np.exp(X), y), codes)
    assert_array_equal(
        clone(discretiser).fit_transform(X.round(3).astype(np.float32), y),
        clone(discretiser).fit_transform(X.round(3), y),
    )
    order = np.random.default_rng(0).permutation(len(y))
    assert_array_equal(clone(discretiser).fit_transform(X[order], y[order]), codes[order])


def test_neighbouring_floats_can_be_cut():
    """Two numbers with no float between them still fall on different sides of their cut."""
    low = 1.0
    X = np.array([[low]] * 4 + [[np.nextafter(low, 2)]] * 4)
    for discretiser in (EqualFrequency(2), MDL(), MODL(), TreeCuts(2), TwoGaussians()):
        assert_array_equal(
            discretiser.fit_transform(X, [0] * 4 + [1] * 4).ravel(), [0] * 4 + [1] * 4
        )


@given(seed=st.integers(0, 10**6), n_bins=st.integers(2, 9))
@settings(max_examples=20, deadline=None)
def test_equal_bins_are_equal(seed, n_bins):
    """Equal width: evenly spaced cuts. Equal frequency: sizes differ by at most one."""
    x = np.random.default_rng(seed).normal(size=(41, 1))
    (cuts,) = EqualWidth(n_bins).fit(x).cut_points_
    assert_allclose(np.diff([x.min(), *cuts, x.max()]), np.ptp(x) / n_bins)
    sizes = np.bincount(EqualFrequency(n_bins).fit_transform(x).ravel())
    assert len(sizes) == n_bins and np.ptp(sizes) <= 1


def test_a_heavy_tie_is_never_divided():
    """A value that fills several bins stays in one, and its neighbours keep theirs."""
    x = np.array([1, 2, *[3] * 8, 4, 5.0])[:, None]
    codes = EqualFrequency(4).fit_transform(x).ravel()
    assert codes.tolist() == [0, 0, *[1] * 8, 2, 2]


def slow_mdl(x, y):
    """Fayyad and Irani's recursion on rows, every midpoint tried."""

    def entropy(labels):
        share = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(share * np.log2(share)).sum()

    def classes(labels):
        return len(np.unique(labels))

    values = np.unique(x)
    best, best_gain = None, -1.0
    for cut in (values[1:] + values[:-1]) / 2:
        parts = y[x <= cut], y[x > cut]
        gain = entropy(y) - sum(len(p) / len(y) * entropy(p) for p in parts)
        if gain > best_gain + 1e-12:
            best, best_gain = cut, gain
    if best is None or len(y) <= 2:
        return []
    left, right = x <= best, x > best
    k, price = classes(y), np.log2(len(y) - 1)
    price += (
        np.log2(3.0**k - 2)
        - k * entropy(y)
        + sum(classes(y[p]) * entropy(y[p]) for p in (left, right))
    )
    if best_gain <= price / len(y):
        return []
    return [*slow_mdl(x[left], y[left]), best, *slow_mdl(x[right], y[right])]


@pytest.mark.parametrize("seed", range(12))
def test_mdl_is_the_slow_recursion(seed):
    """Cuts of the cumulated counts are those of the recursion on rows, with and without ties."""
    X, y = example(seed, n=70, n_classes=2 + seed % 3, ties=seed % 2 == 1)
    for cuts, x in zip(MDL().fit(X, y).cut_points_, X.T):
        assert_allclose(cuts, slow_mdl(x, y))


def test_mdl_on_a_hand_example():
    """Four and four rows are worth a cut: gain 1 bit against (log2 7 + log2 7 - 2)/8.

    Rows in turn are not.
    """
    x = np.arange(8.0)[:, None]
    assert_array_equal(MDL().fit(x, [0] * 4 + [1] * 4).cut_points_[0], [3.5])
    assert (2 * np.log2(7) - 2) / 8 < 1
    assert len(MDL().fit(x[:3], [0, 0, 1]).cut_points_[0]) == 1
    assert len(MDL().fit(x, [0, 1] * 4).cut_points_[0]) == 0


@pytest.mark.parametrize("seed", range(6))
def test_exact_modl_never_costs_more_than_merging(seed):
    """The dynamic programme finds a partition at most as dear as greedy merging does."""
    X, y = example(seed, n=50, ties=seed % 2 == 1)
    for x in X.T:
        costs = []
        for discretiser in (MODL(exact=True), MODL()):
            codes = discretiser.fit_transform(x[:, None], y).ravel()
            table = [np.bincount(y[codes == k], minlength=3) for k in range(codes.max() + 1)]
            costs.append(partition_cost(np.array(table)))
        assert costs[0] <= costs[1] + 1e-9


def test_modl_is_the_same_from_either_end():
    """Reversing the order and renaming classes mirror the exact cuts."""
    X, y = example(3)
    there, back = MODL(exact=True).fit(X, y), MODL(exact=True).fit(-X, np.array([5, 2, 9])[y])
    for a, b in zip(there.cut_points_, back.cut_points_):
        assert_allclose(a, -b[::-1])


def test_modl_splits_off_two_rare_rows_at_one_end():
    """Two positives at one extreme are an interval of their own at every size."""
    for n in (20, 100, 1000):
        y = np.zeros(n, dtype=int)
        y[-2:] = 1
        assert_array_equal(MODL().fit(np.arange(n)[:, None], y).cut_points_[0], [n - 2.5])


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_bins", [2, 5])
def test_tree_cuts_are_those_of_a_tree_on_rows(criterion, n_bins):
    """The cuts separate the rows as scikit-learn's tree on the ranks of that column does."""
    X, y = example(4, ties=True)
    codes = TreeCuts(n_bins, criterion=criterion).fit_transform(X, y)
    for x, code in zip(X.T, codes.T):
        rank = np.unique(x, return_inverse=True)[1][:, None]
        tree = DecisionTreeClassifier(
            criterion=criterion, max_leaf_nodes=n_bins, random_state=0
        ).fit(rank, y)
        leaves = tree.apply(rank)
        assert len(set(zip(leaves, code))) == len(set(leaves)) == len(set(code))


@pytest.mark.parametrize("spread", [1.0, 3.0])
def test_two_gaussians_agree_with_a_mixture_model(spread):
    """On separated data the components are GaussianMixture's.

    Unequal variances give a two-sided rule.
    """
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(300, 3)), rng.normal(9, spread, size=(200, 3))])
    fitted = TwoGaussians(tol=1e-10).fit(X)
    for j, codes in enumerate(fitted.transform(X).T):
        mixture = GaussianMixture(2, tol=1e-10, max_iter=1000, random_state=0).fit(X[:, [j]])
        labels = np.argsort(np.argsort(mixture.means_.ravel()))[mixture.predict(X[:, [j]])]
        assert_array_equal(codes, labels)
    if spread == 3.0:
        assert [len(cuts) for cuts in fitted.cut_points_] == [2, 2, 2]
        assert fitted.transform(np.full((1, 3), -50.0)).tolist() == [[1, 1, 1]]


def test_the_likelihood_of_two_gaussians_never_falls():
    """Each step of expectation and maximisation raises every column's likelihood, or leaves it."""
    X, y = example(5, ties=True)
    tables = count(X, np.zeros(len(y), dtype=int), 1)
    history = np.array(fit_mixtures(tables, 100, 0.0).log_likelihood)
    assert len(history) > 5 and (np.diff(history, axis=0) > -1e-12).all()


def test_two_gaussians_do_not_depend_on_their_neighbours():
    """A column is fitted as if it were alone."""
    X, _ = example(6)
    together = TwoGaussians().fit(X).cut_points_
    for j in range(3):
        assert_allclose(TwoGaussians().fit(X[:, [j]]).cut_points_[0], together[j], rtol=1e-9)


def test_two_values_are_two_codes():
    """A column of two values, or one, is cut between them."""
    X = np.array([[0.0, 5.0], [3.0, 5.0], [0.0, 5.0]])
    assert TwoGaussians().fit_transform(X).tolist() == [[0, 0], [1, 0], [0, 0]]


@pytest.mark.parametrize("discretiser", [*EVERY, TwoGaussians(max_iter=1)], ids=str)
def test_missing_rows_change_no_cut(discretiser):
    """Rows whose value is missing have no effect, wherever the others are."""
    X, y = example(7)
    X += 100.0
    X[5, 1] = -1000.0  # all others lie above the middle of the range
    more = np.vstack([X, np.full((15, 3), np.nan)])
    cuts = clone(discretiser).fit(more, np.append(y, np.arange(15) % 3)).cut_points_
    for ours, expected in zip(cuts, clone(discretiser).fit(X, y).cut_points_):
        assert_allclose(ours, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("scale", "shift"), [(1.0, 1.7e9), (1.0, -1e12), (1e-200, 0.0), (1e200, 0.0), (1e-3, 5.0)]
)
def test_unit_and_origin_do_not_matter_to_two_gaussians(scale, shift):
    """Seconds since 1970 are divided as seconds since yesterday, in any unit."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(300, 1)), rng.normal(12, 1.5, size=(200, 1))])
    codes = TwoGaussians().fit_transform(X)
    assert_array_equal(np.bincount(codes.ravel()), [300, 200])
    assert_array_equal(TwoGaussians().fit_transform(scale * X + shift), codes)


def test_mdl_takes_very_many_classes():
    """A cut between two halves of the classes is accepted also if 3 ** k has no float."""
    y = np.arange(700).repeat(2)
    (cuts,) = MDL().fit(y[:, None] * 1.0, y).cut_points_
    assert len(cuts) == 699


@pytest.mark.parametrize("n_bins", [1, 2.5, "three"])
@pytest.mark.parametrize("discretiser", [EqualWidth, EqualFrequency, TreeCuts])
def test_too_few_bins_are_refused(discretiser, n_bins):
    """A number of bins below two, or no number, is an error that names the argument."""
    with pytest.raises(ValueError, match="n_bins must be a whole number of at least 2"):
        discretiser(n_bins).fit(np.zeros((4, 1)), [0, 1, 0, 1])
