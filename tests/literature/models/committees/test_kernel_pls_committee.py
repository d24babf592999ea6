"""Kernel PLS models averaged."""

import numpy as np
import pytest

from subsel.construct.latent.kernel import KernelPLS
from subsel.literature.models import KernelPLSCommittee


def test_decisions_are_the_mean_of_models_that_left_rows_out():
    """A committee of three is the mean of three models on nine tenths of the rows.

    The threshold of least balanced error is subtracted.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.where(np.arange(40) % 4, 0, 1)
    X[y == 1] += 1.5
    model = KernelPLSCommittee(2, n_members=3, gamma=0.2, random_state=5).fit(X, y)
    draw, target = np.random.RandomState(5), (y - y.mean()) / y.std()
    orders = [draw.permutation(40) for _ in range(3)]
    peers = [
        KernelPLS(2, kernel_params={"gamma": 0.2}).fit(X[o[4:]], target[o[4:]]) for o in orders
    ]
    mean = np.mean([peer.decision_function(X) for peer in peers], axis=0)
    np.testing.assert_allclose(model.decision_function(X) + model.threshold_, mean)
    assert (
        KernelPLSCommittee(2, n_members=30, gamma=0.2, random_state=5).fit(X, y).score(X, y) > 0.85
    )


def test_a_wrong_share_is_named():
    """All rows cannot be left out."""
    with pytest.raises(ValueError, match="left_out"):
        KernelPLSCommittee(left_out=1.0).fit(np.ones((4, 1)), [0, 1, 0, 1])
