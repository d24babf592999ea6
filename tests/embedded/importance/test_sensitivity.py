"""Sensitivities of the output, and the eliminations that they drive."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.construct import KernelPLS, LatentFeatures
from subsel.embedded import (
    FewestSupportVectors,
    ForestHalving,
    ImportanceElimination,
    SensitivityPruning,
    derivative_sensitivity,
    output_sensitivity,
    range_sensitivity,
    sampled_sensitivity,
)

QUICK = [
    ImportanceElimination(LogisticRegression(), n_values=3, random_state=0),
    SensitivityPruning(n_models=2, random_state=0),
    FewestSupportVectors(),
    ForestHalving(
        RandomForestClassifier(3, random_state=0), cv=2, fewest=1, n_repeats=1, random_state=0
    ),
]


@parametrize_with_checks(QUICK)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def table(n=40, p=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def test_output_sensitivity_by_definition():
    """The double sum over rows and over the column's own values, for a model that is not linear."""
    X = table(25, 3)
    X[:, 1] = np.round(X[:, 1])
    model = SVR().fit(X, X[:, 0] * X[:, 1])
    here, expected = model.predict(X), np.zeros(3)
    for j in range(3):
        for k in range(25):
            moved = X.copy()
            moved[:, j] = X[k, j]
            expected[j] += np.abs(model.predict(moved) - here).sum() / 25**2
    assert_allclose(output_sensitivity(model, X), expected, rtol=1e-10)


def test_output_sensitivity_of_a_linear_model_is_ginis_mean_difference():
    """Times the weight; nothing for an unused input; as many slices as values change nothing."""
    X = table(30, 3)
    model = LinearRegression().fit(X, X @ [2.0, -1.0, 0.0])
    gini = np.abs(X[:, None] - X[None]).mean(axis=(0, 1))
    assert_allclose(output_sensitivity(model, X), gini * [2.0, 1.0, 0.0], atol=1e-10)
    assert_allclose(output_sensitivity(model, X, n_values=30), gini * [2.0, 1.0, 0.0], atol=1e-10)
    assert_allclose(
        output_sensitivity(model, X, n_values=6), gini * [2.0, 1.0, 0.0], rtol=0.15, atol=1e-10
    )


def test_the_sampled_form_lies_within_its_own_error():
    """Four standard errors; an unused input is exactly nothing."""
    X = table(60, 3)
    model = LinearRegression().fit(X, X @ [2.0, -1.0, 0.0])
    found, error = sampled_sensitivity(model, X, error=0.01, random_state=0)
    assert (np.abs(found - output_sensitivity(model, X)) <= 4 * error + 1e-9).all()
    assert error.max() <= 0.01 * found.max() and found[2] < 1e-9


@pytest.mark.parametrize("norm", [1, 2])
def test_derivatives_of_a_kernel_machine_equal_the_formula(norm):
    """The mean absolute or squared slope of sum_i a_i exp(-g |x - s_i|^2)."""
    X = table(30, 2)
    model = SVR(gamma=0.5).fit(X, np.sin(X[:, 0]))
    S, a = model.support_vectors_, model.dual_coef_[0]
    K = np.exp(-0.5 * ((X[:, None] - S[None]) ** 2).sum(axis=2))
    slopes = np.einsum("ij,j,ijp->ip", K, a, -(X[:, None] - S[None]))
    assert_allclose(
        derivative_sensitivity(model, X, norm=norm),
        (np.abs(slopes) ** norm).mean(axis=0),
        rtol=1e-5,
    )


def test_range_sensitivity_is_four_weights_and_blind_to_products():
    """Of a linear model over [-2, 2]; a product rests at nought."""
    X = table(200, 2)
    assert_allclose(range_sensitivity(LinearRegression().fit(X, X @ [1.0, -3.0]), 2), [4.0, 12.0])

    class Product:
        def predict(self, X):
            return X[:, 0] * X[:, 1]

    assert_allclose(range_sensitivity(Product(), 2), [0.0, 0.0])


