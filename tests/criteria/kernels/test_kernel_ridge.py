"""The kernel-ridge evaluator against scikit-learn's refits."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as Peer
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel.criteria.kernels.kernel_matrices import KERNELS
from subsel.criteria.kernels.kernel_ridge import KernelRidge
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.space.space import Space
from tests.criteria.neighbours.neighbour_battery import (
    QUANTITIES,
    check_judge,
    check_walk,
    make_task,
    moves,
    refit,
)

FOLDS = [
    5,
    KFold(5, shuffle=True, random_state=0),
    RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
]
SQUARED = get_scorer("neg_mean_squared_error")


@pytest.mark.parametrize(
    "kernel", ["linear", "rbf", "polynomial", "laplacian", "cosine", "sigmoid"]
)
@pytest.mark.parametrize("case", QUANTITIES)
def test_every_move_equals_refitting(case, kernel):
    """Additions, removals, swaps and random subsets have the quality of scikit-learn's refits.

    Their predictions agree as well.
    """
    task, cv = make_task(case)
    check_judge(
        KernelRidge(0.5, kernel, cv=cv),
        Peer(alpha=0.5, kernel=kernel),
        task,
        cv,
        np.random.default_rng(0),
    )


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
@pytest.mark.parametrize(
    "cv",
    [
        LeaveOneOut(),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(2, train_size=0.5, random_state=0),
    ],
)
def test_every_splitter(kernel, cv):
    """Leave-one-out, repeated and partial folds are exact, for one ridge and for several."""
    task = make_task("regression")[0].rows(np.arange(20))
    options = {"kernel": kernel, "gamma": 0.3, "cv": cv, "scoring": "neg_mean_squared_error"}
    one, several = (
        KernelRidge(0.2, **options).bind(task),
        KernelRidge([0.2, 50.0], **options).bind(task),
    )
    for kind, candidates in moves(Space.of(9), np.random.default_rng(5), n=1).items():
        wanted = [
            [
                refit(Peer(alpha=a, kernel=kernel, gamma=0.3), task, cv, c, SQUARED)[0]
                for a in (0.2, 50.0)
            ]
            for c in candidates.columns()
        ]
        np.testing.assert_allclose(
            one.evaluate(candidates), [w[0] for w in wanted], rtol=1e-9, err_msg=kind
        )
        np.testing.assert_allclose(
            several.evaluate(candidates), [max(w) for w in wanted], rtol=1e-9, err_msg=kind
        )
    best = np.argmax(wanted[-1])
    assert several.best_alpha(candidates.columns()[-1]) == (0.2, 50.0)[best]


@pytest.mark.parametrize("scaling", ["standard", "minmax"])
def test_scaling_within_the_folds_equals_the_pipeline(scaling):
    """Each fold has a kernel of its own, one factorisation each."""
    task, cv = make_task("regression")
    peer = make_pipeline(
        StandardScaler() if scaling == "standard" else MinMaxScaler(), Peer(kernel="rbf")
    )
    check_judge(
        KernelRidge(kernel="rbf", cv=cv, scaling=scaling), peer, task, cv, np.random.default_rng(0)
    )


def test_sigma_is_another_name_for_gamma():
    """The Gaussian of width sigma has gamma 1 / (2 sigma^2)."""
    task, cv = make_task("regression")
    named, plain = (
        KernelRidge(kernel="rbf", sigma=2.0, cv=cv),
        KernelRidge(kernel="rbf", gamma=0.125, cv=cv),
    )
    columns = np.array([0, 3])
    assert named.bind(task).explain(columns).quality == plain.bind(task).explain(columns).quality


def test_row_weights_are_those_of_scikit_learn():
    """Weights enter the fit as in scikit-learn, also zero ones, and leave the score alone."""
    task, _ = make_task("regression")
    for least in (0.1, 0.0):
        weights = np.maximum(np.random.default_rng(0).random(60), least) * (
            np.arange(60) % 7 > 0 if least == 0 else 1
        )
        weighted = Task.of(task.X, task.y, "regression", sample_weight=weights)
        evaluator = KernelRidge(0.5, "rbf", cv=3, scoring="neg_mean_squared_error").bind(weighted)
        scores = []
        for train, test in zip(evaluator.folds.train, evaluator.folds.test):
            peer = Peer(alpha=0.5, kernel="rbf").fit(
                task.X[train][:, [0, 2]], task.y[train], sample_weight=weights[train]
            )
            scores.append(SQUARED(peer, task.X[test][:, [0, 2]], task.y[test]))
        assert evaluator.explain(np.array([0, 2])).quality == pytest.approx(
            np.mean(scores), rel=1e-9
        )


def test_a_walk_does_not_drift():
    """After 200 single moves qualities and predictions are still those of refitting."""
    task, cv = make_task("regression")
    check_walk(KernelRidge(kernel="rbf", cv=cv), Peer(kernel="rbf"), task, cv, 200, 20)


@pytest.mark.slow
@pytest.mark.parametrize("case", QUANTITIES)
def test_a_long_walk_does_not_drift(case):
    """After 2,000 single moves qualities and predictions are still those of refitting."""
    task, cv = make_task(case)
    check_walk(KernelRidge(kernel="rbf", cv=cv), Peer(kernel="rbf"), task, cv, 2000, 20)


@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
def test_singular_systems_are_refitted_and_counted():
    """Without a ridge a linear kernel is singular, and subsets are refitted and counted."""
    task, cv = make_task("regression")
    evaluator, space = KernelRidge(1e-14, "linear", cv=cv).bind(task), Space.of(9)
    candidates = space.additions(space.subset([0, 1])).take(np.arange(2))
    wanted = [refit(Peer(alpha=1e-14), task, cv, c)[0] for c in candidates.columns()]
    np.testing.assert_allclose(evaluator.evaluate(candidates), wanted, atol=1e-3)
    assert evaluator.n_refits == 2


def test_what_has_no_closed_form_is_refused():
    """Scaling with leave-one-out, unknown kernels and scores raise NotExact.

    Classes and two widths are errors.
    """
    task = make_task("regression")[0]
    with pytest.raises(NotExact, match="leave-one-out"):
        KernelRidge(cv=LeaveOneOut(), scaling="standard", scoring="neg_mean_absolute_error").bind(
            task
        )
    with pytest.raises(NotExact, match="kernel"):
        KernelRidge(kernel="chi2").bind(task)
    with pytest.raises(NotExact, match="scoring"):
        KernelRidge(scoring="max_error").bind(task)
    with pytest.raises(ValueError, match="classes"):
        KernelRidge().bind(make_task("balanced")[0])
    with pytest.raises(ValueError, match="not both"):
        KernelRidge(gamma=1.0, sigma=1.0).bind(task)


@pytest.mark.parametrize("alpha", [1e-10, (1e-10, 1.0)])
@pytest.mark.parametrize(
    "cv", [3, ShuffleSplit(3, test_size=0.2, random_state=0)], ids=["partition", "partial"]
)
def test_nearly_singular_systems_are_refitted(alpha, cv):
    """Where solutions are rounding, scikit-learn's own is given, however folds would be solved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) + 3
    task, space = Task.of(X, X[:, 0] ** 2 + rng.normal(size=40)), Space.of(4)
    options = {"kernel": "polynomial", "coef0": 1}
    evaluator = KernelRidge(alpha, cv=cv, scoring="neg_mean_squared_error", **options).bind(task)
    batch = space.additions(space.empty())
    for quality, columns in zip(evaluator.evaluate(batch), batch.columns()):
        peers = (Peer(alpha=a, **options) for a in np.atleast_1d(alpha))
        expected = max(refit(peer, task, cv, columns, SQUARED)[0] for peer in peers)
        assert quality == pytest.approx(expected, rel=1e-9)
    assert evaluator.n_refits == 4


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("alpha", [1e-8, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("cv", FOLDS, ids=["runs", "shuffled", "repeated"])
def test_matrices_of_several_blocks(kernel, alpha, cv):
    """A table with rows enough for halves and panels, some of them equal; folds in any order."""
    _check_blocks(kernel, alpha, cv)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_leave_one_out_of_several_blocks(kernel):
    """So do rows that are held out one by one."""
    _check_blocks(kernel, 0.1, LeaveOneOut())


def _check_blocks(kernel, alpha, cv):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    X[100:110] = X[:10]
    task, space = (
        Task.of(X, X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.normal(size=150), "regression"),
        Space.of(6),
    )
    options = {"kernel": kernel, "gamma": 0.1, "degree": 2}
    evaluator = KernelRidge(alpha, cv=cv, scoring="neg_mean_squared_error", **options).bind(task)
    base = space.subset([0, 1, 3])
    rounding = 1e-9 if alpha > 1e-8 else 1e-5  # of the peer
    for batch in (
        space.additions(base).take(np.arange(1)),
        space.removals(base).take(np.arange(1)),
    ):
        columns = batch.columns()[0]
        quality, values = refit(Peer(alpha=alpha, **options), task, cv, columns, SQUARED)
        np.testing.assert_allclose(evaluator.evaluate(batch), [quality], rtol=rounding)
        if evaluator.folds.partition:
            np.testing.assert_allclose(
                evaluator.explain(columns).predictions, values, rtol=rounding, atol=10 * rounding
            )


@pytest.mark.parametrize(
    "cv", [*FOLDS, LeaveOneOut()], ids=["runs", "shuffled", "repeated", "leave-one-out"]
)
def test_several_ridges_of_which_one_is_alone(cv):
    """A ridge among several has the quality and predictions that it has alone.

    That holds in whatever order rows are held out.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(140, 4))
    weights = rng.uniform(0.5, 2.0, size=140)
    task = Task.of(
        X,
        X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.normal(size=140),
        "regression",
        sample_weight=weights,
    )
    options = {"kernel": "rbf", "cv": cv, "scoring": "neg_mean_squared_error"}
    columns = np.array([0, 1, 2])
    alone = [KernelRidge(alpha, **options).bind(task).explain(columns) for alpha in (0.3, 40.0)]
    several = KernelRidge((0.3, 40.0), **options).bind(task)
    best = max(alone, key=lambda found: found.quality)
    assert several.best_alpha(columns) == (0.3, 40.0)[alone.index(best)]
    np.testing.assert_allclose(
        several.explain(columns).predictions, best.predictions, rtol=1e-10, atol=1e-12
    )
