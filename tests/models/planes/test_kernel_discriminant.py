"""Kernel discriminant analysis.

It is compared with a dense eigenvalue solution, LDA and the support vector machine of scikit-learn.
"""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.models.covariance import stabilised_covariance
from subsel.models.kernels import KERNELS, find_kernel
from subsel.models.planes.kernel_discriminant import KernelDiscriminant, votes, within_covariance


@parametrize_with_checks(
    [
        KernelDiscriminant(),
        KernelDiscriminant("linear", form="support-vector", decomposition="one-against-one"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Both forms and both decompositions pass scikit-learn's checks."""
    check(estimator)


def two_clouds(n=(25, 12), p=4, seed=0):
    rng = np.random.default_rng(seed)
    shift = np.linspace(0.2, 1.5, p)
    X = np.vstack([rng.normal(size=(n[0], p)), rng.normal(size=(n[1], p)) * 1.5 + shift])
    return X, np.repeat([0, 1], n)


def scatter_matrices(K, y):
    """Between and within covariance of the rows of K, by their definitions (equations 3 and 4)."""
    means = [K[y == k].mean(axis=0) for k in (0, 1)]
    within = sum(np.outer(row - means[k], row - means[k]) for row, k in zip(K, y)) / len(K)
    return np.outer(means[1] - means[0], means[1] - means[0]), within


@pytest.mark.parametrize("name", KERNELS)
def test_fisher_direction_is_the_top_generalised_eigenvector(name):
    """The direction solves S_B a = l S_W* a for the largest l, whatever the kernel."""
    X, y = two_clouds()
    model = KernelDiscriminant(name).fit(X, y)
    between, within = scatter_matrices(find_kernel(name)(X), y)
    assert_allclose(
        within_covariance(find_kernel(name)(X), y), within, atol=1e-12 * np.abs(within).max()
    )
    _, vectors = eigh(between, stabilised_covariance(within, len(X)).matrix())
    top, found = vectors[:, -1], model.weights_[:, 0]
    cosine = abs(top @ found) / np.linalg.norm(top) / np.linalg.norm(found)
    assert_allclose(cosine, 1, atol=1e-9)


def test_threshold_lies_midway_between_the_projected_centroids():
    """The mean value of f over one class is the opposite of that over the other."""
    X, y = two_clouds()
    f = KernelDiscriminant("laplace").fit(X, y).decision_function(X)
    assert_allclose(f[y == 0].mean(), -f[y == 1].mean())
    assert f[y == 1].mean() > 0


@pytest.mark.parametrize("sizes", [(20, 20), (30, 11)])
def test_linear_kernel_with_empirical_covariance_is_linear_discriminant_analysis(sizes):
    """f is scikit-learn's log ratio up to the priors.

    With equal classes all predictions agree.
    """
    X, y = two_clouds(sizes)
    new = two_clouds(seed=1)[0]
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    ours = KernelDiscriminant("linear", covariance="empirical").fit(X, y)
    priors = np.log(sizes[1] / sizes[0])
    assert_allclose(
        ours.decision_function(new), lda.decision_function(new) - priors, rtol=1e-6, atol=1e-8
    )
    if sizes[0] == sizes[1]:
        assert_array_equal(ours.predict(new), lda.predict(new))


def test_pairs_of_classes_with_a_linear_kernel_vote_like_pairs_of_linear_discriminants():
    """Iris, one against one: the majority of three discriminant analyses of pairs."""
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    ours = KernelDiscriminant(
        "linear", covariance="empirical", decomposition="one-against-one"
    ).fit(X, y)
    won = np.zeros((len(X), 3))
    for i, j in combinations(range(3), 2):
        pair = np.isin(y, (i, j))
        lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X[pair], y[pair])
        np.add.at(won, (np.arange(len(X)), lda.predict(X)), 1)
    clear = won.max(axis=1) == 2
    assert clear.sum() > 140
    assert_array_equal(ours.predict(X)[clear], won.argmax(axis=1)[clear])


@pytest.mark.parametrize("form", ["fisher", "support-vector"])
def test_one_against_all_is_a_model_per_class(form):
    """Each column of the decision is that of a two-class model of a class against the rest."""
    X, y = load_wine(return_X_y=True)
    X = scale(X)[::3]
    y = y[::3]
    values = KernelDiscriminant("exponential", form=form).fit(X, y).decision_function(X)
    for k in range(3):
        binary = KernelDiscriminant("exponential", form=form).fit(X, y == k)
        assert_allclose(values[:, k], binary.decision_function(X), atol=1e-9)
    assert_array_equal(
        KernelDiscriminant("exponential", form=form).fit(X, y).predict(X), values.argmax(axis=1)
    )


def test_support_vector_form_is_the_support_vector_machine_of_the_kernel():
    """f equals scikit-learn's, and only its support vectors are kept."""
    X, y = two_clouds()
    new = two_clouds(seed=3)[0]
    ours = KernelDiscriminant("cauchy", form="support-vector", C=2.0).fit(X, y)
    theirs = SVC(kernel=find_kernel("cauchy"), C=2.0).fit(X, y)
    assert_allclose(ours.decision_function(new), theirs.decision_function(new), atol=1e-9)
    assert_array_equal(ours.support_, np.sort(theirs.support_))
    assert len(ours.X_fit_) < len(X)


def test_votes_are_whole_numbers_but_for_a_fraction_that_breaks_ties():
    """In a circle of three wins the larger sum of f decides; a majority is never overturned."""
    circle = votes(np.array([[-1.0, 2.0, -4.0]]), 3)[
        0
    ]  # 0 beats 1 by 1, 2 beats 0 by 2, 1 beats 2 by 4
    assert_array_equal(np.round(circle), [1, 1, 1])
    assert circle.argmax() == 1
    assert votes(np.array([[-0.1, -0.1, 1e9]]), 3)[0].argmax() == 0


def test_duplicated_rows_constant_columns_and_more_columns_than_rows():
    """Singular kernel matrices are no trouble.

    Predictions on separable training rows are right and finite.
    """
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(size=(5, 30)), rng.normal(size=(5, 30)) + 3])
    X[:, 0] = 7.0
    X, y = np.vstack([X, X]), np.tile(np.repeat(["a", "b"], 5), 2)
    for kernel in KERNELS:
        model = KernelDiscriminant(kernel).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        if kernel != "homogeneous":  # blind to signs
            assert_array_equal(model.predict(X), y)


