"""Redundancy-aware orders against everything counted afresh at every step."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from subsel.data.intervals.codes import code_table
from subsel.data.intervals.equal import EqualFrequency, EqualWidth
from subsel.data.statistics.entropy import entropy
from subsel.literature.problems.logic import corral
from subsel.ranking.orders.cfs import cfs_pearson
from subsel.ranking.orders.cmi_buckets import cmi_buckets, information_clusters, information_union
from subsel.ranking.orders.cmim import cmim
from subsel.ranking.orders.fcbf import fcbf
from subsel.ranking.orders.gram_schmidt import gram_schmidt
from subsel.ranking.orders.gram_schmidt_relief import gram_schmidt_relief
from subsel.ranking.orders.greedy import first_best
from subsel.ranking.orders.jmi import disr, jmi
from subsel.ranking.orders.mrmr import mrmr, mrmr_regression
from subsel.ranking.orders.redundancy import mifs, mifs_max, mrmr_difference, mrmr_quotient
from subsel.ranking.orders.sequential_filter import sequential_filter
from subsel.ranking.registry import ORDERS, find_order
from subsel.ranking.scores.moments.anova import anova_f
from subsel.ranking.scores.neighbours.relieff import relieff
from tests.oracles import redundancy as oracle

GREEDY = [mifs, mifs_max, mrmr_difference, mrmr_quotient, jmi, disr, cmim]
CODED = [*GREEDY, fcbf, cmi_buckets, information_clusters, information_union]


def table(seed, n=60, p=9, n_values=4, n_classes=3):
    """Random categories with copies, a constant and columns that know the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.integers(n_values, size=(n, p))
    X[:, 1] = np.where(rng.random(n) < 0.6, y, X[:, 1]) % n_values
    X[:, 2] = np.where(rng.random(n) < 0.7, X[:, 1], X[:, 2])
    X[:, 4] = X[:, 1]
    X[:, 5] = 2
    return X, y


@pytest.mark.parametrize("method", GREEDY)
@pytest.mark.parametrize("seed", range(4))
def test_greedy_orders_equal_counting_afresh(method, seed):
    """The whole path and its scores are those of the definition."""
    X, y = table(seed, n=25 + 20 * seed, n_classes=2 + seed % 2)
    features, scores = oracle.greedy(getattr(oracle, method.__name__), X, y, X.shape[1])
    path = method(X, y)
    assert_array_equal(path.features, features)
    assert_allclose(path.scores, scores, atol=1e-9)


