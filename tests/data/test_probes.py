"""Probes resemble the columns they are made from and know nothing else."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from subsel.data.probes import (
    gaussian_probes,
    permuted_probes,
    replace_by_probes,
    with_probes,
    zipf_probes,
)

rng = np.random.default_rng(0)
DENSE = np.where(rng.random((50, 12)) < 0.3, rng.integers(1, 9, (50, 12)), 0).astype(float)
FORMS = {"dense": DENSE, "csr": sparse.csr_array(DENSE), "csc": sparse.csc_array(DENSE)}


def as_dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("form", FORMS)
def test_permuted_probes_keep_the_values_of_their_columns(form):
    """Sorted, each probe equals its original; unsorted, hardly any does."""
    probes = permuted_probes(FORMS[form], random_state=0)
    assert sparse.issparse(probes) == (form != "dense")
    probes = as_dense(probes)
    assert_array_equal(np.sort(probes, axis=0), np.sort(DENSE, axis=0))
    assert not (probes == DENSE).all(axis=0).any()


def test_permuted_columns_move_independently():
    """Two copies of one column are shuffled apart."""
    column = np.arange(200.0)
    probes = permuted_probes(np.column_stack((column, column)), random_state=0)
    assert abs(np.corrcoef(probes.T)[0, 1]) < 0.3


@pytest.mark.parametrize("form", FORMS)
def test_columns_are_drawn_evenly(form):
    """Thirty probes of twelve columns use each column two or three times."""
    X = np.arange(12.0)[None, :] + np.ones((4, 1))
    X = X if form == "dense" else sparse.csc_array(X)
    probes = as_dense(permuted_probes(X, 30, random_state=0))
    assert set(np.bincount((probes[0] - 1).astype(int), minlength=12)) <= {2, 3}


@pytest.mark.parametrize("form", FORMS)
def test_replacement_touches_only_the_given_columns(form):
    """The other columns stay, the given ones keep their values, and X itself is not changed."""
    before = as_dense(FORMS[form]).copy()
    replaced = as_dense(replace_by_probes(FORMS[form], [7, 2], random_state=0))
    others = np.setdiff1d(np.arange(12), [2, 7])
    assert_array_equal(replaced[:, others], DENSE[:, others])
    assert_array_equal(np.sort(replaced[:, [2, 7]], axis=0), np.sort(DENSE[:, [2, 7]], axis=0))
    assert not np.array_equal(replaced, DENSE)
    assert_array_equal(as_dense(FORMS[form]), before)


def test_zipf_frequencies():
    """Document frequencies fall with the power asked for, at the density of X, with values of X."""
    X = sparse.random_array(
        (3000, 50), density=0.02, rng=0, data_sampler=lambda size: rng.integers(1, 5, size)
    )
    probes = zipf_probes(X, 400, exponent=0.9, random_state=0)
    frequency = np.diff(probes.indptr) / 3000
    rank = np.arange(1, 401)
    slope = np.polyfit(np.log(rank[10:]), np.log(frequency[10:]), 1)[0]
    assert slope == pytest.approx(-0.9, abs=0.05)
    assert frequency.mean() == pytest.approx(0.02, rel=0.05)
    assert set(probes.data) == set(X.data)


def test_an_impossible_density_is_refused():
    """A probe cannot be fuller than full."""
    with pytest.raises(ValueError, match="density"):
        zipf_probes(DENSE, 3, density=1.5)


@pytest.mark.parametrize("form", FORMS)
def test_origins_name_the_columns(form):
    """After shuffling, every column is where its origin says and the rest are probes."""
    probes = gaussian_probes(50, 5, random_state=1)
    both, origin = with_probes(FORMS[form], probes, random_state=2)
    both = as_dense(both)
    real = origin >= 0
    assert_array_equal(both[:, real], DENSE[:, origin[real]])
    assert_array_equal(np.sort(both[0, ~real]), np.sort(probes[0]))


def test_an_empty_sparse_column_gives_an_empty_probe():
    """A column without entries stays without entries."""
    assert permuted_probes(sparse.csc_array((4, 2)), random_state=0).nnz == 0
