"""Accelerated evaluators give what the evaluators they stand for give, on PyTorch's own
processor device.
"""

import os
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import SubsetSelector
from subsel._loops import device as device_module
from subsel._loops.device import NotAccelerated
from subsel.criteria import (
    CrossValidated,
    Discriminant,
    KernelRidge,
    LeastSquares,
    NearestNeighbours,
)
from subsel.criteria.accelerated import linear as moments_module
from subsel.data.task import Task
from subsel.search import RandomWalk
from subsel.space.candidates import Candidates
from subsel.space.packed import PackedCandidates
from subsel.space.space import Block, Space
from tests.criteria.battery import SITUATIONS, problem

torch = pytest.importorskip("torch", reason="the extra 'accelerator' (PyTorch) is not installed")
DEVICE = os.environ.get("SUBSEL_TEST_DEVICE", "cpu")  # "cuda" runs the same where there is one


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def moves(space, rng):
    """Additions, removals, swaps, flips, a population of all sizes, and packed candidates."""
    base = space.subset(rng.choice(space.n_units, 3, replace=False))
    masks = rng.random((9, space.n_units)) < rng.random((9, 1))
    masks[:, 0] |= ~masks.any(axis=1)
    packed = (
        Candidates.of(space, [base]) if space.choices else PackedCandidates.of_masks(space, masks)
    )
    return {
        "first columns": space.additions(space.empty()),
        "additions": space.additions(base),
        "removals": space.removals(base),
        "swaps": space.swaps(base),
        "one": Candidates.of(space, [base]),
        "population": Candidates.of(space, [space.sample(rng) for _ in range(7)]),
        "packed": packed,
    }


def check(criterion, task, space, seed=0, atol=1e-9):
    """The same qualities for every kind of move, and the same close look at a subset."""
    plain = criterion.bind(task)
    fast = type(criterion)(**{**criterion.get_params(deep=False), "device": DEVICE}).bind(task)
    for kind, batch in moves(space, np.random.default_rng(seed)).items():
        assert_allclose(
            fast.evaluate(batch), plain.evaluate(batch), rtol=1e-9, atol=atol, err_msg=kind
        )
    columns = np.array([0, 2])
    assert fast.explain(columns).quality == pytest.approx(plain.explain(columns).quality, abs=1e-9)
    assert DEVICE in fast.traits.name and not fast.traits.heavy
    again = fast.fork()
    assert_allclose(again.evaluate(batch), fast.evaluate(batch), rtol=1e-12)
    return fast


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_least_squares(situation, kind):
    """Ridge and least squares, whatever the table.

    Ties, weights, groups, more columns than rows.
    """
    if kind == "regression" and situation in ("skewed", "multi-class"):
        return
    prob = problem(situation, kind)
    for alpha in (1.0, 0.0):
        check(LeastSquares(alpha, cv=prob.cv), prob.task, prob.space)


@pytest.mark.parametrize(
    "scoring",
    ["neg_mean_squared_error", "neg_mean_absolute_error", "r2", "neg_median_absolute_error"],
)
@pytest.mark.parametrize("pooled", [False, True])
def test_scorings_of_quantities(scoring, pooled):
    """Errors summed on the device, and any other scoring."""
    prob = problem("balanced", "regression")
    check(LeastSquares(scoring=scoring, cv=prob.cv, pooled=pooled), prob.task, prob.space)
    check(NearestNeighbours(3, scoring=scoring, cv=prob.cv, pooled=pooled), prob.task, prob.space)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_scorings_of_classes(scoring):
    """Hits counted on the device, and any other scoring."""
    prob = problem("skewed")
    for criterion in (LeastSquares, Discriminant, NearestNeighbours):
        check(criterion(scoring=scoring, cv=prob.cv), prob.task, prob.space)
    check(Discriminant("gaussian-nb", scoring=scoring, cv=prob.cv), prob.task, prob.space)


