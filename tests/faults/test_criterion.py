"""A journal is never used for another criterion; a criterion that cannot be trusted is named."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector, assess
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import parallel, run
from subsel.engine.journal.journal import Journal, JournalMismatch
from subsel.engine.restart import NotDeterministic
from subsel.search import find_search
from subsel.space.space import Space
from tests.engine.journal.journal_run import COLUMNS, TASK, Slow, seal

X, Y = (part[::3] for part in load_wine(return_X_y=True))


def penal(price):
    return lambda model, X, y: model.score(X, y) - price * X.shape[1]


def plain(model, X, y, price=0.0):
    return penal(price)(model, X, y)


@pytest.mark.parametrize(
    "make", [penal, lambda price: partial(plain, price=price)], ids=["closure", "partial"]
)
def test_a_journal_does_not_answer_for_another_scorer(make, tmp_path):
    """What a scorer closes over is part of the run.

    Another price is another run, with the answer it would have.
    """

    def fit(price, **kept):
        selector = SubsetSelector(
            GaussianNB(), "sfs", scoring=make(price), cv=2, n_features=(1, 6), **kept
        )
        return selector.fit(X, Y).result_

    fit(0.0, journal=tmp_path)
    other = fit(0.05, journal=tmp_path)
    assert other.n_replayed == 0
    assert other.chosen.tolist() == fit(0.05).chosen.tolist()
    assert fit(0.05, journal=tmp_path).n_replayed == other.n_evaluations


def test_what_cannot_be_described_needs_a_key(tmp_path):
    """A generator of folds says nothing of itself.

    Refused, unless the user names it, by a name that then counts.
    """

    def fit(key):
        folds = iter(list(KFold(2).split(X)))
        selector = SubsetSelector(
            GaussianNB(), "sfs", cv=folds, n_features=2, journal=tmp_path, journal_key=key
        )
        return selector.fit(X, Y).result_

    with pytest.raises(ValueError, match="journal_key"):
        fit(None)
    first = fit("folds of mine, 1")
    assert fit("folds of mine, 1").n_replayed == first.n_evaluations
    assert fit("folds of mine, 2").n_replayed == 0


def test_an_assessment_of_what_cannot_be_described_needs_a_key(tmp_path):
    """As a search does."""

    def go(key=None):
        return assess(
            None,
            GaussianNB(),
            X,
            Y,
            scoring=Opaque(),
            cv=2,
            references=False,
            journal=tmp_path,
            journal_key=key,
        )

    with pytest.raises(ValueError, match="journal_key"):
        go()
    assert go("mine 1").performance == go("mine 1").performance


class Opaque:
    """A scorer that holds something that says nothing of itself."""

    def __init__(self):
        self.state = iter([1])

    def __call__(self, model, X, y):
        return model.score(X, y)


class Sized(Slow):
    """Subsets of four features and more have a quality that changes."""

    bonus = 0.0

    def quality(self, columns):
        return super().quality(columns) + (self.bonus if len(columns) >= 4 else 0.0)


def test_subsets_of_several_sizes_are_evaluated_anew(tmp_path, monkeypatch):
    """A criterion that differs for larger subsets only is noticed all the same."""

    def go():
        return run(
            find_search("sfs"),
            Sized(),
            Space.of(COLUMNS, low=1, high=8),
            seed=0,
            journal=Journal(tmp_path, {}, TASK, np.random.SeedSequence(0)),
        )

    go()
    monkeypatch.setattr(Sized, "bonus", 1.0)
    with pytest.raises(JournalMismatch, match=r"subset of 4 feature\(s\)"):
        go()


def test_a_criterion_that_draws_unasked_is_warned_about():
    """One subset is evaluated twice; with a random_state nothing is said."""
    forest = ExtraTreesClassifier(10, max_depth=3)  # whose probabilities are never the same twice
    settings = {"scoring": "neg_log_loss", "cv": 2, "budget": 3, "random_state": 0}

    def fit(seed):
        drawn = clone(forest).set_params(random_state=seed)
        return SubsetSelector(drawn, "rmhc", **settings).fit(X, Y)

    with pytest.warns(NotDeterministic, match="random_state"):
        fit(None)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotDeterministic)
        fit(0)


class Infinite(Slow):
    """A quality that divides by zero."""

    def quality(self, columns):
        return np.inf if 3 in columns else super().quality(columns)


@pytest.mark.parametrize("key", ["sfs", "rmhc"])
def test_an_infinite_quality_is_refused(key):
    """By the columns that have it."""
    with pytest.raises(ValueError, match="got infinity for the columns"):
        run(find_search(key), Infinite(), Space.of(COLUMNS, low=1, high=8), budget=200, seed=0)


class Rounds:
    """Two short rounds and one that is long enough for checkpoints."""

    def steps(self, space, rng, horizon=None):
        for size in (1, 2, 3):
            parallel.CHECKPOINT = 0.0 if size == 3 else 1e9
            yield [
                space.subset(sorted((i + j) % COLUMNS for j in range(size))) for i in range(COLUMNS)
            ]


class Failing(Evaluator):
    traits = Traits(heavy=True)

    def __init__(self, after):
        self.left, self.slow = after, Slow()

    def quality(self, columns):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("gone")
        return self.slow.quality(columns)


def test_the_beginning_of_a_batch_stands_after_all_before_it(tmp_path, monkeypatch):
    """A round that waits to be written is written before the beginning of the next."""
    monkeypatch.setattr(parallel, "CHECKPOINT", 0.0)
    monkeypatch.setattr(parallel, "SECONDS", 0.0)

    def go(after, **kept):
        return run(Rounds(), Failing(after), Space.of(COLUMNS, low=1, high=8), seed=3, **kept)

    def kept():
        return {"journal": Journal(tmp_path, {}, TASK, np.random.SeedSequence(3))}

    with pytest.raises(RuntimeError, match="gone"):
        go(2 * COLUMNS + 5, **kept())
    again = go(100, **kept())
    assert again.n_replayed > 2 * COLUMNS
    assert seal(again) == seal(go(100))
