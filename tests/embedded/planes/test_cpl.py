"""CPL against plain linear programmes, the paper's lemmas, and its own edges."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.data.task import Task
from subsel.embedded import CPLSelector, descending_sequence, separable
from subsel.models.planes.cpl_master import NotSeparable
from subsel.models.planes.cpl_program import Program
from subsel.models.planes.cpl_table import row_prices, scaled_columns, sides
from tests.real_tables import real_table


def plain(X, sign, price, cost, threshold_cost, lam):
    """The criterion as one linear programme in v+, v-, b+, b- and the violations.

    With lam None no violation is allowed.
    """
    m = len(X)
    A = sign[:, None] * np.hstack([X, np.ones((m, 1))])
    gamma = np.append(cost, threshold_cost)
    if lam is None:
        counts = price > 0
        c, A = np.r_[gamma, gamma], np.hstack([A, -A])[counts]
    else:
        c, A = np.r_[lam * gamma, lam * gamma, price], np.hstack([A, -A, np.eye(m)])
    tight = {
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
    }  # 1e-7 shows in the value
    result = linprog(
        c, A_ub=-A, b_ub=-np.ones(len(A)), bounds=(0, None), method="highs", options=tight
    )
    return result.fun if result.success else None


def phi(selector, X, sign, price, cost, threshold_cost, lam):
    """The criterion at the fitted plane, from its definition."""
    v, b = selector.coef_[0], selector.intercept_[0]
    hinge = np.maximum(0, 1 - sign * (X @ v + b))
    return price @ hinge + lam * (cost @ np.abs(v) + threshold_cost * abs(b))


def draw(seed, m=30, p=12, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, p)) * rng.uniform(0.3, 3, p) + rng.normal(size=p)
    signal = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std() - (X[:, -1] - X[:, -1].mean()) / X[
        :, -1
    ].std()
    return X, (signal + noise * rng.normal(size=m) > 0).astype(int), rng


@parametrize_with_checks([CPLSelector()])
def test_scikit_learn_checks(estimator, check):
    """The selector keeps scikit-learn's contract."""
    check(estimator)


