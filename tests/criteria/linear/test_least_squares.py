"""Ridge, the ridge classifier and least squares equal their refits."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel.criteria.linear.blocks import Blocks
from subsel.criteria.linear.least_squares import LeastSquares, PartSums
from subsel.criteria.linear.sweep import Sweep
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from tests.criteria.battery import SITUATIONS, agrees, check_moves, check_walk, problem, refit

MODELS = {
    "ridge": (LeastSquares(alpha=0.5), Ridge(alpha=0.5), "regression"),
    "classifier": (LeastSquares(), RidgeClassifier(), "classification"),
    "plain": (LeastSquares(alpha=0.0), LinearRegression(), "regression"),
}


def bound(name, situation):
    criterion, model, kind = MODELS[name]
    prob = problem(situation, kind)
    return LeastSquares(criterion.alpha, cv=prob.cv).bind(prob.task), model, prob


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", MODELS)
def test_every_move_equals_refitting(name, situation):
    """Additions, removals, swaps and random subsets have the refitted quality and predictions."""
    evaluator, model, prob = bound(name, situation)
    check_moves(evaluator, model, prob)


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", MODELS)
def test_a_walk_of_200_moves_equals_refitting(name, situation):
    """Along a walk of single requests qualities stay the refitted ones."""
    evaluator, model, prob = bound(name, situation)
    check_walk(evaluator, model, prob, 200, 50)


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", MODELS)
def test_a_walk_of_2000_moves_equals_refitting(name, situation):
    """Drift stays under 1e-9 over 2,000 moves."""
    evaluator, model, prob = bound(name, situation)
    check_walk(evaluator, model, prob, 2000, 20)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scaling", ["standard", "minmax"])
@pytest.mark.parametrize("situation", ["balanced", "duplicated", "weights", "multi-class"])
def test_scaling_within_folds_equals_a_pipeline(situation, scaling, intercept):
    """A scaler fitted on each training part, and no intercept, are followed in closed form."""
    kind = "classification" if situation == "multi-class" else "regression"
    prob = problem(situation, kind)
    last = (
        Ridge(fit_intercept=intercept)
        if kind == "regression"
        else RidgeClassifier(fit_intercept=intercept)
    )
    model = make_pipeline(StandardScaler() if scaling == "standard" else MinMaxScaler(), last)
    evaluator = LeastSquares(fit_intercept=intercept, scaling=scaling, cv=prob.cv).bind(prob.task)
    check_moves(evaluator, model, prob, rounds=1)
    assert evaluator.n_refits == 0


@pytest.mark.parametrize(
    "cv", [RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), ShuffleSplit(3, random_state=0)]
)
@pytest.mark.parametrize("memory", [2**30, 1000])
def test_splitters_that_are_no_partition(cv, memory):
    """Repeated and random splits are exact, with and without room to hold the residuals."""
    prob = problem("balanced", "regression")
    evaluator, space = LeastSquares(cv=cv, memory=memory).bind(prob.task), prob.space
    base, unstructured = space.subset([0, 4]), Candidates.of(space, [space.subset([1, 5, 7])] * 2)
    for batch in (space.additions(base), space.swaps(base), unstructured):
        columns = space.columns(batch[-1])
        expected = cross_val_score(Ridge(), prob.task.X[:, columns], prob.task.y, cv=cv).mean()
        assert_allclose(evaluator.evaluate(batch)[-1], expected, rtol=1e-10)


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "balanced_accuracy", "ber", "f1_macro"])
def test_other_scorings_of_the_classifier(scoring):
    """Scores of labels and of decisions are those of the refitted classifier."""
    prob = problem("skewed")
    evaluator = LeastSquares(scoring=scoring, cv=prob.cv).bind(prob.task)
    name, shift = ("balanced_accuracy", 1.0) if scoring == "ber" else (scoring, 0.0)
    batch = prob.space.swaps(prob.space.subset([0, 4]))
    qualities = evaluator.evaluate(batch)
    for i in (0, 7):
        assert_allclose(
            qualities[i] + shift,
            refit(RidgeClassifier(), prob, prob.space.columns(batch[i]), name)[0],
        )


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize(
    "scoring",
    ["neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error", "r2"],
)
def test_other_scorings_of_regression(scoring, pooled):
    """Errors fold by fold, and pooled over all held-out rows."""
    from sklearn.metrics import get_scorer

    prob = problem("balanced", "regression")
    evaluator = LeastSquares(scoring=scoring, pooled=pooled, cv=prob.cv).bind(prob.task)
    batch = prob.space.additions(prob.space.subset([0, 4]))
    quality, columns = evaluator.evaluate(batch)[3], prob.space.columns(batch[3])
    expected, predictions = refit(Ridge(), prob, columns, scoring)
    if pooled:
        metric = get_scorer(scoring)
        expected = metric._sign * metric._score_func(prob.task.y, predictions)
    assert_allclose(quality, expected, rtol=1e-11)
    assert_allclose(evaluator.explain(columns).quality, expected, rtol=1e-11)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("situation", ["balanced", "multi-class", "weights", "wide", "duplicated"])
def test_leave_one_out_equals_refitting_each_row(situation, intercept):
    """PRESS, and the labels of the ridge classifier, are those of n refits.

    A plain walk does not refit.
    """
    kind = "classification" if situation == "multi-class" else "regression"
    prob = problem(situation, kind)
    prob.task, prob.cv = prob.task.rows(np.arange(25)), LeaveOneOut()
    model = (
        Ridge(fit_intercept=intercept)
        if kind == "regression"
        else RidgeClassifier(fit_intercept=intercept)
    )
    scoring = "neg_mean_squared_error" if kind == "regression" else None
    evaluator = LeastSquares(fit_intercept=intercept, cv=prob.cv, scoring=scoring).bind(prob.task)
    check_loo(evaluator, model, prob, scoring)
    assert evaluator.n_refits == 0


def check_loo(evaluator, model, prob, scoring):
    space, base = prob.space, prob.space.subset([0, 3, 4])
    unstructured = Candidates.of(space, [space.subset([1, 2, 5]), space.subset([6])])
    for batch in (space.additions(base), space.removals(base), space.swaps(base), unstructured):
        agrees(
            evaluator, evaluator.evaluate(batch)[1], model, prob, space.columns(batch[1]), scoring
        )


def test_least_squares_at_more_columns_than_rows_is_the_minimum_norm():
    """At n < p plain least squares refits, counted, and equals LinearRegression."""
    prob = problem("wide", "regression")
    evaluator = LeastSquares(alpha=0.0, cv=3).bind(prob.task)
    columns = np.arange(28)
    batch = prob.space.additions(prob.space.subset(columns))
    quality = evaluator.evaluate(batch[:2])
    assert evaluator.n_refits == 2
    agrees(evaluator, quality[1], LinearRegression(), prob, prob.space.columns(batch[1]))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_ebic_and_gic_are_their_formulas(gamma, intercept):
    """BIC and 2 gamma log of the number of subsets; n log RSS / n and k log p log log n."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 30)) + 1.0
    y = X[:, 4] + rng.standard_normal(50)
    task, space = Task.of(X, y), Space.of(30)
    for criterion in ("ebic", "gic"):
        evaluator = LeastSquares(
            alpha=0.0, criterion=criterion, gamma=gamma, fit_intercept=intercept
        ).bind(task)
        qualities = evaluator.evaluate(space.additions(space.subset([4, 7])))
        for quality, j in zip(qualities, [j for j in range(30) if j not in (4, 7)]):
            A = X[:, [4, 7, j]]
            if intercept:
                A = np.column_stack([A, np.ones(50)])
            left = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
            fit, k = 50 * (np.log(2 * np.pi * (left @ left) / 50) + 1), A.shape[1]
            penalty = k * np.log(50) + 2 * gamma * np.log(30 * 29 * 28 / 6)
            if criterion == "gic":
                penalty = k * np.log(30) * np.log(np.log(50))
            assert quality == pytest.approx(-(fit + penalty))


