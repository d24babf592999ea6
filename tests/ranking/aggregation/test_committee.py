"""Committees of rankings against counting by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import rankdata

from subsel import RankingSelector
from subsel.ranking.aggregation.bagging import bagged_scores, selection_frequency
from subsel.ranking.aggregation.committee import Committee, borda, mean_rank, voted_rank
from subsel.ranking.aggregation.votes import intersection, union, votes
from subsel.ranking.scores.moments.pearson import pearson
from subsel.ranking.scores.moments.student_t import t_test
from subsel.ranking.scores.ranks.mann_whitney import auc

ballots = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, np.inf, np.nan]), min_size=n, max_size=n),
        min_size=1,
        max_size=4,
    )
)


@given(scores=ballots)
@settings(max_examples=80, deadline=None)
def test_borda_points_by_hand(scores):
    """A point for each feature beaten, half a point for each tie, NaN beaten by all and tied with
    NaN."""
    clean = np.nan_to_num(np.array(scores), nan=-9e99, posinf=9e99)
    points = [
        [sum((a > b) + (a == b) / 2 for b in ballot) - 0.5 for a in ballot] for ballot in clean
    ]
    assert_allclose(borda([np.array(s) for s in scores]), np.sum(points, axis=0))
    assert_array_equal(
        np.argsort(-borda(scores), kind="stable"), np.argsort(-mean_rank(scores), kind="stable")
    )


def test_union_and_intersection():
    """Kept by any; kept by all."""
    masks = [np.array([True, True, False, False]), np.array([True, False, True, False])]
    assert_array_equal(union(masks), [True, True, True, False])
    assert_array_equal(intersection(masks), [True, False, False, False])


@given(order=st.lists(st.permutations(range(7)), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_voted_rank_is_the_vote_of_selections_of_equal_size(order):
    """Whatever number each ranking selects, those at or above minus that number are the ones with
    enough votes."""
    scores = [np.array(one, dtype=float) for one in order]
    for at_least in range(1, len(scores) + 1):
        found = voted_rank(scores, at_least)
        for k in range(1, 8):
            selected = [rankdata(-one) <= k for one in scores]
            assert_array_equal(found >= -k, votes(selected, at_least))
    with pytest.raises(ValueError, match="at_least must lie in"):
        voted_rank(scores, len(scores) + 1)


@pytest.mark.parametrize(
    "ballot",
    [
        [np.array([0, 2]), np.array([1, 2])],
        [[0, 2], [1]],
        [np.array([True, False]), np.array([True])],
        [],
    ],
)
def test_votes_are_masks(ballot):
    """Column numbers, which would be added up, masks of different lengths and no masks at all are
    refused."""
    for count in (union, intersection):
        with pytest.raises(ValueError):
            count(ballot)


def test_empty_committees_and_bags_are_refused():
    """No members, no bags, or more features than there are cannot be asked for."""
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="needs members"):
        Committee(())(X, y)
    with pytest.raises(ValueError, match="n_bags must be at least 1, got 0"):
        bagged_scores(t_test, X, y, n_bags=0)
    for k in (0, 3):
        with pytest.raises(ValueError, match=rf"k must lie in \[1, 2\], got {k}"):
            selection_frequency(t_test, X, y, k=k)


def test_a_committee_is_a_score():
    """Names and functions sit together.

    The selector and its probes take the committee as any score.
    """
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 10)), np.repeat([0, 1], 30)
    X[:, 3] += 2 * y
    committee = Committee(("auc", t_test))
    assert_allclose(committee(X, y), mean_rank([auc(X, y), t_test(X, y)]))
    assert_allclose(
        Committee(("auc", t_test), at_least=2)(X, y), voted_rank([auc(X, y), t_test(X, y)], 2)
    )
    selector = RankingSelector(committee, cut="probes:0.1", random_state=0).fit(X, y)
    assert_array_equal(selector.get_support(indices=True), [3])


def test_the_mean_over_bags_scatters_less():
    """The variance of a mean of B resampled scores about their expectation falls as 1/B."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)), np.repeat([0, 1], 25)
    spread = {
        b: np.std([bagged_scores(t_test, X, y, b, seed) for seed in range(40)], axis=0)
        for b in (2, 32)
    }
    assert_allclose(spread[2] / spread[32], 4.0, rtol=0.5)


def test_without_resampling_the_mean_is_the_score():
    """One sample of everything gives the score itself."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)), np.repeat([0, 1], 25)
    assert_array_equal(bagged_scores(t_test, X, y, 1, bootstrap=False), t_test(X, y))


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
def test_samples_of_columns(make):
    """A score is averaged over the samples that hold its column, each with the share asked for.

    Never drawn is NaN.
    """
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 10)), np.repeat([0, 1], 10)
    X[0] = np.arange(10)
    seen = []

    def company(X, y):
        """The number of the columns beside each."""
        there = X.toarray()[0] if sparse.issparse(X) else X[0]
        seen.append(there)
        return there.sum() - there

    scores = bagged_scores(company, make(X), y, 8, 3, bootstrap=False, columns=0.3)
    expected = [
        np.mean([part.sum() - j for part in seen if j in part] or np.nan) for j in range(10)
    ]
    assert [len(part) for part in seen] == [3] * 8
    assert_allclose(scores, expected)
    assert np.isnan(bagged_scores(company, make(X), y, 1, 3, columns=0.3)).sum() == 7
    for share in (0.0, 1.5):
        with pytest.raises(ValueError, match="columns must be a share"):
            bagged_scores(t_test, X, y, columns=share)


def test_noise_is_chosen_as_often_as_chance_has_it():
    """The k best of n features that know nothing: each about k / n of the time over draws."""
    shares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((40, 10)), np.repeat([0, 1], 20)
        shares.append(selection_frequency(t_test, X, y, k=3, n_bags=10, random_state=seed))
    assert_allclose(np.sum(shares, axis=1), 3.0)
    assert_allclose(np.mean(shares, axis=0), 0.3, atol=0.2)


def test_relevant_features_are_always_chosen_and_copies_share():
    """A strong feature is chosen in every sample; of two copies the first takes all ties."""
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((60, 6)), np.repeat([0, 1], 30)
    X[:, 2] += 4 * y
    X[:, 4] = X[:, 2]
    share = selection_frequency(t_test, X, y, k=1, n_bags=20, random_state=0)
    assert share[2] == 1.0 and share[4] == 0.0


def test_every_bag_has_every_class():
    """Rows are drawn within classes, so that even a class of two rows is in every sample.

    Sparse tables do too.
    """
    y = np.array([0] * 20 + [1] * 2 + [2] * 2)
    counts = []
    bagged_scores(
        lambda X, y: counts.append(np.bincount(y)) or np.zeros(2), np.zeros((24, 2)), y, 10, 0
    )
    assert_array_equal(counts, [[20, 2, 2]] * 10)
    X = sparse.csr_array(np.random.default_rng(0).standard_normal((24, 3)))
    two = (y > 0).astype(int)
    assert_allclose(
        bagged_scores(t_test, X, two, 3, 0), bagged_scores(t_test, X.toarray(), two, 3, 0)
    )


def test_numeric_targets_are_drawn_as_a_whole():
    """For regression rows are drawn freely."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    y = X[:, 1] + 0.1 * rng.standard_normal(50)
    seen = []
    bagged_scores(lambda X, y: seen.append(y) or np.zeros(3), X, y, 5, 0)
    assert len({tuple(s) for s in seen}) == 5 and set(seen[0]) < set(y)
    assert bagged_scores(pearson, X, y, 5, 0).argmax() == 1
