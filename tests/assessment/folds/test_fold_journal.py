"""The journal of an assessment.

Finished folds are not done again, and the assessment is the same.
"""

import json
from dataclasses import asdict

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector, assess, compare
from subsel.assessment.folds.fold import Fold
from subsel.assessment.folds.fold_journal import _fold, _plain
from subsel.assessment.folds.predictions import Predictions
from subsel.engine.journal.journal import JournalMismatch

X, Y = load_wine(return_X_y=True)


class Counting(SelectorMixin, BaseEstimator):
    """Selects two columns, counts how often, and may end as if interrupted."""

    calls, stop_at = 0, None

    def __init__(self, k=2):
        self.k = k

    def fit(self, X, y):
        Counting.calls += 1
        if Counting.calls == Counting.stop_at:
            raise KeyboardInterrupt
        self.support_ = SelectKBest(k=self.k).fit(X, y).get_support()
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return self.support_


@pytest.fixture(autouse=True)
def count(monkeypatch):
    monkeypatch.setattr(Counting, "calls", 0)
    monkeypatch.setattr(Counting, "stop_at", None)


def same(one, other):
    assert one.performance == other.performance
    for name in set(one.folds) - {"seconds"}:
        assert np.array_equal(
            one.folds[name], other.folds[name], equal_nan=one.folds[name].dtype.kind == "f"
        ), name
    assert np.array_equal(one.supports, other.supports)
    assert one.stability == other.stability
    assert repr(one.references) == repr(other.references)
    assert one.interval == other.interval


def test_finished_folds_are_not_done_again(tmp_path, monkeypatch):
    """Interrupted in the fourth fold, taken up again: seven folds and six halves are left.

    The assessment is that of ten.
    """

    def go(**options):
        return assess(Counting(), GaussianNB(), X, Y, random_state=3, **options)

    plain = go()
    Counting.calls, Counting.stop_at = 0, 4
    assert "interrupted: 3 of 10" in go(journal=tmp_path).notes[-1]
    Counting.calls, Counting.stop_at = 0, None
    same(go(journal=tmp_path), plain)
    assert Counting.calls == 13
    same(go(journal=tmp_path, n_jobs=2), plain)
    assert Counting.calls == 13


def test_permutations_and_probes_are_kept(tmp_path):
    """The shufflings are the same ones, and none is repeated."""

    def go(**options):
        return assess(
            Counting(),
            GaussianNB(),
            X,
            Y,
            cv=3,
            permutations=5,
            probes=True,
            random_state=0,
            **options,
        )

    plain, first = go(), go(journal=tmp_path)
    Counting.calls = 0
    again = go(journal=tmp_path)
    assert Counting.calls == 0
    assert plain.permutation.p_value == first.permutation.p_value == again.permutation.p_value
    assert np.array_equal(plain.permutation.scores, again.permutation.scores)
    same(again, plain)


def test_other_settings_are_another_assessment(tmp_path):
    """A parameter, the model, the folds, the seed: each makes all folds new; so do other data."""

    def go(k=2, model=None, cv=3, seed=0, X=X):
        return assess(
            Counting(k),
            model or GaussianNB(),
            X,
            Y,
            cv=cv,
            random_state=seed,
            references=False,
            journal=tmp_path,
        )

    go()
    for change in ({"k": 3}, {"model": RidgeClassifier()}, {"cv": 4}, {"seed": 1}, {"X": X + 1e-9}):
        Counting.calls = 0
        go(**change)
        assert Counting.calls == change.get("cv", 3) + 6, change


def test_a_drawn_seed_is_kept(tmp_path):
    """Without random_state the folds of the second call are those of the first."""

    def go():
        return assess(Counting(), GaussianNB(), X, Y, cv=3, journal=tmp_path)

    first = go()
    Counting.calls = 0
    same(go(), first)
    assert Counting.calls == 0


def test_folds_that_nobody_can_repeat_are_refused(tmp_path):
    """A splitter that gives other rows each time."""

    class Restless(BaseEstimator):
        def split(self, X, y=None, groups=None):
            rows = np.random.default_rng().permutation(len(X))
            yield rows[:100], rows[100:]

        def get_n_splits(self, X=None, y=None, groups=None):
            return 1

    def go():
        return assess(
            Counting(), GaussianNB(), X, Y, cv=Restless(), random_state=0, journal=tmp_path
        )

    go()
    with pytest.raises(JournalMismatch, match="random_state"):
        go()


def test_compare_keeps_its_folds(tmp_path):
    """Predictions too, which the paired test needs: text labels come back as text."""
    labels = np.array(["a", "b", "c"])[Y]

    def go(**options):
        return compare(
            [("two", Counting(2)), ("four", Counting(4))],
            GaussianNB(),
            X,
            labels,
            cv=3,
            random_state=0,
            **options,
        )

    plain = go()
    Counting.calls, Counting.stop_at = 0, 4
    with_stop = go(journal=tmp_path)
    assert any("interrupted" in note for note in with_stop.notes)
    Counting.calls, Counting.stop_at = 0, None
    again = go(journal=tmp_path)
    assert Counting.calls == 3 + 2 * 6
    assert np.array_equal(again.scores, plain.scores)
    assert again.differences == plain.differences
    for name in set(plain.table) - {"seconds"}:
        assert np.array_equal(
            again.table[name], plain.table[name], equal_nan=plain.table[name].dtype.kind == "f"
        ), name


def test_searches_in_the_folds_have_journals_of_their_own(tmp_path):
    """One directory for both.

    The fold, or half, that was interrupted within its search goes on there.
    """
    data, y = load_diabetes(return_X_y=True)
    selector = SubsetSelector(Ridge(), "rfs1", budget=50, journal=tmp_path)

    def go():
        return assess(
            clone(selector),
            Ridge(),
            data,
            y,
            cv=3,
            random_state=0,
            n_jobs=2,
            references=False,
            journal=tmp_path,
        )

    first = go()
    assert len(list(tmp_path.glob("run-*"))) == 3 + 6
    next(tmp_path.glob("assess-*")).unlink()
    same(go(), first)
    assert len(list(tmp_path.glob("run-*"))) == 3 + 6


@pytest.mark.parametrize(
    "predicted", [np.array(["x", "yy"]), np.array([1, 2]), np.array([0.1, np.inf])]
)
def test_a_fold_comes_back_as_it_was(predicted):
    """Through JSON, to the last bit."""
    said = Predictions(predicted, None, np.array([[0.1, 0.9], [1 / 3, 2 / 3]]))
    settings = {
        "references": {"all": 1e-17},
        "failed": {"x": "y"},
        "with_probes": (2, 1),
        "outputs": said,
    }
    fold = Fold(
        0.1,
        np.nan,
        None,
        np.array([3, 5]),
        1 / 3,
        7,
        False,
        False,
        reference_outputs={"all": said},
        **settings,
    )
    back = _fold(json.loads(json.dumps(_plain(asdict(fold)))))
    for name in set(vars(fold)) - {"columns", "outputs", "reference_outputs"}:
        value, got = getattr(fold, name), getattr(back, name)
        assert got == value or (value != value and got != got), name
    assert np.array_equal(back.columns, fold.columns)
    for got in (back.outputs, back.reference_outputs["all"]):
        assert got.predicted.dtype == predicted.dtype and np.array_equal(got.predicted, predicted)
        assert got.confidence is None and np.array_equal(got.probability, said.probability)
