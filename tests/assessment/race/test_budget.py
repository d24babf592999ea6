"""The budget of a race, an assessment or a comparison is for the whole of it.

Told by a clock that only fits advance.
"""

from importlib import import_module

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import subsel.auto as auto_module
from subsel import AutoSelector, assess, compare
from subsel.assessment.race import rounds as running
from subsel.assessment.race.contender import Contender
from subsel.ranking.selector import RankingSelector

CLOCKED = (
    "auto",
    "assessment.race.rounds",
    "assessment.folds.fold",
    "assessment.nested",
    "assessment.comparison",
    "runtime.workers",
)


class Clock:
    """Seconds that pass only when something is fitted."""

    now = 100.0


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr(Clock, "now", 100.0)
    for name in CLOCKED:
        monkeypatch.setattr(import_module(f"subsel.{name}"), "perf_counter", lambda: Clock.now)


class Slow(RidgeClassifier):
    """A model that takes half a second."""

    def fit(self, X, y, **rows):
        Clock.now += 0.5
        return super().fit(X, y, **rows)


def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    return X, (X[:, 0] > 0).astype(int)


def race_of(monkeypatch, contenders):
    """Let these race, and no others."""
    monkeypatch.setattr(auto_module, "plain_contenders", lambda field: contenders[:-1])
    monkeypatch.setattr(auto_module, "search_contenders", lambda *_, **__: [])
    monkeypatch.setattr(auto_module, "elimination_contender", lambda *_, **__: contenders[-1])


@pytest.mark.parametrize("n_contenders", [3, 60])
def test_a_slow_machine_does_not_exceed_the_seconds(monkeypatch, n_contenders):
    """Procedures that take ten times what was expected.

    What would end too late is not begun, and that is said.
    """

    def ranked(k):
        return make_pipeline(RankingSelector("anova-f", cut=1 + k % 5), Slow())

    race_of(monkeypatch, [Contender(f"slow {k}", ranked(k), 0.05) for k in range(n_contenders)])
    monkeypatch.setattr(running, "MEASURED", 0.2)
    auto = AutoSelector(budget="15s", random_state=0).fit(*table())
    assert 0.5 * 15 < Clock.now - 100 <= 1.1 * 15
    ran, planned_out = len(auto.race_.table()), len(auto.plan_.left_out)
    assert len(auto.race_.left_out) == n_contenders - planned_out - ran
    assert bool(auto.race_.left_out) == (n_contenders == 60)
    assert auto.race_.table()["folds"].max() >= 5


def test_folds_end_with_the_budget():
    """An assessment and a comparison begin no fold after their seconds, but run two.

    The note tells how many.
    """
    X, y = table()
    found = assess(None, Slow(), X, y, budget="1.9s", references=False, random_state=0)
    assert Clock.now - 100 == 2.0 and len(found.folds["score"]) == 4 and not found.interrupted
    assert "the budget ended: 4 of 10 folds were finished." in found.notes
    both = compare([("a", None), ("b", None)], Slow(), X, y, budget="0.01s", random_state=0)
    assert (
        both.scores.shape == (2, 2)
        and "the budget ended: 2 of 10 folds were finished." in both.notes
    )
    assert not both.interrupted


class Odd(Slow):
    """A model that takes fifty times as long."""

    def fit(self, X, y, **rows):
        Clock.now += 24.5
        return super().fit(X, y, **rows)


def test_the_few_that_can_finish_run_all_folds(monkeypatch):
    """One dear procedure does not leave all with one fold.

    It is dropped, and the others run one pass.
    """

    def make(k, model):
        return make_pipeline(RankingSelector("anova-f", cut=k), model)

    offered = [Contender("one", make(1, Slow()), 0.1), Contender("two", make(2, Slow()), 0.1)]
    offered.append(Contender("dear", make(3, Odd()), 0.1))
    race_of(monkeypatch, offered)
    auto = AutoSelector(budget="60s", random_state=0).fit(*table())
    folds = dict(zip(auto.race_.table()["name"], auto.race_.table()["folds"]))
    assert folds["dear"] == 1 and folds["one"] == folds["two"] >= 5
    assert any("time was short: 1 procedure was dropped" in note for note in auto.race_.notes)
