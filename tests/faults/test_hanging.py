"""A model whose fit hangs is stopped by a budget in seconds.

One that does not hang is not changed by being watched.
"""

import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector
from subsel.criteria.refits.cross_validated import FitFailed
from subsel.engine import Budget, FitStopped, budget
from subsel.runtime.processes import working
from subsel.runtime.workers import IsolatedProcess

X, Y = (part[::3] for part in load_wine(return_X_y=True))


class Hanging(GaussianNB):
    """Never done with three features, and says that it has begun."""

    def __init__(self, begun=None):
        super().__init__()
        self.begun = begun

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] == 3:
            if self.begun is not None:
                Path(self.begun).touch()
            time.sleep(1000)
        return super().fit(X, y, sample_weight)


@pytest.fixture
def hasty(monkeypatch):
    """A grace of half a second."""
    monkeypatch.setattr(budget, "GRACE", (0.5, 0.5))


def at_work():
    """The processes that are still at work for somebody."""
    return [pid for pool in working for pid in pool.pids]


def fit(model, search="sfs", **settings):
    return SubsetSelector(model, search, cv=2, random_state=0, **settings).fit(X, Y).result_


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_hanging_fit_is_stopped(hasty, n_jobs):
    """The best so far is given, with a note, about as long after the end as it is allowed.

    Nothing goes on behind.
    """
    with pytest.warns(FitStopped, match="fitting a model was stopped"):
        found = fit(Hanging(), budget=f"{5 * n_jobs}s", n_jobs=n_jobs)
    assert (found.stopped_by, len(found.chosen), found.n_evaluations) == ("seconds", 2, 25)
    assert found.chosen.tolist() == fit(GaussianNB(), budget=25, exact="never").chosen.tolist()
    assert 5.5 <= found.seconds < 20
    assert any("was stopped" in note for note in found.notes)
    assert at_work() == []


@pytest.mark.slow
def test_a_fit_that_hangs_in_compiled_code_is_stopped(hasty):
    """A machine that does not converge never comes back to the interpreter."""
    rng = np.random.default_rng(0)
    wild, y = rng.normal(size=(3000, 6)) * 10.0 ** np.arange(6), rng.integers(2, size=3000)
    with pytest.warns(FitStopped):
        found = (
            SubsetSelector(SVC(kernel="linear", C=1e9), "sbs", cv=2, budget="1s")
            .fit(wild, y)
            .result_
        )
    assert found.seconds < 20


def test_ctrl_c_ends_a_watched_fit(tmp_path):
    """As one that is not watched."""
    begun = tmp_path / "begun"

    def press():
        while not begun.exists():
            time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    found = fit(Hanging(str(begun)), budget="100s")
    assert (found.stopped_by, found.n_evaluations) == ("interrupted", 25)
    assert found.seconds < 60
    assert at_work() == []


@pytest.mark.parametrize(
    ("model", "search"),
    [
        (DecisionTreeClassifier(random_state=0), "rmhc"),
        (LogisticRegression(max_iter=20), "rfe"),
        (SVC(), "sffs"),
    ],
)
def test_watching_changes_no_answer(model, search):
    """The same qualities, refits and answer, with a clock and without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain, watched = (
            fit(
                model,
                search,
                budget=Budget(evaluations=30, seconds=seconds),
                exact="never",
                restarts=2,
            )
            for seconds in (None, 1000)
        )
    assert watched.trace.tolist() == plain.trace.tolist()
    assert watched.chosen.tolist() == plain.chosen.tolist()
    assert (watched.evaluator, watched.notes) == (plain.evaluator, plain.notes)


class Framed(ClassifierMixin, BaseEstimator):
    """Fails unless the process is set up as ours, and with two features."""

    def fit(self, X, y):
        from sklearn import get_config

        if get_config()["transform_output"] != "pandas" or X.shape[1] == 2:
            raise ValueError("not set up")
        warnings.warn("take care", RuntimeWarning, stacklevel=1)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_settings_and_warnings_cross_over():
    """scikit-learn's configuration and warning filters hold in the other process, too."""
    watched = Budget(evaluations=20, seconds=1000)
    with config_context(transform_output="pandas"), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        fit(Framed(), budget=watched)
        assert sorted({w.category.__name__ for w in heard}) == ["FitFailed", "RuntimeWarning"]
        assert sum(issubclass(w.category, FitFailed) for w in heard) == 1
    with config_context(transform_output="pandas"), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("ignore")
        fit(Framed(), budget=watched)
    assert heard == []


class Locked(GaussianNB):
    """Holds what no process can send to another."""

    lock = None

    def __deepcopy__(self, memo):
        return self

    def __sklearn_clone__(self):
        return self


def test_what_cannot_be_sent_is_evaluated_here():
    """And the result says that it is not watched."""
    model = Locked()
    model.lock = threading.Lock()
    found = fit(model, budget=Budget(evaluations=20, seconds=1000))
    assert found.n_evaluations == 20
    assert any("cannot be sent" in note for note in found.notes)


def test_exact_evaluators_start_no_process(monkeypatch):
    """They come back to the clock by themselves."""
    monkeypatch.setattr(
        IsolatedProcess, "where_possible", lambda *_: pytest.fail("a process was started")
    )
    found = SubsetSelector(Ridge(), "sfs", budget="1000s").fit(X, Y.astype(float)).result_
    assert found.evaluator.exact and found.n_evaluations > 0


def test_nothing_recorded_starts_no_process(tmp_path, monkeypatch):
    """A run that a journal holds whole is replayed without one."""
    settings = {"budget": Budget(evaluations=20, seconds=1000), "journal": tmp_path}
    first = fit(DecisionTreeClassifier(random_state=0), **settings)
    monkeypatch.setattr(
        IsolatedProcess, "where_possible", lambda *_: pytest.fail("a process was started")
    )
    assert fit(DecisionTreeClassifier(random_state=0), **settings).n_replayed == first.n_evaluations


def test_the_grace_follows_the_budget():
    """As long as the budget, within limits."""
    assert [Budget(seconds=s).grace for s in (1, 30, 7200)] == [10.0, 30.0, 60.0]


class Deaf(GaussianNB):
    """Never done with anything."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(1000)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fit_that_hangs_from_the_start_is_stopped(hasty):
    """Nothing is known, and nothing more is tried."""
    found = fit(Deaf(), budget="1s")
    assert (found.stopped_by, found.n_evaluations, found.chosen_quality) == ("seconds", 0, -np.inf)
