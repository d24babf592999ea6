"""The roots of many inverses at once, against numpy's inverse, and kernel ridge of more
rows than are factored at once.
"""

import os

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneOut

from subsel.criteria import KernelRidge
from subsel.criteria.accelerated.kernel_ridge import inverse_roots
from subsel.data.task import Task
from subsel.space.space import Space

torch = pytest.importorskip("torch", reason="the extra 'accelerator' (PyTorch) is not installed")
DEVICE = os.environ.get("SUBSEL_TEST_DEVICE", "cpu")


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 97, 129, 200, 301])
def test_the_inverse_is_the_square_of_the_root(n):
    """R is a lower triangle, exact zeros above it, and R'R is the inverse.

    Only the lower triangle of a matrix is read.
    """
    Z = np.random.default_rng(n).normal(size=(4, n, n + 3))
    K = Z @ Z.transpose(0, 2, 1) / n + 0.1 * np.eye(n)
    lower = np.where(np.tri(n, dtype=bool), K, np.nan)
    root = inverse_roots(torch, torch.as_tensor(lower, device=DEVICE)).cpu().numpy()
    assert not np.triu(root, 1).any()
    wanted = np.linalg.inv(K)
    np.testing.assert_allclose(
        root.transpose(0, 2, 1) @ root, wanted, rtol=1e-9, atol=1e-11 * np.abs(wanted).max()
    )


@pytest.mark.parametrize("place", [0, 40, 100, 149])
def test_a_matrix_that_is_not_definite_spoils_its_own_root_alone(place):
    """Wherever its factor breaks down the last entry is NaN, and the matrices beside it
    have their roots.
    """
    K = np.stack([np.eye(150)] * 3)
    K[1, place, place] = -1.0
    root = inverse_roots(torch, torch.as_tensor(K, device=DEVICE)).cpu().numpy()
    assert np.isnan(root[1, -1, -1])
    np.testing.assert_array_equal(root[[0, 2]], K[[0, 2]])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scaling", [None, "standard"])
@pytest.mark.parametrize("cv", [LeaveOneOut(), KFold(2), KFold(7, shuffle=True, random_state=0)])
def test_kernel_ridge_of_many_rows(cv, scaling, weighted):
    """The same qualities as on the processor, where matrices and the blocks of folds are
    halved before they are factored.
    """
    if scaling and isinstance(cv, LeaveOneOut):
        pytest.skip("has no closed form")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(170, 6))
    y = X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=170)
    task, space = (
        Task.of(X, y, sample_weight=rng.random(170) + 0.1 if weighted else None),
        Space.of(6),
    )
    criterion = KernelRidge(
        alpha=0.3, kernel="rbf", cv=cv, scaling=scaling, scoring="neg_mean_squared_error"
    )
    batch = space.additions(space.subset([1, 4]))
    fast, plain = (
        criterion.set_params(device=DEVICE).bind(task),
        criterion.set_params(device=None).bind(task),
    )
    np.testing.assert_allclose(fast.evaluate(batch), plain.evaluate(batch), rtol=1e-10)
    assert fast.n_refits == 0
