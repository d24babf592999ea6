"""Speed-up and memory of workers, against one job on the same work. ``python -m benchmarks.workers`` (Linux for memory)."""

import os
import sys
import threading
from pathlib import Path
from time import perf_counter, process_time, sleep

import numpy as np
from joblib import cpu_count
from joblib.externals.loky import get_reusable_executor
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from benchmarks.table import RESULTS, Row, write
from subsel import SubsetSelector
from subsel.assessment import assess
from subsel.criteria import CrossValidated

CORES = 2
FLOOR = 1.8  # speed-up on two cores that must be seen
GIGABYTE = (2_000, 62_500)  # float64: 1.0 GB


def forest(n_trees):
    """An evaluator of about a second."""
    return RandomForestClassifier(n_trees, random_state=0, n_jobs=1)


def problem(n=1_200, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, p)), np.arange(n) % 2
    X[:, :4] += 0.5 * y[:, None]
    return X, y


def restarts(n_jobs):
    """Four restarts of a search, each evaluation a refit of a forest on five folds."""
    X, y = problem()
    evaluator = CrossValidated(forest(60), cv=5)
    fitted = SubsetSelector(
        evaluator, search="rfs1", budget=5, restarts=4, n_jobs=n_jobs, random_state=0
    ).fit(X, y)
    return fitted.result_.trace.tolist(), fitted.result_.n_computed


def folds(n_jobs):
    """Eight outer folds, a forward selection and a fit in each."""
    X, y = problem(600, 12)
    selector = SubsetSelector(CrossValidated(forest(10), cv=3), search="sfs", n_features=2)
    found = assess(
        selector, forest(100), X, y, cv=8, references=False, n_jobs=n_jobs, random_state=0
    )
    return found.folds["score"].tolist(), 8


def cpu_seconds():
    """CPU time so far of this process and its workers (of this process alone where /proc does not tell)."""
    ticks = 0
    for pid in workers_of(os.getpid()):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return process_time() + ticks / (os.sysconf("SC_CLK_TCK") if ticks else 1)


def speed_up(name, work):
    """One job against two, workers already running, in wall-clock and in CPU time; the same answer is asserted."""
    seconds, spent, answers = {}, {}, {}
    assess(
        None, forest(2), *problem(60, 3), cv=8, references=False, n_jobs=CORES
    )  # start the workers
    for n_jobs in (1, CORES):
        begin, cpu = perf_counter(), cpu_seconds()
        answers[n_jobs], n_tasks = work(n_jobs)
        seconds[n_jobs], spent[n_jobs] = perf_counter() - begin, cpu_seconds() - cpu
    assert answers[1] == answers[CORES]
    ratio, more = seconds[1] / seconds[CORES], spent[CORES] / spent[1]
    what = f"{name}: {n_tasks} tasks of {spent[1] / n_tasks:.1f} s"
    return [
        Row(
            f"{what}, wall clock, speed-up",
            f"{FLOOR:.1f}",
            f"{ratio:.2f}",
            "yes" if ratio >= FLOOR else "NO",
        ),
        Row(
            f"{name}: CPU time of all processes against that of one job",
            "",
            f"{more:.2f}",
            "hardly depends on the load",
        ),
    ]


# Memory -------------------------------------------------------------------------------------------------------------


def workers_of(pid):
    """Processes that descend from this one and are loky's workers, not their helpers."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
            command = (status.parent / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue
        if int(fields[1]) == pid and b"popen_loky" in command:
            parents[int(status.parent.name)] = command
    return list(parents)


def proportional_set_size(pid):
    """Bytes of a process, shared pages divided among those who share them."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


class Watch(threading.Thread):
    """The largest sum of the workers' proportional memory, looked at a few times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self.largest, self.going = 0, 0, True

    def run(self):
        while self.going:
            sizes = [proportional_set_size(pid) for pid in workers_of(os.getpid())]
            if sum(sizes) > self.peak:
                self.peak, self.count = sum(sizes), len(sizes)
            sleep(0.2)


def memory(n_jobs, shape=GIGABYTE):
    """A search of refits on a large matrix: every worker reads all of it."""
    get_reusable_executor().shutdown(wait=True)
    rng = np.random.default_rng(0)
    X = rng.random(shape)
    y = np.arange(shape[0]) % 2
    X[:, :3] += y[:, None]
    watch = Watch()
    watch.start()
    options = {
        "search": "rfs1",
        "budget": 40,
        "restarts": n_jobs,
        "n_features": (1, 100),
        "random_state": 0,
    }
    SubsetSelector(CrossValidated(GaussianNB(), cv=5), n_jobs=n_jobs, **options).fit(X, y)
    watch.going = False
    watch.join()
    allowed = 1.3 * X.nbytes + 250e6 * n_jobs
    state = 100 * shape[0] * 8 * 2
    return Row(
        f"PSS of {watch.count} workers together, {X.nbytes / 1e9:.1f} GB matrix (evaluator's own state: "
        f"{state / 1e6:.0f} MB each at most)",
        f"{allowed / 1e9:.2f} GB",
        f"{watch.peak / 1e9:.2f} GB",
        "yes" if 0 < watch.peak <= allowed else "NO",
    )


def main():
    small = "--small" in sys.argv
    rows = [] if small else [*speed_up("restarts", restarts), *speed_up("assess", folds)]
    rows = rows or [Row("speed-up", "", "not measured (--small)", "")]
    if sys.platform == "linux":
        rows += [memory(n, (500, 25_000) if small else GIGABYTE) for n in (2, 4)]
    else:
        rows.append(Row("proportional memory", "", "only Linux tells", ""))
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    title = f"Workers: {CORES} of {cpu_count()} cores against one (wall clock; load of the machine {load:.1f})"
    write("workers", title, ("job", "bound", "seen", "holds"), rows)
    if not small:
        picture(rows)


def picture(rows):
    """Speed-ups and memory against their bounds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def number(text):
        return float(text.split()[0])

    speed = [row for row in rows if "wall clock" in row.first]
    size = [row for row in rows if row.first.startswith("PSS")]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for axis, part, label in zip(
        axes, (speed, size), ("speed-up on 2 cores (ratio)", "workers' PSS (GB)")
    ):
        names = [row.first.split(",")[0].split(":")[0].replace(" together", "") for row in part]
        axis.bar(names, [number(row.third) for row in part], color="tab:blue", label="seen")
        axis.plot(names, [number(row.second) for row in part], "k_", markersize=40, label="bound")
        axis.set_ylabel(label)
        axis.legend(markerscale=0.4, loc="lower right")
    figure.savefig(RESULTS / "workers.png", dpi=120)


if __name__ == "__main__":
    main()
