"""Joint counts: correct for every kind of table, however rows or columns are divided."""

import itertools
import tracemalloc
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from subsel.data.statistics import blocks
from subsel.data.statistics.count_statistics import contingency_tables, discrete, finish
from subsel.data.statistics.counts import count, count_in_blocks, joint_counts
from subsel.data.statistics.entropy import (
    compact,
    entropies,
    entropy,
    mutual_information_with,
    renyi_entropy,
)
from subsel.ranking.scores.counts.contingency import chi_square, g_statistic
from subsel.ranking.scores.information.mutual_information import mutual_information
from tests.real_tables import real_table


def brute_force(X, codes, n_classes, weight):
    """Values and table of each column, by looking every entry up."""
    for column in X.T:
        present = sorted(set(column[~np.isnan(column)].tolist()))
        values = present + [np.nan] * bool(np.isnan(column).any())
        table = np.zeros((len(values), n_classes))
        for x, c, w in zip(column, codes, weight):
            table[len(present) if np.isnan(x) else present.index(x), c] += w
        yield np.array(values), table


def assert_tables(tables, expected):
    found = list(tables)
    expected = list(expected)
    assert len(found) == len(expected)
    for (values, table), (true_values, true_table) in zip(found, expected):
        assert_array_equal(values, true_values)
        assert_allclose(table, true_table, rtol=1e-12, atol=1e-12)


def example(rng, n=40, p=6, n_classes=3, n_values=4):
    X = rng.integers(-1, n_values - 1, size=(n, p)).astype(float)
    X[:, 0] = 0.0
    X[:, 1] = rng.permutation(n) + 1.0
    return X, np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    form=st.sampled_from(["dense", "codes", "sparse", "float32"]),
)
def test_counts_are_those_of_looking_every_entry_up(seed, weighted, form):
    """Dense, sparse, tied, constant, full and empty columns have the tables of brute force."""
    rng = np.random.default_rng(seed)
    X, codes = example(rng)
    if form == "codes":
        X = np.abs(X)
    weight = rng.random(len(X)) if weighted else None
    form_of = {
        "dense": np.asarray,
        "codes": np.asarray,
        "sparse": sparse.csc_array,
        "float32": lambda X: X.astype(np.float32),
    }
    tables = count(form_of[form](X), codes, 3, weight)
    assert_tables(tables, brute_force(X, codes, 3, np.ones(len(X)) if weight is None else weight))


def test_missing_is_one_value_and_the_last():
    """All NaN of a column are counted together, after its other values."""
    X = np.array([[np.nan, 1.0], [3.0, np.nan], [np.nan, 0.0]])
    assert_tables(count(X, np.array([0, 1, 1]), 2), brute_force(X, [0, 1, 1], 2, np.ones(3)))


def test_stored_zeros_are_zeros():
    """A zero that a sparse matrix stores counts as one it does not store."""
    X = sparse.csc_array((np.array([0.0, 2.0]), np.array([0, 1]), np.array([0, 2])), shape=(3, 1))
    assert_tables(
        count(X, np.array([0, 1, 1]), 2), brute_force(X.toarray(), [0, 1, 1], 2, np.ones(3))
    )


