"""How far workers scale: measured costs of a task, then a simulation up to 1,000. ``python -m benchmarks.worker_scaling``."""

from heapq import heapify, heapreplace
from time import perf_counter, process_time

import numpy as np
from joblib import parallel_config
from sklearn.ensemble import RandomForestClassifier

from benchmarks.table import RESULTS, write
from subsel.criteria import CrossValidated
from subsel.data.task import Task
from subsel.runtime.workers import Workers
from subsel.space.candidates import Candidates
from subsel.space.space import Space

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)


# What is measured ---------------------------------------------------------------------------------------------------


def answer(shared, candidates):
    """What a task sends back, without the work."""
    return np.zeros(len(candidates)), len(candidates), 0.0


def pieces(n, size=8, p=1_000):
    """Requests as the engine cuts them."""
    space, rng = Space.of(p), np.random.default_rng(0)
    return [(Candidates.of(space, [space.sample(rng) for _ in range(size)]),) for _ in range(n)]


def overhead(backend, n=400):
    """Seconds of the process that hands out, per task: its own CPU time, and the time until the answer of one is back."""
    with (
        parallel_config(**backend),
        Workers(answer, None, None if "client" in backend else 2) as workers,
    ):
        list(workers.run(pieces(50)))
        tasks = pieces(n)
        begin = process_time()
        list(workers.run(tasks))
        cpu = (process_time() - begin) / n
        alone = []
        for task in tasks[:30]:
            begin = perf_counter()
            list(workers.run([task]))
            alone.append(perf_counter() - begin)
    return cpu, float(np.median(alone))


def dask_overhead():
    """The same through a dask cluster whose scheduler runs in this process, so that its work is counted."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        return overhead({"backend": "dask", "client": client})


def task_seconds(n=60):
    """How long refits of subsets of one run take: the shape of the distribution, relative to its mean."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 40)), np.arange(400) % 2
    evaluator = CrossValidated(RandomForestClassifier(10, random_state=0), cv=3).bind(
        Task.of(X, y), 0
    )
    space, seconds = Space.of(40), []
    for _ in range(n):
        request = Candidates.of(space, [space.sample(rng)])
        begin = process_time()
        evaluator.evaluate(request)
        seconds.append(process_time() - begin)
    return np.array(seconds) / np.mean(seconds)


# The simulation -----------------------------------------------------------------------------------------------------


def efficiency(n_workers, rounds, shape, *, mean, dispatch, latency, rng):
    """Work done per second of worker time paid for.

    One process hands out the tasks of a round one after the other; a task goes to the worker that is free first; the
    next round begins when the last answer of this one is back.
    """
    now = work = 0.0
    for n_tasks in rounds:
        durations = mean * rng.choice(shape, n_tasks)
        free = [now] * n_workers
        heapify(free)
        handed = now
        for duration in durations.tolist():
            handed += dispatch
            heapreplace(free, max(free[0], handed + latency / 2) + duration)
        now = max(free) + latency / 2
        work += durations.sum()
    return work / (n_workers * now)


SCENARIOS = {
    "permutation test: 10,000 folds of 10 s": ([10_000], 10.0),
    "forward steps: 20 rounds of 5,000 refits of 1 s": ([5_000] * 20, 1.0),
    "populations: 50 rounds of 1,000 refits of 1 s": ([1_000] * 50, 1.0),
    "restarts: 50 rounds of 100 refits of 10 s": ([100] * 50, 10.0),
    "too small: 5 rounds of 5,000 refits of 0.05 s": ([5_000] * 5, 0.05),
}


def main():
    shape = task_seconds()
    costs = {"loky": overhead({"backend": "loky"}), "dask": dask_overhead()}
    dispatch, latency = costs["dask"]
    rng = np.random.default_rng(0)
    curves = {
        name: [
            efficiency(n, rounds, shape, mean=mean, dispatch=dispatch, latency=latency, rng=rng)
            for n in WORKERS
        ]
        for name, (rounds, mean) in SCENARIOS.items()
    }
    rows = [(name, *(f"{100 * e:.0f}%" for e in curve)) for name, curve in curves.items()]
    title = (
        "Efficiency of workers, simulated. Measured: "
        + "; ".join(
            f"{k} {1e3 * d:.2f} ms to hand out a task, {1e3 * l:.1f} ms there and back"
            for k, (d, l) in costs.items()
        )
        + f"; a refit takes {np.quantile(shape, 0.05):.2f} to {np.quantile(shape, 0.95):.2f} of the mean (5% to 95%)"
    )
    write("worker_scaling", title, ("scenario, dask's costs", *map(str, WORKERS)), rows)
    limit = 1 / dispatch
    text = f"""
What limits it: one process hands out at most {limit:.0f} tasks a second, so workers stay busy only up to about
{limit:.0f} times the length of a task in seconds; rounds in lockstep wait for their slowest task; and a round with fewer tasks than workers leaves the others idle (100 restarts never fill more than
100 workers). The engine therefore puts quick refits into pieces of a quarter of a second and more.
"""
    path = RESULTS / "worker_scaling.md"
    path.write_text(
        path.read_text(encoding="utf8") + text + "\n![efficiency](worker_scaling.png)\n",
        encoding="utf8",
    )
    print(text)
    picture(curves)


def picture(curves):
    """Efficiency against the number of workers."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, curve in curves.items():
        axis.semilogx(WORKERS, [100 * e for e in curve], marker="o", markersize=3, label=name)
    axis.set(
        xlabel="workers (number)",
        ylabel="efficiency (% of worker time spent on tasks)",
        ylim=(0, 105),
    )
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8, loc="lower left")
    figure.savefig(RESULTS / "worker_scaling.png", dpi=120)


if __name__ == "__main__":
    main()
