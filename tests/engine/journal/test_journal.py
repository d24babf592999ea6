"""The journal: whatever happens to a run, resuming it gives the result of the run that
nothing happened to.
"""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from subsel import SubsetSelector
from subsel.criteria import CrossValidated
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import Budget, parallel, run
from subsel.engine.journal import journal as journal_module
from subsel.engine.journal.journal import Journal, JournalMismatch
from subsel.engine.journal.restart_log import read_block
from subsel.engine.journal.state import read_runs
from subsel.runtime.record_file import JournalError, RecordFile, is_locked, read_records
from subsel.search.registry import SEARCHES, find_search
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from tests.engine.journal.journal_run import COLUMNS, TASK, Slow, play, seal

SOME = ["rfs1", "sffs", "genetic", "annealing", "lvf", "random"]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def eager(monkeypatch):
    """Blocks after every round, rather than once a second."""
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_every_search_replays(key, tmp_path, eager):
    """With a journal the result is that without.

    Run again, nothing is computed and the result is the same.
    """
    plain = seal(play(None, key, 2, budget=300))
    assert seal(play(tmp_path, key, 2, budget=300)) == plain
    again = play(tmp_path, key, 2, budget=300)
    assert seal(again) == plain
    assert again.n_replayed == again.n_evaluations


@pytest.mark.parametrize("key", SOME)
def test_a_file_cut_anywhere_is_resumed(key, tmp_path, eager):
    """Cut each file at a random byte, as a crash would.

    Torn records are dropped, the result is the same.
    """
    plain, rng = seal(play(None, key, 3, budget=200)), np.random.default_rng(0)
    play(tmp_path, key, 3, budget=200)
    files = sorted(tmp_path.iterdir())
    whole = [file.read_bytes() for file in files]
    for _ in range(8):
        for file, data in zip(files, whole):
            file.write_bytes(data[: rng.integers(len(data) + 1)])
        result = play(tmp_path, key, 3, budget=200)
        assert seal(result) == plain
        assert play(tmp_path, key, 3, budget=200).n_replayed == result.n_evaluations


