"""Orders whose cost is a product take the same features on a device."""

import numpy as np
import pytest
from scipy import sparse

from subsel.ranking.orders.mrmr import mrmr, mrmr_regression


@pytest.mark.parametrize("order", [mrmr, mrmr_regression])
def test_the_sequence_is_that_of_the_processor(order):
    """With copies, constant and shifted columns; scores agree to rounding."""
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30))
    X[:, 3], X[:, 7], X[:, 9] = X[:, 2] + 1e-3 * rng.standard_normal(60), 4.0, 1e4 + X[:, 9]
    y = (X[:, 2] + X[:, 5] > 0).astype(int)
    plain, there = order(X, y, n_features=12), order(X, y, n_features=12, device="cpu")
    assert plain.features.tolist() == there.features.tolist()
    np.testing.assert_allclose(there.scores, plain.scores, rtol=1e-9)


def test_a_sparse_table_is_refused():
    """It would have to be written out."""
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match="X must be dense to be ranked on a device"):
        mrmr(sparse.csc_array(np.eye(4)), [0, 1, 0, 1], device="cpu")
