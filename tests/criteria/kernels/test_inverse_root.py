"""Triangular roots of inverses against numpy's inverse."""

import numpy as np
import pytest

from subsel.criteria.kernels.inverse_root import inverse_root

SIZES = [1, 2, 23, 24, 25, 63, 64, 65, 73, 97, 128, 145, 200, 301]


def _definite(n: int) -> np.ndarray:
    Z = np.random.default_rng(n).normal(size=(n, n + 3))
    return Z @ Z.T / n + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", SIZES)
def test_the_root_times_its_transpose_is_the_inverse(n):
    """R is an upper triangle with exact zeros below, in place, and R R' is the inverse."""
    K = _definite(n)
    wanted = np.linalg.inv(K)
    root = inverse_root(K)
    assert root is K
    assert not np.tril(root, -1).any()
    np.testing.assert_allclose(root @ root.T, wanted, rtol=1e-9, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("n", SIZES)
def test_a_factor_may_be_given(n):
    """From L' of K = L L' the same root follows."""
    K = _definite(n)
    root = inverse_root(np.ascontiguousarray(np.linalg.cholesky(K).T), factored=True)
    np.testing.assert_allclose(root, inverse_root(K), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n", [5, 70, 200])
def test_what_stands_below_the_triangle_is_not_read(n):
    """Not-a-number below changes nothing."""
    K = _definite(n)
    spoilt = K.copy()
    spoilt[np.tril_indices(n, -1)] = np.nan
    np.testing.assert_array_equal(inverse_root(spoilt), inverse_root(K))


@pytest.mark.parametrize("row", [0, 3, 63, 64, 120, 199])
def test_a_matrix_that_is_not_definite_has_none(row):
    """A pivot that is not positive is found in whatever block it stands."""
    K = np.eye(200)
    K[row, row] = -1.0
    assert inverse_root(K) is None
    K = _definite(200)
    K[row, row] = -100.0
    assert inverse_root(K) is None