@given(
    data=st.data(),
    n=st.integers(2, 14),
    p=st.integers(1, 5),
    method=st.sampled_from(GREEDY),
)
@settings(max_examples=60, deadline=None)
def test_greedy_orders_at_the_edges(data, n, p, method):
    """Few rows, one column, ties, constants and copies: still the path of the definition."""
    cells = st.lists(st.integers(0, 2), min_size=n * p, max_size=n * p)
    X = np.array(data.draw(cells)).reshape(n, p)
    y = np.array([0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    features, scores = oracle.greedy(getattr(oracle, method.__name__), X, y, p)
    path = method(X, y)
    assert_array_equal(path.features, features)
    assert_allclose(path.scores, scores, atol=1e-9)


@pytest.mark.parametrize("method", [jmi, disr, cmim])
def test_many_values_take_another_way_to_the_same_path(method, monkeypatch):
    """Where triples would need large tables, the path is the same."""
    X, y = table(7)
    expected = method(X, y)
    monkeypatch.setattr("subsel.data.intervals.codes.FEW_CELLS", 1)
    monkeypatch.setattr(sys.modules["subsel.ranking.orders.cmim"], "FEW_CELLS", 1)
    path = method(X, y)
    assert_array_equal(path.features, expected.features)
    assert_allclose(path.scores, expected.scores, atol=1e-12)


def test_lazy_minima_equal_eager_ones_on_many_columns(monkeypatch):
    """On a table of more columns than one block, skipping hopeless candidates changes nothing."""
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(80, 300))
    y = (X[:, :6].sum(axis=1) + rng.integers(3, size=80)) % 2
    lazy = cmim(X, y, 40)
    monkeypatch.setattr(sys.modules["subsel.ranking.orders.cmim"], "FEW_CELLS", 1)
    eager = cmim(X, y, 40)
    assert_array_equal(lazy.features, eager.features)
    assert_allclose(lazy.scores, eager.scores, atol=1e-12)


@pytest.mark.parametrize("method", CODED)
def test_columns_keep_their_path_under_permutation(method):
    """Without ties, permuting the columns permutes the path."""
    rng = np.random.default_rng(3)
    X = rng.integers(5, size=(150, 12))
    y = (X[:, 0] + X[:, 3] + rng.integers(4, size=150)) % 3
    order = rng.permutation(12)
    assert_array_equal(order[method(X[:, order], y).features], method(X, y).features)


@pytest.mark.parametrize("method", CODED)
def test_the_first_taken_is_the_most_informative(method):
    """Every order but that of pairs begins with the feature that tells most of the class."""
    X, y = table(11)
    if method is not cmi_buckets:
        assert method(X, y, 1).features[0] == np.argmax(code_table(X, y).with_class())


@pytest.mark.parametrize("method", [mifs, mrmr_difference, cmim, fcbf, mifs_max])
def test_a_copy_waits_for_independent_relevant_features(method):
    """A copy of the first feature comes after the other relevant one, or not at all."""
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=400)
    X = np.column_stack((y // 2, y // 2, np.where(rng.random(400) < 0.9, y % 2, 1 - y % 2)))
    options = {"beta": 1.0} if method is mifs else {}
    features = method(X, y, **options).features.tolist()
    assert features[:2] == [0, 2]


def test_no_weight_of_redundancy_is_the_plain_ranking():
    """With beta 0, MIFS ranks by information."""
    X, y = table(5)
    relevance = code_table(X, y).with_class().round(10)
    assert_array_equal(mifs(X, y, beta=0.0).features, np.argsort(-relevance, kind="stable"))


@pytest.mark.parametrize("method", [jmi, cmim, disr])
def test_pairs_that_tell_only_together_are_found(method):
    """Given one half of an exclusive or, the other half comes next, though irrelevant alone."""
    grid = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 4)
    y = grid[:, 0] ^ grid[:, 2]
    path = method(grid, y)
    assert_array_equal(path.features[:2], [0, 2])


def test_conditional_information_identity():
    """I(i;y|j) - I(i;y) = I(i;j|y) - I(i;j), and a feature tells nothing given itself."""
    X, y = table(2)
    data = code_table(X, y)
    columns = list(X.T)
    for j in range(3):
        conditional = data.conditional(j)
        assert conditional[j] == 0
        for i in range(len(columns)):
            difference = (
                oracle.information([columns[i]], [columns[j]], given=y) - data.with_column(j)[i]
            )
            assert conditional[i] - data.with_class()[i] == pytest.approx(difference, abs=1e-9)


# --------------------------------------------------------------------------------------- categories


def test_numbers_with_few_values_are_categories():
    """Any few numbers stand for themselves: recoding them changes nothing."""
    X, y = table(1)
    other = np.array([-3.5, 100.0, 0.25, 7.0])[X]
    assert_array_equal(jmi(other, y).features, jmi(X, y).features)


def test_columns_of_many_values_are_cut():
    """A continuous column becomes eight intervals; one with few values is left as it is."""
    rng = np.random.default_rng(0)
    data = code_table(
        np.column_stack((rng.standard_normal(80), rng.integers(3, size=80))),
        rng.integers(2, size=80),
    )
    assert_array_equal(np.bincount(data.codes[:, 0]), np.full(8, 10))
    assert data.codes[:, 1].max() == 2


def test_a_discretiser_can_be_given():
    """The codes are those of the discretiser."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 4)), rng.integers(2, size=50)
    codes = EqualWidth(3).fit_transform(X)
    assert_array_equal(cmim(X, y, discretiser=EqualWidth(3)).features, cmim(codes, y).features)


def test_entropies_are_those_of_the_columns():
    """The entropies of columns and classes agree with the definition."""
    X, y = table(4)
    data = code_table(X, y)
    assert_allclose(data.entropies(), [oracle.entropy(column) for column in X.T], atol=1e-12)
    assert data.class_entropy() == pytest.approx(oracle.entropy(y))
    assert entropy(np.array([1, 1])) == pytest.approx(np.log(2))


# --------------------------------------------------------------------------------------------- FCBF


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [0.0, 0.05])
def test_fcbf_equals_its_pseudocode(seed, threshold):
    """The features kept are those of the published pseudocode, in its order."""
    X, y = table(seed, n=80)
    path = fcbf(X, y, threshold=threshold)
    assert path.features.tolist() == oracle.fcbf(X, y, threshold)
    assert_allclose(path.scores, [oracle.uncertainty(X[:, j], y) for j in path.features], atol=1e-9)


def test_fcbf_keeps_one_of_copies_and_no_constant():
    """Of two equal columns the first stays, a constant never does."""
    X, y = table(0)
    features = fcbf(X, y).features
    assert 1 in features
    assert not {4, 5} & set(features.tolist())


# ----------------------------------------------------------------------- mRMR on F and correlations


def continuous(seed, n=60, p=25, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.standard_normal((n, p)) + y[:, None] * rng.random(p)
    X[:, 3] = X[:, 2] + 0.1 * rng.standard_normal(n)
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_mrmr_takes_the_sequence_of_mrmr_selection(seed):
    """Classes: the same features in the same order as the package."""
    peer = pytest.importorskip("mrmr")
    X, y = continuous(seed, n_classes=2 + seed)
    expected = peer.mrmr_classif(pd.DataFrame(X), pd.Series(y), K=15, show_progress=False, n_jobs=1)
    assert mrmr(X, y, 15).features.tolist() == expected


def test_mrmr_regression_takes_the_sequence_of_mrmr_selection():
    """A numeric target: the same features in the same order as the package."""
    peer = pytest.importorskip("mrmr")
    X, _ = continuous(4)
    y = X[:, :5].sum(axis=1) + np.random.default_rng(0).standard_normal(len(X))
    expected = peer.mrmr_regression(
        pd.DataFrame(X), pd.Series(y), K=15, show_progress=False, n_jobs=1
    )
    assert mrmr_regression(X, y, 15).features.tolist() == expected


@pytest.mark.parametrize("seed", range(3))
def test_mrmr_by_definition(seed):
    """Each step takes the largest F over the mean of floored absolute correlations."""
    from sklearn.feature_selection import f_classif

    X, y = continuous(seed, n=20, p=8)
    relevance, correlation = f_classif(X, y)[0], np.maximum(np.abs(np.corrcoef(X.T)), 0.001)
    taken = [int(np.argmax(relevance))]
    scores = [relevance.max()]
    while len(taken) < 8:
        quotient = relevance / correlation[:, taken].mean(axis=1)
        quotient[taken] = -1
        taken.append(int(np.argmax(quotient)))
        scores.append(quotient.max())
    path = mrmr(X, y)
    assert path.features.tolist() == taken
    assert_allclose(path.scores, scores, rtol=1e-9)


@pytest.mark.parametrize("method", [mrmr, mrmr_regression])
def test_mrmr_is_the_same_on_sparse_shifted_and_single_precision(method):
    """Sparse tables, columns far from 0 and float32 give the same path."""
    X, y = continuous(1)
    X[X < 0.5] = 0
    expected = method(X, y).features
    assert_array_equal(method(sparse.csr_array(X), y).features, expected)
    assert_array_equal(method(X + 1e5, y, 10).features, expected[:10])
    assert_array_equal(method(X.astype(np.float32), y, 10).features, expected[:10])


@pytest.mark.parametrize("method", [mrmr, mrmr_regression, gram_schmidt, cfs_pearson])
def test_sparse_columns_far_from_zero_keep_their_digits(method):
    """A sparse table with columns at 1e7 scores as the dense one does.

    Their spread is not lost in their squares.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8)) + np.where(np.arange(8) % 3 == 0, 1e7, 0.0)
    y = X[:, 0] - 1e7 + X[:, 1] + 0.3 * rng.standard_normal(60)
    y = (y > 0).astype(int) if method is mrmr else y
    expected, found = method(X, y), method(sparse.csr_array(X), y)
    assert_array_equal(found.features, expected.features)
    assert_allclose(found.scores, expected.scores, rtol=1e-6)


