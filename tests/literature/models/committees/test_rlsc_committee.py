"""The committee of least-squares machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import make_moons
from sklearn.kernel_ridge import KernelRidge
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import RLSCCommittee


@parametrize_with_checks([RLSCCommittee(n_members=3, share=0.8, width=1.0, random_state=0)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_one_member_with_all_rows_is_kernel_ridge():
    """The outputs are those of kernel ridge with the ridge times the number of rows.

    The labels are -1 and 1.
    """
    X, y = make_moons(60, noise=0.2, random_state=1)
    model = RLSCCommittee(1, share=1.0, width=0.3, gamma=0.01, random_state=0).fit(X, y)
    ridge = KernelRidge(kernel="rbf", gamma=1 / (2 * model.variance_), alpha=60 * 0.01).fit(
        X, 2 * y - 1
    )
    assert_allclose(model.decision_function(X), ridge.predict(X), rtol=1e-8, atol=1e-10)


def test_members_vote_and_are_trained_on_their_share():
    """Every machine equals kernel ridge on its rows.

    The decision has the sign of the majority.
    """
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


def test_every_member_may_have_its_own_width():
    """With a pair of widths each machine is kernel ridge of its own width, between the two."""
    X, y = make_moons(40, noise=0.3, random_state=2)
    model = RLSCCommittee(5, share=0.6, width=(0.05, 0.8), gamma=0.001, random_state=3).fit(X, y)
    narrow = RLSCCommittee(5, width=0.05, random_state=3).fit(X, y).variance_
    assert len(set(model.variance_)) == 5
    assert (model.variance_ >= narrow).all() and (
        model.variance_ <= 16 * narrow * (1 + 1e-12)
    ).all()
    outputs = []
    for weights, variance in zip(model.dual_coef_, model.variance_):
        rows = np.flatnonzero(weights)
        ridge = KernelRidge(kernel="rbf", gamma=1 / (2 * variance), alpha=24 * 0.001)
        outputs.append(ridge.fit(X[rows], 2 * y[rows] - 1).predict(X))
    assert_allclose(np.sign(model.decision_function(X)), np.sign(np.sign(outputs).sum(axis=0)))


def test_members_are_weighed_by_rows_they_have_not_seen():
    """The decision is that of partial least squares on out-of-bag outputs.

    Members are refitted for the comparison; bad members have small weights.
    """
    X, y = make_moons(80, noise=0.2, random_state=4)
    model = RLSCCommittee(
        12, 0.5, width=(1e-4, 1.0), gamma=0.001, random_state=0, weights="out-of-bag"
    ).fit(X, y)
    outputs, outside = [], []
    for weights, variance in zip(model.dual_coef_, model.variance_):
        rows = np.flatnonzero(weights)
        ridge = KernelRidge(kernel="rbf", gamma=1 / (2 * variance), alpha=40 * 0.001)
        outputs.append(ridge.fit(X[rows], 2 * y[rows] - 1).predict(X))
        outside.append(~np.isin(np.arange(80), rows))
    outputs, outside = np.array(outputs).T, np.array(outside).T
    table = np.where(outside, outputs, np.nan)
    table = np.where(outside, table, np.nanmean(table, axis=1, keepdims=True))
    peer = PLSRegression(1, scale=False).fit(table, 2 * y - 1)
    assert_allclose(model.decision_function(X), np.ravel(peer.predict(outputs)), atol=1e-6)
    narrow = model.variance_ < np.median(model.variance_)
    assert (
        np.abs(model.member_weights_[narrow]).sum() < np.abs(model.member_weights_[~narrow]).sum()
    )


def test_wrong_arguments_are_named():
    """Shares, widths and ways to weigh that make no sense are refused by name."""
    X, y = make_moons(20, random_state=0)
    for options, match in (
        ({"share": 0}, "share"),
        ({"width": (0.0, 1.0)}, "width"),
        ({"weights": "x"}, "weights"),
    ):
        with pytest.raises(ValueError, match=match):
            RLSCCommittee(3, **options).fit(X, y)
    with pytest.raises(ValueError, match="share must leave rows"):
        RLSCCommittee(3, share=1.0, weights="out-of-bag").fit(X, y)