@pytest.mark.parametrize("threshold_cost", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("shape", [(30, 12), (12, 60), (40, 1)])
@pytest.mark.parametrize("lam", [0.05, 1.0, 6.0])
def test_the_least_criterion_is_that_of_the_plain_programme(threshold_cost, shape, lam):
    """With prices, costs and either threshold, Phi* equals linprog's value, and Phi at the plane
    given equals Phi*.
    """
    for seed in range(3):
        X, y, rng = draw(seed, *shape)
        sign, price, cost = (
            np.where(y == 1, 1.0, -1.0),
            rng.uniform(0.1, 3, len(y)),
            rng.uniform(0.5, 2, shape[1]),
        )
        price[rng.integers(2, len(y))] = 0
        selector = CPLSelector(lam, feature_costs=cost, threshold_cost=threshold_cost, scale=False)
        selector.fit(X, y, sample_weight=price)
        assert_allclose(
            selector.criterion_,
            plain(X, sign, price, cost, threshold_cost, lam),
            rtol=1e-9,
            atol=1e-9,
        )
        at_plane = phi(selector, X, sign, price, cost, threshold_cost, lam)
        assert_allclose(at_plane, selector.criterion_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("threshold_cost", [0.0, 1.0])
def test_the_limit_is_the_cheapest_separating_vector(threshold_cost):
    """Without lambda, separable classes get the vector of least cost among those that separate."""
    for seed in range(4):
        X, y, rng = draw(seed, 20, 40)
        sign, price, cost = (
            np.where(y == 1, 1.0, -1.0),
            rng.uniform(0.1, 3, 20),
            rng.uniform(0.5, 2, 40),
        )
        price[5] = 0.0
        selector = CPLSelector(feature_costs=cost, threshold_cost=threshold_cost, scale=False)
        selector.fit(X, y, sample_weight=price)
        expected = plain(X, sign, price, cost, threshold_cost, None)
        assert selector.separable_ and selector.violation_ == 0 and not len(selector.blame_)
        assert_allclose(selector.criterion_, expected, rtol=1e-9)
        assert_allclose(selector.margin_, 2 / expected, rtol=1e-9)
        reach = sign * selector.decision_function(X)
        assert reach[price > 0].min() >= 1 - 1e-8


def test_column_generation_equals_the_whole_programme():
    """With thousands of columns the same least value is found on a small part of them."""
    rng = np.random.default_rng(0)
    X, sign = rng.normal(size=(40, 3000)), np.where(rng.random(40) < 0.4, 1.0, -1.0)
    task = Task.of(X, sign.astype(int))
    program = Program(scaled_columns(task, False, None, True), sign, row_prices(task))
    for lam in (10.0, 3.0, 0.5):
        expected = plain(X, sign, np.ones(40), np.ones(3000), 0.0, lam)
        assert_allclose(program.at(lam).criterion, expected, rtol=1e-9)
    assert program.inside.sum() < 600


@pytest.mark.parametrize("threshold_cost", [0.0, 1.0])
def test_columns_are_silent_from_the_largest_lambda_on(threshold_cost):
    """At lam_max no column has a weight; with a threshold that costs, just below it one does."""
    X, y, _ = draw(3)
    columns = scaled_columns(Task.of(X, y), True, None, threshold_cost == 0)
    program = Program(columns, np.where(y == 1, 1.0, -1.0), np.ones(len(y)), threshold_cost)
    assert program.at(1.0001 * program.lam_max).norm == 0
    if threshold_cost:
        assert program.at(0.99 * program.lam_max).norm > 0


def test_scaling_is_a_choice_of_costs():
    """Dividing columns by their deviation is multiplying their costs by it."""
    X, y, rng = draw(1)
    weight = rng.uniform(0.5, 2, len(y))
    mean = np.average(X, axis=0, weights=weight)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    scaled = CPLSelector(0.7).fit(X, y, sample_weight=weight)
    priced = CPLSelector(0.7, scale=False, feature_costs=deviation).fit(X, y, sample_weight=weight)
    assert_allclose(scaled.criterion_, priced.criterion_, rtol=1e-9)
    assert_allclose(scaled.coef_, priced.coef_, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_inseparable_classes_get_the_least_violation(seed):
    """The least violation is the plain programme's at lambda 0, and the rows to blame are those
    violated there.
    """
    X, y, rng = draw(seed, 40, 3, noise=2.0)
    sign, price = np.where(y == 1, 1.0, -1.0), rng.uniform(0.1, 3, 40)
    report = separable(X, y, sample_weight=price)
    assert not report.separable and report.margin == 0
    assert_allclose(report.violation, plain(X, sign, price, np.ones(3), 0.0, 0.0), rtol=1e-8)
    hinge = np.maximum(0, 1 - sign * (X @ report.coef + report.intercept))
    assert_allclose(report.violations, hinge, atol=1e-7)
    assert_array_equal(np.sort(report.blame), np.flatnonzero(report.violations))
    assert (np.diff(report.violations[report.blame]) <= 0).all()
    selector = CPLSelector(0.5).fit(X, y, sample_weight=price)
    assert_allclose(selector.violation_, report.violation, rtol=1e-8)
    assert not selector.separable_


def test_equal_rows_of_different_classes_are_to_blame():
    """Two equal rows on different sides cost two, and every other row can be put right."""
    X = np.array([[0.0], [1.0], [5.0], [5.0], [9.0], [10.0]])
    report = separable(X, [0, 0, 0, 1, 1, 1])
    assert_allclose(report.violation, 2.0)
    assert set(report.blame) <= {2, 3}


def test_independent_rows_are_separable_in_as_many_columns():
    """Lemma 1: m independent augmented rows are separable, in m columns of their own choice,
    whatever the labels.
    """
    rng = np.random.default_rng(0)
    for _ in range(5):
        X, y = rng.normal(size=(15, 40)), rng.permutation(np.arange(15) % 2)
        assert separable(X, y).separable
        first = descending_sequence(X, y)[0]
        assert len(first.features) <= 15
        assert separable(X[:, first.features], y).separable


def test_a_vertex_has_no_more_weights_than_rows():
    """At any lambda at most m weights (with the threshold) differ from zero."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, 200)), np.arange(12) % 2
    for lam in (0.01, 0.3, 2.0, None):
        selector = CPLSelector(lam).fit(X, y)
        assert selector.support_.sum() + (selector.intercept_[0] != 0) <= 12


def test_phi_over_lambda_is_constant_for_small_lambda():
    """Lemma 2: below some lambda the vector stays, separates, and Phi is lambda times its norm."""
    X, y, _ = draw(0, 20, 40)
    limit = CPLSelector().fit(X, y)
    for lam in (1e-2, 1e-3, 1e-5, 1e-7):
        selector = CPLSelector(lam).fit(X, y)
        assert_allclose(selector.criterion_ / lam, limit.criterion_, rtol=1e-9)
        assert_allclose(selector.coef_, limit.coef_, atol=1e-7)


def test_the_path_has_the_values_of_single_fits():
    """Every point of the path is the optimum at its lambda."""
    X, y, _ = draw(2, 40, 6, noise=2.0)
    path = CPLSelector(n_lambdas=5).fit(X, y).path_
    assert len(path) == 5 and path[0].n_features <= 1
    for point in path:
        alone = CPLSelector(point.lam).fit(X, y)
        assert_allclose(point.criterion, alone.criterion_, rtol=1e-9)
    assert (np.diff([point.violation for point in path]) <= 1e-9).all()


def test_lambda_is_chosen_by_held_out_accuracy():
    """Inseparable classes get the lambda at which plain refits on the folds score best, the
    larger of equals.
    """
    X, y, rng = draw(4, 60, 5, noise=2.5)
    weight = rng.uniform(0.5, 2, 60)
    chosen = CPLSelector(cv=StratifiedKFold(4), n_lambdas=6).fit(X, y, sample_weight=weight)
    scores = np.zeros((4, 6))
    for i, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
        for j, point in enumerate(chosen.path_):
            lam = point.lam * weight[train].sum() / weight.sum()
            model = CPLSelector(lam).fit(X[train], y[train], sample_weight=weight[train])
            scores[i, j] = model.score(X[test], y[test], sample_weight=weight[test])
    best = chosen.path_[int(scores.mean(axis=0).argmax())]
    assert chosen.models_[0].lam == best.lam
    assert_allclose(chosen.criterion_, best.criterion, rtol=1e-9)


def test_many_classes_are_one_against_the_rest():
    """Each plane is that of the two-class problem, and the support is the union."""
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 8)) + 4 * np.eye(8)[y]
    selector = CPLSelector(0.5).fit(X, np.array(["a", "b", "c"])[y])
    union = np.zeros(8, dtype=bool)
    for k in range(3):
        alone = CPLSelector(0.5).fit(X, (y == k).astype(int))
        assert_allclose(selector.models_[k].criterion, alone.criterion_, rtol=1e-9)
        assert_allclose(selector.coef_[k], alone.coef_[0], atol=1e-8)
        union |= alone.support_
    assert_array_equal(selector.support_, union)
    assert selector.models_[2].label == "c" and set(selector.predict(X)) <= {"a", "b", "c"}
    assert_allclose(selector.violation_, sum(plane.violation for plane in selector.models_))


@pytest.mark.parametrize("threshold_cost", [0.0, 1.0])
def test_sparse_float32_and_frames_give_the_same_planes(threshold_cost):
    """The kind of table changes nothing."""
    rng = np.random.default_rng(5)
    X = (rng.integers(-3, 4, size=(30, 20)) * (rng.random((30, 20)) < 0.4)).astype(float)
    y = np.where(X[:, :4].sum(axis=1) + rng.normal(size=30) > 0, "yes", "no")
    for lam in (0.4, None):
        dense = CPLSelector(lam, threshold_cost=threshold_cost).fit(X, y)
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(20)])
        for table in (sparse.csr_array(X), sparse.csc_matrix(X), X.astype(np.float32), frame):
            other = CPLSelector(lam, threshold_cost=threshold_cost).fit(table, y)
            assert_allclose(other.criterion_, dense.criterion_, rtol=1e-8)
            assert_array_equal(other.predict(table), dense.predict(X))
        assert_array_equal(other.set_output(transform="polars").predict(frame), dense.predict(X))
        shuffled = frame[list(frame.columns[::-1])]
        assert_array_equal(other.predict(shuffled), dense.predict(X))


def test_a_row_of_weight_two_is_two_rows():
    """Prices count rows."""
    X, y, rng = draw(7)
    weight = rng.integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = CPLSelector(0.8).fit(X, y, sample_weight=weight)
    repeated = CPLSelector(0.8).fit(X[rows], y[rows])
    assert_allclose(weighted.criterion_, repeated.criterion_, rtol=1e-9)
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)


def test_constant_and_repeated_columns_do_no_harm():
    """A constant column never gets a weight; a repeated one leaves the value as it is."""
    X, y, _ = draw(8)
    wide = np.hstack([X, X[:, :3], np.full((len(y), 1), 7.0)])
    selector, alone = CPLSelector(0.5).fit(wide, y), CPLSelector(0.5).fit(X, y)
    assert not selector.support_[-1]
    assert_allclose(selector.criterion_, alone.criterion_, rtol=1e-9)


def test_columns_of_large_offset_are_told_apart():
    """A shift of a column by a million deviations changes the answer by rounding alone."""
    X, y, _ = draw(9)
    here, there = CPLSelector(0.5).fit(X, y), CPLSelector(0.5).fit(X + 1e6, y)
    assert_allclose(there.criterion_, here.criterion_, rtol=1e-7)


def test_a_dear_column_gives_way():
    """A column whose cost is raised leaves the support for its copy, named in a mapping or a
    list.
    """
    X, y, _ = draw(0, 20, 5, noise=0.1)
    frame = pd.DataFrame(np.hstack([X, X]), columns=list("abcdefghij"))
    costs = dict.fromkeys("abcde", 50.0)
    assert set(CPLSelector(feature_costs=costs).fit(frame, y).get_feature_names_out()) <= set(
        "fghij"
    )


def test_it_works_in_a_pipeline_and_pickles_small():
    """In front of a classifier, and without the table inside."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 400)), np.arange(60) % 2
    X[:, :3] += 3 * y[:, None]
    model = make_pipeline(CPLSelector(), LogisticRegression()).fit(X, y)
    assert model.score(X, y) > 0.95
    assert len(pickle.dumps(model[0])) < 40_000


@pytest.mark.parametrize("threshold_cost", [0.0, 1.0])
def test_the_sequence_goes_down_through_separable_subspaces_to_the_best(threshold_cost):
    """Costs fall, each is the least in its subspace, and the last is the least over all columns."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(14, 60)), np.arange(14) % 2
    sign, price = np.where(y == 1, 1.0, -1.0), np.ones(14)
    sequence = descending_sequence(X, y, threshold_cost=threshold_cost, scale=False)
    costs = np.array([s.criterion for s in sequence])
    assert len(sequence) > 5 and (np.diff(costs) <= 1e-9).all()
    for s in sequence:
        there = plain(X[:, s.features], sign, price, np.ones(len(s.features)), threshold_cost, None)
        assert_allclose(s.criterion, there, rtol=1e-8)
        assert_allclose(s.margin, 2 / there, rtol=1e-8)
    assert_allclose(costs[-1], plain(X, sign, price, np.ones(60), threshold_cost, None), rtol=1e-9)
    for before, after in itertools.pairwise(sequence):
        assert set(after.features) == (set(before.features) | set(after.entered)) - set(after.left)


def test_a_sequence_starts_where_it_is_told():
    """A separable start is taken; one that is not is refused."""
    X, y, _ = draw(0, 30, 8, noise=0.0)
    assert set(descending_sequence(X, y, start=[0, 7])[0].features) == {0, 7}
    with pytest.raises(NotSeparable):
        descending_sequence(X, y, start=[5])
    with pytest.raises(NotSeparable):
        descending_sequence(X[:, 1:], y)


def test_ties_do_not_send_a_sequence_in_circles():
    """On whole numbers, where vertices are degenerate, a sequence ends at the best with no more
    columns than rows.
    """
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, size=(12, 60)).astype(float), np.arange(12) % 2
        last = descending_sequence(X, y)[-1]
        assert len(last.features) <= 12
        assert_allclose(last.criterion, CPLSelector().fit(X, y).criterion_, rtol=1e-8)


def test_dependent_rows_start_from_as_many_columns_as_the_rank():
    """With more rows than columns the first subspace still separates whatever all columns do."""
    X, y, _ = draw(1, 60, 10, noise=0.0)
    X = np.hstack([X, X @ np.ones((10, 3))])
    assert_allclose(
        descending_sequence(X, y)[-1].criterion, CPLSelector().fit(X, y).criterion_, rtol=1e-8
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0}, "lam must be positive"),
        ({"threshold_cost": -1}, "threshold_cost must not be negative"),
        ({"n_lambdas": 0}, "n_lambdas must be at least 1"),
        ({"feature_costs": [1.0, 0.0]}, "one positive number for each of 2 columns"),
        ({"feature_costs": [1.0]}, "one positive number for each of 2 columns"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    """The message says which parameter, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        CPLSelector(**parameters).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def test_bad_data_are_named():
    """One class, a class without weight, and three classes for a report are refused."""
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="one class only"):
        CPLSelector().fit(X, np.zeros(6, dtype=int))
    with pytest.raises(ValueError, match="has no row of positive weight"):
        CPLSelector().fit(X, [0, 0, 0, 1, 1, 1], sample_weight=[1, 1, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="must have two classes"):
        separable(X, [0, 0, 1, 1, 2, 2])


def test_a_class_of_one_row_takes_the_end_of_the_path():
    """Where no fold can hold the class out, the least lambda of the path is used."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    selector = CPLSelector(n_lambdas=4).fit(X, [0, 1, 0, 0])
    assert not selector.separable_
    assert selector.models_[0].lam == selector.path_[-1].lam


def test_leukaemia_equals_the_whole_programme():
    """On 38 x 7,129 the margin is that of the whole linear programme and no more than 38 genes
    are kept.
    """
    with np.load(real_table("leukemia_golub.npz")) as data:
        train = data["split"] == data["split_names"].tolist().index("train")
        X, y = data["X"].astype(float), data["y"]
    selector = CPLSelector().fit(X[train], y[train])
    scaled = X[train] / np.where(X[train].std(axis=0) > 0, X[train].std(axis=0), 1.0)
    expected = plain(scaled, y[train].astype(float), np.ones(38), np.ones(X.shape[1]), 0.0, None)
    assert_allclose(selector.criterion_, expected, rtol=1e-9)
    assert selector.separable_ and selector.support_.sum() <= 38
    assert selector.score(X[~train], y[~train]) > 0.85


def test_sides_of_two_and_of_many_classes():
    """Two classes have one plane, the second being positive; three have three."""
    assert_array_equal(sides(Task.of([[0.0], [1.0]], [4, 7])), [[-1, 1]])
    assert_array_equal(sides(Task.of([[0.0], [1.0], [2.0]], [4, 7, 9])), 2 * np.eye(3) - 1)
