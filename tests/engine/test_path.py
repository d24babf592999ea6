"""Numpy or compiled code: decided once, at the start of a run, followed by its workers, recorded, and kept on resuming."""

import numpy as np
import pytest

from subsel import SubsetSelector
from subsel._loops import path, readiness
from subsel.criteria import Discriminant, LeastSquares, NearestNeighbours
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.engine.journal_state import read_runs
from subsel.engine.workers import Workers
from subsel.search import find_search
from subsel.space import Space
from subsel.task import Task


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine whose compiler never starts by itself; ``machine()`` makes compiled code appear."""
    monkeypatch.delenv("SUBSEL_COMPILE")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    for name, value in (("ready", False), ("started", True), ("alone", False), ("looked", -1.0)):
        monkeypatch.setattr(readiness._State, name, value)
    monkeypatch.setattr(readiness, "_LOOK", 0.0)

    def compiled():
        readiness.marker().parent.mkdir(exist_ok=True)
        readiness.marker().touch()

    return compiled


class Asking(Evaluator):
    """Notes at each evaluation which code would be used; compiled code appears at the third."""

    traits = Traits("asking", path="either")

    def __init__(self, appears):
        self.appears, self.seen = appears, []

    def quality(self, columns):
        if len(self.seen) == 3:
            self.appears()
        self.seen.append(path.may_compile(1.0))
        return float(len(columns))


def test_code_that_appears_during_a_run_waits_for_the_next(machine):
    """The first run is plain to its end; the second compiled from its beginning; each result says so."""
    evaluator = Asking(machine)
    first = run(find_search("sfs"), evaluator, Space.of(5))
    assert readiness.marker().exists() and not any(evaluator.seen) and first.judge.path == "plain"
    assert any("evaluated with numpy" in note for note in first.notes)
    evaluator.seen.clear()
    second = run(find_search("sfs"), evaluator, Space.of(5))
    assert all(evaluator.seen) and second.judge.path == "compiled" and not second.notes


def test_a_journal_goes_on_as_it_was_begun(machine, tmp_path, monkeypatch):
    """Begun with numpy, it is resumed with numpy although compiled code is there; unless the user says otherwise."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 6)), rng.normal(size=40)
    make = lambda budget: SubsetSelector(
        LeastSquares(), search="rfs1", budget=budget, random_state=0, journal=tmp_path / "journal"
    )
    assert make(10).fit(X, y).result_.judge.path == "plain"
    machine()
    resumed = make(20).fit(X, y).result_
    assert resumed.n_replayed == 10 and resumed.judge.path == "plain"
    assert read_runs(tmp_path / "journal")[0].header["path"] == "plain"
    monkeypatch.setenv("SUBSEL_COMPILE", "now")
    assert make(30).fit(X, y).result_.judge.path == "compiled"


def test_a_journal_begun_compiled_does_not_go_on_with_numpy(machine, tmp_path):
    """Where the code is not there it is waited for; here the mark comes as soon as it is looked for."""
    machine()
    assert path.decide(lambda: 0.0, "compiled") and path.decide(lambda: 0.0, "plain") is False


@pytest.mark.parametrize("said, expected", [("now", True), ("never", False)])
def test_the_user_decides(machine, monkeypatch, said, expected):
    """The variable counts more than the journal, and more than what is there."""
    machine()
    monkeypatch.setenv("SUBSEL_COMPILE", said)
    assert path.decide(lambda: 0.0) is expected
    assert (
        path.decide(lambda: 0.0, "compiled") is expected
        and path.decide(lambda: 0.0, "plain") is expected
    )


def test_a_run_expected_to_be_long_waits_before_it_starts(machine, capfd, monkeypatch):
    """The message comes before the first evaluation, and the whole run is compiled."""
    monkeypatch.setattr(readiness.time, "sleep", lambda seconds: machine())
    readiness._lock().parent.mkdir(exist_ok=True)
    readiness._lock().touch()
    evaluator = Asking(lambda: None)
    monkeypatch.setattr(Asking, "plain_seconds", 10.0)
    result = run(find_search("sfs"), evaluator, Space.of(3))
    assert "waiting for compiled code" in capfd.readouterr().err
    assert result.judge.path == "compiled" and all(evaluator.seen)


def test_a_run_that_ends_soon_does_not_wait(machine, capfd, monkeypatch):
    """However long one evaluation takes: it is known how few a forward search to one column asks for."""
    evaluator = Asking(lambda: None)
    monkeypatch.setattr(Asking, "plain_seconds", 3.0)
    result = run(find_search("sfs"), evaluator, Space.of(6, low=1, high=1))
    assert result.judge.path == "plain" and "waiting" not in capfd.readouterr().err


def _which(shared, task):
    return path.may_compile(1.0)


@pytest.mark.parametrize("decision", [False, True])
def test_workers_follow_who_made_them(machine, decision):
    """On threads and in place, whatever is there by the time they work."""
    with path.decided(decision):
        workers = [Workers(_which, None, 1), Workers(_which, None, 2, sharedmem=True)]
    machine()
    for some in workers:
        with some:
            assert [answer for _, answer in some.run([(0,), (1,)])] == [decision, decision]


CASES = [
    (LeastSquares(), False),
    (LeastSquares(), True),
    (Discriminant(), True),
    (Discriminant("qda"), True),
    (Discriminant("gaussian-nb"), True),
    (NearestNeighbours(), True),
]


@pytest.mark.parametrize(
    "criterion, labels", CASES, ids=[f"{type(c).__name__}-{i}" for i, (c, _) in enumerate(CASES)]
)
def test_both_paths_give_the_same_answers_to_the_bit(criterion, labels, monkeypatch):
    """Every quality that a search is told, and the subset: ten digits hold what numpy and compiled code agree on."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8))
    value = X[:, 0] - X[:, 3] + rng.normal(size=60)
    task = Task.of(X, (value > 0).astype(int) if labels else value)
    results = []
    for said in ("never", "now"):
        monkeypatch.setenv("SUBSEL_COMPILE", said)
        evaluator = criterion.bind(task)
        for part in ("blocks", "moments", "nearest"):
            if hasattr(evaluator, part):
                getattr(evaluator, part).work = 1e9
        results.append(run(find_search("sffs"), evaluator, Space.of(8), budget=150))
    plain, compiled = results
    assert (plain.judge.path, compiled.judge.path) == ("plain", "compiled")
    assert (
        plain.trace.tobytes() == compiled.trace.tobytes()
        and plain.chosen.tolist() == compiled.chosen.tolist()
    )
