"""FSV and the convex scaling factors: linear programmes with known values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import FSV, convex_scaling
from subsel.embedded.planes.fsv import weighted_l1_machine


@parametrize_with_checks([FSV(max_iter=3)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def example():
    """Twenty normal inputs, the class being that of the first less the second, with a gap."""
    X = np.random.default_rng(3).normal(size=(60, 20))
    X = X[np.abs(X[:, 0] - X[:, 1]) > 0.4]
    return X, np.sign(X[:, 0] - X[:, 1])


def test_two_inputs_where_the_l1_machine_keeps_more():
    """On the worked example exactly two inputs are left, while the first programme, the L1
    machine, keeps many.
    """
    X, y = example()
    model = FSV(penalty=1.0).fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 1]
    assert model.score(X, y) == 1
    assert FSV(penalty=1.0, max_iter=1).fit(X, y).support_.sum() >= 8


def test_values_of_the_worked_example():
    """On the table as it is the objective goes 5.37, 2.00, the values worked out when the method
    was specified.
    """
    X, y = example()
    model = FSV(penalty=1.0)
    model._minimise(X, y)
    assert_allclose(model.objectives_[:2], [5.37, 2.00], atol=0.006)


@pytest.mark.parametrize("penalty", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("a", [1.0, 5.0, 20.0])
def test_the_objective_never_rises(penalty, a):
    """Whatever the penalty and the steepness, each programme lowers the objective."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    y = X[:, 0] - X[:, 3] + rng.normal(size=80) > 0
    objectives = FSV(penalty, a=a).fit(X, y).objectives_
    assert (np.diff(objectives) < 0).all()


def test_the_first_programme_is_the_l1_machine():
    """From no weights at all the costs are equal: the machine of L1 penalty, solved another way."""
    X, y = example()
    plane = weighted_l1_machine(X, y, np.ones(20))
    n, p = X.shape
    eye, none = np.eye(p), np.zeros((p, 1))
    margins = [-y[:, None] * X, np.zeros((n, p)), -y[:, None]]
    rows = np.block([margins, [eye, -eye, none], [-eye, -eye, none]])
    costs = np.r_[np.zeros(p), np.ones(p), 0.0]
    same = linprog(costs, A_ub=rows, b_ub=np.r_[-np.ones(n), np.zeros(2 * p)], bounds=(None, None))
    assert_allclose(np.abs(plane.weights).sum(), same.fun, rtol=1e-7)
    assert (y * (X @ plane.weights + plane.intercept)).min() >= 1 - 1e-7


def test_classes_that_overlap_need_slack():
    """Without slack the message says what to do; with it the mean slack is that of the plane."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.5, -1.0, 1.0)
    with pytest.raises(ValueError, match="penalty below 1"):
        FSV(penalty=1.0).fit(X, y)
    plane = weighted_l1_machine(X, y, np.full(3, 0.1), 0.9)
    slack = np.maximum(0, 1 - y * (X @ plane.weights + plane.intercept)).mean()
    assert_allclose(plane.slack, slack, atol=1e-8)


def test_a_heavy_penalty_keeps_one_column_and_no_weight():
    """Where no weight pays the plane is constant, and a selector still keeps a column."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), np.arange(40) < 25
    model = FSV(0.99).fit(X, y)
    assert_array_equal(model.weights_, 0)
    assert model.support_.tolist() == [True, False, False, False]
    assert model.predict(X).all()


def test_sparse_duplicates_and_constants():
    """A sparse table is the dense one; constants have no weight; of duplicates the sum counts."""
    X, y = example()
    X = np.column_stack([X, np.full(len(X), 3.0), X[:, 0]])
    model = FSV(penalty=1.0).fit(X, y)
    assert model.weights_[20] == 0
    assert model.support_.sum() == 2
    assert_allclose(
        FSV(penalty=1.0).fit(sparse.csr_array(X), y).decision_function(X),
        model.decision_function(X),
    )


def worked():
    """Thirty rows of eight normal inputs, standardised, pushed apart along the first,
    standardised again.
    """
    X = np.random.default_rng(1).normal(size=(30, 8))
    y = np.sign(X[:, 0] + 0.5 * X[:, 1])
    X = StandardScaler().fit_transform(X)
    X[:, 0] += 0.3 * y
    return StandardScaler().fit_transform(X), y


def test_convex_scaling_is_the_l1_machine():
    """Squared scales are the shares of the L1 machine's weights.

    Its norm and the value of the scaled machine are known.
    """
    X, y = worked()
    scales, plane = convex_scaling(X, y), weighted_l1_machine(X, y, np.ones(8))
    length = np.abs(plane.weights).sum()
    assert_allclose(length, 3.33978, rtol=1e-5)
    assert_allclose(scales, np.abs(plane.weights) / length, atol=1e-7)
    assert_allclose(_dual_value(X * np.sqrt(scales), y), length**2 / 2, rtol=1e-4)
    assert_allclose(_dual_value(X * np.sqrt(scales), y), 5.57705, rtol=1e-4)
    assert_allclose(_dual_value(X * np.sqrt(1 / 8), y), 18.18, rtol=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_scales_have_a_wider_margin(seed):
    """Random scales on the simplex never give the machine a smaller dual value."""
    X, y = worked()
    rng, best = np.random.default_rng(seed), _dual_value(X * np.sqrt(convex_scaling(X, y)), y)
    for _ in range(10):
        near = 0.9 * convex_scaling(X, y) + 0.1 * rng.dirichlet(np.ones(8))
        assert _dual_value(X * np.sqrt(near), y) >= best - 1e-6


def test_bounded_multipliers_let_classes_overlap():
    """Classes that no plane separates need a bound; under a low one no input pays."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 1] + rng.normal(size=60) > 0
    with pytest.raises(ValueError, match="C below infinity"):
        convex_scaling(X, y)
    scales = convex_scaling(X, y, C=1.0)
    assert scales.sum() == pytest.approx(1)
    assert scales.argmax() == 1
    assert_array_equal(convex_scaling(X, y, C=1e-3), 0)


def _dual_value(X, y):
    """Half the squared length of the weights of the hard-margin machine."""
    weights = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, y).coef_[0]
    return weights @ weights / 2
