"""Machines that look at unlabelled rows, and the soft margins with slack on the diagonal."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC, NuSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import SelfTraining
from subsel.models import KernelDiscriminant, TransductiveSVM
from subsel.models.kernels import find_kernel
from subsel.models.planes.transductive_svm import _train


@parametrize_with_checks([SelfTraining(), TransductiveSVM()])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes, where no unlabelled rows are given."""
    check(estimator)


def clusters(seed, n_labelled=4, n_unlabelled=40):
    """Two clouds along one column, labelled rows anywhere in them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_labelled + n_unlabelled) % 2
    X = np.column_stack(
        [2.5 * (2 * y - 1) + 0.5 * rng.normal(size=len(y)), 5 * rng.normal(size=len(y))]
    )
    return X[:n_labelled], y[:n_labelled], X[n_labelled:], y[n_labelled:]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_exchanges_never_raise_the_objective(kernel):
    """At every price of unlabelled slack each exchange lowers the objective.

    The number of positives stays.
    """
    n_exchanges = 0
    for seed in range(8):
        X, y, other, _ = clusters(seed, 2)
        model = TransductiveSVM(kernel=kernel, gamma=0.01).fit(X, y, unlabelled=other)
        assert all(np.all(np.diff(level) < 0) for level in model.objectives_)
        assert np.count_nonzero(model.labels_ == 1) == len(other) // 2
        n_exchanges += sum(map(len, model.objectives_)) - len(model.objectives_)
    assert n_exchanges > 0


def test_labels_stay_near_the_best_of_all_labelings():
    """The objective is never under the least over all balanced labelings, and mostly reaches it."""
    reached = 0
    for seed in range(4):
        X, y, other, _ = clusters(seed, 4, 8)
        rows = np.vstack([X, other])
        K, prices = rows @ rows.T, np.full(len(rows), 1.0)
        least = np.inf
        for positive in combinations(range(8), 4):
            sign = np.append(2.0 * y - 1, -np.ones(8))
            sign[4 + np.array(positive)] = 1
            least = min(least, _train(K, sign, prices).objective)
        found = TransductiveSVM(1.0, 1.0).fit(X, y, unlabelled=other).objectives_[-1][-1]
        assert found >= least - 1e-6
        reached += found <= least + 1e-3
    assert reached >= 2


def test_no_price_is_the_machine_of_the_labelled_rows():
    """Without unlabelled rows, or where they cost nothing, the decision is scikit-learn's."""
    X, y, other, _ = clusters(2, 20)
    peer = SVC(kernel="rbf", gamma=0.2, tol=1e-5).fit(X, y).decision_function(other)
    for given in ({}, {"unlabelled": other}):
        model = TransductiveSVM(1.0, 0.0, kernel="rbf", gamma=0.2).fit(X, y, **given)
        assert_allclose(model.decision_function(other), peer, atol=1e-4)


