"""A race.

The same folds for all, poor contenders dropped, failures named, the same answer on any number of
workers.
"""

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.assessment import Contender
from subsel.assessment.folds.splits import make_splits
from subsel.assessment.race import race
from subsel.assessment.row_intervals import inflation
from subsel.data.task import Task


def table(n=90, p=6, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, 0] += 2.5 * y
    return Task.of(X, y, "classification")


def named(name, model):
    return Contender(name, make_pipeline(StandardScaler(), model))


def run(contenders, task, n_jobs=1, scoring="accuracy", **more):
    splits = make_splits(None, task, 0)
    return race(contenders, task, splits, get_scorer(scoring), scoring, 0, n_jobs=n_jobs, **more)


def test_scores_are_those_of_cross_validation():
    """A contender's score in each fold is what scikit-learn gives for its whole pipeline."""
    task = table()
    found = run([named("bayes", GaussianNB())], task)
    pairs = [(split.train, split.test) for split in found.splits]
    expected = cross_val_score(
        make_pipeline(StandardScaler(), GaussianNB()), task.X, task.y, cv=pairs
    )
    np.testing.assert_allclose(found.standings[0].scores, expected)


def test_a_poor_contender_is_dropped_and_a_broken_one_named():
    """Guessing ends early; what cannot be fitted is left out with a sentence; the rest run on."""
    broken = named("broken", LogisticRegression(C=-1.0))
    found = run(
        [named("guess", DummyClassifier()), named("bayes", GaussianNB()), broken], table(), keep=1
    )
    standings = {standing.name: standing for standing in found.standings}
    assert [standing.name for standing in found.finished] == ["bayes"] and len(
        standings["bayes"].folds
    ) == 10
    assert len(standings["guess"].folds) < 3 and not standings["guess"].finished
    assert not standings["broken"].folds
    assert any("broken could not be fitted" in note for note in found.notes)


def test_a_measure_that_is_not_made_of_rows_waits_for_three_folds():
    """A fold is one number of it, and one number says nothing of its own doubt."""
    found = run(
        [named("guess", DummyClassifier()), named("bayes", GaussianNB())],
        table(),
        scoring="f1_macro",
        keep=1,
    )
    assert len({standing.name: standing for standing in found.standings}["guess"].folds) == 3


def test_who_is_dropped_is_worse_beyond_doubt_by_rows_right_and_wrong():
    """After the first fold.

    Exactly those whose rows differ from the leader's by a paired t-test, doubt widened.
    """
    task = table(n=400)
    models = {f"{noise}": GaussianNB(var_smoothing=noise) for noise in (1e-9, 1.0, 10.0)} | {
        "guess": DummyClassifier()
    }
    found = run([named(name, model) for name, model in models.items()], task, keep=1)
    first = {standing.name: standing.folds[0] for standing in found.standings}
    leader = max(first, key=lambda name: first[name].score)
    right = {
        name: fold.outputs.predicted == task.y[found.splits[0].test] for name, fold in first.items()
    }
    for standing in found.standings:
        gaps = right[leader].astype(float) - right[standing.name]
        error = np.sqrt(
            inflation("accuracy", "classification", None) * gaps.var(ddof=1) / len(gaps)
        )
        beyond = gaps.mean() > 0 and 2 * student.sf(gaps.mean() / error, len(gaps) - 1) < 0.05
        assert (len(standing.folds) == 1) == beyond
    assert {len(standing.folds) for standing in found.standings} > {1}


def test_what_is_tolerated_stays():
    """Guessing is worse beyond doubt, but not by more than one half."""
    contenders = [named("guess", DummyClassifier()), named("bayes", GaussianNB())]

    def folds(found):
        return {standing.name: len(standing.folds) for standing in found.standings}["guess"]

    assert folds(run(contenders, table(), keep=1, tolerance=0.6)) == 10
    assert folds(run(contenders, table(), keep=1, tolerance=0.1)) < 3


def test_the_best_three_stay_for_a_committee():
    """However poor, so that a committee has its members."""
    found = run([named("guess", DummyClassifier()), named("bayes", GaussianNB())], table())
    assert {len(standing.folds) for standing in found.standings} == {10}


@pytest.mark.parametrize("n_jobs", [2])
def test_workers_do_not_change_the_race(n_jobs):
    """Scores and predictions are the same whoever runs the folds."""
    contenders = [named("bayes", GaussianNB()), named("logistic", LogisticRegression())]
    alone, together = (run(contenders, table(60), n_jobs=n) for n in (1, n_jobs))
    for a, b in zip(alone.standings, together.standings):
        assert a.name == b.name
        np.testing.assert_array_equal(a.scores, b.scores)


def test_the_clock_ends_a_race_after_the_fold_in_progress():
    """A deadline that has passed leaves one fold for everyone, and a note."""
    found = run(
        [named("bayes", GaussianNB()), named("guess", DummyClassifier())], table(), deadline=0.0
    )
    assert all(len(standing.folds) == 1 for standing in found.standings)
    assert any("ended after 1 of 10 folds" in note for note in found.notes)


def test_a_kept_race_is_not_run_twice(tmp_path):
    """Finished folds come from the journal: the second run fits nothing."""
    from subsel.assessment.folds.fold_journal import FoldJournal

    task, calls = table(), []

    class Counting(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            calls.append(1)
            return super().fit(X, y, sample_weight)

    def kept():
        journal = FoldJournal(tmp_path, {"race": ["bayes"]}, task, 0, False)
        with journal.holding(make_splits(None, task, 0)):
            return run([named("bayes", Counting())], task, journal=journal)

    first = kept()
    n_calls = len(calls)
    again = kept()
    assert n_calls == 10 and len(calls) == n_calls
    np.testing.assert_array_equal(first.standings[0].scores, again.standings[0].scores)
