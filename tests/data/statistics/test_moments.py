"""Moments: streamed, merged, sparse and weighted, they are those of the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from subsel.data.statistics import blocks
from subsel.data.statistics.class_moments import ClassMoments, class_moments
from subsel.data.statistics.co_moments import CoMoments, co_moments
from subsel.ranking.scores.moments.anova import anova_f
from subsel.ranking.scores.moments.pearson import pearson

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((23, 7)) * 3) * (RNG.random((23, 7)) < 0.6) + [
    0,
    0,
    0,
    0,
    0,
    1e6,
    5,
]
Y = RNG.integers(0, 3, 23)
TARGET = RNG.standard_normal(23)


def direct(X, y, weight):
    """Class moments by their definition."""
    mean, scatter = [], []
    for k in range(3):
        rows, w = X[y == k], weight[y == k][:, None]
        mean.append((w * rows).sum(axis=0) / w.sum())
        scatter.append((w * (rows - mean[-1]) ** 2).sum(axis=0))
    return np.array(mean), np.array(scatter)


def assert_same(one, other):
    for name in ("mass", "mean", "scatter"):
        assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-10, atol=1e-10, err_msg=name
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "given_as",
    [np.asarray, np.asfortranarray, sparse.csc_array, sparse.csr_array, sparse.csr_matrix],
)
def test_class_moments_are_those_of_the_definition(given_as, weighted):
    """Mean and scatter of each class are their definitions, however the table is stored."""
    weight = RNG.random(23) + 0.1 if weighted else np.ones(23)
    mean, scatter = direct(X, Y, weight)
    found = class_moments(given_as(X), Y, weight if weighted else None)
    assert_allclose(found.mean, mean, rtol=1e-12, atol=1e-12)
    assert_allclose(found.scatter, scatter, rtol=1e-9, atol=1e-9)
    assert_allclose(found.mass, np.bincount(Y, weight))


@settings(max_examples=30, deadline=None)
@given(labels=st.lists(st.integers(0, 3), min_size=23, max_size=23))
def test_merging_any_split_of_the_rows_gives_the_whole(labels):
    """However the rows are divided, dense or sparse, merged moments are those of all rows."""
    whole, merged = ClassMoments(3, 7), ClassMoments(3, 7)
    co_whole, co_merged = CoMoments(7), CoMoments(7)
    whole.accumulate(X, Y)
    co_whole.accumulate(X, TARGET)
    for part in set(labels):
        rows = np.array(labels) == part
        chunk = sparse.csr_array(X[rows]) if part % 2 else X[rows]
        piece, co_piece = ClassMoments(3, 7), CoMoments(7)
        piece.accumulate(chunk, Y[rows])
        co_piece.accumulate(chunk, TARGET[rows])
        merged.merge(piece)
        co_merged.merge(co_piece)
    assert_same(merged, whole)
    assert_same(co_merged, co_whole)
    assert_allclose(co_merged.cross, co_whole.cross, rtol=1e-10, atol=1e-8)
    assert_allclose(co_merged.correlation(), np.corrcoef(X.T, TARGET)[-1, :-1], atol=1e-10)


def test_a_merged_part_is_not_shared():
    """What is accumulated after a merge does not reach into the part that was merged."""
    part, whole = ClassMoments(3, 7), ClassMoments(3, 7)
    part.accumulate(X, Y)
    before = part.mean.copy()
    whole.merge(part)
    whole.accumulate(X + 1, Y)
    assert_array_equal(part.mean, before)


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csc_array])
def test_weights_are_repetitions(given_as):
    """Weights 0, 1, 2, 3 are the same as leaving out or repeating rows."""
    times = RNG.integers(0, 4, 23)
    again = np.repeat(np.arange(23), times)
    assert_same(
        class_moments(given_as(X), Y, times), class_moments(given_as(X[again]), Y[again], None)
    )
    weighted, repeated = (
        co_moments(given_as(X), TARGET, times),
        co_moments(given_as(X[again]), TARGET[again], None),
    )
    assert_same(weighted, repeated)
    assert_allclose(weighted.correlation(), repeated.correlation(), atol=1e-10)


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constants_have_exactly_no_scatter(given_as, dtype):
    """A column constant in each class has no scatter at all, and equal constants no gap."""
    constants = np.array([[0.1, 0.1], [0.1, 0.3], [0.1, 0.7]], dtype=dtype)[Y]
    found = class_moments(given_as(constants), Y, RNG.random(23) + 0.1)
    assert_array_equal(found.scatter, 0)
    assert_array_equal(found.between_and_within()[0] > 0, [False, True])


def test_large_offsets_do_not_cancel():
    """A column of mean 1e9 and spread 1 keeps its scatter to nine digits."""
    x = RNG.standard_normal((200, 1)) + 1e9
    y = RNG.integers(0, 2, 200)
    exact = [np.sum((x[y == k] - x[0] - (x[y == k] - x[0]).mean()) ** 2) for k in range(2)]
    assert_allclose(class_moments(x, y, None).scatter.ravel(), exact, rtol=1e-9)


def test_blocks_of_columns_change_nothing(monkeypatch):
    """The answer does not depend on how many columns are taken at a time."""
    whole = class_moments(np.asfortranarray(X), Y, None), co_moments(X, TARGET, None)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 4)
    assert_array_equal(class_moments(np.asfortranarray(X), Y, None).scatter, whole[0].scatter)
    assert_array_equal(co_moments(X, TARGET, None).cross, whole[1].cross)


def test_duplicate_entries_are_summed():
    """A compressed table that stores a cell twice means the sum of the two."""
    cells = np.array([0, 0, 1, 2], np.int32), np.array([0, 4], np.int32)
    twice = sparse.csc_array((np.ones(4), *cells), shape=(4, 1))
    assert_same(
        class_moments(twice, [0, 0, 1, 1], None), class_moments(twice.toarray(), [0, 0, 1, 1], None)
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("given_as", [np.asarray, sparse.csc_array])
def test_a_value_that_is_no_number_is_refused(bad, given_as):
    """NaN and infinity are named, though no pass is spent on looking for them."""
    spoilt = X.copy()
    spoilt[3, 2] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        class_moments(given_as(spoilt), Y, None)


def test_a_chunk_of_another_width_is_refused():
    """The message tells how many columns are expected."""
    with pytest.raises(ValueError, match="7 columns, got 6"):
        ClassMoments(3, 7).accumulate(X[:, :6], Y)


def test_scores_take_moments_in_place_of_the_table():
    """A score of streamed moments is the score of the table."""
    streamed, co_streamed = ClassMoments(3, 7), CoMoments(7)
    for rows in (slice(0, 5), slice(5, 23)):
        streamed.accumulate(X[rows], Y[rows])
        co_streamed.accumulate(X[rows], TARGET[rows])
    assert_allclose(anova_f(streamed), anova_f(X, Y), rtol=1e-8)
    assert_allclose(pearson(co_streamed), pearson(X, TARGET), rtol=1e-8)


@pytest.mark.parametrize("n_columns", [1, 7, 9_999, 10_000, 10_001, 20_003])
@pytest.mark.parametrize("weighted", [False, True])
def test_f_in_one_call_is_that_of_the_moments(n_columns, weighted):
    """In a table that is read in place each column has the F of its moments, also with ties."""
    rng = np.random.default_rng(n_columns)
    table = np.round(rng.standard_normal((25, n_columns)) * 2) + rng.choice([0.0, 1e5], n_columns)
    table[:, ::5] = 3.0
    y = np.repeat([0, 1], [15, 10])
    table[:, 3::7] = y[:, None]
    weight = rng.integers(0, 3, 25) + (np.arange(25) % 15 == 0) if weighted else None
    found = anova_f(table, y, weight)
    assert_allclose(found, anova_f(class_moments(table, y, weight)), rtol=1e-10)
    assert_allclose(found, anova_f(np.asfortranarray(table), y, weight), rtol=1e-10)
    assert (found[np.ptp(table, axis=0) == 0] == 0).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_f_in_one_call_names_what_is_no_number(bad):
    """In the last stroke, too."""
    table = RNG.standard_normal((12, 10_050))
    table[4, 10_040] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        anova_f(table, np.arange(12) % 2)