@pytest.mark.parametrize(
    "model", [KernelPLS(3), KernelPLS(2, kernel="poly"), LatentFeatures(2), LinearRegression()]
)
@pytest.mark.parametrize("n", [1, 5, 700])
def test_range_sensitivity_is_a_loop_over_columns_and_values(model, n):
    """However many columns are moved at a time, and whether or not their rows are sparse.

    This includes a constant column.
    """
    X = table(40, n)
    X[:, n // 2] *= n == 1
    model = model.fit(X, X[:, 0] ** 2 + X[:, -1])
    output = getattr(model, "decision_function", getattr(model, "predict", None))
    expected = np.zeros(n)
    for j in range(n):
        found = [
            output(np.where(np.arange(n) == j, value, 0.0)[None])[0]
            for value in np.linspace(-2, 2, 7)
        ]
        expected[j] = max(found) - min(found)
    assert_allclose(range_sensitivity(model, n), expected, rtol=1e-9, atol=1e-12)


def test_a_reach_for_each_column_is_that_of_scaled_columns():
    """A model of centred columns, each moved by two standard deviations, moves as the one of
    standardised columns.
    """
    X = table(60, 4) * [1.0, 5.0, 0.1, 30.0]
    X -= X.mean(axis=0)
    y, spread = X @ [1.0, -1.0, 2.0, 0.5], X.std(axis=0)
    plain = range_sensitivity(LinearRegression().fit(X, y), 4, reach=2 * spread)
    assert_allclose(plain, range_sensitivity(LinearRegression().fit(X / spread, y), 4))
    assert_allclose(plain, 4 * spread * [1.0, 1.0, 2.0, 0.5])


def test_pruning_of_centred_columns_leaves_the_kernel_its_own_scale():
    """Two columns that tell by their large values are kept among small noise, whose scaling
    would drown them.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 30)) * np.where(np.arange(30) < 2, 100.0, 1.0) + 7.0
    y = np.where(np.hypot(X[:, 0], X[:, 1] - 80) < 100, 1, -1)
    kernel = KernelPLS(5, kernel_params={"gamma": 1 / (2 * 60.0**2)})
    found = SensitivityPruning(kernel, n_features=2, n_models=2, scale=False, random_state=0).fit(
        X, y
    )
    assert set(found.get_support(indices=True)) == {0, 1}


@pytest.mark.parametrize("nested", [False, True])
def test_an_importance_elimination_is_nested_and_takes_the_smallest_good_set(nested):
    """Sizes fall strictly, every set is part of the one before, and the rule holds.

    An unused input goes at once.
    """
    X = table(150, 6)
    X[:, 5] = 0.0
    found = ImportanceElimination(SVC(), nested=nested, random_state=1).fit(
        X, X[:, 0] + X[:, 3] > 0
    )
    sizes = [len(columns) for columns in found.path_]
    assert (np.diff(sizes) < 0).all() and 5 not in found.path_[1]
    assert all(set(b) <= set(a) for a, b in zip(found.path_, found.path_[1:]))
    good = [s for s, score in zip(sizes, found.scores_) if score >= 0.95 * max(found.scores_)]
    assert found.support_.sum() == min(good) and found.support_[0] and found.support_[3]
    if nested:
        order = np.argsort(found.importances_[0], kind="stable")
        assert [set(columns) for columns in found.path_[1:3]] == [set(order[1:]), set(order[2:])]


def test_an_importance_elimination_has_a_network_of_its_own_for_either_target():
    """Without an estimator a small network learns classes or a quantity."""
    X = table(120, 5)
    for y in (X[:, 0] + X[:, 3], X[:, 0] + X[:, 3] > 0):
        assert ImportanceElimination(random_state=0).fit(X, y).support_[[0, 3]].all()


def test_pruning_ends_at_a_size_or_by_the_random_column():
    """With a size it is kept; without, noise is dropped and what matters stays, ranked first."""
    X = table(200, 15, seed=3)
    y = X[:, 2] + X[:, 9] > 0
    sized = SensitivityPruning(n_features=4, random_state=0).fit(X, y)
    assert sized.support_.sum() == 4 and set(sized.ranking_[:2]) == {2, 9}
    gauged = SensitivityPruning(random_state=0).fit(X, y)
    assert gauged.support_[[2, 9]].all() and gauged.support_.sum() < 15
    assert sorted(gauged.ranking_) == list(range(15))


def test_fewest_support_vectors_on_rare_motifs():
    """Sparse bits of which four tell, few positives.

    Support vectors fall, few are chosen, the truth among them.
    """
    rng = np.random.default_rng(0)
    y = (np.arange(300) < 45).astype(int)
    X = (rng.random((300, 400)) < 0.02).astype(float)
    X[:, :4] = rng.random((300, 4)) < np.where(y[:, None] == 1, 0.8, 0.01)
    found = FewestSupportVectors().fit(X, y)
    assert min(found.n_support_vectors_) < found.n_support_vectors_[0] / 2
    assert found.support_.sum() <= 10 and found.support_[:4].sum() >= 2
    assert found.support_.sum() == min(
        len(s)
        for s, n in zip(found.path_, found.n_support_vectors_)
        if n == min(found.n_support_vectors_)
    )


def test_forest_halving_keeps_one_ranking():
    """Sizes are halves, the answer is a prefix of the ranking with the best score, and a product
    is found.
    """
    X = table(240, 16, seed=5)
    forest = RandomForestClassifier(60, random_state=0)
    found = ForestHalving(forest, fewest=2, random_state=0).fit(X, X[:, 4] * X[:, 11] > 0)
    assert found.sizes_ == [16, 8, 4, 2] and found.support_.sum() in found.sizes_
    assert set(found.get_support(indices=True)) == set(found.ranking_[: found.support_.sum()])
    assert set(found.ranking_[:2]) == {4, 11}