def test_a_flipped_bit_is_noticed(tmp_path, eager):
    """A record that does not match its checksum, and all after it, is not told."""
    plain = seal(play(None, "rfs1", 1, budget=200))
    play(tmp_path, "rfs1", 1, budget=200)
    (file,) = tmp_path.iterdir()
    data = bytearray(file.read_bytes())
    data[2 * len(data) // 3] ^= 4
    file.write_bytes(data)
    result = play(tmp_path, "rfs1", 1, budget=200)
    assert seal(result) == plain
    assert 0 < result.n_replayed < result.n_evaluations


def kill_and_resume(folder, key, restarts, seconds):
    """Start the run as a process, kill it after a time, and let another process resume it."""
    command = [
        sys.executable,
        "-m",
        "tests.engine.journal.journal_run",
        str(folder),
        key,
        str(restarts),
    ]
    where = {"cwd": Path(__file__).parents[3], "text": True, "stdout": subprocess.PIPE}
    with subprocess.Popen([*command, "0.002"], **where) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
    return subprocess.run([*command, "0.0"], check=True, **where).stdout.split()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
@pytest.mark.parametrize(("key", "restarts"), [("rfs1", 2), ("genetic", 1)])
def test_a_killed_process_is_resumed_by_another(key, restarts, tmp_path):
    """Kill -9, then resume: the same result, and what was written is not computed again."""
    found, n_replayed = kill_and_resume(tmp_path, key, restarts, 1.6)
    assert found == seal(play(None, key, restarts))
    assert int(n_replayed) > 0


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
@pytest.mark.parametrize("key", ["rfs1", "genetic", "sffs", "annealing", "rmhc"])
def test_fifty_kills_at_random_moments(key, tmp_path):
    """Ten of fifty: each a run of one to three restarts killed once at a random moment."""
    rng = np.random.default_rng(len(key))
    plain = {restarts: seal(play(None, key, restarts)) for restarts in (1, 2, 3)}
    for number in range(10):
        restarts = int(rng.integers(1, 4))
        found, _ = kill_and_resume(tmp_path / str(number), key, restarts, float(rng.uniform(0, 3)))
        assert found == plain[restarts]


def test_a_finished_run_is_extended(tmp_path):
    """A larger budget goes on where the run ended, and gives what the larger budget would
    have given.
    """
    short = play(tmp_path, "sfs", 1, budget=30)
    longer = play(tmp_path, "sfs", 1, budget=60)
    assert longer.n_replayed == short.n_evaluations == 30
    assert seal(longer) == seal(play(None, "sfs", 1, budget=60))
    more = play(tmp_path, "sfs", 3, budget=60)
    assert more.n_replayed == 60
    assert seal(more) == seal(play(None, "sfs", 3, budget=60))


def test_a_schedule_keeps_its_horizon(tmp_path):
    """Annealing cools by the budget it began with.

    Extended, it has nothing left to do, and says why.
    """
    play(tmp_path, "annealing", 1, budget=100)
    result = play(tmp_path, "annealing", 1, budget=200)
    assert result.n_replayed == 100
    assert "begun with a budget of 100 evaluations" in result.notes[0]


class Pausing(Slow):
    traits = Traits("table", heavy=True)


@pytest.mark.parametrize("key", ["sfs", "random", "genetic"])
def test_seconds_count_over_all_sessions(key, tmp_path, monkeypatch):
    """A run that time has ended, even within a batch, replays to the same end.

    More seconds take it further.
    """
    monkeypatch.setattr(parallel, "SECONDS", 0.0)  # the clock is looked at after every candidate

    def timed(seconds):
        journal = Journal(tmp_path, {}, TASK, np.random.SeedSequence(3))
        space = Space.of(COLUMNS, low=2, high=8)
        return run(
            find_search(key),
            Pausing(0.002),
            space,
            budget=Budget(seconds=seconds),
            seed=3,
            journal=journal,
        )

    first = timed(0.1)
    assert first.stopped_by == "seconds"
    again = timed(0.1)
    assert again.n_replayed == again.n_evaluations
    assert seal(again) == seal(first)
    longer = timed(first.seconds + 0.1)
    assert longer.n_replayed == first.n_evaluations < longer.n_evaluations
    assert np.array_equal(longer.trace[: len(first.trace)], first.trace)
    untimed = play(None, key, 1, budget=len(longer.trace))
    assert np.array_equal(untimed.trace, longer.trace)


def test_two_processes_do_not_share_a_file(tmp_path):
    """The second is refused while the first lives, and only then."""
    path = tmp_path / "run-a-000.journal"
    hold = "import sys, time; from pathlib import Path; "
    hold += "from subsel.runtime.record_file import RecordFile;"
    hold += f"f = RecordFile(Path({str(path)!r}), {{}}); f.append(b'x'); "
    hold += "print('held', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        assert is_locked(path)
        with pytest.raises(JournalError, match="another process is writing"):
            RecordFile(path, {})
        process.kill()
    file = RecordFile(path, {})
    assert list(file.records()) == [b"x"]
    file.close()
    assert not is_locked(path)


def test_a_file_is_let_go_if_interrupted_as_it_is_opened(tmp_path, monkeypatch):
    """Between the opening of a file and the log that holds it, too: the next run finds it free."""

    def interrupted(file):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "RestartLog", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            play(tmp_path, "rmhc", 2, budget=60)
    assert seal(play(tmp_path, "rmhc", 2, budget=60)) == seal(play(None, "rmhc", 2, budget=60))
    assert caught.tb is not None  # which holds all that the interrupted run had at hand


def test_another_file_is_not_overwritten(tmp_path):
    """A file that is no journal stays as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(JournalError, match="is not a journal"):
        RecordFile(path, {})
    assert path.read_text() == "mine"


def test_a_header_cut_short_is_written_anew(tmp_path):
    """Killed while the file was made: there was nothing to lose."""
    path = tmp_path / "a"
    RecordFile(path, {"a": 1}).close()
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        RecordFile(path, {"a": 1}).close()
        assert path.read_bytes() == whole


FULL = """
import resource, signal, sys
from tests.engine.journal.journal_run import play
from subsel.engine.journal import journal
journal.FLUSH = 0.0
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
play(sys.argv[1], "rfs1", 1)
"""


@pytest.mark.skipif(os.name == "nt", reason="file size limits are of POSIX")
def test_a_full_disk_loses_nothing(tmp_path):
    """No room for more: a clear error, whole records up to there, and the run can be resumed."""
    found = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    )
    assert "JournalError: cannot write the journal" in found.stderr
    assert "What was written before is kept" in found.stderr
    (file,) = tmp_path.iterdir()
    assert file.stat().st_size <= 4000
    assert len(list(read_records(file))) > 3
    result = play(tmp_path, "rfs1", 1)
    assert result.n_replayed > 10
    assert seal(result) == seal(play(None, "rfs1", 1))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_read_only_directory_is_refused(tmp_path):
    """Before anything is computed."""
    tmp_path.chmod(0o500)
    with pytest.raises(JournalError, match="cannot write the journal"):
        play(tmp_path, "rfs1", 1)


def test_a_directory_that_cannot_be_is_refused(tmp_path):
    """A file stands in its place."""
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot write the journal"):
        play(tmp_path / "file", "rfs1", 1)


def test_other_versions_are_refused(tmp_path, monkeypatch):
    """The difference is named."""
    play(tmp_path, "rfs1", 1)
    monkeypatch.setattr(journal_module, "versions", lambda: {"numpy": "0.1"})
    with pytest.raises(JournalMismatch, match=r"versions.numpy is '0.1' now and was '"):
        play(tmp_path, "rfs1", 1)


class Changed:
    """A strategy whose code changes."""

    first = 0

    def steps(self, space, rng, horizon=None):
        for _ in range(20):
            yield space.flip(space.sample(rng), Changed.first)


def test_other_requests_are_refused(tmp_path, monkeypatch):
    """The journal knows when a search asks for something else than before."""

    def play():
        return run(
            Changed(),
            Slow(),
            Space.of(COLUMNS),
            seed=0,
            journal=Journal(tmp_path, {}, TASK, np.random.SeedSequence(0)),
        )

    play()
    assert play().n_replayed == 20
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()
    monkeypatch.setattr(Changed, "first", 1)
    with pytest.raises(JournalMismatch, match="requests other subsets"):
        play()
    assert file.read_bytes() == before


# The selector -------------------------------------------------------------------------------------

X, Y = load_wine(return_X_y=True)


def test_a_criterion_that_draws_afresh_replays(tmp_path):
    """Each evaluation has a stream of its own, so that the rest of the run draws what it
    would have drawn.
    """
    criterion = CrossValidated(GaussianNB(), cv=3, fresh=True)

    def fit(budget, **options):
        return (
            SubsetSelector(
                criterion,
                "rfs1",
                budget=Budget(evaluations=40, patience=budget),
                random_state=1,
                **options,
            )
            .fit(X, Y)
            .result_
        )

    fit(4, journal=tmp_path)
    assert np.array_equal(fit(40, journal=tmp_path).trace, fit(40).trace)


@pytest.mark.parametrize(
    "estimator",
    [
        (RandomForestClassifier(3), 3),
        (GaussianNB(), StratifiedKFold(3, shuffle=True)),
    ],
    ids=["forest", "splitter"],
)
def test_what_is_random_is_not_resumed(estimator, tmp_path):
    """Without a seed the qualities of now do not fit to those of before."""
    model, cv = estimator

    def fit():
        return SubsetSelector(model, "rmhc", cv=cv, budget=5, random_state=0, journal=tmp_path).fit(
            X, Y
        )

    fit()
    with pytest.raises(JournalMismatch, match="random_state"):
        for _ in range(5):
            fit()


def test_a_drawn_seed_is_recorded(tmp_path):
    """random_state=None draws a seed once."""

    def fit(**options):
        return SubsetSelector(GaussianNB(), "rfs1", cv=5, budget=60, **options).fit(X, Y).result_

    first, second = fit(journal=tmp_path), fit(journal=tmp_path)
    assert np.array_equal(first.trace, second.trace)
    assert second.n_replayed == 60
    (state,) = read_runs(tmp_path)
    assert state.header["drawn"]
    assert np.array_equal(fit(random_state=state.header["seed"][0]).trace, first.trace)


def test_parameters_that_are_nan_are_known_again(tmp_path):
    """NaN equals nothing, but an imputer for it is the same imputer the next time."""
    model = make_pipeline(SimpleImputer(missing_values=np.nan), GaussianNB())

    def fit():
        return SubsetSelector(model, "sfs", n_features=2, cv=2, journal=tmp_path).fit(X, Y).result_

    assert fit().n_replayed == 0
    assert fit().n_replayed > 0


def test_clones_do_not_collide(tmp_path):
    """A grid search over a selector, on two workers.

    One run per candidate and fold, and all of them replay.
    """
    select = SubsetSelector(GaussianNB(), "sfs", cv=2, journal=tmp_path)
    grid = GridSearchCV(
        make_pipeline(select, RidgeClassifier()),
        {"subsetselector__n_features": [1, 2]},
        cv=2,
        n_jobs=2,
    )
    first = grid.fit(X, Y).cv_results_["mean_test_score"]
    assert len(read_runs(tmp_path)) == 5
    assert np.array_equal(grid.fit(X, Y).cv_results_["mean_test_score"], first)
    assert grid.best_estimator_[0].result_.n_replayed > 0
    assert len(read_runs(tmp_path)) == 5


def test_other_data_are_another_run(tmp_path):
    """One changed cell, one changed label, one changed weight: nothing is replayed."""

    def fit(X, y, w=None):
        return (
            SubsetSelector(RidgeClassifier(), "sfs", n_features=2, random_state=0, journal=tmp_path)
            .fit(X, y, sample_weight=w)
            .result_
        )

    table, y = load_iris(return_X_y=True)
    fit(table, y)
    other, labels, weights = table.copy(), y.copy(), np.ones(len(y))
    other[3, 2] += 1e-9
    labels[0] = 1
    weights[5] = 2
    assert [
        fit(*data).n_replayed for data in ((other, y), (table, labels), (table, y, weights))
    ] == [0, 0, 0]
    assert fit(np.asfortranarray(table), y).n_replayed > 0


def test_the_state_of_a_journal_is_read_without_the_data(tmp_path):
    """Best so far, how far, and what ended it, as the result says."""
    result = (
        SubsetSelector(
            GaussianNB(), "rfs1", budget=80, restarts=2, random_state=0, journal=tmp_path
        )
        .fit(X, Y)
        .result_
    )
    (state,) = read_runs(tmp_path)
    assert [restart.evaluations for restart in state.restarts] == [80, 80]
    assert [restart.state for restart in state.restarts] == ["ended by evaluations"] * 2
    assert state.best.best == result.best_quality
    assert state.best.columns.tolist() == result.best.tolist()
    assert np.array_equal(state.improvements, result.improvements)


class Failing(Evaluator):
    def __init__(self, after):
        self.left = after

    def quality(self, columns):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("out of memory")
        return Slow().quality(columns)


def test_an_error_within_the_criterion_loses_nothing(tmp_path):
    """What was told before the error is on the tape."""

    def go(evaluator):
        return run(
            find_search("random"),
            evaluator,
            Space.of(COLUMNS, low=2, high=8),
            budget=200,
            seed=3,
            journal=Journal(tmp_path, {}, TASK, np.random.SeedSequence(3)),
        )

    with pytest.raises(RuntimeError, match="out of memory"):
        go(Failing(50))
    (state,) = read_runs(tmp_path)
    assert state.best.state == "ended by failed"
    assert 20 < state.best.evaluations <= 50
    assert np.array_equal(go(Slow()).trace, play(None, "random", 1, budget=200).trace)


class OneBatch:
    """All subsets of two, at once."""

    def steps(self, space, rng, horizon=None):
        yield space.additions(space.subset([0]))
        yield Candidates.of(
            space, [space.subset([i, j]) for i in range(COLUMNS) for j in range(COLUMNS) if i != j]
        )


class Dying(Slow):
    def __init__(self, after, deterministic=True):
        super().__init__()
        self.left, self.traits = after, Traits(heavy=True, deterministic=deterministic)

    def quality(self, columns):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("gone")
        return super().quality(columns)

    def evaluate(self, candidates):
        drawn = candidates.stream[1] + np.arange(
            len(candidates)
        )  # what a criterion that draws is keyed by
        return super().evaluate(candidates) + (
            0.0 if self.traits.deterministic else 0.01 * (drawn % 7)
        )


@pytest.mark.parametrize("deterministic", [True, False])
def test_the_beginning_of_a_long_batch_is_kept(deterministic, tmp_path, monkeypatch):
    """Gone in the middle of a batch of heavy evaluations, subsets asked for twice among them.

    That half is not lost.
    """
    monkeypatch.setattr(parallel, "CHECKPOINT", 0.0)
    monkeypatch.setattr(parallel, "SECONDS", 0.0)

    def go(after, **options):
        return run(
            OneBatch(),
            Dying(after, deterministic),
            Space.of(COLUMNS, low=1, high=8),
            seed=3,
            **options,
        )

    plain = go(1000)
    for after in (20, 25, 1000):
        journal = Journal(tmp_path, {}, TASK, np.random.SeedSequence(3))
        try:
            result = go(after, journal=journal)
        except RuntimeError:
            (state,) = read_runs(tmp_path)
            assert state.best.evaluations > 15
    assert seal(result) == seal(plain)
    assert 30 < result.n_replayed < result.n_evaluations
    (file,) = tmp_path.iterdir()
    blocks = [block for record in read_records(file) if (block := read_block(record)) is not None]
    assert np.array_equal(
        np.concatenate([block.qualities for block in blocks]), plain.trace["quality"]
    )
    assert go(1, journal=Journal(tmp_path, {}, TASK, np.random.SeedSequence(3))).n_replayed == len(
        plain.trace
    )