@pytest.mark.parametrize("criterion", ["aic", "bic", "cp", "adjusted-r2"])
@pytest.mark.parametrize("intercept", [True, False])
def test_penalised_fits_equal_their_formulas(criterion, intercept):
    """AIC, BIC, Cp and adjusted R2 follow from the residual sum of squares of an explicit fit."""
    prob = problem("balanced", "regression")
    evaluator = LeastSquares(alpha=0, fit_intercept=intercept, criterion=criterion).bind(prob.task)
    space, base = prob.space, prob.space.subset([0, 3, 5])
    unstructured = Candidates.of(space, [base] * 2)
    for batch in (space.additions(base), space.removals(base), space.swaps(base), unstructured):
        quality, columns = evaluator.evaluate(batch)[1], space.columns(batch[1])
        assert_allclose(quality, by_formula(prob.task, columns, criterion, intercept), rtol=1e-9)
        assert_allclose(evaluator.explain(columns).quality, quality, rtol=1e-9)


def by_formula(task, columns, criterion, intercept):
    sm = pytest.importorskip("statsmodels.api")

    def design(c):
        return sm.add_constant(task.X[:, c]) if intercept else task.X[:, c]

    fit, full = (
        sm.OLS(task.y, design(columns)).fit(),
        sm.OLS(task.y, design(np.arange(task.n_columns))).fit(),
    )
    k = len(columns) + intercept
    values = {"aic": -fit.aic, "bic": -fit.bic, "adjusted-r2": fit.rsquared_adj}
    return values.get(criterion, -(fit.ssr / full.mse_resid - task.n_rows + 2 * k))