def test_a_price_of_positives_is_a_class_weight():
    """Without unlabelled rows it is scikit-learn's machine with that weight on the second class."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 5 == 0
    X[y] += 0.8
    ours = TransductiveSVM(0.5, 0.0, positive_price=4.0).fit(X, y)
    peer = SVC(C=0.5, kernel="linear", class_weight={True: 4.0, False: 1.0}, tol=1e-5).fit(X, y)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-3)
    with pytest.raises(ValueError, match="positive_price"):
        TransductiveSVM(positive_price=0.0).fit(X, y)


def test_unlabelled_rows_help_where_classes_are_clouds():
    """The gap between the clouds is found from two labels, better than by a machine of those."""
    gains = []
    for seed in range(10):
        X, y, other, truth = clusters(seed, 2)
        transductive = TransductiveSVM(1.0, 1.0).fit(X, y, unlabelled=other)
        gains.append(
            (transductive.labels_ == truth).mean()
            - SVC(kernel="linear").fit(X, y).score(other, truth)
        )
    assert np.mean(gains) > 0.05


def test_self_training_by_hand():
    """Rows join in the order of their distance to the boundary, at their current classes."""
    X, y, other, _ = clusters(3, 10, 20)
    model = SelfTraining(
        SVC(kernel="linear"), n_rounds=3, share=0.2, share_of="all", balance=True
    ).fit(X, y, unlabelled=other)
    rows, codes, left = X, y, np.arange(20)

    def fit():
        class_weight = {0: (codes == 1).sum() / (codes == 0).sum(), 1: 1}
        return SVC(kernel="linear", class_weight=class_weight).fit(rows, codes)

    given = np.full(20, None)
    for _ in range(3):
        decision = fit().decision_function(other[left])
        surest = np.argsort(-np.abs(decision), kind="stable")[:4]
        given[left[surest]] = (decision[surest] > 0).astype(int)
        rows, codes = (
            np.vstack([rows, other[left[surest]]]),
            np.append(codes, decision[surest] > 0).astype(int),
        )
        left = np.setdiff1d(left, left[surest])
    assert_array_equal(model.labels_, given)
    assert_allclose(model.decision_function(other), fit().decision_function(other), atol=1e-2)


def test_squared_slack_is_a_diagonal():
    """The L2 soft margin equals scikit-learn's machine on K + I / (2C).

    It also solves its own primal problem.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X[:60, :4]), y[:60]
    model = KernelDiscriminant("linear", form="support-vector", slack="squared", C=0.7).fit(X, y)
    K = find_kernel("linear")(X)
    peer = SVC(C=1e10, kernel="precomputed").fit(K + np.eye(60) / 1.4, y)
    weights = np.zeros(60)
    weights[peer.support_] = peer.dual_coef_[0]
    assert_allclose(model.decision_function(X), K @ weights + peer.intercept_, atol=2e-3)
    sign = 2.0 * y - 1

    def primal(v):
        return v[:4] @ v[:4] / 2 + 0.7 * (np.maximum(0, 1 - sign * (X @ v[:4] + v[4])) ** 2).sum()

    best = minimize(primal, np.zeros(5), method="BFGS").x
    assert_allclose(model.decision_function(X), X @ best[:4] + best[4], atol=5e-3)


def test_class_shares_on_the_diagonal_price_the_small_class():
    """The margin solves squared slack at half over the share of the class.

    The smaller class therefore costs more.
    """
    rng = np.random.default_rng(0)
    y = np.arange(60) < 12
    X = rng.normal(size=(60, 2)) + 0.8 * y[:, None]
    model = KernelDiscriminant("linear", form="support-vector", slack="class-share").fit(X, y)
    sign, share = np.where(y, 1.0, -1.0), np.where(y, y.mean(), 1 - y.mean())

    def primal(v):
        slack = np.maximum(0, 1 - sign * (X @ v[:2] + v[2]))
        return v[:2] @ v[:2] / 2 + (slack**2 / share).sum() / 2

    best = minimize(primal, np.zeros(3), method="BFGS").x
    assert_allclose(model.decision_function(X), X @ best[:2] + best[2], atol=5e-3)


def test_support_vector_machines_keep_their_conditions():
    """What we use of scikit-learn's machines holds.

    Complementary slackness, weights of the dual, the share nu bounds.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X, sign = scale(X[:100]), 2.0 * y[:100] - 1
    machine = SVC(C=0.3, kernel="linear", tol=1e-8).fit(X, sign)
    alpha = np.zeros(100)
    alpha[machine.support_] = sign[machine.support_] * machine.dual_coef_[0]
    margin = sign * machine.decision_function(X)
    assert_allclose((alpha * sign) @ X, machine.coef_[0], atol=1e-10)
    assert abs(alpha @ sign) < 1e-9 and alpha.min() >= 0 and alpha.max() <= 0.3 + 1e-12
    assert_allclose(margin[(alpha > 1e-9) & (alpha < 0.3 - 1e-9)], 1.0, atol=1e-6)
    assert margin[alpha <= 1e-9].min() > 1 - 1e-6 and margin[alpha >= 0.3 - 1e-9].max() < 1 + 1e-6
    nu = NuSVC(nu=0.2, kernel="linear").fit(X, sign)
    assert len(nu.support_) >= 0.2 * 100
