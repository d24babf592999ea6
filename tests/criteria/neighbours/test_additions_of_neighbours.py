"""Many additions and swaps of nearest neighbours at once, found roughly from lists of near
rows, against plain sums.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from subsel._loops.neighbours.votes import count_hits
from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.data.task import Task
from tests.criteria.neighbours.neighbour_problems import problems, votes_of
from tests.oracles.neighbours import PlainNeighbours


@given(
    data=st.data(),
    size=st.sampled_from([0, 1, 3, 9, 26]),
    n_added=st.sampled_from([8, 17, 35, 70]),
    swapped=st.booleans(),
)
def test_rough_lists_change_no_vote(data, size, n_added, swapped):
    """Votes, ties and the k-th distances that weigh them are those of plain sums, from few
    columns and from held ones.
    """
    nearest, plain, weighed = data.draw(problems(size + n_added))
    base, added = np.arange(size), size + np.arange(n_added)
    rest = base[1:] if swapped else base
    scan = nearest.swaps(base, 0, added) if swapped and size else nearest.additions(base, added)
    seen = np.zeros(n_added, dtype=int)
    for which, found in scan:
        seen[which] += 1
        for i, column in enumerate(added[which]):
            wanted, distance = plain.subset(np.append(rest, column))
            np.testing.assert_allclose(found.votes[:, :, i], wanted, rtol=1e-9, atol=1e-9)
            if weighed:
                np.testing.assert_allclose(found.kth[:, i], distance, rtol=1e-9)
    assert np.all(seen == 1)
    assert nearest.n_ties == plain.n_ties


@njit
def count_all_hits(votes, codes, fold, hits):
    """Count the hits of all queries."""
    for page in range(len(votes)):
        count_hits(page, codes[page], fold[page], votes, hits)


@given(n_classes=st.integers(1, 5), n_folds=st.integers(1, 4), seed=st.integers(0, 2**20))
def test_hits_are_those_of_the_first_label_with_most_votes(n_classes, n_folds, seed):
    """Counting hits from votes equals comparing labels, ties of votes going to the first class."""
    rng = np.random.default_rng(seed)
    votes = rng.integers(0, 4, size=(30, n_classes + 1, 16)).astype(float)
    codes, fold = rng.integers(0, n_classes, size=30), np.sort(rng.integers(0, n_folds, size=30))
    right = votes[:, :-1].argmax(axis=1) == codes[:, None]
    wanted = np.stack([right[fold == f].sum(axis=0) for f in range(n_folds)])
    hits = np.zeros((n_folds, 16))
    count_all_hits(votes, codes, fold, hits)
    np.testing.assert_array_equal(hits, wanted)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_what_is_left_without_a_wide_column_is_summed_afresh(metric):
    """Swaps of a column a thousand million times wider, out of a base whose distances are
    held, leave plain sums' votes.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 50)) * np.where(
        np.arange(50) == 3, 1e9 if metric == "euclidean" else 1e15, 1.0
    )
    nearest = votes_of(NearestNeighbours(3, metric=metric), Task.of(X, np.arange(90) % 2))
    plain, base, added = PlainNeighbours(nearest), np.arange(30), 30 + np.arange(20)
    nearest.state.move(base)
    for which, found in nearest.swaps(base, 3, added):
        for i, column in enumerate(added[which]):
            wanted, _ = plain.subset(np.append(base[base != 3], column))
            np.testing.assert_array_equal(found.votes[:, :, i], wanted)


@pytest.mark.parametrize("k", [1, 4])
def test_neighbours_on_a_line(k):
    """In single columns, sorted, the k nearest are those of plain sums, at the ends of the
    line too.
    """
    X = np.random.default_rng(k).normal(size=(70, 30))
    nearest = votes_of(NearestNeighbours(k), Task.of(X, np.arange(70) % 3))
    plain = PlainNeighbours(nearest)
    for which, found in nearest.additions(np.arange(0), np.arange(30)):
        for i, column in enumerate(which):
            wanted, distance = plain.subset(np.array([column]))
            np.testing.assert_array_equal(found.votes[:, :, i], wanted)
            np.testing.assert_allclose(found.kth[:, i], distance, rtol=1e-9)
