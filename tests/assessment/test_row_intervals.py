"""Intervals and paired tests from held-out rows.

Where they come from, their floors, and how often they hold.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from subsel.assessment import assess, corrected_interval
from subsel.assessment.folds.predictions import Predictions, disagreement
from subsel.assessment.folds.splits import Split
from subsel.assessment.row_intervals import ScoredFolds, inflation
from subsel.data.task import Task


def splits(n, rng, n_repeats=2, n_folds=5):
    """Shuffled folds, repeated."""
    parts = [np.array_split(rng.permutation(n), n_folds) for _ in range(n_repeats)]
    whole = np.arange(n)
    return [
        Split(r, f, np.setdiff1d(whole, t), t)
        for r, tests in enumerate(parts)
        for f, t in enumerate(tests)
    ]


def scored(y, said, folds, scoring="accuracy", groups=None, kind="classification"):
    """Folds of a model that says the same of a row whatever it was trained on."""
    task = Task(np.zeros((len(y), 1)), y, kind, ["x0"], None, groups)
    outputs = [
        Predictions(*(None if part is None else part[s.test] for part in said)) for s in folds
    ]
    found = ScoredFolds.of(scoring, np.full(len(folds), np.nan), outputs, folds, task)
    assert found.rows is None  # scores that rows do not add up to are not believed
    from subsel.assessment.row_intervals import MEASURES, influence

    needs, truth = ("values" if scoring == "r2" else MEASURES[scoring].needs), task.y

    def one(out, s):
        return influence(scoring, truth, [out.give(needs, task)], [s.test], [0]).score

    scores = np.array([one(out, s) for out, s in zip(outputs, folds)])
    return ScoredFolds.of(scoring, scores, outputs, folds, task)


def test_performance_of_a_regression_is_pooled():
    """R2 is that of all held-out rows of a repeat (q2); fold scores stay those of the folds."""
    X, y = load_diabetes(return_X_y=True)
    cv = KFold(20, shuffle=True, random_state=0)
    a = assess(
        SelectKBest(k=4), LinearRegression(), X, y, cv=cv, references=False, stability_pairs=0
    )
    columns = [np.flatnonzero(s) for s in a.supports]
    predicted = np.empty(len(y))
    for (train, test), c in zip(cv.split(X), columns):
        predicted[test] = LinearRegression().fit(X[train][:, c], y[train]).predict(X[test][:, c])
    assert_allclose(a.performance, r2_score(y, predicted))
    assert a.performance > a.folds["score"].mean()  # small folds make the mean of R2 too low


def test_a_measure_that_is_not_made_of_rows_keeps_the_interval_over_folds():
    """F1 has the corrected interval of its fold scores."""
    X, y = load_iris(return_X_y=True)
    a = assess(
        SelectKBest(k=2), GaussianNB(), X, y, scoring="f1_macro", references=False, random_state=0
    )
    assert_allclose(a.interval, np.clip(corrected_interval(a.folds["score"], 1 / 4), 0, 1))


@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "roc_auc", "neg_log_loss", "r2"]
)
def test_perfection_is_never_certain(scoring):
    """Every fold perfect.

    The interval has a width of the order of one row, and reaches the best there is.
    """
    rng = np.random.default_rng(0)
    y = (np.arange(40) % 2).astype(float if scoring == "r2" else int)
    said = (y, None, None) if scoring == "r2" else (y, y.astype(float), np.eye(2)[y])
    low, high = scored(
        y,
        said,
        splits(40, rng),
        scoring,
        kind="regression" if scoring == "r2" else "classification",
    ).interval(0.95)
    best = 0.0 if scoring == "neg_log_loss" else 1.0
    assert abs(high - best) < 1e-9 and best - 0.2 < low < best - 0.01


def test_repeats_do_not_narrow():
    """A model with equal predictions in ten repeats is no surer than in one repeat.

    One repeat only hides the disagreement.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    sure = y + rng.standard_normal(60)
    said = ((sure > 0.5).astype(int), sure, None)
    widths = [np.diff(scored(y, said, splits(60, rng, r)).interval(0.95))[0] for r in (1, 2, 10)]
    assert_allclose(widths[1], widths[2], rtol=0.02)
    assert widths[0] > widths[1]


