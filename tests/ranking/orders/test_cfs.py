"""Correlation-based feature selection: merit, search and the group it finds."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from subsel.ranking.orders.associations import associations
from subsel.ranking.orders.cfs import cfs, merit
from subsel.ranking.scores.information.mdl_index import mdl_index
from subsel.ranking.scores.neighbours.relief_x import relief_x
from tests.oracles import redundancy as oracle


def categories(seed, n=60, p=7):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.integers(3, size=(n, p))
    X[:, :3] = np.where(rng.random((n, 3)) < [0.3, 0.5, 0.4], y[:, None], X[:, :3])
    X[:, 4] = X[:, 1]
    X[:, 5] = 1
    return X, y


def uncertainties(X, y):
    columns = list(X.T)
    among = [[oracle.uncertainty(a, b) for b in columns] for a in columns]
    return [oracle.uncertainty(column, y) for column in columns], among


def correlations(X, y):
    together = np.abs(np.corrcoef(np.column_stack((X, y)).T))
    return together[-1, :-1], together[:-1, :-1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("patience", [1, 2, 5])
def test_the_search_is_best_first(seed, patience):
    """The group and its merit are those of a search with plain lists and merits counted afresh."""
    X, y = categories(seed)
    path = cfs(X, y, patience=patience)
    expected, expected_merit = oracle.best_first(*uncertainties(X, y), patience)
    assert set(path.features.tolist()) == set(expected)
    assert path.scores[-1] == pytest.approx(expected_merit, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_unbounded_patience_finds_the_best_of_all_groups(seed):
    """A search that never gives up returns the largest merit of all subsets."""
    X, y = categories(seed)
    with_class, among = uncertainties(X, y)
    best = max(
        oracle.merit(subset, with_class, among)
        for k in range(1, 8)
        for subset in combinations(range(7), k)
    )
    assert cfs(X, y, patience=10**6).scores[-1] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_correlations_of_numbers(seed):
    """With Pearson's correlation the group is that of the search with plain lists, for numeric
    targets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 8))
    y = X[:, :3].sum(axis=1) + rng.standard_normal(40)
    X[:, 3] = X[:, 0] + 0.1 * rng.standard_normal(40)
    path = cfs(X, y, association="pearson")
    expected, expected_merit = oracle.best_first(*correlations(X, y), 5)
    assert set(path.features.tolist()) == set(expected)
    assert path.scores[-1] == pytest.approx(expected_merit, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_the_merits_of_the_beginnings(seed):
    """The k-th score is the merit of the first k features."""
    X, y = categories(seed)
    with_class, among = uncertainties(X, y)
    path = cfs(X, y)
    merits = [oracle.merit(path.features[:k], with_class, among) for k in range(1, len(path) + 1)]
    assert_allclose(path.scores, merits, atol=1e-9)


def test_merit_is_the_correlation_of_the_standardised_sum():
    """With signed correlations the merit equals the correlation of the sum of standardised features
    with y."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 4)), rng.standard_normal(50)
    together = np.corrcoef(np.column_stack((X, y)).T)
    among = together[:4, :4][np.triu_indices(4, 1)].mean()
    total = ((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1)
    assert merit(together[-1, :4].mean(), among, 4) == pytest.approx(np.corrcoef(total, y)[0, 1])


def test_a_copy_of_the_only_member_adds_nothing():
    """Two equal features have the merit of one, and the one is found."""
    assert merit(0.4, 1.0, 2) == pytest.approx(0.4)
    X, y = categories(1)
    assert cfs(X[:, [1, 4]], y).features.tolist() == [0]


def test_groups_stay_within_the_size_asked_for():
    """No larger group is looked at, and the best of the smaller ones is found."""
    X, y = categories(2)
    with_class, among = uncertainties(X, y)
    path = cfs(X, y, 2, patience=10**6)
    best = max(
        oracle.merit(subset, with_class, among)
        for k in (1, 2)
        for subset in combinations(range(7), k)
    )
    assert len(path) <= 2
    assert path.scores[-1] == pytest.approx(best, abs=1e-9)


def test_features_that_tell_nothing_give_an_empty_group():
    """Constant columns have no merit."""
    assert len(cfs(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])) == 0


def test_an_unknown_association_is_refused():
    """The message names the associations there are."""
    with pytest.raises(ValueError, match="pearson"):
        cfs(*categories(0), association="spearman")


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("association", "statistic", "options"),
    [("relief-x", relief_x, {}), ("mdl", mdl_index, {"symmetric": True})],
)
def test_halls_other_associations(association, statistic, options, given_as):
    """ReliefX and description length, symmetrised, of columns with classes and with each other,
    weighted too."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (80, 5)).astype(float), rng.integers(0, 3, 80)
    X[:, 0], X[:, 4] = np.where(rng.random(80) < 0.7, y, X[:, 0]), 2
    weight = rng.integers(0, 3, 80)
    for w, rows in ((None, slice(None)), (weight, np.repeat(np.arange(80), weight))):
        with_target, with_column = associations(given_as(X), y, association, sample_weight=w)
        assert_allclose(
            with_target, np.maximum(statistic(X[rows], y[rows], **options), 0), atol=1e-12
        )
        for j in range(4):
            assert_allclose(
                with_column(j), np.maximum(statistic(X[rows], X[rows, j], **options), 0), atol=1e-12
            )
        assert_allclose(with_column(4), 0)
    assert cfs(given_as(X), y, association=association).features[0] == 0
