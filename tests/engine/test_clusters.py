"""Clusters: dask and ray give the answers of one job, with workers that die, come and go."""

import os
import signal
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector
from subsel.assessment import assess
from subsel.criteria import NearestNeighbours
from subsel.runtime.workers import WorkerDied, Workers
from tests.engine import tasks
from tests.engine.tasks import MortalTree, table, tables

SEARCHES = {
    "forward": {"search": "sfs", "n_features": 2},
    "population": {"search": "genetic", "budget": 30},
    "restarts": {"search": "rfs1", "budget": 8, "restarts": 3},
}
wait = partial(sleep, 0.02)


def fit(X, y, n_jobs=None, tree=None, **options):
    """A search of refits."""
    return SubsetSelector(tree or MortalTree(), cv=2, n_jobs=n_jobs, random_state=0, **options).fit(
        X, y
    )


def assert_same_search(a, b):
    assert_array_equal(a.result_.trace, b.result_.trace)
    assert_array_equal(a.result_.chosen, b.result_.chosen)
    assert a.result_.evaluator.n_refits == b.result_.evaluator.n_refits


def assess_quick(X, y, n_jobs=None):
    """A selection in each of three folds."""
    selector = SubsetSelector(NearestNeighbours(cv=3), search="sfs", n_features=2)
    return assess(
        selector, GaussianNB(), X, y, cv=3, references=False, n_jobs=n_jobs, random_state=0
    )


# Dask ---------------------------------------------------------------------------------------------


