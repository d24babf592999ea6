"""The committee of least-squares machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons
from sklearn.kernel_ridge import KernelRidge
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.learners import RLSCCommittee


@parametrize_with_checks([RLSCCommittee(n_members=3, share=0.8, width=1.0, random_state=0)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_one_member_with_all_rows_is_kernel_ridge():
    """Its outputs are those of kernel ridge on labels -1 and 1 with the ridge times the number of rows."""
    X, y = make_moons(60, noise=0.2, random_state=1)
    model = RLSCCommittee(1, share=1.0, width=0.3, gamma=0.01, random_state=0).fit(X, y)
    ridge = KernelRidge(kernel="rbf", gamma=1 / (2 * model.variance_), alpha=60 * 0.01).fit(X, 2 * y - 1)
    assert_allclose(model.decision_function(X), ridge.predict(X), rtol=1e-8, atol=1e-10)


def test_members_vote_and_are_trained_on_their_share():
    """Every machine equals kernel ridge on its rows, and the decision has the sign of the majority."""
    X, y = make_moons(50, noise=0.3, random_state=2)
    model = RLSCCommittee(7, share=0.6, width=0.2, gamma=0.001, random_state=3).fit(X, y)
    outputs = []
    for weights in model.dual_coef_:
        rows = np.flatnonzero(weights)
        assert len(rows) == 30
        ridge = KernelRidge(kernel="rbf", gamma=1 / (2 * model.variance_), alpha=30 * 0.001)
        outputs.append(ridge.fit(X[rows], 2 * y[rows] - 1).predict(X))
    majority = np.sign(np.sign(outputs).sum(axis=0))
    assert (model.predict(X) == (majority > 0)).all()


def test_standardised_columns_have_twice_their_number_as_mean_squared_distance():
    """As the chapter checks its width."""
    X = np.random.default_rng(0).normal(size=(400, 19))
    model = RLSCCommittee(1, width=1.0, random_state=0).fit(X, X[:, 0] > 0)
    assert model.variance_ == pytest.approx(38, rel=0.1)
