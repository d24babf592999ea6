"""False selections by probes.

The estimate's arithmetic, fair probes, and the truth on Madelon-like data.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_selection import SelectFpr, SelectKBest
from sklearn.naive_bayes import GaussianNB

from subsel import RankingSelector, SubsetSelector
from subsel.assessment import assess
from subsel.assessment.false_selections import false_selections, with_permuted_probes
from subsel.criteria import NearestNeighbours
from subsel.literature.problems import madelon


def true_false(a, relevant):
    """The mean number of selected columns that are not relevant."""
    return a.supports[:, ~np.isin(np.arange(a.supports.shape[1]), relevant)].sum(axis=1).mean()


def test_fixed_number_by_hand():
    """Ten of 100 are taken, of ten false slots five go to 90 probes: all ten were false."""
    found = false_selections([10] * 4, [5] * 4, [5] * 4, n_columns=90, n_probes=90)
    assert_allclose(found.expected, 10.0)  # (5/90 * 80 + 5) / (85/90)


def test_column_wise_tests_by_hand():
    """Probes that displace nothing: the rate among probes times the columns not truly selected."""
    found = false_selections([10, 10], [10, 10], [4, 6], n_columns=100, n_probes=100)
    assert_allclose(found.expected, 0.05 * (100 - (10 - found.expected)))
    assert_allclose(found.probe_frequency, 0.05)
    assert found.bound == 5.0


def test_no_probe_selected():
    """Probes never taken and nothing displaced.

    Nothing is held false, as far as so few probes can tell.
    """
    found = false_selections([3, 4], [3, 4], [0, 0], n_columns=20, n_probes=20)
    rate = 1 - 0.025 ** (1 / 40)  # at which 40 probes are all left out once in 40 times
    assert found.expected == 0.0 and found.share == 0.0 and found.interval[0] == 0.0
    assert_allclose(found.interval[1], rate * (20 - 3.5) / (1 - rate))
    everything = false_selections([5, 5], [5, 5], [7, 7], n_columns=5, n_probes=7)
    assert everything.expected == 5.0
    nothing = false_selections([0, 0], [0, 0], [0, 0], n_columns=5, n_probes=5)
    assert nothing.expected == 0.0 and nothing.share == 0.0


@pytest.mark.parametrize(
    "make", [np.array, sparse.csr_matrix, pd.DataFrame, lambda X: pl.DataFrame(X, orient="row")]
)
def test_probes_are_shuffled_columns_of_the_same_kind(make):
    """Each probe holds the values of a column, in another order.

    True columns are where the origin says.
    """
    X = np.round(np.random.default_rng(0).standard_normal((30, 4)), 2)
    table = make(X)
    both, origin = with_permuted_probes(table, 6, np.random.default_rng(1))
    assert type(both) is type(table) or sparse.issparse(both)
    dense = both.toarray() if sparse.issparse(both) else np.asarray(both)
    assert dense.shape == (30, 10) and (origin < 0).sum() == 6
    assert_array_equal(dense[:, origin >= 0], X[:, origin[origin >= 0]])
    values = {tuple(np.sort(column)) for column in X.T}
    for probe in dense[:, origin < 0].T:
        assert tuple(np.sort(probe)) in values
        assert not any(np.array_equal(probe, column) for column in X.T)


def test_columns_that_settings_name_keep_their_places():
    """A selector with a fixed column keeps it among the probes."""
    X = np.random.default_rng(0).standard_normal((40, 6))
    y = np.arange(40) % 2
    selector = SubsetSelector(
        NearestNeighbours(n_neighbors=1), search="sfs", n_features=2, fixed=[5]
    )
    a = assess(selector, GaussianNB(), X, y, cv=2, probes=200, references=False, random_state=0)
    assert (a.frequency[5] == 1.0) and (a.false_selections.probes_selected <= 1).all()


@pytest.mark.parametrize(
    "selector", [SelectFpr(alpha=0.05), SelectKBest(k=40), RankingSelector(cut="p:0.02")]
)
def test_estimate_meets_the_truth_on_madelon_like_data(selector):
    """The expected number of false selections of a procedure is within a fifth of the truth.

    It is the mean over 12 tables.
    """
    law = {
        "n_useful": 5,
        "n_redundant": 15,
        "n_repeated": 0,
        "n_useless": 200,
        "clusters_per_class": 1,
    }
    truths, estimates, inside = [], [], []
    for seed in range(12):
        problem = madelon(40, random_state=seed, **law)
        a = assess(
            selector,
            GaussianNB(),
            problem.X,
            problem.y,
            cv=3,
            probes=True,
            references=False,
            random_state=seed,
        )
        found, truth = a.false_selections, true_false(a, problem.relevant)
        truths.append(truth)
        estimates.append(found.expected)
        inside.append(found.interval[0] <= truth <= found.interval[1])
        assert found.expected <= found.bound + 1e-9 <= a.sizes.mean() + 2e-9
    assert np.mean(truths) > 2
    assert abs(np.mean(estimates) / np.mean(truths) - 1) < 0.2
    assert np.mean(inside) >= 0.7


@pytest.mark.slow
def test_estimate_meets_the_truth_on_the_challenges_madelon():
    """On Madelon's distribution the estimate follows the truth.

    There are 500 columns, 20 of them relevant, none informative alone.
    """
    problem = madelon(20, random_state=1)
    for k in (20, 60):
        selector = RankingSelector("relieff", cut=k)
        a = assess(
            selector,
            GaussianNB(),
            problem.X,
            problem.y,
            cv=4,
            probes=True,
            references=False,
            random_state=0,
        )
        truth = true_false(a, problem.relevant)
        assert abs(a.false_selections.expected - truth) < max(4.0, 0.35 * truth)