def test_two_rows_leave_nothing_to_test():
    """With two rows every correlation is perfect and F has no freedom.

    The scores are 0, not undefined.
    """
    assert_array_equal(mrmr_regression([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0]).scores, [0.0, 0.0])


@pytest.mark.parametrize("method", [mrmr, mrmr_regression])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_mrmr_puts_copies_of_the_only_feature_and_constants_behind(method, as_sparse):
    """After the first feature, its copies and constants score 0 and come after all others."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    best = y + 0.1 * rng.standard_normal(40)
    X = np.column_stack((np.full(40, 0.1), best, -3 * best, rng.standard_normal(40)))
    path = method(sparse.csc_array(X) if as_sparse else X, y)
    assert path.features[:2].tolist() == [1, 3]
    assert path.scores[1] > 0
    assert set(path.features.tolist()) == {0, 1, 2, 3}


def test_perfect_separation_scores_infinity_first():
    """A feature without spread within the classes is taken first, with an infinite score."""
    X, y = continuous(2, n_classes=2)
    X[:, 9] = y
    path = mrmr(X, y, 3)
    assert path.features[0] == 9
    assert np.isinf(path.scores[0])


# ----------------------------------------------------------------------------- buckets and clusters


def bucket_oracle(X, y, n_values, bucket_size):
    """The pseudocode with a pool of pairs sorted anew in every round."""
    columns, p = list(X.T), X.shape[1]

    def significance(pair):
        return round(oracle.information([columns[pair[0]]], [y], given=columns[pair[1]]), 10)

    def dependence(i, j):
        return round(oracle.information([columns[i]], [columns[j]], given=y), 10) if i != j else 0.0

    pool = [(i, j) for i in range(p) for j in range(p) if i != j]
    taken, n_out = [], 0
    while n_out < n_values:
        pool.sort(key=lambda pair: -significance(pair))
        bucket = pool[:bucket_size]
        others = {i for i, _ in bucket} | set(taken)
        most = [max(dependence(i, k) for k in others) for i, _ in bucket]
        keep = sorted(range(len(bucket)), key=lambda place: most[place])[
            : len(bucket) - bucket_size // 2
        ]
        if not keep:
            break
        for place in sorted(keep)[: n_values - n_out]:
            if bucket[place][0] not in taken:
                taken.append(bucket[place][0])
        n_out += len(keep)
        pool = [pair for pair in pool if pair not in [bucket[place] for place in keep]]
    return taken


@pytest.mark.parametrize("bucket_size", [2, 3, 4, 8])
@pytest.mark.parametrize("n_values", [5, 30, 1000])
def test_buckets_equal_the_pseudocode(bucket_size, n_values):
    """The features given out are those of the pseudocode, in its order."""
    rng = np.random.default_rng(5)
    X = rng.integers(2, size=(50, 7))
    y = ((X[:, 0] ^ X[:, 1]) | X[:, 2]) ^ (rng.random(50) < 0.1)
    path = cmi_buckets(X, y, n_values=n_values, bucket_size=bucket_size)
    assert path.features.tolist() == bucket_oracle(X, y, n_values, bucket_size)


def test_buckets_stop_at_the_number_of_features():
    """No more different features are given out than asked for."""
    X, y = table(8)
    assert_array_equal(
        cmi_buckets(X, y, 2, n_values=50).features, cmi_buckets(X, y, n_values=50).features[:2]
    )


def test_a_single_column_has_no_pairs():
    """One column makes no pair, so nothing is given out."""
    assert len(cmi_buckets([[0], [1]], [0, 1], n_values=3)) == 0


def test_a_bucket_of_one_is_refused():
    """Half of a bucket must be a feature."""
    with pytest.raises(ValueError, match="bucket_size"):
        cmi_buckets(*table(0), bucket_size=1)


def test_each_cluster_gives_its_most_informative_feature():
    """Groups of noisy copies form clusters, and each gives its most informative member."""
    rng = np.random.default_rng(0)
    roots = rng.integers(3, size=(300, 4))
    y = roots.sum(axis=1) % 2
    X = np.hstack(
        [
            np.where(rng.random((300, 3)) < 0.9, roots[:, [k]], rng.integers(3, size=(300, 3)))
            for k in range(4)
        ]
    )
    path = information_clusters(X, y, 4)
    relevance = code_table(X, y).with_class()
    assert sorted(path.features // 3) == [0, 1, 2, 3]
    assert all(j == 3 * (j // 3) + np.argmax(relevance[3 * (j // 3) :][:3]) for j in path.features)
    assert (np.diff(path.scores) <= 0).all()


def test_copies_share_a_cluster():
    """As many clusters as different columns leave one of each group of copies."""
    rng = np.random.default_rng(1)
    X = rng.integers(3, size=(100, 4))
    path = information_clusters(np.hstack((X, X)), rng.integers(2, size=100), 4)
    assert_array_equal(np.sort(path.features), [0, 1, 2, 3])


def test_the_union_of_buckets_and_clusters():
    """Each feature of either once, by what it tells of the class; a number cuts it there."""
    X, y = table(11)
    found = information_union(X, y, n_values=4, n_clusters=3)
    expected = {
        *cmi_buckets(X, y, n_values=4).features.tolist(),
        *information_clusters(X, y, 3).features.tolist(),
    }
    assert set(found.features.tolist()) == expected and len(found.features) == len(expected) > 3
    assert_allclose(found.scores, code_table(X, y).with_class()[found.features])
    assert (np.diff(found.scores) <= 1e-12).all()
    assert_array_equal(
        information_union(X, y, 2, n_values=4, n_clusters=3).features, found.features[:2]
    )


# ------------------------------------------------------------------------------ Gram-Schmidt Relief


def test_gram_schmidt_relief_drops_linear_copies():
    """A linear copy of a feature taken gets the weight of a constant, and comes after a weaker
    independent one."""
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(4), 20)
    best = y // 2 + 0.1 * rng.standard_normal(80)
    X = np.column_stack((best, 5 - 3 * best, y % 2 + 0.3 * rng.standard_normal(80)))
    path = gram_schmidt_relief(X, y)
    assert path.features[1] == 2
    assert path.scores[2] == 0
    plain = np.argsort(-relieff(X, y))
    assert set(plain[:2]) == {0, 1}


def test_gram_schmidt_relief_equals_projecting_afresh():
    """Each step scores the residuals of least squares on the features taken."""
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=30)
    X = rng.standard_normal((30, 5)) + y[:, None] * [0, 1, 0.5, 0, 2]
    taken = []
    for _ in range(5):
        design = np.column_stack((np.ones(30), X[:, taken]))
        residuals = X - design @ np.linalg.lstsq(design, X)[0] if taken else X
        scores = relieff(residuals, y)
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    assert gram_schmidt_relief(X, y).features.tolist() == taken


def test_repeating_a_univariate_ranking_changes_nothing():
    """For a score of single features, removing the best and scoring again is the plain ranking."""
    X, y = continuous(3)
    ranking = np.argsort(-anova_f(X, y), kind="stable")
    for n_per_run in (1, 4, 100):
        assert_array_equal(
            sequential_filter(X, y, n_per_run=n_per_run, score=anova_f).features, ranking
        )


def test_repeating_relief_scores_what_is_left():
    """Each run of Relief sees only the columns not yet taken, and gives as many as asked for."""
    X, y = continuous(3, p=7)
    first = np.argsort(-relieff(X, y), kind="stable")[:2]
    left = np.delete(np.arange(7), first)
    second = left[np.argsort(-relieff(X[:, left], y), kind="stable")[:2]]
    assert_array_equal(sequential_filter(X, y, 3, n_per_run=2).features, [*first, second[0]])
    with pytest.raises(ValueError, match="n_per_run"):
        sequential_filter(X, y, n_per_run=0)


# -------------------------------------------------------------------------------------- all of them


def test_corral_deceives_greedy_orders():
    """On CorrAL every order that starts from single features takes the correlated bit first."""
    problem = corral(random_state=0)
    for method in GREEDY:
        assert method(problem.X, problem.y).features[0] == 5


@pytest.mark.parametrize("name", sorted(ORDERS))
def test_every_order_gives_different_features_and_scores(name):
    """A path names no feature twice, has a score for each, and its beginning does not depend on its
    length."""
    X, y = continuous(0, n=40, p=10, n_classes=2)
    path, short = ORDERS[name].function(X, y), ORDERS[name].function(X, y, 3)
    assert len(set(path.features.tolist())) == len(path) == len(path.scores)
    assert len(short) <= 3
    if name not in ("cfs", "cfs-pearson", "information-clusters"):
        assert_array_equal(short.features, path.features[:3])


@pytest.mark.parametrize("name", sorted(ORDERS))
@pytest.mark.parametrize("n_features", [0, 11, 2.5])
def test_an_impossible_length_is_refused(name, n_features):
    """A path takes between one and all columns."""
    X, y = continuous(0, n=20, p=10, n_classes=2)
    with pytest.raises(ValueError, match="n_features"):
        ORDERS[name].function(X, y, n_features)


def test_an_unknown_order_is_refused():
    """The message lists the orders there are."""
    with pytest.raises(ValueError, match="jmi"):
        find_order("no such order")
    assert find_order("mid").summary.startswith("Select features")


def test_ties_to_ten_digits_go_to_the_first():
    """Scores that differ in the last bits are equal; infinities and what is taken do not confuse
    the choice."""
    scores = np.array([1.0, 1.0 + 1e-15, np.inf])
    assert first_best(scores, np.array([True, True, False])) == 0
    assert first_best(scores, np.array([True, True, True])) == 2
    assert first_best(np.array([-np.inf, -np.inf]), np.array([False, True])) == 1


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", sorted({entry.key for entry in ORDERS.values() if entry.missing}))
def test_missing_is_a_category_of_its_own(name, given_as):
    """Orders of discrete information take NaN as one more value, where columns are cut and rows
    weighted too."""
    rng = np.random.default_rng(0)
    y, method = rng.integers(0, 3, 80), find_order(name)
    few, many = (
        rng.integers(0, 4, (80, 5)).astype(float),
        rng.standard_normal((80, 5)) + y[:, None] * 0.3,
    )
    for X in (few, many):
        X[rng.random(X.shape) < 0.2] = np.nan
    expected, found = (
        method.function(np.where(np.isnan(few), 9, few), y),
        method.function(given_as(few), y),
    )
    assert_array_equal(found.features, expected.features)
    assert_allclose(found.scores, expected.scores, atol=1e-12)
    codes = np.stack([EqualFrequency().fit_transform(x[:, None])[:, 0] for x in many.T], axis=1)
    expected, found = method.function(codes, y), method.function(given_as(many), y)
    assert_array_equal(found.features, expected.features)
    assert_allclose(found.scores, expected.scores, atol=1e-12)
    if method.weights:
        weight = rng.integers(0, 3, 80)
        rows = np.repeat(np.arange(80), weight)
        found = method.function(given_as(many), y, sample_weight=weight)
        assert_array_equal(found.features, method.function(many[rows], y[rows]).features)


def test_orders_of_numbers_refuse_what_is_missing():
    """Correlations and distances to means are not defined there."""
    X, y = np.array([[np.nan, 1.0], [2.0, 3.0], [1.0, 2.0], [3.0, 4.0]]), [0, 1, 0, 1]
    for name in ("mrmr", "gram-schmidt", "cfs-pearson"):
        assert not find_order(name).missing
        with pytest.raises(ValueError, match="NaN"):
            find_order(name).function(X, y)