def test_what_has_no_closed_form_is_refused():
    """Leave-one-out with scaling, probabilities of ridge and callables raise NotExact.

    Errors name invalid options.
    """
    task = problem("balanced").task
    for options in (
        {"scaling": "standard", "cv": LeaveOneOut()},
        {"scoring": "neg_log_loss"},
        {"scoring": len},
    ):
        with pytest.raises(NotExact):
            LeastSquares(**options).bind(task)
    wrong = [
        ({"alpha": -1}, "alpha"),
        ({"scaling": "robust"}, "scaling"),
        ({"criterion": "mdl"}, "one of aic"),
    ]
    for options, what in [*wrong, ({"criterion": "aic"}, "criterion='aic' needs regression")]:
        with pytest.raises(ValueError, match=what):
            LeastSquares(**options).bind(task)


def test_a_fork_does_not_share_its_place():
    """Two forks that walk apart answer as if each were alone."""
    prob = problem("balanced")
    evaluator = LeastSquares(cv=3).bind(prob.task)
    one, two = evaluator.fork(), evaluator.fork()
    space, a, b = prob.space, prob.space.subset([0]), prob.space.subset([1, 2, 3])
    one.evaluate(space.additions(a))
    first = two.evaluate(space.additions(b))
    one.evaluate(space.additions(space.subset([0, 5])))
    assert_allclose(two.evaluate(space.additions(b)), first, rtol=0)
    assert one.state is not two.state and evaluator.state is None


def test_groups_of_columns_and_pairs_are_exact():
    """Flips of groups, and of two columns at once, equal refitting."""
    prob = problem("balanced")
    space = Space.of(10, groups=[(0, 1), (2, 3)])
    evaluator = LeastSquares(cv=3).bind(prob.task)
    for batch in (space.additions(space.subset([3])), space.additions(space.subset([4]), 2)):
        agrees(
            evaluator,
            evaluator.evaluate(batch)[1],
            RidgeClassifier(),
            prob,
            space.columns(batch[1]),
        )


def blocks_of(n=40, p=7, seed=0):
    rng = np.random.default_rng(seed)
    table, weights = rng.normal(size=(p, n)), rng.uniform(size=(n, 2))
    means = np.stack([(table * w).sum(axis=1) / w.sum() for w in weights.T])
    targets = rng.normal(size=(2, p, 2))
    spans = np.array([0, n // 2, n])
    zero = np.zeros(n, dtype=int)
    return Blocks(
        table,
        weights,
        zero,
        means[:, None],
        np.ones((2, p)),
        means,
        targets,
        np.arange(n),
        spans,
        penalty=0.1,
    )


@pytest.mark.parametrize("offset", [0.0, 1e-13, 1e-7, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_are_about_the_means_however_small_these_are(offset, weighted):
    """Means that no digit of a moment can show are left in; others are taken off."""
    rng = np.random.default_rng(0)
    weights = rng.uniform(size=(50, 1)) if weighted else np.ones((50, 1))
    table = rng.normal(size=(6, 50)) * np.array([[1e6], [1e3], [1.0], [1.0], [1e-2], [1e-4]])
    table -= np.average(table, axis=1, weights=weights[:, 0])[:, None]
    table += offset * table.std(axis=1, keepdims=True)
    means = np.average(table, axis=1, weights=weights[:, 0])[None]
    zero, columns = np.zeros(50, dtype=int), np.array([0, 2, 3, 5])
    spans, targets = np.array([0, 50]), np.zeros((1, 6, 1))
    blocks = Blocks(
        table, weights, zero, means[:, None], np.ones((1, 6)), means, targets, np.arange(50), spans
    )
    about = (table - means[0][:, None])[columns]
    expected = (about * weights[:, 0]) @ about.T
    norm = np.sqrt(np.diagonal(expected))
    assert_allclose(
        blocks.gram(columns)[0] / np.outer(norm, norm),
        expected / np.outer(norm, norm),
        rtol=0,
        atol=1e-15,
    )
    assert blocks._centred(0, columns) == (offset < 1e-9)


def test_a_moved_state_equals_one_built_there():
    """Columns that enter and leave in any order give the arrays of a fresh state.

    These are pivots, targets, couplings and residuals.
    """
    blocks = blocks_of()
    state = Sweep(blocks, [1, 4])
    for column in (0, 5, 4, 2, 4, 0):
        state.flip(column)
    fresh = Sweep(blocks, state.columns)
    assert sorted(state.columns) == [1, 2, 4, 5]
    for part in ("pivot", "target", "residual"):
        assert_allclose(getattr(state, part), getattr(fresh, part), rtol=1e-10, atol=1e-12)
    assert_allclose(state.coupling, fresh.coupling, rtol=1e-10, atol=1e-12)
    assert_allclose(state._computed(slice(None)), state.residual, atol=1e-12)


def test_a_hundred_thousand_columns_without_holding_a_square():
    """Forward steps at p = 100,000 hold about the residuals, and find the columns that matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 100_000)).astype(np.float32)
    y = X[:, 777] - X[:, 99_999] + 0.1 * rng.normal(size=30)
    task, space = Task.of(X, y, "regression"), Space.of(100_000)
    evaluator, at = LeastSquares(cv=3).bind(task), space.empty()
    for _ in range(2):
        batch = space.additions(at)
        at = batch[int(evaluator.evaluate(batch).argmax())]
    assert space.columns(at).tolist() == [777, 99_999]
    assert evaluator.blocks._whole is None
    assert evaluator.state.tables.coupling.shape == (3, 8, 100_000)


@pytest.mark.parametrize(
    "cv", [5, ShuffleSplit(4, random_state=0), RepeatedKFold(n_splits=3, n_repeats=2)]
)
def test_populations_in_compiled_code_equal_refitting(cv):
    """Random subsets evaluated together, whether or not every row is held out once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 16))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=90) > 0).astype(int)
    cv = list(cv.split(X, y)) if not isinstance(cv, int) else cv
    space, evaluator = Space.of(16), LeastSquares(cv=cv).bind(Task.of(X, y))
    for _ in range(3):
        population = Candidates.of(
            space, [space.sample(rng, int(s)) for s in rng.integers(1, 14, size=9)]
        )
        refitted = [
            cross_val_score(RidgeClassifier(), X[:, c], y, cv=cv).mean()
            for c in population.columns()
        ]
        assert_allclose(evaluator.evaluate(population), refitted, rtol=1e-10)
    assert evaluator.blocks.whole is not None  # or the compiled loop was never used


