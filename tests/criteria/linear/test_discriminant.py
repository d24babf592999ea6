"""LDA, QDA and Gaussian naive Bayes equal their refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel.criteria.linear.discriminant import Discriminant
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from tests.criteria.battery import (
    SITUATIONS,
    Problem,
    agrees,
    check_moves,
    check_walk,
    problem,
    refit,
)

MODELS = {
    "lda": (Discriminant("lda"), LinearDiscriminantAnalysis()),
    "shrunk": (
        Discriminant("lda", shrinkage=0.3),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    ),
    "qda": (Discriminant("qda"), QuadraticDiscriminantAnalysis()),
    "bayes": (Discriminant("gaussian-nb"), GaussianNB()),
}
CELLS = [(name, s) for name in MODELS for s in SITUATIONS if s != "weights" or name == "bayes"]


def with_cv(criterion, cv, **options):
    return Discriminant(**{**criterion.__dict__, "cv": cv, **options})


@pytest.mark.parametrize(("name", "situation"), CELLS)
def test_every_move_equals_refitting(name, situation):
    """Additions, removals, swaps and random subsets have the refitted quality and labels."""
    prob = problem(situation)
    evaluator = with_cv(MODELS[name][0], prob.cv).bind(prob.task)
    check_moves(evaluator, MODELS[name][1], prob)


@pytest.mark.parametrize(("name", "situation"), CELLS)
def test_a_walk_of_200_moves_equals_refitting(name, situation):
    """Along a walk of single requests qualities stay the refitted ones."""
    prob = problem(situation)
    check_walk(with_cv(MODELS[name][0], prob.cv).bind(prob.task), MODELS[name][1], prob, 200, 66)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "situation"), CELLS)
def test_a_walk_of_2000_moves_equals_refitting(name, situation):
    """Drift stays under 1e-9 over 2,000 moves."""
    prob = problem(situation)
    check_walk(with_cv(MODELS[name][0], prob.cv).bind(prob.task), MODELS[name][1], prob, 2000, 20)


@pytest.mark.parametrize("situation", ["balanced", "multi-class"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "balanced_accuracy", "roc_auc"])
def test_probabilities_and_decisions_equal_refitting(name, situation, scoring):
    """Log loss and AUC are those of the refitted model."""
    if scoring == "roc_auc" and situation == "multi-class":
        pytest.skip("AUC is for two classes")
    prob = problem(situation)
    evaluator = with_cv(MODELS[name][0], prob.cv, scoring=scoring).bind(prob.task)
    check_moves(evaluator, MODELS[name][1], prob, rounds=1, scoring=scoring)


PRIORS = [0.2, 0.5, 0.3]
OPTIONS = [
    ({"kind": "lda", "priors": PRIORS}, LinearDiscriminantAnalysis(priors=PRIORS), None),
    (
        {"kind": "lda", "shrinkage": 0.1, "priors": PRIORS},
        LinearDiscriminantAnalysis("lsqr", 0.1, PRIORS),
        None,
    ),
    ({"kind": "lda", "shrinkage": 0.2}, LinearDiscriminantAnalysis("lsqr", 0.2), "standard"),
    ({"kind": "lda"}, LinearDiscriminantAnalysis(), "minmax"),
    ({"kind": "qda", "priors": PRIORS}, QuadraticDiscriminantAnalysis(priors=PRIORS), None),
    ({"kind": "qda", "reg_param": 0.3}, QuadraticDiscriminantAnalysis(reg_param=0.3), "standard"),
    ({"kind": "gaussian-nb", "priors": PRIORS}, GaussianNB(priors=PRIORS), None),
    ({"kind": "gaussian-nb", "var_smoothing": 0.01}, GaussianNB(var_smoothing=0.01), "minmax"),
    ({"kind": "gaussian-nb"}, GaussianNB(), "standard"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "model", "scaling"), OPTIONS)
def test_options_and_scaling_equal_refitting(options, model, scaling):
    """Priors, regularisation, smoothing, and a scaler per training part are those of the model."""
    prob = problem("multi-class")
    scalers = {None: [], "standard": [StandardScaler()], "minmax": [MinMaxScaler()]}[scaling]
    evaluator = Discriminant(**options, scaling=scaling, cv=prob.cv).bind(prob.task)
    check_moves(evaluator, make_pipeline(*scalers, model), prob, rounds=1)


SPLITTERS = [LeaveOneOut(), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("cv", SPLITTERS)
def test_any_splitter(name, cv):
    """Leave-one-out and repeated folds equal refitting."""
    prob = problem("balanced")
    prob = Problem(prob.task.rows(np.arange(40)), cv, prob.space)
    evaluator, space, base = (
        with_cv(MODELS[name][0], cv).bind(prob.task),
        prob.space,
        prob.space.subset([0, 3]),
    )
    for batch in (space.additions(base), space.swaps(base)):
        qualities = evaluator.evaluate(batch)
        for i in (1, 5):
            expected = refit(MODELS[name][1], prob, space.columns(batch[i]))[0]
            assert_allclose(qualities[i], expected, rtol=1e-10)


def test_a_rank_the_solver_lowers_is_refitted_and_counted():
    """LDA with an exact linear dependence is refitted once per subset that holds it, no other."""
    prob = problem("collinear")
    evaluator = Discriminant("lda", cv=3).bind(prob.task)
    qualities = evaluator.evaluate(prob.space.additions(prob.space.subset([1, 2])))
    assert evaluator.n_refits >= 1
    before = evaluator.n_refits
    evaluator.evaluate(prob.space.additions(prob.space.subset([0, 5])))
    assert evaluator.n_refits == before
    agrees(evaluator, qualities[1], LinearDiscriminantAnalysis(), prob, np.array([1, 2, 3]))


def test_a_covariance_that_qda_refuses_is_the_worst():
    """Where QDA raises the quality is minus infinity, as where a refit fails."""
    prob = problem("duplicated")
    evaluator = Discriminant("qda", cv=3).bind(prob.task)
    batch = prob.space.additions(prob.space.subset([0, 1]))
    qualities = evaluator.evaluate(batch)
    refused = [
        i for i in range(len(batch)) if not {5, 6, 7}.isdisjoint(prob.space.columns(batch[i]))
    ]
    assert np.flatnonzero(np.isneginf(qualities)).tolist() == refused


def test_the_variance_floor_follows_the_subset():
    """With smoothing of the order of the variances, flips that move the floor stay exact."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 6)) * 10.0 ** np.arange(-3, 3)
    y = (X @ 10.0 ** -np.arange(-3, 3) + rng.normal(size=60) > 0).astype(int)
    prob = Problem(Task.of(X, y), 3, Space.of(6))
    evaluator = Discriminant("gaussian-nb", var_smoothing=1e-3, cv=3).bind(prob.task)
    check_moves(evaluator, GaussianNB(var_smoothing=1e-3), prob, rounds=3)