@contextmanager
def local_cluster():
    """Two worker processes on this machine, with a nanny each that starts dead ones again.

    Every two seconds dask's active memory manager drops copies of data that no task is waiting for,
    and a worker that needs them again fetches them again: without it, how often data are sent is
    what we do.
    """
    distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    import dask

    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": ":0",
    }
    with (
        dask.config.set({"distributed.scheduler.active-memory-manager.start": False}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def lasting():
    """A cluster for tests that do it no harm."""
    with local_cluster() as client:
        yield client


@pytest.fixture
def client(lasting):
    """The lasting cluster as joblib's backend."""
    with parallel_config(backend="dask", client=lasting):
        yield lasting


@pytest.fixture
def mortal():
    """A cluster of its own, for tests that kill, start and stop workers."""
    with local_cluster() as client, parallel_config(backend="dask", client=client):
        yield client


def worker_pids(client):
    """The processes of the workers."""
    return list(client.run(os.getpid).values())


@pytest.mark.parametrize("name", SEARCHES)
def test_a_dask_cluster_never_changes_a_search(name, client):
    """Forward steps, populations and restarts: the trace of one job."""
    X, y = table()
    assert_same_search(fit(X, y, 1, **SEARCHES[name]), fit(X, y, **SEARCHES[name]))


@pytest.mark.parametrize("kind", ["sparse", "frame", "float32", "strided"])
def test_a_dask_cluster_takes_every_table(kind, client):
    """Whatever the table, the trace of one job."""
    X, y = tables()[0][kind], tables()[1]
    assert_same_search(fit(X, y, 1, **SEARCHES["forward"]), fit(X, y, **SEARCHES["forward"]))


def test_a_dask_cluster_never_changes_an_assessment(client):
    """The same scores and selections, fold by fold."""
    X, y = table()
    one, many = assess_quick(X, y, 1), assess_quick(X, y)
    assert_array_equal(one.folds["score"], many.folds["score"])
    assert_array_equal(one.supports, many.supports)


def test_dask_workers_receive_the_data_once(client, tmp_path):
    """Three rounds of tasks over both workers, one loading in each of them; a task is small."""
    shared = tasks.Loads(tmp_path, np.ones((300, 300)))
    with Workers(tasks.total_of_two, shared) as workers:
        rounds = [dict(workers.run([(i,) for i in range(12)])) for _ in range(3)]
    for answers in rounds:
        assert {i: value for i, (_, value) in answers.items()} == {
            i: 90_000.0 + i for i in range(12)
        }
    pids = {pid for answers in rounds for pid, _ in answers.values()}
    assert pids == set(worker_pids(client))
    loads = shared.loads()
    assert {pid: loads[pid] for pid in pids} == dict.fromkeys(pids, 1)


def test_dask_workers_use_one_thread_each(client):
    """Numeric libraries are limited and there are no jobs inside jobs."""
    with Workers(tasks.inner_threads, None) as workers:
        assert dict(workers.run([(0,), (1,)])) == {0: (1, 1), 1: (1, 1)}


def test_n_jobs_bounds_what_runs_on_a_cluster(client):
    """One job works here; two are at most two at once."""
    with Workers(tasks.total, tasks.Loads("", np.ones(3)), 1) as workers:
        assert dict(workers.run([(0,)])) == {0: (os.getpid(), 3.0)}
    with Workers(tasks.square, None, 2) as workers:
        assert workers.pool.room == 2
        assert list(workers.ordered((i,) for i in range(9))) == [i * i for i in range(9)]


def test_quick_judges_stay_at_home(client):
    """Restarts of a quick evaluator run on threads here: the trace of one job."""
    X, y = table()
    options = {"search": "rfs1", "budget": 40, "restarts": 3, "random_state": 0}
    one = SubsetSelector(NearestNeighbours(cv=3), n_jobs=1, **options).fit(X, y)
    many = SubsetSelector(NearestNeighbours(cv=3), **options).fit(X, y)
    assert_same_search(one, many)


def test_inside_a_dask_task_there_is_one_worker(client):
    """A search within a task of the user's does not wait for workers that wait for it."""
    X, y = table()
    inside = client.submit(fit, X, y, 2, **SEARCHES["forward"]).result(timeout=120)
    assert_same_search(fit(X, y, 1, **SEARCHES["forward"]), inside)


def test_a_dask_worker_killed_in_the_middle_changes_nothing(mortal, tmp_path):
    """A fit kills its worker process; dask itself gives the tasks to the others."""
    X, y = table()
    whole = fit(X, y, 1, **SEARCHES["forward"])
    survived = fit(X, y, tree=MortalTree(str(tmp_path), fatal=9), **SEARCHES["forward"])
    assert (tmp_path / "fatal").exists()
    assert_same_search(whole, survived)


def in_the_middle(folder, n, action):
    """Do something once ``n`` fits were made, in a thread."""

    def act():
        while sum(1 for _ in Path(folder).iterdir()) < n:
            wait()
        action()

    thread = threading.Thread(target=act)
    thread.start()
    return thread


@pytest.mark.slow
def test_data_lost_with_all_dask_workers_are_sent_again(mortal, tmp_path):
    """Every worker that holds the data is killed at once."""
    X, y = table()
    whole = fit(X, y, 1, **SEARCHES["forward"])
    pids = worker_pids(mortal)
    kill = in_the_middle(tmp_path, 6, lambda: [os.kill(pid, signal.SIGKILL) for pid in pids])
    tree = MortalTree(str(tmp_path), pause=0.05)
    with pytest.warns(WorkerDied):
        survived = fit(X, y, tree=tree, **SEARCHES["forward"])
    kill.join()
    assert_same_search(whole, survived)


@pytest.mark.slow
def test_dask_workers_may_join_and_leave(mortal, tmp_path):
    """From two workers to four, then to one, during a search and an assessment."""
    X, y = table()
    whole = fit(X, y, 1, **SEARCHES["forward"])
    grow = in_the_middle(tmp_path, 2, lambda: mortal.cluster.scale(4))
    more = fit(X, y, tree=MortalTree(str(tmp_path), company=3), **SEARCHES["forward"])
    grow.join()
    n_fits = len(os.listdir(tmp_path))
    shrink = in_the_middle(tmp_path, n_fits + 4, lambda: mortal.cluster.scale(1))
    fewer = assess(
        None, MortalTree(str(tmp_path), pause=0.1), X, y, cv=20, references=False, random_state=0
    )
    shrink.join()
    one = assess(None, MortalTree(), X, y, cv=20, references=False, n_jobs=1, random_state=0)
    assert_same_search(whole, more)
    assert len(tasks.processes(tmp_path)) >= 3
    assert_array_equal(one.folds["score"], fewer.folds["score"])


@pytest.mark.slow
def test_an_adaptive_dask_cluster_starts_from_nothing(mortal, tmp_path):
    """No worker at all to begin with: the cluster starts some, the answer is the same."""
    X, y = table()
    whole = fit(X, y, 1, **SEARCHES["forward"])
    mortal.cluster.scale(0)
    while mortal.nthreads():
        wait()
    mortal.cluster.adapt(minimum=0, maximum=3, interval="100ms")
    assert_same_search(whole, fit(X, y, **SEARCHES["forward"]))


@pytest.mark.slow
def test_a_task_that_kills_every_dask_worker_ends_the_run(mortal, monkeypatch):
    """The error names the likely causes."""
    monkeypatch.setattr("subsel.runtime.workers.DEATHS", 1)
    with (
        pytest.warns(WorkerDied),
        pytest.raises(RuntimeError, match="in a row"),
        Workers(tasks.die_always, 1) as workers,
    ):
        list(workers.run([(i,) for i in range(4)]))


@pytest.mark.slow
def test_leaving_early_takes_the_tasks_back_from_dask(mortal, tmp_path):
    """Past the deadline nothing is left waiting on the cluster."""
    with Workers(tasks.sleep_long, str(tmp_path)) as workers:
        dict(workers.run([(0,) for i in range(8)]))  # the workers have imported what they need
        begin = perf_counter()
        found = dict(workers.run([(i,) for i in range(8)], deadline=begin + 1.5))
        assert perf_counter() - begin < 300
        assert found == {0: 0}
        (
            tmp_path / "go"
        ).touch()  # threads cannot be ended: the tasks that had begun are still at it
        dict(workers.run([(0,) for _ in range(8)]))
    started = {path.name.split("-")[0] for path in tmp_path.iterdir()} - {"go"}
    assert len(started) <= 4  # one done, one at each worker, one that a worker had just begun


# Ray ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ray_cluster():
    """A ray cluster of two processes on this machine."""
    ray = pytest.importorskip("ray", reason="the extra 'ray' (240 MB) is not installed")
    from ray.util.joblib import register_ray

    root = str(Path(__file__).parents[2])
    runtime = {"env_vars": {"PYTHONPATH": root, "RAY_DEDUP_LOGS": "0"}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=runtime)
    register_ray()
    yield ray
    ray.shutdown()


@pytest.fixture
def ray_backend(ray_cluster):
    """Ray as joblib's backend."""
    with parallel_config(backend="ray"):
        yield ray_cluster


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_a_ray_cluster_never_changes_a_search(name, ray_backend):
    """Forward steps, populations and restarts: the trace of one job."""
    X, y = table()
    assert_same_search(fit(X, y, 1, **SEARCHES[name]), fit(X, y, **SEARCHES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sparse", "frame", "float32", "strided"])
def test_a_ray_cluster_takes_every_table(kind, ray_backend):
    """Whatever the table, the trace of one job."""
    X, y = tables()[0][kind], tables()[1]
    assert_same_search(fit(X, y, 1, **SEARCHES["forward"]), fit(X, y, **SEARCHES["forward"]))


@pytest.mark.slow
def test_a_ray_cluster_never_changes_an_assessment(ray_backend):
    """The same scores and selections, fold by fold."""
    X, y = table()
    one, many = assess_quick(X, y, 1), assess_quick(X, y)
    assert_array_equal(one.folds["score"], many.folds["score"])
    assert_array_equal(one.supports, many.supports)


@pytest.mark.slow
def test_ray_workers_receive_the_data_once(ray_backend, tmp_path):
    """Three rounds of tasks, one loading in each worker."""
    shared = tasks.Loads(tmp_path, np.ones((300, 300)))
    with Workers(tasks.total_of_two, shared) as workers:
        rounds = [dict(workers.run([(i,) for i in range(12)])) for _ in range(3)]
    for answers in rounds:
        assert {i: value for i, (_, value) in answers.items()} == {
            i: 90_000.0 + i for i in range(12)
        }
    pids = {pid for answers in rounds for pid, _ in answers.values()}
    assert os.getpid() not in pids
    assert shared.loads() == dict.fromkeys(pids, 1)


@pytest.mark.slow
def test_ray_workers_use_one_thread_each(ray_backend):
    """Numeric libraries are limited and there are no jobs inside jobs."""
    with Workers(tasks.inner_threads, None) as workers:
        assert dict(workers.run([(0,), (1,)])) == {0: (1, 1), 1: (1, 1)}


@pytest.mark.slow
def test_a_ray_worker_killed_in_the_middle_changes_nothing(ray_backend, tmp_path):
    """A fit kills its worker process: a warning, and the same trace."""
    X, y = table()
    whole = fit(X, y, 1, **SEARCHES["forward"])
    with pytest.warns(WorkerDied):
        survived = fit(X, y, tree=MortalTree(str(tmp_path), fatal=9), **SEARCHES["forward"])
    assert_same_search(whole, survived)


@pytest.mark.slow
def test_an_error_on_ray_is_the_users_own(ray_backend):
    """The kind of exception is that of the task."""
    with pytest.raises(LookupError, match="three"), Workers(tasks.fail_at_three, None) as workers:
        list(workers.run([(i,) for i in range(6)]))


@pytest.mark.slow
def test_a_task_that_kills_every_ray_worker_ends_the_run(ray_backend):
    """The error names the likely causes."""
    with (
        pytest.warns(WorkerDied),
        pytest.raises(RuntimeError, match="in a row"),
        Workers(tasks.die_always, 1) as workers,
    ):
        list(workers.run([(i,) for i in range(4)]))


@pytest.mark.slow
def test_leaving_early_ends_the_tasks_on_ray(ray_backend, tmp_path):
    """Past the deadline the running tasks are killed: the next ones need not wait for them."""
    with Workers(tasks.sleep_long, str(tmp_path)) as workers:
        dict(workers.run([(0,), (0,)]))  # start the workers
        begin = perf_counter()
        assert dict(workers.run([(i,) for i in range(6)], deadline=begin + 2)) == {0: 0}
        assert dict(workers.run([(0,)])) == {0: 0}
        assert perf_counter() - begin < 300  # half of what a task would take
