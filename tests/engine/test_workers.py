"""Workers: the data reach them once, their number changes nothing, and nothing is lost when
one of them dies.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import pandas as pd
import pytest
from joblib import cpu_count, parallel_config
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info, threadpool_limits

from subsel import SubsetSelector
from subsel.assessment import assess, compare
from subsel.criteria import CrossValidated, NearestNeighbours
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.runtime.shared_arrays import LARGE, SharedObject
from subsel.runtime.workers import WorkerDied, Workers
from subsel.space.space import Space
from tests.engine import tasks
from tests.engine.tasks import MortalTree, table, tables
from tests.oracles.clock import Clock
from tests.oracles.table import Table

BACKENDS = ["loky", "threading", pytest.param("multiprocessing", marks=pytest.mark.slow)]
WORKERS = [("loky", 2), ("threading", 4)] + [
    pytest.param(backend, n_jobs, marks=pytest.mark.slow)
    for backend, n_jobs in (("loky", 4), ("threading", 2), ("multiprocessing", 2))
]
no_kill = pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 on Windows")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary files go; it must be empty of ours at the end."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(place))
    yield tmp_path
    assert not list(place.glob("subsel-*"))


# The data -----------------------------------------------------------------------------------------


def _arrays(thing):
    if sparse.issparse(thing):
        return [thing.data, thing.indices]
    return [thing.to_numpy()] if isinstance(thing, pd.DataFrame) else [thing]


LARGE_THINGS = {
    "rows": np.arange(40_000.0).reshape(200, 200),
    "columns": np.asfortranarray(np.arange(40_000.0).reshape(200, 200)),
    "float32": np.arange(40_000, dtype=np.float32).reshape(200, 200),
    "strided": np.arange(80_000.0).reshape(400, 200)[::2, ::-1],
    "sparse": sparse.random(500, 500, 0.2, random_state=0, format="csc"),
    "frame": pd.DataFrame(np.arange(40_000.0).reshape(200, 200)),
    "text": np.array(["a", "bb"] * 40_000, dtype=object),
    "small": np.arange(4),
}


@pytest.mark.parametrize("name", LARGE_THINGS)
def test_an_object_comes_back_as_it_was_with_large_arrays_as_maps(name, folder):
    """Values, kinds and order in memory are the same; numbers above a size are read-only maps."""
    thing = LARGE_THINGS[name]
    stored = SharedObject.write({"a": thing, "again": thing})
    back = stored.load()
    assert type(back["a"]) is type(thing)
    for before, after in zip(_arrays(thing), _arrays(back["a"])):
        assert_array_equal(before, after)
        assert before.dtype == after.dtype
        if before.flags.c_contiguous or before.flags.f_contiguous:
            assert before.strides == after.strides
        large = before.nbytes >= LARGE and before.dtype != object
        assert tasks.is_map([after], 0) == large
    if isinstance(thing, np.ndarray):
        assert back["again"] is back["a"]
    assert stored.load() is back
    stored.remove()
    assert not Path(stored.folder).exists()


@pytest.mark.parametrize(
    "view", [np.s_[:], np.s_[100:300], np.s_[::-2, 3:90], np.s_[:, ::7]], ids=str
)
def test_a_map_of_the_users_file_is_not_written_again(view, folder):
    """Rows of a file are found in that file, whatever the view."""
    np.save(folder / "X.npy", np.random.default_rng(0).random((400, 300)))
    X = np.asarray(np.load(folder / "X.npy", mmap_mode="r")[view])
    stored = SharedObject.write(X)
    assert not list(Path(stored.folder).glob("*.npy"))
    assert_array_equal(stored.load(), X)
    stored.remove()


def test_a_private_copy_of_a_file_is_written(folder):
    """A copy-on-write map may differ from its file, so the file is not used."""
    np.save(folder / "X.npy", np.zeros((200, 200)))
    X = np.load(folder / "X.npy", mmap_mode="c")
    X[3] = 7
    stored = SharedObject.write(X)
    assert_array_equal(stored.load(), X)
    stored.remove()


def test_data_reach_a_process_once_over_many_rounds(folder):
    """Three rounds of tasks, and each worker has unpickled the data once."""
    shared = tasks.Loads(folder, np.ones((300, 300)))
    with Workers(tasks.total_of_two, shared, 2) as workers:
        rounds = [dict(workers.run([(i,) for i in range(12)])) for _ in range(3)]
    for answers in rounds:
        assert {i: value for i, (_, value) in answers.items()} == {
            i: 90_000.0 + i for i in range(12)
        }
    pids = {pid for answers in rounds for pid, _ in answers.values()}
    assert len(pids) == 2 and os.getpid() not in pids
    assert shared.loads() == dict.fromkeys(pids, 1)


def test_processes_see_maps(folder):
    """Dense and sparse data are maps in the workers."""
    X = np.ones((300, 300))
    with Workers(tasks.is_map, [X, sparse.csr_matrix(X).data, X[:2]], 2) as workers:
        assert dict(workers.run([(0,), (1,), (2,)])) == {0: True, 1: True, 2: False}


@pytest.mark.slow
def test_a_large_map_is_not_taken_for_a_leak(folder):
    """Loky replaces workers that grow by 300 MB; reading a larger map must not count."""
    pytest.importorskip("psutil", reason="loky looks at memory only where psutil is installed")
    shared = tasks.Loads(folder, np.ones(50_000_000))
    with Workers(tasks.part, shared, 2) as workers:
        answers = dict(workers.run([(i,) for i in range(16)]))
    assert len({pid for pid, _ in answers.values()}) == 2


def test_files_vanish_after_an_error(folder):
    """An error in a task is raised as it is, and the temporary folder is empty (see the
    fixture).
    """
    with (
        pytest.raises(LookupError, match="three"),
        Workers(tasks.fail_at_three, np.ones((300, 300)), 2) as workers,
    ):
        list(workers.run([(i,) for i in range(10)]))


@no_kill
def test_files_vanish_when_the_process_is_killed(folder):
    """After kill -9 nothing of the data is left behind."""
    script = (
        "import os, numpy as np; from subsel.runtime.shared_arrays import SharedObject;"
        "print(SharedObject.write(np.ones((300, 300))).folder, flush=True); os.kill(os.getpid(), 9)"
    )
    place = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    ).stdout.strip()
    assert Path(place).parent == folder / "temporary"
    until = perf_counter() + 30
    while Path(place).exists() and perf_counter() < until:
        sleep(0.05)
    assert not Path(place).exists()


# Order, threads, ends -----------------------------------------------------------------------------


@pytest.mark.parametrize("backend, n_jobs", [("loky", 1), *WORKERS])
def test_every_task_is_done_once_and_in_order(backend, n_jobs, folder):
    """More tasks than workers and than there is room for, none, and one."""
    with parallel_config(backend=backend), Workers(tasks.square, None, n_jobs) as workers:
        for n in (50, 0, 1):
            assert list(workers.ordered((i,) for i in range(n))) == [i * i for i in range(n)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_answers_stream_back_as_they_finish(backend, folder):
    """A slow first task does not hold up the others; in order, it does."""
    (folder / "a").mkdir()
    with parallel_config(backend=backend):
        finished = []
        with Workers(tasks.after, str(folder / "a"), 2) as workers:
            for index, _ in workers.run([(i,) for i in range(6)]):
                finished.append(index)
                if index == 3:
                    (folder / "a" / "go").touch()
        assert finished.index(3) < finished.index(0)
        (folder / "b").mkdir()
        release = threading.Thread(target=_go_after_three, args=(folder / "b",))
        release.start()
        with Workers(tasks.after, str(folder / "b"), 2) as workers:
            assert list(workers.ordered([(i,) for i in range(6)])) == list(range(6))
        release.join()


def _go_after_three(folder):
    """Let the first task go when the fourth is done."""
    while not (folder / "done").exists():
        sleep(0.01)
    (folder / "go").touch()


@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.slow), "threading"])
def test_cores_are_not_oversubscribed(backend, folder, monkeypatch):
    """As many workers as cores: one thread each for the numeric libraries, and no jobs
    inside jobs.
    """
    for name in [name for name in os.environ if name.endswith("_NUM_THREADS")]:
        monkeypatch.delenv(name)
    with threadpool_limits(4), parallel_config(backend=backend):
        before = [pool["num_threads"] for pool in threadpool_info()]
        with Workers(tasks.inner_threads, None, os.cpu_count() + 1) as workers:
            assert dict(workers.run([(0,), (1,)])) == {0: (1, 1), 1: (1, 1)}
        assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_threads_limit_openmp_even_if_the_user_asked_for_more():
    """OpenMP counts per thread, so that limits of the main thread say nothing about others."""
    script = (
        "from joblib import parallel_config; from subsel.runtime.workers import Workers; "
        "from tests.engine import tasks\n"
        "with parallel_config(backend='threading'), "
        "Workers(tasks.inner_threads, None, 9) as workers:\n"
        "    print(sorted(set(dict(workers.run([(i,) for i in range(9)])).values())))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "4"}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=environment, capture_output=True, text=True
    )
    cores = max(1, cpu_count() // 9)
    assert done.stdout.strip() == f"[({cores}, 1)]", done.stderr


def test_an_unknown_backend_is_named():
    """A backend that cannot be used is refused, not ignored."""
    from joblib._parallel_backends import ParallelBackendBase

    class Other(ParallelBackendBase):
        def effective_n_jobs(self, n_jobs):
            return 2

        def submit(self, func, callback=None):
            raise NotImplementedError

    with (
        parallel_config(backend=Other()),
        pytest.raises(ValueError, match=r"must be loky, .*got Other"),
    ):
        list(Workers(tasks.square, None, 2).run([(1,)]))


@pytest.mark.skipif(sys.platform == "win32", reason="processes are looked up by signal 0")
def test_a_deadline_ends_the_running_tasks(folder, monkeypatch):
    """Tasks of ten minutes are left, their processes killed, what is finished is kept.

    The workers serve again.
    """
    found, begin = {}, perf_counter()

    def late():
        return 0 in found and any(folder.glob("[1-9]-*"))  # when one is done and another has begun

    monkeypatch.setattr("subsel.runtime.workers.perf_counter", lambda: 2.0 if late() else 0.0)
    with Workers(tasks.sleep_long, str(folder), 2) as workers:
        found.update(workers.run([(i,) for i in range(4)], deadline=1.0))
        assert found == {0: 0}
        assert perf_counter() - begin < 600  # what a task would take
        pids = {int(path.name.split("-")[1]) for path in folder.glob("[1-9]-*")}
        assert pids and not any(map(_alive, pids))
        assert dict(workers.run([(0,)])) == {0: 0}


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_first_tasks_are_done_however_late(folder):
    """Past the deadline as many tasks are done as were asked for, no more."""
    for n_jobs in (1, 2):
        with Workers(tasks.square, None, n_jobs) as workers:
            assert dict(workers.run([(i,) for i in range(9)], deadline=0.0, at_least=3)) == {
                0: 0,
                1: 1,
                2: 4,
            }


# Deaths -------------------------------------------------------------------------------------------


@no_kill
def test_tasks_of_a_dead_worker_are_done_again(folder):
    """One task kills its process: a warning, and all answers."""
    with (
        pytest.warns(WorkerDied, match="a worker died"),
        Workers(tasks.die_once, str(folder), 2) as workers,
    ):
        assert list(workers.ordered((i,) for i in range(20))) == [i * i for i in range(20)]


@no_kill
@pytest.mark.slow
@pytest.mark.parametrize("deaths", [1, 3])
def test_a_task_that_always_kills_its_worker_ends_the_run(deaths, folder, monkeypatch):
    """After a few deaths without progress the error names the likely causes."""
    monkeypatch.setattr("subsel.runtime.workers.DEATHS", deaths)
    message = rf"died {deaths + 1} times in a row.*memory.*n_jobs=1"
    died = pytest.raises(RuntimeError, match=message)
    with pytest.warns(WorkerDied), died, Workers(tasks.die_always, None, 2) as workers:
        list(workers.run([(i,) for i in range(4)]))


@no_kill
@pytest.mark.parametrize("fatal", [31, pytest.param(0, marks=pytest.mark.slow)])
def test_a_search_survives_the_death_of_a_worker(fatal, folder):
    """A fit that kills its process, first or in the middle.

    The same trace and answer as undisturbed.
    """
    (folder / "fits").mkdir()
    X, y = table()

    def fit(tree, n):
        return SubsetSelector(tree, search="sfs", n_features=3, cv=2, n_jobs=n, random_state=0).fit(
            X, y
        )

    whole = fit(MortalTree(), 1)
    with pytest.warns(WorkerDied):
        survived = fit(MortalTree(str(folder / "fits"), fatal), 2)
    _assert_same_search(whole, survived)
    assert survived.result_.evaluator.n_refits == whole.result_.evaluator.n_refits


@no_kill
@pytest.mark.slow
def test_an_assessment_survives_the_death_of_a_worker(folder):
    """The same scores, fold by fold."""
    (folder / "fits").mkdir()
    X, y = table()
    options = {"cv": 5, "references": False, "random_state": 0}
    whole = assess(None, MortalTree(), X, y, **options)
    with pytest.warns(WorkerDied):
        survived = assess(None, MortalTree(str(folder / "fits"), 2), X, y, n_jobs=2, **options)
    assert_array_equal(whole.folds["score"], survived.folds["score"])


# The same answers ---------------------------------------------------------------------------------


def _assert_same_search(a, b):
    assert_array_equal(a.result_.trace, b.result_.trace)
    assert_array_equal(a.result_.chosen, b.result_.chosen)
    assert a.result_.n_computed == b.result_.n_computed


SEARCHES = {
    "forward": {"search": "sfs", "n_features": 3},
    "population": {"search": "genetic", "budget": 40},
    "restarts": {"search": "rfs1", "budget": 12, "restarts": 3},
}


@pytest.mark.parametrize("backend, n_jobs", WORKERS)
@pytest.mark.parametrize("name", SEARCHES)
def test_workers_never_change_a_search_of_refits(name, backend, n_jobs, folder):
    """Any number of workers, processes and threads.

    The same trace, subset and number of refits as one.
    """
    X, y = table()

    def fit(n):
        return SubsetSelector(MortalTree(), cv=2, n_jobs=n, random_state=0, **SEARCHES[name]).fit(
            X, y
        )

    one = fit(1)
    assert one.result_.evaluator.n_refits == one.result_.n_computed
    with parallel_config(backend=backend):
        other = fit(n_jobs)
    _assert_same_search(one, other)
    assert other.result_.evaluator.n_refits == one.result_.evaluator.n_refits


@pytest.mark.parametrize("backend, n_jobs", WORKERS)
@pytest.mark.parametrize("options", [{"fresh": True}, {"rows": 0.5}], ids=str)
def test_workers_never_change_qualities_that_are_drawn(options, backend, n_jobs, folder):
    """Fresh folds or rows for every evaluation are keyed by the request, not by the worker."""
    X, y = table()
    evaluator = CrossValidated(MortalTree(), cv=2, **options)

    def fit(n):
        return SubsetSelector(
            evaluator, search="genetic", budget=40, restarts=2, n_jobs=n, random_state=0
        ).fit(X, y)

    one = fit(1)
    with parallel_config(backend=backend):
        _assert_same_search(one, fit(n_jobs))


@pytest.mark.parametrize("kind", tables()[0])
def test_workers_never_change_a_search_whatever_the_table(kind, folder, monkeypatch):
    """Every kind of table, all its arrays mapped."""
    monkeypatch.setattr("subsel.runtime.shared_arrays.LARGE", 1)
    X, y = tables()[0][kind], tables()[1]
    weights = None if kind == "frame" else np.linspace(1, 2, len(y))

    def fit(n):
        return SubsetSelector(
            MortalTree(), search="sfs", n_features=2, cv=3, n_jobs=n, random_state=0
        ).fit(X, y, sample_weight=weights)

    _assert_same_search(fit(1), fit(2))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("restarts", [2, 5])
def test_restarts_of_a_quick_judge_run_on_threads(restarts, backend, folder, monkeypatch):
    """Forks on threads, whatever the backend: the trace of one job."""
    monkeypatch.setattr("subsel.engine.parallel.TRIFLE", 0.0)
    X, y = table()

    def fit(n):
        return SubsetSelector(
            NearestNeighbours(cv=3),
            search="rfs1",
            budget=60,
            restarts=restarts,
            n_jobs=n,
            random_state=0,
        ).fit(X, y)

    one = fit(1)
    with parallel_config(backend=backend):
        _assert_same_search(one, fit(2))


def test_threads_really_answer_restarts(monkeypatch):
    """With two jobs the forks are asked on other threads than this one."""
    monkeypatch.setattr("subsel.engine.parallel.TRIFLE", 0.0)
    seen = set()

    class Watched(Table):
        def quality(self, columns):
            seen.add(threading.get_ident())
            return super().quality(columns)

    class Steps:
        def steps(self, space, rng, horizon=None):
            for _ in range(5):
                yield space.flips(space.sample(rng))

    run(Steps(), Watched(lambda s: float(len(s))), Space.of(6), restarts=3, seed=0, n_jobs=2)
    assert len(seen - {threading.get_ident()}) >= 1


@pytest.mark.parametrize("backend, n_jobs", WORKERS)
def test_workers_never_change_an_assessment(backend, n_jobs, folder):
    """Folds, references, probes and permutations: the same numbers as with one worker."""
    X, y = table()
    selector = SubsetSelector(NearestNeighbours(cv=3), search="sfs", n_features=2)

    def ask(n):
        return assess(
            selector, GaussianNB(), X, y, cv=3, probes=4, permutations=3, n_jobs=n, random_state=0
        )

    one = ask(1)
    with parallel_config(backend=backend):
        other = ask(n_jobs)
    assert_array_equal(one.folds["score"], other.folds["score"])
    assert_array_equal(one.supports, other.supports)
    assert_array_equal(one.permutation.scores, other.permutation.scores)
    assert str(one.references) == str(other.references)
    assert str(one.false_selections) == str(other.false_selections)


def test_workers_never_change_a_comparison(folder):
    """Two methods on common folds."""
    X, y = table()
    methods = [
        ("two", SubsetSelector(NearestNeighbours(cv=3), search="sfs", n_features=2)),
        ("all", None),
    ]

    def ask(n):
        return compare(methods, GaussianNB(), X, y, cv=3, n_jobs=n, random_state=0)

    one, two = ask(1), ask(2)
    assert_array_equal(one.scores, two.scores)
    assert one.differences == two.differences


# Ends ---------------------------------------------------------------------------------------------


class OneBatch:
    """All single columns."""

    def steps(self, space, rng, horizon=None):
        yield space.additions(space.empty())


class SlowTable(Table):
    """A table whose look-up takes its time, on workers."""

    traits = Traits("table", heavy=True)

    def quality(self, columns):
        sleep(0.01)
        return super().quality(columns)


def _far(columns):
    return -(float(min(columns) - 50) ** 2)


@pytest.mark.parametrize(
    "backend, restarts",
    [
        ("loky", 1),
        ("threading", 1),
        ("threading", 3),
        pytest.param("loky", 3, marks=pytest.mark.slow),
    ],
)
def test_seconds_end_a_run_on_workers_within_a_batch(backend, restarts, folder):
    """A batch of minutes is left in the middle; the trace is the beginning of the whole one."""
    space = Space.of(20_000)
    with parallel_config(backend=backend):
        run(
            OneBatch(), SlowTable(_far), space, budget=9, restarts=restarts, seed=0, n_jobs=2
        )  # start the workers
        result = run(
            OneBatch(), SlowTable(_far), space, budget="1s", restarts=restarts, seed=0, n_jobs=2
        )
    assert result.stopped_by == "seconds"
    assert result.seconds < 60
    counts = np.bincount(result.trace["restart"], minlength=restarts)
    assert counts.min() >= 1 and counts.sum() < 20_000 * restarts
    for restart, count in enumerate(counts):
        whole = run(OneBatch(), Table(_far), space, budget=int(count), seed=0)
        part = result.trace[result.trace["restart"] == restart]
        assert_array_equal(whole.trace["quality"], part["quality"])


class OneSlow(Table):
    """A table in which a column takes a second, the sixth longer than there is time, and
    the twelfth ends it.
    """

    traits = Traits("table", heavy=True)

    def __init__(self, function, clock):
        super().__init__(function)
        self.clock, self.over = clock, threading.Event()

    def quality(self, columns):
        if 5 in columns:
            assert self.over.wait(60)
        self.clock.add(1000.0 if 11 in columns else 1.0)
        return super().quality(columns)


def test_what_lies_beyond_a_gap_is_not_delivered(monkeypatch):
    """The sixth of thirty candidates is not ready in time, later ones are.

    At most five are kept, in their order.
    """
    table = OneSlow(_far, Clock().rule(monkeypatch))
    with parallel_config(backend="threading"):
        result = run(OneBatch(), table, Space.of(30), budget="500s", seed=0, n_jobs=2)
    table.over.set()
    assert result.stopped_by == "seconds"
    assert frozenset([11]) in table.asked
    qualities = result.trace["quality"].tolist()
    assert 1 <= len(qualities) <= 5
    assert qualities == [_far([j]) for j in range(len(qualities))]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ on Windows")
@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_interrupting_an_assessment_on_workers_keeps_the_finished_folds(folder):
    """Ctrl-C while later folds run: the finished ones are summarised."""
    (folder / "fits").mkdir()
    X, y = table()
    tree = MortalTree(str(folder / "fits"), pause=0.4)

    def interrupt():
        while sum(1 for _ in (folder / "fits").iterdir()) < 5:
            sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    found = assess(None, tree, X, y, cv=30, references=False, n_jobs=2, random_state=0)
    thread.join()
    whole = assess(None, MortalTree(), X, y, cv=30, references=False, random_state=0)
    assert any("interrupted" in note for note in found.notes)
    scores = found.folds["score"]
    assert 1 <= len(scores) < 30
    assert_array_equal(scores, whole.folds["score"][: len(scores)])


@pytest.mark.skipif(sys.platform == "win32", reason="processes are looked up by signal 0")
def test_a_worker_ends_whose_giver_was_gone_before_it_began():
    """The process that handed out the work was killed before the task began.

    The worker does not stay behind.
    """
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    code = "from subsel.runtime.processes import serve; import time; "
    code += f"serve({gone.pid}); time.sleep(600)"
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 1