def test_copies_of_rows_in_groups_add_nothing():
    """Each row five times over, in a group: nearly the interval of the rows taken once."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    sure = y + rng.standard_normal(60)
    said = ((sure > 0.5).astype(int), sure, None)
    once, places = splits(60, rng), np.repeat(np.arange(60), 5)

    def rows_of(rows):
        return np.flatnonzero(np.isin(places, rows))

    many = [Split(s.repeat, s.fold, rows_of(s.train), rows_of(s.test)) for s in once]
    copied = tuple(None if part is None else part[places] for part in said)
    for scoring in ("accuracy", "balanced_accuracy", "roc_auc"):
        one = scored(y, said, once, scoring).interval(0.95)
        assert_allclose(
            scored(y[places], copied, many, scoring, places).interval(0.95), one, atol=0.01
        )
        loose = scored(y[places], copied, many, scoring).interval(0.95)
        assert np.diff(loose) < 0.6 * np.diff(one)


def test_disagreement():
    """Zero where repeats agree, near one where they are random, unknown from one repeat."""
    rng = np.random.default_rng(0)
    folds = splits(200, rng)
    task = Task(np.zeros((200, 1)), rng.standard_normal(200), "regression", ["x0"], None, None)
    same = [Predictions(task.y[s.test]) for s in folds]
    assert disagreement(same, folds, task) == pytest.approx(0)
    assert disagreement([Predictions(rng.random(len(s.test))) for s in folds], folds, task) > 0.8
    assert disagreement(same[:5], folds[:5], task) is None
    assert disagreement([Predictions(np.ones(len(s.test))) for s in folds], folds, task) == 0


def test_inflation_grows_with_disagreement():
    """From one, where models agree; the unknown is taken as bad."""
    for scoring, kind in (
        ("accuracy", "classification"),
        ("roc_auc", "classification"),
        ("r2", "regression"),
    ):
        values = [inflation(scoring, kind, d) for d in (0, 0.02, 0.1, 0.3)]
        assert values[0] == 1 and values == sorted(values)
        assert inflation(scoring, kind, None) > 0.9 * values[-1]


@pytest.mark.parametrize(
    ("scoring", "gap"), [("accuracy", 1.0), ("roc_auc", 1.0), ("roc_auc", 3.0)]
)
def test_the_interval_of_a_fixed_rule_covers(scoring, gap):
    """A rule that needs no training has the share of rows, or the area, that its law gives.

    About 95 of 100 times.
    """
    from scipy.stats import norm

    rng = np.random.default_rng(3)
    truth = norm.cdf(gap / 2) if scoring == "accuracy" else norm.cdf(gap / np.sqrt(2))
    inside, n = 0, 150
    for _ in range(n):
        y = rng.permutation(np.arange(60) % 2)
        sure = gap * (y - 0.5) + rng.standard_normal(60)
        low, high = scored(
            y, ((sure > 0).astype(int), sure, None), splits(60, rng, 2, 3), scoring
        ).interval(0.95)
        inside += low <= truth <= high
    assert 0.91 <= inside / n <= 0.995


def test_equal_procedures_are_seldom_told_apart_and_unequal_ones_often():
    """Two rules with noise of equal size; then one with less."""
    rng = np.random.default_rng(4)
    rejected = {1.0: 0, 0.5: 0}
    for noise in rejected:
        for _ in range(80):
            y, folds = rng.permutation(np.arange(80) % 2), splits(80, rng, 2, 4)
            sure = [y - 0.5 + scale * rng.standard_normal(80) for scale in (1.0, noise)]
            a, b = (scored(y, ((s > 0).astype(int), s, None), folds) for s in sure)
            rejected[noise] += a.compared(b, 0.95)[2] < 0.05
    assert rejected[1.0] <= 0.1 * 80 and rejected[0.5] >= 0.4 * 80


def test_comparison_is_antisymmetric_and_zero_of_itself():
    """The difference turns with the order, the p-value does not.

    A procedure is not told apart from itself.
    """
    rng = np.random.default_rng(5)
    y, folds = rng.permutation(np.arange(40) % 2), splits(40, rng)
    one, two = (scored(y, (rng.integers(0, 2, 40), None, None), folds) for _ in range(2))
    gap, (low, high), p = one.compared(two, 0.9)
    assert_allclose(two.compared(one, 0.9)[0], -gap)
    assert_allclose(two.compared(one, 0.9)[1], (-high, -low))
    assert two.compared(one, 0.9)[2] == pytest.approx(p)
    assert one.compared(one, 0.95) == (0.0, (0.0, 0.0), 1.0)
    right, wrong = (scored(y, (said, None, None), folds) for said in (y, 1 - y))
    assert right.compared(wrong, 0.95)[2] < 1e-6


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedKFold(n_splits=4, n_repeats=3, random_state=0),
        ShuffleSplit(6, test_size=0.25, random_state=0),
    ],
)
def test_any_splitter(cv):
    """Repeats and overlapping test parts.

    The score is the mean over folds, in an interval about as wide as rows allow.
    """
    X, y = load_iris(return_X_y=True)
    keep = y > 0
    a = assess(
        SelectKBest(k=1),
        LogisticRegression(),
        X[keep],
        y[keep],
        cv=cv,
        references=False,
        stability_pairs=0,
    )
    assert_allclose(a.performance, a.folds["score"].mean())
    assert a.interval[0] < a.performance < a.interval[1]
    assert 0.05 < a.interval[1] - a.interval[0] < 0.25


def test_the_rows_are_those_of_cross_val_predict():
    """One pass of folds of equal size.

    Accuracy and its interval follow from the held-out predictions alone.
    """
    X, y = load_iris(return_X_y=True)
    cv = KFold(5, shuffle=True, random_state=0)
    a = assess(None, GaussianNB(), X, y, cv=cv, references=False)
    share = (cross_val_predict(GaussianNB(), X, y, cv=cv) == y).mean()
    assert_allclose(a.performance, share)
    from scipy.stats import t

    z, n = t.ppf(0.975, 149), 150 / inflation("accuracy", "classification", None) * 149 / 150
    centre, reach = (share + z**2 / (2 * n)) / (1 + z**2 / n), z / (1 + z**2 / n)
    reach *= np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    assert_allclose(a.interval, (centre - reach, centre + reach))