def test_what_cannot_be_judged_is_refused():
    """Unsuitable tasks and parameters raise.

    These are quantities, weights of LDA, automatic shrinkage, classes missing from training and
    unknown kinds.
    """
    prob = problem("balanced")
    with pytest.raises(NotExact):
        Discriminant(shrinkage="auto").bind(prob.task)
    with pytest.raises(ValueError, match="quantity"):
        Discriminant().bind(problem("balanced", "regression").task)
    with pytest.raises(ValueError, match="sample weights"):
        Discriminant("qda").bind(problem("weights").task)
    with pytest.raises(ValueError, match="kind must be"):
        Discriminant("knn").bind(prob.task)
    with pytest.raises(NotExact, match="lacks a class"):
        y = np.r_[np.zeros(20), np.ones(10)].astype(int)
        cv = [(np.arange(15), np.arange(15, 30)), (np.arange(15, 30), np.arange(15))]
        Discriminant("gaussian-nb", cv=cv).bind(Task.of(prob.task.X[:30], y))


def test_classes_that_are_alike_go_to_the_first():
    """On a column that is constant in a training part, all classes are equally likely.

    That holds however the subset is reached.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(48, 4)) + 0.1, np.arange(48) % 2
    X[:, 2] = 0.3
    X[:16, 2] = rng.normal(size=16)
    X[:, 3] = 0.7
    peer, cv = QuadraticDiscriminantAnalysis(reg_param=0.1), KFold(3)
    prob = Problem(Task.of(X, y, "classification"), cv, Space.of(4))
    evaluator, space = Discriminant("qda", reg_param=0.1, cv=cv).bind(prob.task), prob.space
    for batch in (
        space.additions(space.empty()),
        space.removals(space.subset([0, 2])),
        space.removals(space.subset([2, 3])),
        space.swaps(space.subset([1])),
        space.swaps(space.subset([0, 3])),
        Candidates.of(space, [space.subset([2, 3])]),
    ):
        for quality, columns in zip(evaluator.evaluate(batch), batch.columns()):
            agrees(evaluator, quality, peer, prob, columns)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_brier_score"])
def test_bits_that_a_class_lacks_equal_refitting(scoring):
    """A table of columns without variance in a class, and others that set the floor."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = (rng.random((120, 10)) < np.linspace(0.05, 0.6, 10)) * 1.0
    X[y == 0, :4] = 0.0
    folds, space = KFold(4, shuffle=True, random_state=0), Space.of(10)
    evaluator = Discriminant("gaussian-nb", cv=folds, scoring=scoring).bind(Task.of(X, y))
    for size in (1, 3, 6, 9):
        batch = space.flips(space.from_columns(rng.choice(np.arange(1, 10), size, replace=False)))
        subsets = [columns for columns in batch.columns() if len(columns)]
        expected = [
            cross_val_score(GaussianNB(), X[:, s], y, cv=folds, scoring=scoring).mean()
            for s in subsets
        ]
        found = [
            q for q, columns in zip(evaluator.evaluate(batch), batch.columns()) if len(columns)
        ]
        assert_allclose(found, expected, atol=1e-9)
