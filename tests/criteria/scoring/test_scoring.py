"""Scorings equal scikit-learn's, for many candidates at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit

from subsel.criteria.scoring.scoring import SCORINGS, HeldOutFolds, find_scoring, fold_quality
from subsel.data.folds import make_folds
from subsel.data.task import Task

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LABELS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "ber": lambda y, p: metrics.balanced_accuracy_score(y, p) - 1,
    "f1_macro": lambda y, p: metrics.f1_score(y, p, average="macro"),
    "f1_micro": lambda y, p: metrics.f1_score(y, p, average="micro"),
    "f1_weighted": lambda y, p: metrics.f1_score(y, p, average="weighted"),
}
VALUES = {
    "r2": metrics.r2_score,
    "neg_mean_squared_error": lambda y, p: -metrics.mean_squared_error(y, p),
    "neg_root_mean_squared_error": lambda y, p: -metrics.root_mean_squared_error(y, p),
    "neg_mean_absolute_error": lambda y, p: -metrics.mean_absolute_error(y, p),
}


def test_lift_area_is_that_under_the_curve_of_positives_against_calls():
    """Trapezoids under the share of positives found against the share of rows called
    positive, tied scores one step.
    """
    rng = np.random.default_rng(0)
    y = (rng.random(40) < 0.3).astype(int)
    decision = np.round(rng.normal(size=(3, 40)) + y, 1)
    for scores, found in zip(decision, SCORINGS["lift_area"](y, decision)):
        cuts = [np.inf, *np.unique(scores)[::-1]]
        called = [(scores >= cut).mean() for cut in cuts]
        hit = [(scores[y == 1] >= cut).mean() for cut in cuts]
        assert found == pytest.approx(np.trapezoid(hit, called))
    assert SCORINGS["lift_area"](y, 1.0 * y[None])[0] == pytest.approx(1 - y.mean() / 2)


def classes(n=60, k=3, seed=0, labels=None):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(k), rng.choice(k, n - k, p=np.arange(k, 0, -1) / (k * (k + 1) / 2))]
    return Task.of(
        rng.normal(size=(n, 2)), y if labels is None else np.array(labels)[y], "classification"
    )


def held(task, name, cv=KFold(4), pooled=False):
    return HeldOutFolds.of(task, make_folds(cv, task), find_scoring(name, task), pooled)


def by_fold(score, lay, outputs):
    spans = list(zip(lay.bounds, lay.bounds[1:]))
    return np.array([[score(lay.y[a:b], one[a:b]) for a, b in spans] for one in outputs])


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("name", LABELS)
def test_label_scores_equal_scikit_learn_per_fold_and_pooled(name, k):
    """Every label score is scikit-learn's, fold by fold and pooled, also where folds lack a
    class.
    """
    task = classes(k=k)
    lay = held(task, name)
    lacking = [k - len(np.unique(lay.y[a:b])) for a, b in zip(lay.bounds, lay.bounds[1:])]
    assert max(lacking) > 0 or k < 5
    outputs = np.random.default_rng(1).integers(0, k, size=(7, len(lay.y)))
    outputs[0], outputs[1] = 0, lay.y
    expected = by_fold(LABELS[name], lay, outputs)
    assert_allclose(lay.fold_scores(outputs), expected, atol=1e-14)
    assert_allclose(lay.quality(outputs), expected.mean(axis=1), atol=1e-14)
    assert_allclose(
        held(task, name, pooled=True).quality(outputs),
        [LABELS[name](lay.y, o) for o in outputs],
        atol=1e-14,
    )


@pytest.mark.parametrize("labels", [(0, 1), (1, 2), (-1, 1)])
def test_f1_is_about_the_class_labelled_one(labels):
    """F1 counts the label 1 as positive, wherever it sorts."""
    task = classes(k=2, labels=labels)
    lay = held(task, "f1")
    outputs = np.random.default_rng(1).integers(0, 2, size=(5, len(lay.y)))
    outputs[0] = 0

    def score(y, p):
        return metrics.f1_score(task.classes[y], task.classes[p])

    assert_allclose(lay.fold_scores(outputs), by_fold(score, lay, outputs), atol=1e-14)


def test_auc_equals_scikit_learn_with_ties():
    """AUC counts ties half, as the area under scikit-learn's curve does."""
    task = classes(k=2, n=80)
    lay = held(task, "roc_auc")
    rng = np.random.default_rng(2)
    outputs = np.stack([rng.integers(0, 4, 80) * 0.25, rng.normal(size=80), np.zeros(80)])
    assert_allclose(
        lay.fold_scores(outputs), by_fold(metrics.roc_auc_score, lay, outputs), atol=1e-13
    )


