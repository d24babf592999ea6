"""Fisher's direction with few weights: on rows of a kernel matrix and on columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import SparseFisher
from subsel.models import KernelDiscriminant
from subsel.models.planes.sparse_fisher import sparse_fisher


@parametrize_with_checks([SparseFisher()])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def clouds(seed=0, n=30, p=4):
    """Two classes of different size and mean."""
    rng = np.random.default_rng(seed)
    positive = np.arange(n) % 3 == 0
    return rng.normal(size=(n, p)) + np.outer(positive, [1.5, -1.0, 0.7, 0.1][:p]), positive


@pytest.mark.parametrize("penalty", [0.02, 0.3, 0.7])
def test_it_is_the_programme_of_spread_and_weights(penalty):
    """Sequential quadratic programming of the definition gives the same weights.

    Its price is the one that corresponds to the penalty.
    """
    for seed in range(3):
        F, positive = clouds(seed)
        weights, intercept = sparse_fisher(F, positive, penalty)
        labels = np.where(positive, 1.0, -1.0)
        slack = F @ weights + intercept - labels
        assert_allclose([slack[positive].sum(), slack[~positive].sum()], 0, atol=1e-10)
        means = np.array([F[~positive].mean(axis=0), F[positive].mean(axis=0)])
        gap, within = means[1] - means[0], F - means[positive.astype(int)]
        S, share = within.T @ within / len(F), positive.mean() * (1 - positive.mean())
        r = 4 * penalty * share * np.abs(gap).max()
        used = np.flatnonzero(
            weights
        )  # S w g + (2 share g - 4 share) d + r sign(w) = 0 there, with g = <d, u>
        ends = (4 * share * gap - r * np.sign(weights))[used], (S @ weights + 2 * share * gap)[used]
        price = 2 * r / float(np.linalg.lstsq(ends[1][:, None], ends[0], rcond=None)[0][0])

        def cost(parts, S=S, price=price):
            w = parts[:4] - parts[4:]
            return w @ S @ w + price * parts.sum()

        held = {"type": "eq", "fun": lambda parts, gap=gap: gap @ (parts[:4] - parts[4:]) - 2}
        options = {"ftol": 1e-14, "maxiter": 500}
        found = minimize(
            cost, np.full(8, 0.5), bounds=[(0, None)] * 8, constraints=held, options=options
        ).x
        assert_allclose(found[:4] - found[4:], weights, atol=1e-4)


def test_without_a_price_it_is_fishers_direction():
    """With hardly any penalty the weights are proportional to those of LDA."""
    F, positive = clouds()
    peer = LinearDiscriminantAnalysis().fit(F, positive).coef_[0]
    weights, _ = sparse_fisher(F, positive, 1e-7)
    assert_allclose(weights / weights[0], peer / peer[0], rtol=1e-4)


def test_on_a_kernel_matrix_few_rows_have_a_weight():
    """Two moons are told apart by a few rows, fewer the larger the penalty.

    Without it all have a weight.
    """
    X, y = make_moons(60, noise=0.1, random_state=0)
    machines = [
        KernelDiscriminant(form="sparse-fisher", penalty=share).fit(X, y)
        for share in (0.02, 0.1, 0.5)
    ]
    sizes = [len(machine.support_) for machine in machines]
    assert sizes[0] > sizes[1] > sizes[2] and sizes[1] <= 20
    assert machines[1].score(X, y) > 0.8
    assert len(KernelDiscriminant().fit(X, y).support_) == 60


def test_columns_are_selected_and_the_means_stand_at_one():
    """Few of many columns are kept, and on the table as given the class means are at -1 and 1."""
    rng = np.random.default_rng(0)
    X = 3 + rng.normal(size=(80, 20)) * np.linspace(1, 5, 20)
    y = np.where(X[:, 4] - 3 > 0.3 * (X[:, 9] - 3), "yes", "no")
    found = SparseFisher(0.3).fit(X, y)
    assert (
        set(found.ranking_[:2]) == {4, 9}
        and found.support_[[4, 9]].all()
        and found.support_.sum() < 8
    )
    values = found.decision_function(X)
    assert_allclose([values[y == "no"].mean(), values[y == "yes"].mean()], [-1, 1])
    assert_array_equal(found.support_, found.coef_ != 0)


def test_classes_of_one_mean_have_no_direction():
    """Nothing is told apart, and nothing fails."""
    F = np.array([[1.0, 2.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 2.0]])
    weights, intercept = sparse_fisher(F, np.array([True, True, False, False]), 0.5)
    assert (weights == 0).all() and intercept == 0
    assert SparseFisher().fit(F, [1, 1, 0, 0]).support_.tolist() == [True, False]


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_wrong_arguments_are_named(penalty):
    """The penalty is a share."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="penalty must"):
        SparseFisher(penalty).fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="penalty must"):
        KernelDiscriminant(form="sparse-fisher", penalty=penalty).fit(X, y)
