"""Regularised least-squares classification against refits, and the shrinkage of maximum entropy
discrimination.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from subsel.embedded import expected_weights, rlsc_error_bound, rlsc_leave_one_out


@pytest.mark.parametrize("ridge", [1e-2, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(4))
def test_leaving_out_equals_refitting(seed, ridge):
    """Every output is that of kernel ridge trained on the other rows, and the bound is never
    under the errors.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    sign = np.where(X[:, 0] + rng.normal(size=25) > 0, 1.0, -1.0)
    K = rbf_kernel(X, gamma=0.3)
    outputs = rlsc_leave_one_out(K, sign, ridge)
    for row in range(25):
        others = np.flatnonzero(np.arange(25) != row)
        model = KernelRidge(alpha=ridge, kernel="precomputed").fit(
            K[np.ix_(others, others)], sign[others]
        )
        assert_allclose(
            outputs[row], sign[row] * model.predict(K[row, others][None])[0], rtol=1e-9, atol=1e-10
        )
    assert (outputs < 0).sum() <= rlsc_error_bound(K, sign, ridge) <= 25


def test_expected_weights_are_the_mean_of_the_posterior():
    """They equal the expectation, by quadrature, of a switch times a weight of normal prior,
    times its likelihood e^(Ww).
    """
    p0, pulls = 0.2, np.array([-2.0, 0.3, 1.0, 3.0])

    def normal(w):
        return np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi)

    for pull in pulls:
        on = quad(lambda w, pull=pull: normal(w) * np.exp(pull * w), -20, 20)[0]
        mean = quad(lambda w, pull=pull: w * normal(w) * np.exp(pull * w), -20, 20)[0]
        assert_allclose(expected_weights(pull, p0), p0 * mean / (1 - p0 + p0 * on), rtol=1e-7)


def test_expected_weights_shrink():
    """Odd, rising, smaller than the weights; with every input on they are the weights."""
    weights = np.linspace(-5, 5, 41)
    shrunk = expected_weights(weights, 0.01)
    assert_allclose(shrunk, -shrunk[::-1])
    assert (np.diff(shrunk) > 0).all()
    assert (np.abs(shrunk) <= np.abs(weights)).all()
    assert_array_equal(expected_weights(weights, 1.0), weights)
    with pytest.raises(ValueError, match="p0 must lie in"):
        expected_weights(weights, 0.0)