def test_rows_of_zeros_without_an_intercept():
    """Rows of zeros have output 0, which is the first class.

    What removals leave of other columns is rounding, not a sign.
    """
    rng = np.random.default_rng(1)
    X = (rng.random((80, 10)) < 0.3).astype(float)
    y = rng.integers(0, 2, size=80)
    space, model = Space.of(10), RidgeClassifier(fit_intercept=False)
    evaluator = LeastSquares(fit_intercept=False, cv=4).bind(Task.of(X, y))
    for size in (9, 6, 3):
        for _ in range(3):
            base = space.sample(rng, size)
            removals = space.removals(base)
            refitted = [cross_val_score(model, X[:, c], y, cv=4).mean() for c in removals.columns()]
            assert_allclose(evaluator.evaluate(removals), refitted, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_sums_without_each_fold_are_those_of_the_other_rows(seed, centred, weighted):
    """Sums of folds are added up to those over the other folds of each, and over all rows."""
    rng = np.random.default_rng(seed)
    n, p, n_targets, n_folds = 30, 4, 1 + seed % 3, 2 + seed % 4
    table, targets = (
        rng.standard_normal((p, n)) * [[1e-3], [1], [1], [1e3]],
        rng.standard_normal((n_targets, n)) + 50,
    )
    bounds = np.array([0, *np.sort(rng.choice(np.arange(1, n), n_folds - 1, replace=False)), n])
    weights = rng.random(n) if weighted else np.ones(n)
    inside = [np.isin(np.arange(n), np.arange(a, b)) for a, b in pairwise(bounds)]
    every = np.column_stack([*(np.where(held, 0.0, weights) for held in inside), weights])
    found = PartSums.without_each(table, weights, targets, bounds, centred)
    for name, one, other in zip(
        PartSums._fields, found, PartSums.of(table, every, targets, centred)
    ):
        scale = np.abs(other).max(initial=1.0)
        assert_allclose(
            one, other, rtol=1e-9, atol=1e-12 * scale if name != "targets" else 1e-10, err_msg=name
        )


def test_a_class_that_a_fold_holds_out_whole_is_refused():
    """Where each of three folds is a class; four folds leave rows of each to train on."""
    task = Task.of(np.random.default_rng(0).normal(size=(12, 2)), np.repeat([0, 1, 2], 4))
    with pytest.raises(NotExact, match="fold 0 lacks a class"):
        LeastSquares(cv=KFold(3)).bind(task)
    LeastSquares(cv=KFold(4)).bind(task)