@pytest.mark.parametrize("scaling", [None, "standard", "minmax"])
@pytest.mark.parametrize(
    "cv",
    [
        KFold(4, shuffle=True, random_state=0),
        ShuffleSplit(3, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    ],
    ids=["folds", "splits", "repeats"],
)
def test_folds_and_scaling(cv, scaling):
    """Any splitter, with and without a scaler inside the folds, with and without an intercept."""
    prob = problem("multi-class")
    for criterion in (
        LeastSquares(fit_intercept=False),
        Discriminant(),
        Discriminant("gaussian-nb"),
        NearestNeighbours(),
    ):
        check(criterion.set_params(cv=cv, scaling=scaling), prob.task, prob.space)
    prob = problem("balanced", "regression")
    check(KernelRidge(kernel="rbf", gamma=0.1, cv=cv, scaling=scaling), prob.task, prob.space)


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_leave_one_out(kind):
    """One model of all rows, and every row left out of it."""
    for situation in ("balanced", "duplicated", "weights"):
        prob = problem(situation, kind)
        check(
            LeastSquares(
                2.0,
                cv=LeaveOneOut(),
                scoring=None if kind != "regression" else "neg_mean_squared_error",
            ),
            prob.task,
            prob.space,
        )
        if prob.task.sample_weight is None:
            for k in (1, 4):
                check(
                    NearestNeighbours(
                        k,
                        cv=LeaveOneOut(),
                        scoring=None if kind != "regression" else "neg_mean_squared_error",
                    ),
                    prob.task,
                    prob.space,
                )


@pytest.mark.parametrize("situation", [s for s in SITUATIONS if s != "weights"])
@pytest.mark.parametrize("kind", ["lda", "gaussian-nb"])
def test_discriminants(situation, kind):
    """Linear discriminants and naive Bayes, also where the rank or the smallest variance is
    in doubt.
    """
    prob = problem(situation)
    check(Discriminant(kind, cv=prob.cv), prob.task, prob.space)
    check(Discriminant(kind, cv=prob.cv, scoring="neg_log_loss"), prob.task, prob.space)


def test_weighted_naive_bayes_and_a_column_without_variance():
    """Weights count, and a constant column is left to the inner evaluator."""
    prob = problem("weights")
    check(Discriminant("gaussian-nb", cv=prob.cv), prob.task, prob.space)
    X = np.hstack([prob.task.matrix, np.ones((75, 1))])
    check(Discriminant("gaussian-nb", var_smoothing=0.0), Task.of(X, prob.task.y), Space.of(11))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial", "laplacian", "cosine"])
@pytest.mark.parametrize(
    ("situation", "cv"),
    [("weights", 3), ("balanced", LeaveOneOut()), ("duplicated", ShuffleSplit(2, random_state=0))],
    ids=["folds", "one out", "splits"],
)
def test_kernel_ridge(kernel, situation, cv):
    """Every kernel, from one factor or fold by fold, with one ridge and with several."""
    prob = problem(situation, "regression")
    X = (prob.task.matrix - prob.task.matrix.mean(axis=0)) / prob.task.matrix.std(axis=0).clip(1e-3)
    task = Task.of(X, prob.task.y, "regression", sample_weight=prob.task.sample_weight)
    settings = {
        "kernel": kernel,
        "cv": cv,
        "scoring": "neg_mean_squared_error",
        "degree": 2,
        "coef0": 0.5,
    }
    alpha = [0.1, 1.0, 10.0] if kernel == "rbf" else 0.5
    check(KernelRidge(alpha, **settings), task, prob.space, atol=1e-8)


def test_a_kernel_that_is_not_definite():
    """What is not safely positive definite is left to the inner evaluator, which refits it."""
    prob = problem("balanced", "regression")
    X, space = prob.task.matrix / 100, prob.space
    task = Task.of(X[:30], prob.task.y[:30], "regression")
    batch = Candidates.of(space, [space.subset([0, 3]), space.subset([1])])
    settings = {"kernel": "sigmoid", "gamma": 0.5, "coef0": 0.1, "alpha": 0.01, "cv": 2}
    plain, fast = (KernelRidge(**settings, device=device).bind(task) for device in (None, DEVICE))
    assert_allclose(fast.evaluate(batch), plain.evaluate(batch), rtol=1e-7)


@pytest.mark.parametrize(("weights", "metric"), [("uniform", "euclidean"), ("distance", "l1")])
@pytest.mark.parametrize(
    "situation", ["balanced", "multi-class", "wide", "duplicated", "float32", "groups"]
)
def test_nearest_neighbours(situation, weights, metric):
    """One and several neighbours of both metrics, voting alike or by distance."""
    prob = problem(situation)
    for k in (1, 5):
        check(NearestNeighbours(k, weights, metric=metric, cv=prob.cv), prob.task, prob.space)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_neighbours_of_a_quantity(metric):
    """Their mean, each as near as it is."""
    prob = problem("balanced", "regression")
    check(NearestNeighbours(3, "distance", metric=metric, cv=prob.cv), prob.task, prob.space)


@pytest.mark.parametrize("levels", [3])
@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_ties_of_neighbours(levels, metric):
    """On tables of few values nearly every query has tied rows.

    The lowest are taken, as everywhere.
    """
    rng = np.random.default_rng(levels)
    X, y = rng.integers(levels, size=(90, 8)).astype(float), rng.integers(3, size=90)
    for k in (1, 20):
        check(NearestNeighbours(k, metric=metric, cv=3), Task.of(X, y), Space.of(8))
        check(
            NearestNeighbours(k, metric=metric, cv=LeaveOneOut()), Task.of(1e6 + X, y), Space.of(8)
        )


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_neighbours_in_many_blocks_of_rows(metric):
    """More rows than are looked at block by block.

    Plain numbers, ties, and numbers beyond single precision.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 6)) * [1, 1, 1, 1, 1e25, 1]
    X[:, 3], X[:, 5] = rng.integers(4, size=1000), 0.01 * rng.integers(50, size=1000)
    task, space = Task.of(X, rng.integers(2, size=1000)), Space.of(6)
    batch = Candidates.of(
        space, [space.subset(u) for u in ([0], [3], [3, 5], [0, 1, 2], [1, 4], [0, 2, 3, 5])]
    )
    plain, fast = (
        NearestNeighbours(2, metric=metric, cv=3, device=device).bind(task)
        for device in (None, DEVICE)
    )
    assert_allclose(fast.evaluate(batch), plain.evaluate(batch), atol=1e-12)


def test_neighbours_that_single_precision_cannot_tell_apart():
    """Clusters far from the centre, closer than single precision: decided in double."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5)) * 1e-6 + 1e3 * rng.integers(2, size=(80, 1))
    y = (X[:, 0] > np.median(X[:, 0])).astype(int)
    check(NearestNeighbours(3, cv=4), Task.of(X, y), Space.of(5))


@pytest.mark.parametrize(
    "criterion", [LeastSquares(), Discriminant(), Discriminant("gaussian-nb"), NearestNeighbours()]
)
def test_small_devices_work_in_blocks(criterion, monkeypatch):
    """With room for a few candidates at a time, and none for moments of all columns, the
    answers are the same.
    """
    monkeypatch.setattr(device_module, "_HOST", 2e4)
    monkeypatch.setattr(moments_module, "_WHOLE", 1e-9)
    prob = problem("multi-class")
    check(criterion, prob.task, prob.space)


def test_spaces_with_fixed_and_grouped_columns_and_choices():
    """Columns come from units: fixed ones are always there, forbidden ones never, groups
    are whole.
    """
    prob = problem("balanced", "regression")
    blocks = Block(10, fixed=[3], forbidden=[1], groups=[(0, 4), (5, 6, 7)]), Block(2, choice=True)
    check(LeastSquares(), prob.task, Space(blocks))


@pytest.mark.parametrize("search", ["sffs", RandomWalk(walkers=20), "rfs1"])
def test_a_selector_on_a_device_selects_the_same(search):
    """The whole run is the same, and the result says where it was evaluated."""
    prob = problem("balanced")
    settings = {"search": search, "cv": 5, "budget": 400, "random_state": 0}
    from sklearn.linear_model import RidgeClassifier

    model = make_pipeline(StandardScaler(), RidgeClassifier())
    plain = SubsetSelector(model, **settings).fit(prob.task.matrix, prob.task.y)
    fast = SubsetSelector(model, device=DEVICE, **settings).fit(prob.task.matrix, prob.task.y)
    assert np.array_equal(fast.support_, plain.support_) and np.array_equal(
        fast.result_.trace, plain.result_.trace
    )
    assert (
        fast.result_.evaluator.name == f"exact ridge on {DEVICE}"
        and plain.result_.evaluator.name == "exact ridge"
    )
    given = SubsetSelector(LeastSquares(scaling="standard"), device=DEVICE, **settings)
    assert np.array_equal(given.fit(prob.task.matrix, prob.task.y).support_, plain.support_)


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (SubsetSelector(RandomForestClassifier(), device="cpu"), "there is no exact criterion"),
        (SubsetSelector(Ridge(), device="cpu", exact="never"), "needs an exact criterion"),
        (SubsetSelector(Discriminant("qda"), device="cpu"), "qda has no accelerated evaluator"),
        (
            SubsetSelector(Discriminant(shrinkage=0.1), device="cpu"),
            "lda with shrinkage has no accelerated",
        ),
        (
            SubsetSelector(CrossValidated(Ridge()), device="cpu"),
            "CrossValidated has no accelerated",
        ),
        (SubsetSelector(Ridge(), device="tpu"), "device must be None, 'cpu', 'cuda'"),
    ],
)
def test_what_has_no_accelerated_evaluator_is_refused(selector, message):
    """By name, with what to do."""
    prob = problem("balanced")
    with pytest.raises(ValueError, match=message) as error:
        selector.fit(prob.task.matrix, prob.task.y)
    assert isinstance(error.value, NotAccelerated) or "tpu" in message or "device must" in message


def test_without_the_library_the_extra_is_named(monkeypatch):
    """An error that says what to install."""
    monkeypatch.setitem(sys.modules, "torch", None)
    prob = problem("balanced")
    with pytest.raises(ImportError, match=r"subsel\[accelerator\]"):
        LeastSquares(device="cpu").bind(prob.task)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_a_card_that_is_not_there_is_named():
    """An error that says what this machine lacks."""
    with pytest.raises(RuntimeError, match="sees no CUDA device"):
        LeastSquares(device="cuda").bind(problem("balanced").task)


def test_every_evaluator_of_the_table_exists():
    """Names of evaluators and of those that stand for them lead to classes."""
    from importlib import import_module

    from subsel.criteria.evaluators.acceleration import _KNOWN

    for place in [*_KNOWN, *_KNOWN.values()]:
        module, _, name = place.partition(":")
        assert isinstance(getattr(import_module(module), name), type), place