@pytest.mark.parametrize("k", [2, 4])
def test_log_loss_equals_scikit_learn_with_certain_probabilities(k):
    """Log loss clips probabilities of 0 and 1 as scikit-learn does."""
    task = classes(k=k, n=120)
    lay = held(task, "neg_log_loss")
    outputs = np.random.default_rng(3).dirichlet(np.ones(k), size=(3, len(lay.y)))
    outputs[0] = np.eye(k)[np.random.default_rng(4).integers(0, k, len(lay.y))]

    def score(y, p):
        return -metrics.log_loss(y, p)

    assert_allclose(lay.fold_scores(outputs), by_fold(score, lay, outputs), rtol=1e-12)


@pytest.mark.parametrize("name", VALUES)
def test_value_scores_equal_scikit_learn(name):
    """Every regression score is scikit-learn's, fold by fold and pooled, also for a fold of
    one value.
    """
    rng = np.random.default_rng(5)
    y = rng.normal(size=50)
    y[:10] = 0.1
    task = Task.of(rng.normal(size=(50, 2)), y, "regression")
    lay = held(task, name, KFold(5))
    outputs = rng.normal(size=(4, 50))
    outputs[0] = y
    assert_allclose(lay.fold_scores(outputs), by_fold(VALUES[name], lay, outputs), rtol=1e-12)
    assert_allclose(
        held(task, name, KFold(5), True).quality(outputs),
        [VALUES[name](y, o) for o in outputs],
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    "name", [n for n in SCORINGS if n in metrics.get_scorer_names() and n != "f1"]
)
def test_scorer_objects_are_recognised(name):
    """A scorer object with default arguments is its name, one with other arguments is not."""
    task = (
        classes(k=2)
        if SCORINGS[name].needs != "values"
        else Task.of(np.ones((9, 1)), np.arange(9.0), "regression")
    )
    assert find_scoring(metrics.get_scorer(name), task).name == name
    other = find_scoring(metrics.make_scorer(metrics.fbeta_score, beta=2), task)
    assert other is None or other.name != name


def test_what_cannot_be_scored_here_is_left_to_refitting():
    """Callables, unknown names, scores of the wrong kind, of wrong labels and two-class
    ones of three classes give None.
    """
    two, three = classes(k=2, labels=("a", "b")), classes(k=3)
    for task, scoring in [
        (two, len),
        (two, "recall"),
        (two, "nonsense"),
        (three, "average_precision"),
        (two, "r2"),
        (three, "roc_auc"),
        (three, "f1"),
        (two, "f1"),
    ]:
        assert find_scoring(scoring, task) is None
    assert find_scoring(None, two).name == "accuracy"
    assert find_scoring(None, Task.of(np.ones((9, 1)), np.arange(9.0), "regression")).name == "r2"


def test_a_score_undefined_on_a_fold_is_refused_when_the_folds_are_laid_out():
    """R2 of one row, and AUC or log loss of one class, name the fold and the remedy.

    Pooled they exist.
    """
    with pytest.raises(ValueError, match=r"'roc_auc' is not defined on the 1 row.*pooled=True"):
        held(classes(k=2), "roc_auc", LeaveOneOut())
    assert (
        held(classes(k=2), "roc_auc", LeaveOneOut(), pooled=True).quality(np.ones((1, 60))) == 0.5
    )
    assert np.isnan(SCORINGS["r2"](np.ones(1), np.ones((2, 1)))).all()


def test_standard_error_is_fold_spread_and_row_spread_under_leave_one_out():
    """The standard error is sd/sqrt(folds).

    With one row a fold that is the sd of the losses over sqrt(n).
    """
    task = classes(k=2)
    for cv in (KFold(4), LeaveOneOut()):
        lay = held(task, "accuracy", cv)
        outputs = np.random.default_rng(1).integers(0, 2, size=(3, 60))
        scores = lay.fold_scores(outputs)
        quality, error = fold_quality(lay, outputs)
        assert_allclose(quality, scores.mean(axis=1))
        assert_allclose(error, scores.std(axis=1, ddof=1) / np.sqrt(len(lay.bounds) - 1))
        seen = lay.explain(outputs[:1], outputs[0])
        assert_allclose([seen.quality, seen.standard_error], [quality[0], error[0]])
    assert_allclose(seen.losses.std(ddof=1) / np.sqrt(60), error[0])


@pytest.mark.parametrize(
    "cv", [RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), ShuffleSplit(2, test_size=9)]
)
def test_predictions_are_shown_per_row(cv):
    """A row held out twice shows its first prediction, one never held out shows NaN."""
    task = classes(k=2, labels=("a", "b"))
    lay = held(task, "accuracy", cv)
    codes = np.random.default_rng(1).integers(0, 2, size=len(lay.rows))
    shown = lay.explain(codes[None], codes).predictions
    for row in range(task.n_rows):
        where = np.flatnonzero(lay.rows == row)
        assert (
            shown[row] == task.classes[codes[where[0]]] if len(where) else shown[row] != shown[row]
        )
