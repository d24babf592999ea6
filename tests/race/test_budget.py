"""The budget of a race is for the whole of it."""

from time import perf_counter, sleep

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import subsel.auto as auto_module
from subsel import AutoSelector, assess, compare
from subsel.race import running
from subsel.race.contender import Contender
from subsel.ranking.selector import RankingSelector


class Slow(RidgeClassifier):
    """A model that takes its time."""

    def fit(self, X, y, **rows):
        sleep(0.06)
        return super().fit(X, y, **rows)


def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    return X, (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("n_contenders", [3, 60])
def test_a_slow_machine_does_not_exceed_the_seconds(monkeypatch, n_contenders):
    """Procedures that take ten times what was expected: what would end too late is not begun, and that is said."""
    ranked = lambda k: make_pipeline(RankingSelector("anova-f", cut=1 + k % 5), Slow())
    offered = [Contender(f"slow {k}", ranked(k), 0.005) for k in range(n_contenders)]
    monkeypatch.setattr(auto_module, "plain_contenders", lambda field: offered)
    monkeypatch.setattr(auto_module, "search_contenders", lambda *_, **__: [])
    monkeypatch.setattr(running, "FIRST_FOLD", 0.0)
    monkeypatch.setattr(running, "MEASURED", 0.02)
    begin = perf_counter()
    auto = AutoSelector(budget="1.5s", random_state=0).fit(*table())
    assert perf_counter() - begin < 1.1 * 1.5
    assert auto.predict(table()[0]).shape == (60,)
    ran, planned_out = len(auto.race_.table()), len(auto.plan_.left_out)
    assert len(auto.race_.left_out) == n_contenders - planned_out - ran
    assert bool(auto.race_.left_out) == (n_contenders == 60)
    assert any("the race ended after" in note for note in auto.race_.notes)


def test_folds_end_with_the_budget():
    """An assessment and a comparison begin no fold after their seconds, but run two; the note tells how many."""
    X, y = table()
    begin = perf_counter()
    found = assess(None, Slow(), X, y, budget="0.3s", references=False, random_state=0)
    assert perf_counter() - begin < 0.6 and 2 <= len(found.folds["score"]) < 10 and not found.interrupted
    assert any("the budget ended:" in note for note in found.notes)
    both = compare([("a", None), ("b", None)], Slow(), X, y, budget="0.01s", random_state=0)
    assert both.scores.shape == (2, 2) and "the budget ended: 2 of 10 folds were finished." in both.notes
    assert not both.interrupted
