"""Parity, CorrAL and Monks against their published copies and definitions."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from subsel.data.files.challenge_format import load_npz
from subsel.literature.problems.logic import corral, monks, parity
from tests.real_tables import real_table


def conditional_shares(problem, subset):
    """The share of class 1 in every cell of the given columns."""
    cells = np.unique(problem.X[:, subset], axis=0, return_inverse=True)[1]
    return np.bincount(cells, problem.y) / np.bincount(cells)


def test_fewer_than_all_parity_bits_tell_nothing():
    """Within every cell of a subset that misses a relevant bit the classes are even."""
    problem = parity(3, 2)
    for size in range(5):
        for subset in combinations(range(5), size):
            if not {0, 1, 2} <= set(subset):
                assert_array_equal(conditional_shares(problem, list(subset)), 0.5)
    assert set(conditional_shares(problem, [0, 1, 2])) == {0.0, 1.0}


def test_parity_five_and_five_has_the_rule_of_the_published_rows():
    """The published rows, their relevant columns first, appear in the space with the same class."""
    data = load_npz(real_table("parity5_5.npz"))
    order = [1, 2, 3, 5, 7, 0, 4, 6, 8, 9]
    problem = parity()
    rows = data.X[:, order].astype(int) @ (1 << np.arange(9, -1, -1))
    assert problem.X.shape == (1024, 10)
    assert_array_equal(problem.X[rows], data.X[:, order])
    assert_array_equal(problem.y[rows], data.y)


def test_corral_counts():
    """The 32 rows hold 14 of class 1, and the last column is wrong in exactly 8."""
    problem = corral(random_state=0)
    assert problem.X.shape == (32, 6)
    assert problem.y.sum() == 14
    assert (problem.X[:, 5] != problem.y).sum() == 8
    assert set(conditional_shares(problem, problem.relevant)) == {0.0, 1.0}


def test_a_corral_sample_follows_its_rule():
    """In a sample the rule holds in every row and the last column is right three times in four."""
    problem = corral(20_000, random_state=0)
    a0, a1, b0, b1 = problem.X[:, :4].T
    assert_array_equal(problem.y, (a0 & a1) | (b0 & b1))
    assert np.mean(problem.X[:, 5] == problem.y) == pytest.approx(0.75, abs=0.02)
    assert np.corrcoef(problem.X[:, 4], problem.y)[0, 1] == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monks_are_the_published_test_sets(problem):
    """The whole space is the published test part, row for row once both are sorted."""
    data = load_npz(real_table(f"uci_monks{problem}.npz"))
    test = data.split == list(data.split_names).index("test")
    ours = monks(problem)
    published = np.column_stack((data.X[test], data.y[test])).astype(int)
    assert_array_equal(np.column_stack((ours.X, ours.y)), published[np.lexsort(published.T[::-1])])


def test_monks_training_sample():
    """A sample has no row twice; 5 % of the labels of problem 3 are wrong, none of problem 1."""
    for problem, n_samples, n_wrong in ((1, 124, 0), (3, 122, 6)):
        sample, space = monks(problem, n_samples, random_state=0), monks(problem)
        assert len(np.unique(sample.X, axis=0)) == n_samples
        place = np.array([np.flatnonzero((row == space.X).all(axis=1))[0] for row in sample.X])
        assert (space.y[place] != sample.y).sum() == n_wrong


def test_irrelevant_monks_attributes_change_nothing():
    """The relevant attributes decide the class, and dropping any one of them does not."""
    for problem in (1, 2, 3):
        space = monks(problem)
        assert set(conditional_shares(space, space.relevant)) == {0.0, 1.0}
        for dropped in space.relevant:
            assert set(conditional_shares(space, np.setdiff1d(space.relevant, dropped))) - {
                0.0,
                1.0,
            }


def test_an_unknown_monk_is_refused():
    """There are three Monks problems."""
    with pytest.raises(ValueError, match="1, 2 or 3"):
        monks(4)
