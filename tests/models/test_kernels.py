"""The kernels against their formulas, written out for one pair of rows at a time."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from subsel.models.kernels import KERNELS, find_kernel, squared_distances, tanimoto

FORMULAS = {
    "linear": lambda dot, d2: dot,
    "quadratic": lambda dot, d2: (dot + 1) ** 2,
    "cubic": lambda dot, d2: (dot + 1) ** 3,
    "exponential": lambda dot, d2: math.exp(-math.sqrt(d2) / 2),
    "gaussian": lambda dot, d2: math.exp(-d2 / 2),
    "homogeneous": lambda dot, d2: dot**2,
    "laplace": lambda dot, d2: math.exp(-math.sqrt(d2)),
    "cauchy": lambda dot, d2: 1 / (1 + d2),
    "inverse-multiquadric": lambda dot, d2: 1 / math.sqrt(d2 + 1),
}
PARAMETERS = {
    "quadratic": ({"b": 3.0}, lambda dot, d2: (dot + 3) ** 2),
    "cubic": ({"b": 3.0}, lambda dot, d2: (dot + 3) ** 3),
    "exponential": ({"a": 3.0}, lambda dot, d2: math.exp(-math.sqrt(d2) / 18)),
    "gaussian": ({"a": 3.0, "b": 2.0, "c": 0.5}, lambda dot, d2: math.exp(-math.sqrt(d2 / 9))),
    "homogeneous": ({"a": 3.0, "b": 3}, lambda dot, d2: (dot / 9) ** 3),
    "laplace": ({"a": 3.0}, lambda dot, d2: math.exp(-math.sqrt(d2 / 9))),
    "cauchy": ({"a": 3.0}, lambda dot, d2: 1 / (1 + d2 / 3)),
    "inverse-multiquadric": ({"a": 3.0}, lambda dot, d2: 1 / math.sqrt(d2 + 9)),
}


def by_pairs(X, Z, formula):
    return np.array([[formula(float(x @ z), float((x - z) @ (x - z))) for z in Z] for x in X])


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    return rng.normal(size=(7, 3)), rng.normal(size=(4, 3))


def test_there_are_the_nine_kernels_of_the_table_in_its_order():
    """Codes 1 to 9 of the paper's Table 1 are the nine kernels in order."""
    assert list(KERNELS) == list(FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_a_kernel_is_its_formula(name, tables):
    """With the paper's parameters, between two tables and of one with itself."""
    X, Z = tables
    kernel = find_kernel(name)
    assert_allclose(kernel(X, Z), by_pairs(X, Z, FORMULAS[name]), rtol=1e-12)
    assert_allclose(kernel(X), by_pairs(X, X, FORMULAS[name]), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_kernel_takes_its_parameters(name, tables):
    """Parameters given by name change the formula as the table says."""
    parameters, formula = PARAMETERS[name]
    X, Z = tables
    assert_allclose(find_kernel(name, **parameters)(X, Z), by_pairs(X, Z, formula), rtol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_matrix_has_no_negative_eigenvalue(name, tables):
    """All nine satisfy Mercer's condition, duplicates among the rows included."""
    X = np.vstack([*tables, tables[0][:2]])
    values = np.linalg.eigvalsh(KERNELS[name](X))
    assert values[0] > -1e-10 * values[-1]


def test_distances_keep_their_digits_far_from_the_origin(tables):
    """Moving all rows by a million changes distances only by the rounding of the rows."""
    X, Z = tables
    shift = 2.0**20
    exact = by_pairs(X + shift - shift, Z + shift - shift, lambda dot, d2: d2)
    assert_allclose(squared_distances(X + shift, Z + shift), exact, rtol=1e-9)


def test_a_row_is_at_no_distance_from_itself(tables):
    """The diagonal is exactly zero, and no distance is negative."""
    distances = squared_distances(np.vstack([tables[0], tables[0]]) * 1e5)
    assert (distances.diagonal() == 0).all() and (distances >= 0).all()


def test_an_unknown_kernel_is_refused_and_a_function_is_taken(tables):
    """A name must be known; a function is a kernel."""
    with pytest.raises(ValueError, match=r"kernel must be one of linear, .* got 'rbf'"):
        find_kernel("rbf")
    assert find_kernel(np.dot) is np.dot


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_tanimoto_counts_what_is_set_in_both(kind):
    """Of bits: the share of those set in either row that are set in both.

    Of other numbers the formula, dense or sparse.
    """
    rng = np.random.default_rng(0)
    X, Z = (rng.random((5, 9)) < 0.4).astype(float), (rng.random((4, 9)) < 0.4).astype(float)
    X[0] = 0
    shares = [[np.sum((x > 0) & (z > 0)) / max(1, np.sum((x > 0) | (z > 0))) for z in Z] for x in X]
    assert_allclose(tanimoto(kind(X), kind(Z)), shares, rtol=1e-12)
    counts = rng.poisson(1.0, (4, 6)) + 1
    assert_allclose(
        tanimoto(kind(counts)),
        by_pairs(counts, counts, lambda dot, d2: dot / (d2 + dot)),
        rtol=1e-12,
    )
