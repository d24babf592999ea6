"""Kernel matrices against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from subsel.criteria.kernels.kernel_matrices import KERNELS, KernelMatrices


def _rows(n: int, p: int) -> np.ndarray:
    """Rows, of which some are equal and one is nothing."""
    X = np.random.default_rng(0).normal(size=(n, p)) + 0.5
    X[n // 2], X[n - 1] = X[0], 0.0
    return X


def _peer(name: str, X: np.ndarray, Y: np.ndarray, gamma: float | None) -> np.ndarray:
    options = {"gamma": gamma, "degree": 2, "coef0": 0.7}
    return pairwise_kernels(X, Y, metric=name, filter_params=True, **options)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("gamma", [None, 0.3])
@pytest.mark.parametrize("n", [3, 64, 128, 129, 300])
def test_the_upper_triangle_is_that_of_scikit_learn(name, gamma, n):
    """All panels are right, for one column and for several.

    Entries below the diagonal are zero or those of the kernel matrix.
    """
    for p in (1, 2, 5):
        X = _rows(n, p)
        wanted = _peer(name, X, X, gamma)
        kernel = KernelMatrices(name, gamma, 2, 0.7)
        K = kernel.upper(X)
        np.testing.assert_allclose(np.triu(K), np.triu(wanted), rtol=1e-10, atol=1e-12)
        below = np.tril(K, -1)
        assert np.isclose(
            below[below != 0], np.tril(wanted, -1)[below != 0], rtol=1e-10, atol=1e-12
        ).all()
        np.testing.assert_allclose(kernel.between(X[:2], X), wanted[:2], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [3, 129, 300])
def test_columns_may_be_added_to_the_sums_of_others(name, n):
    """The kernel matrix of a base and a column is that of both, or of the column alone."""
    X, kernel = _rows(n, 5), KernelMatrices(name, None, 2, 0.7)
    for n_base in (0, 1, 4):
        base = kernel.sums(X[:, :n_base])
        found, wanted = (
            kernel.upper(X[:, [4]], base, n_base),
            kernel.upper(X[:, [*range(n_base), 4]]),
        )
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
