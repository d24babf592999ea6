"""Multiplicative updates: closed forms, fixed points, known answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import hadamard
from scipy.optimize import approx_fprime
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import AROMClassifier, AROMRegressor
from subsel.embedded.svm.scaled_kernels import ScaledKernel
from tests.real_tables import real_table

MADELON = {
    28,
    48,
    64,
    105,
    128,
    153,
    241,
    281,
    318,
    336,
    338,
    378,
    433,
    442,
    451,
    453,
    455,
    472,
    475,
    493,
}


@parametrize_with_checks(
    [
        AROMClassifier(max_iter=3),
        AROMRegressor(max_iter=3),
        AROMClassifier(kernel="rbf", max_iter=2),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_orthogonal_columns_have_a_closed_form(C):
    """On orthogonal standardised columns every scale is the larger root of its own quadratic, or
    0.
    """
    X = hadamard(16)[:, 1:].astype(float)
    c = np.random.default_rng(0).normal(size=15)
    model = AROMRegressor(C=C, max_iter=10_000).fit(X, X @ c + 3.0)
    discriminant = c**2 - 4 / (16 * C)
    root = (np.abs(c) + np.sqrt(np.maximum(discriminant, 0))) / 2
    other = (
        np.abs(c) - root
    )  # from 1 the scale falls past this one, and to 0, only where it begins under it
    expected = np.where((discriminant >= 0) & (other < 1), root, 0.0)
    assert_allclose(model.scales_, expected, atol=1e-4)
    assert_array_equal(model.support_, expected > 0)
    kept = model.support_
    assert_allclose(
        model.predict(X), Ridge(1 / C).fit(X[:, kept], X @ c + 3.0).predict(X[:, kept]), rtol=1e-8
    )


def example():
    """Twenty normal inputs, the class being that of the first less the second, with a gap."""
    X = np.random.default_rng(3).normal(size=(60, 20))
    X = X[np.abs(X[:, 0] - X[:, 1]) > 0.4]
    return X, np.sign(X[:, 0] - X[:, 1])


def test_two_inputs_of_twenty_are_found():
    """Exactly the two inputs that make the class are left, in a few updates, and the machine on
    them errs nowhere.
    """
    X, y = example()
    model = AROMClassifier(C=1e6).fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 1]
    assert model.n_iter_ < 25
    assert model.score(X, y) == 1


def test_weights_are_one_where_the_scales_have_settled():
    """At the fixed point another update multiplies every scale that is left by 1."""
    X, y = example()
    model = AROMClassifier(C=1e6).fit(X, y)
    kept = model.support_
    Z = StandardScaler().fit_transform(X)[:, kept]
    assert_allclose(model._sizes(Z, model.scales_[kept], y, 20), 1.0, rtol=1e-4)


def test_the_sum_of_logarithms_falls():
    """From the second on, every update of a linear hard-margin machine lowers the sum of the
    logarithms of the scales.
    """
    X, y = example()
    Z, scales, falls = StandardScaler().fit_transform(X), np.ones(20), []
    for _ in range(6):
        sizes = AROMClassifier(C=1e8)._sizes(Z, scales, y, 20)
        falls.append(np.log(sizes).sum())
        scales = scales * sizes
    assert max(falls[1:]) <= 1e-6
    assert falls[1] < -1


@pytest.mark.parametrize("n_features", [1, 3, 8])
def test_as_many_as_wanted_are_kept(n_features):
    """The updates end in time for the number that was asked for."""
    X, y = example()
    model = AROMClassifier(n_features).fit(X, y)
    assert model.support_.sum() == n_features
    assert_array_equal(np.flatnonzero(model.support_), np.sort(model.ranking_[:n_features]))


def test_duplicates_constants_and_sparse_tables():
    """A constant column vanishes at once, a duplicate changes nothing about the others, a sparse
    table is the dense one.
    """
    X, y = example()
    X = np.column_stack([X, np.full(len(X), 7.0), X[:, 0]])
    model = AROMClassifier(C=1e4).fit(X, y)
    assert model.scales_[20] == 0
    assert_allclose(model.scales_[0], model.scales_[21], rtol=1e-4)
    thin = AROMClassifier(C=1e4).fit(sparse.csr_array(X), y)
    assert_allclose(thin.scales_, model.scales_)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), model.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_slopes_equal_finite_differences(kernel):
    """Sums of the derivatives of the kernel by its squared scales are those of finite
    differences.
    """
    rng = np.random.default_rng(0)
    X, theta = rng.normal(size=(7, 4)), rng.uniform(0.2, 2, 4)
    M = rng.normal(size=(7, 7))
    M += M.T
    k = ScaledKernel(kernel, 0.3)
    expected = approx_fprime(theta, lambda t: float((M * k(X, t)).sum()), 1e-7)
    assert_allclose(k.slopes(X, theta, M), expected, rtol=1e-5, atol=1e-5)


def test_kernels_find_what_lines_cannot():
    """A Gaussian machine keeps the two inputs of a circle among ten, with the predictions of
    kernel ridge on them.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10))
    y = X[:, 2] ** 2 + X[:, 5] ** 2 > 1.4
    model = AROMClassifier(2, kernel="rbf").fit(X, y)
    assert model.get_support(indices=True).tolist() == [2, 5]
    radius = X[:, 2] ** 2 + X[:, 5] ** 2
    ridge = AROMRegressor(2, kernel="rbf", gamma=0.2).fit(X, radius)
    assert ridge.get_support(indices=True).tolist() == [2, 5]
    Z = StandardScaler().fit_transform(X)[:, [2, 5]]
    same = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.2).fit(Z, radius - radius.mean()).predict(Z)
    assert_allclose(ridge.predict(X), same + radius.mean(), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_sizes_by_difference(kernel):
    """They are the change of the squared length of the weights without an input, the multipliers
    kept; linear: the weight.
    """
    X, y = example()
    model, scales = (
        AROMClassifier(kernel=kernel, sizes="difference"),
        np.linspace(0.5, 1.5, X.shape[1]),
    )
    Z, sign = StandardScaler().fit_transform(X), np.where(y == y[0], -1.0, 1.0)
    sizes, k = model._sizes(Z, scales, sign, X.shape[1]), model._kernel(X.shape[1])
    coef = model._dual(k(Z, scales**2), sign).coef
    for t in range(X.shape[1]):
        others = np.delete(np.arange(X.shape[1]), t)
        change = coef @ (k(Z, scales**2) - k(Z[:, others], scales[others] ** 2)) @ coef
        assert_allclose(sizes[t] ** 2, abs(change), rtol=1e-6, atol=1e-10)
    if kernel == "linear":
        assert_allclose(
            sizes, AROMClassifier()._sizes(Z, scales, sign, X.shape[1]), rtol=1e-6, atol=1e-9
        )


def test_differences_find_the_circle():
    """Two inputs of ten, with the sizes that the book prints."""
    X = np.random.default_rng(0).normal(size=(120, 10))
    model = AROMClassifier(2, kernel="rbf", sizes="difference").fit(
        X, X[:, 2] ** 2 + X[:, 5] ** 2 > 1.4
    )
    assert model.get_support(indices=True).tolist() == [2, 5]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_features", 0), ("n_features", 99), ("C", 0.0), ("kernel", "cosine"), ("sizes", "large")],
)
def test_what_cannot_be_is_refused(parameter, value):
    """The message names the parameter."""
    X, y = example()
    with pytest.raises(ValueError, match=parameter):
        AROMClassifier(**{parameter: value}).fit(X, y)


@pytest.mark.slow
def test_madelon():
    """Of the 32 inputs of MADELON with the largest Fisher ratio the Gaussian machine keeps eight
    that matter, and errs little.
    """
    held = np.load(real_table("madelon.npz"))
    X, y, train = held["X"].astype(float), held["y"], held["split"] == 0
    first, second = X[train & (y > 0)], X[train & (y < 0)]
    ratio = (first.mean(axis=0) - second.mean(axis=0)) ** 2 / (
        first.var(axis=0) + second.var(axis=0)
    )
    top = np.sort(np.argsort(-ratio)[:32])
    model = AROMClassifier(8, kernel="rbf", C=1.0, gamma=0.1).fit(X[train][:, top], y[train])
    assert set(top[model.support_].tolist()) <= MADELON
    assert model.score(X[~train][:, top], y[~train]) > 0.8