def test_entries_stored_twice_are_their_sum():
    """A sparse matrix that stores an entry in two parts is counted by its value, unchanged."""
    X = sparse.csc_array(
        (np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(3, 1)
    )
    assert_tables(
        count(X, np.array([0, 1, 1]), 2), brute_force(X.toarray(), [0, 1, 1], 2, np.ones(3))
    )
    assert X.nnz == 3


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), cut=st.integers(3, 37), as_sparse=st.booleans())
def test_tables_of_chunks_merge_to_those_of_the_whole(seed, cut, as_sparse):
    """Counting in two chunks and merging equals counting at once."""
    rng = np.random.default_rng(seed)
    X, y = example(rng)
    X[rng.integers(0, 40), 2] = np.nan
    form = sparse.csr_array if as_sparse else np.asarray
    parts = [
        joint_counts(form(rows), labels, classes=[0, 1, 2])
        for rows, labels in ((X[:cut], y[:cut]), (X[cut:], y[cut:]))
    ]
    whole, merged = joint_counts(form(X), y), parts[0].merge(parts[1])
    assert_tables(merged, list(whole))
    assert_allclose(finish(chi_square, merged), chi_square(form(X), y, discretise=None), rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_blocks_do_not_change_tables(monkeypatch, form):
    """Counting column by column gives what counting all at once gives."""
    X, y = example(np.random.default_rng(0))
    whole = joint_counts(form(X), y)
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", 1)
    monkeypatch.setattr(blocks, "BLOCK_STORED", 1)
    assert_tables(joint_counts(form(X), y), list(whole))


@pytest.mark.parametrize(
    "kind",
    [
        "codes",
        "whole numbers",
        "truth values",
        "columns first",
        "weights",
        "codes to 63",
        "one too large",
        "negative",
        "half",
        "missing",
        "bits",
        "bits of two classes",
        "words",
    ],
)
def test_kinds_of_numbers_are_counted_alike(kind):
    """Small whole numbers and bits are counted in full tables, anything else by sorting."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 5, size=(30, 9)).astype(float), np.arange(30) % 3
    X[3, 4] = {
        "codes to 63": 63.0,
        "one too large": 64.0,
        "negative": -1.0,
        "half": 2.5,
        "missing": np.nan,
    }.get(kind, 1.0)
    if kind in ("bits", "bits of two classes", "words"):
        X = sparse.csc_array(2.0 * (rng.random((30, 9)) < [0, 1, 0.1, 0.5, 0.5, 0.9, 0, 0.2, 1]))
    if kind == "bits of two classes":
        y = y % 2
    if kind == "words":
        X.data = rng.integers(0, 4, X.nnz).astype(float)  # zeros that are stored, too
    if kind == "truth values":
        X = X > 2
    form = {"whole numbers": np.int16, "columns first": np.asfortranarray}.get(kind, lambda x: x)
    weight = rng.random(30) if kind == "weights" else np.ones(30)
    tables = joint_counts(form(X), y, sample_weight=weight if kind == "weights" else None)
    dense = X.toarray() if sparse.issparse(X) else X
    assert_tables(tables, brute_force(dense, y, y.max() + 1, weight))


def test_entropies_looked_up_are_those_computed(monkeypatch):
    """To the bit: each term is that of the count over the number of rows."""
    X, y = example(np.random.default_rng(2))
    looked_up = entropies(joint_counts(X, y))
    monkeypatch.setattr(import_module("subsel.data.statistics.entropy"), "FEW_ROWS", 0)
    for mine, plain in zip(looked_up, entropies(joint_counts(X, y))):
        assert_array_equal(mine, plain)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.sampled_from([2, 3, 9]),
    kind=st.sampled_from(["codes", "numbers", "bits", "words", "weights"]),
)
def test_class_totals_that_are_known_are_those_counted(seed, n_classes, kind):
    """Class totals that are passed on are those of every table; entropies agree to the bit."""
    rng = np.random.default_rng(seed)
    X, y = (
        rng.integers(0, 5, size=(30, 8)).astype(float),
        rng.permutation(np.arange(30) % n_classes),
    )
    X[:, 0], X[:, 1] = 0.0, 3.0
    X = {"numbers": X - 2.5, "bits": 0.1 * (X > 3), "words": X * (rng.random(X.shape) < 0.5)}.get(
        kind, X
    )
    form = sparse.csc_array if kind in ("bits", "words") else np.asarray
    weight = rng.random(30) if kind == "weights" else None
    (tables,) = count_in_blocks(form(X), y, n_classes, weight)
    assert_tables(tables, brute_force(X, y, n_classes, np.ones(30) if weight is None else weight))
    assert (tables.common_totals is not None) == (kind in ("codes", "bits", "words"))
    counted = replace(tables, common_totals=None)
    assert_array_equal(tables.class_totals, counted.class_totals)
    for known, found in zip(entropies(tables), entropies(counted)):
        assert_array_equal(known, found)


def test_labels_outside_the_classes_are_refused():
    """A chunk with an unknown label is an error that shows the classes."""
    with pytest.raises(ValueError, match="classes must hold every label"):
        joint_counts(np.zeros((2, 1)), np.array([0, 3]), classes=[0, 1])


@pytest.mark.parametrize("weight_of", [1, 3])
def test_weights_count_rows(weight_of):
    """A row of weight w counts as w rows, a row of weight zero as none."""
    rng = np.random.default_rng(1)
    X, y = example(rng)
    weight = np.where(np.arange(len(X)) < 20, weight_of, 1) * (np.arange(len(X)) < 37)
    repeated = np.repeat(np.arange(len(X)), weight)
    for part in (np.asarray, sparse.csr_array):
        assert_allclose(
            g_statistic(part(X), y, sample_weight=weight, discretise=None),
            g_statistic(part(X[repeated]), y[repeated], discretise=None),
            rtol=1e-10,
            atol=1e-12,
        )


def test_bins_of_equal_frequency_are_equal():
    """Without ties the sizes of bins differ by at most one, and missing values stand aside."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(103, 3))
    X[:5, 2] = np.nan
    tables = count(X, np.zeros(103, dtype=int), 1)
    coded = tables.coded(tables.equal_frequency(7))
    sizes = [table.ravel() for _, table in coded]
    assert [np.ptp(s) <= 1 for s in sizes[:2]] == [True, True]
    assert [len(s) for s in sizes] == [7, 7, 8]
    assert sizes[2][-1] == 5 and np.ptp(sizes[2][:-1]) <= 1


def test_auto_leaves_few_values_alone_and_bins_many():
    """Ten values stay; more than ten and than the root of n become bins of equal frequency."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(80) % 10, np.arange(80) % 11, rng.normal(size=80)])
    X[:3, 2] = np.nan
    (tables,) = contingency_tables(X, np.arange(80) % 2, "auto", None)
    assert tables.sizes.tolist() == [10, 4, 5]


def test_a_wrong_word_for_discretise_is_refused():
    """An unknown word is an error that names the argument and the value."""
    with pytest.raises(
        ValueError, match="discretise must be 'auto', None or a discretiser, got 'no'"
    ):
        discrete(count(np.zeros((2, 1)), np.array([0, 1]), 2), "no")


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_values=st.sampled_from([(2, 2), (3, 7), (40, 300), (2, 300), (90, 60)]),
)
def test_information_with_one_column_is_that_of_each_table(seed, n_values):
    """Few or many values, compact or not.

    The fast loops agree with entropies of the joint table.
    """
    rng = np.random.default_rng(seed)
    column = rng.integers(0, n_values[0], 60)
    codes = rng.integers(0, n_values[1], (60, 5))
    codes[:, 0] = 1
    for table in (codes, codes.astype(np.int16), compact(codes), np.asfortranarray(codes)):
        found = mutual_information_with(column, table)
        for j in range(5):
            joint = np.histogram2d(
                column, codes[:, j], bins=[np.arange(91) - 0.5, np.arange(301) - 0.5]
            )[0]
            expected = (
                entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint.ravel())
            )
            assert found[j] == pytest.approx(expected, abs=1e-12)


def test_information_with_more_columns_than_a_block():
    """Columns beyond the first block of tables are counted afresh."""
    rng = np.random.default_rng(0)
    column, codes = rng.integers(0, 60, 200), rng.integers(0, 60, (200, 70))
    expected = mutual_information(codes, column, discretise=None)
    assert_allclose(mutual_information_with(column, codes), expected, atol=1e-12)


@pytest.mark.parametrize("codes", [np.array([[-1]]), np.array([[0.5]])])
def test_what_is_no_code_is_refused(codes):
    """Negative or fractional codes are errors."""
    with pytest.raises((TypeError, ValueError), match="codes must"):
        mutual_information_with(np.array([0]), codes)


def test_rows_must_agree():
    """A column of other length than the table is an error that shows both shapes."""
    with pytest.raises(ValueError, match="same rows"):
        mutual_information_with(np.array([0, 1]), np.array([[0], [1], [0]]))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any))
def test_renyi_entropy_falls_with_its_order_and_passes_shannon(counts):
    """Renyi's entropy does not rise with the order, and near order one it is Shannon's."""
    counts = np.array(counts)
    entropies = [float(renyi_entropy(counts, order)) for order in (0.5, 1.0, 2.0, 5.0)]
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(entropies))
    assert renyi_entropy(counts, 1 + 1e-7) == pytest.approx(entropy(counts), abs=1e-5)


def test_dorothea_is_never_made_dense():
    """Scoring DOROTHEA's 100000 columns takes less than twice the memory of the sparse data."""
    path = real_table("dorothea.npz")
    labels = np.load(path)
    train = labels["split"] == 0
    X = sparse.csc_array(sparse.csr_array(sparse.load_npz(path))[train], dtype=np.float64)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    tracemalloc.start()
    scores = mutual_information(X, labels["y"][train])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * size
    best = np.argsort(-scores)[:3]
    expected = mutual_information(X[:, best].toarray(), labels["y"][train])
    assert_allclose(scores[best], expected, rtol=1e-12)
