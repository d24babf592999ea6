"""The stabilised convex-sum covariance.

Eigenvalues and trace by hand, and what holds for any matrix.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from subsel.models.covariance import admissible_limit, convex_sum, stabilise, stabilised_covariance

spectra = arrays(
    float, st.integers(2, 8), elements=st.floats(0.0, 100.0, allow_subnormal=False)
).filter(lambda values: values.max() > 1e-3)


def test_the_three_steps_by_hand():
    """Eigenvalues 0, 1, 5: stabilised 2, 2, 5; b = 81/33; m below 92/3, by default 46/3; mean 3."""
    S = np.diag([0.0, 5.0, 1.0])
    assert_allclose(stabilise(np.array([0.0, 1.0, 5.0])), [2, 2, 5])
    assert_allclose(admissible_limit(np.array([2.0, 2.0, 5.0])), 92 / 3)
    found = stabilised_covariance(S, n_rows=20)
    weight = 20 / (20 + 46 / 3)
    assert_allclose(found.values, [3 + 2 * weight, 3 - weight, 3 - weight])
    assert_allclose(np.trace(found.matrix()), 9)
    assert_allclose(stabilised_covariance(S, n_rows=20, rank=1).values, [3 + 2 * weight])


def test_a_multiple_of_the_identity_is_left_alone():
    """Equal eigenvalues (b = p) and a single one have no admissible limit.

    The sum then changes nothing.
    """
    assert admissible_limit(np.full(3, 2.0)) == np.inf
    assert admissible_limit(np.array([4.0])) == np.inf
    assert_allclose(stabilised_covariance(2 * np.eye(3), 5).matrix(), 2 * np.eye(3))


def test_an_inadmissible_weight_is_refused():
    """m must be positive and below the limit."""
    for m in (0.0, -1.0, 31.0):
        with pytest.raises(ValueError, match=r"m must lie between 0 and 30\.6667"):
            convex_sum(np.array([2.0, 2.0, 5.0]), 10, m)


def test_solving_is_the_inverse_of_a_singular_matrix_made_regular():
    """For a covariance of rank 2 in 6 dimensions, matrix and solve undo each other."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(2, 6))
    found, b = stabilised_covariance(A.T @ A, 2), rng.normal(size=6)
    assert_allclose(found.matrix() @ found.solve(b), b, atol=1e-12)
    assert_allclose(np.linalg.eigvalsh(found.matrix())[::-1], found.values)


def test_a_zero_covariance_solves_as_the_identity():
    """Where nothing varies within classes the difference of the means is the direction."""
    b = np.array([1.0, -2.0])
    assert_allclose(stabilised_covariance(np.zeros((2, 2)), 4).solve(b), b)


@given(values=spectra, n_rows=st.integers(1, 50))
def test_eigenvalues_are_drawn_together_and_the_trace_only_rises(values, n_rows):
    """The smallest is at least the mean of the old ones, the largest no larger than before.

    The sum preserves the trace.
    """
    stable = stabilise(values)
    found = convex_sum(stable, n_rows)
    assert stable.sum() >= values.sum() * (1 - 1e-12)
    assert_allclose(found.sum(), stable.sum(), rtol=1e-9)
    assert found.min() >= values.mean() * (1 - 1e-9) and found.max() <= values.max() * (1 + 1e-9)


@given(values=spectra, scale=st.floats(1e-3, 1e3))
def test_scaling_the_data_scales_the_estimate(values, scale):
    """The weight of the identity does not depend on the unit."""
    assert_allclose(
        convex_sum(stabilise(scale * values), 9),
        scale * convex_sum(stabilise(values), 9),
        rtol=1e-6,
    )