def test_one_row_per_class_is_told_apart():
    """Without any variance within classes the nearer centroid wins."""
    model = KernelDiscriminant("laplace").fit([[0.0], [4.0]], [0, 1])
    assert_array_equal(model.predict([[1.0], [3.0]]), [0, 1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"form": "ridge"},
        {"decomposition": "ecoc"},
        {"covariance": "oracle"},
        {"C": 0.0},
        {"kernel": "rbf"},
    ],
)
def test_wrong_parameters_are_named(wrong):
    """A bad value is refused with the name of its parameter."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        KernelDiscriminant(**wrong).fit([[0.0], [1.0]], [0, 1])


def test_rank_and_weight_of_the_identity_reach_the_covariance():
    """All eigenvectors are no reduction.

    Fewer, or a smaller m, give other weights, those of that covariance.
    """
    X, y = two_clouds()

    def weights(**options):
        return KernelDiscriminant("cauchy", **options).fit(X, y).weights_[:, 0]

    assert_allclose(weights(rank=len(X)), weights())
    K = find_kernel("cauchy")(X)
    gap = K[y == 1].mean(axis=0) - K[y == 0].mean(axis=0)
    for options in ({"rank": 5}, {"m": 0.5}):
        expected = stabilised_covariance(within_covariance(K, y), len(X), **options).solve(gap)
        assert_allclose(weights(**options), expected)
        assert not np.allclose(weights(**options), weights())
