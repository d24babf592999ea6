"""Evaluations a second on a device, against one core of the processor. ``python -m benchmarks.accelerator --out FOLDER``.

Every figure is end to end (search, engine, transfers) with the same answer asserted; what fails is recorded, and the
rest goes on. The numbers stand in ``FOLDER/accelerator.json`` after each case.
"""

import argparse
import json
import platform
import sys
import time
import traceback
from pathlib import Path

import numpy as np
from sklearn.model_selection import LeaveOneOut
from threadpoolctl import threadpool_limits

from subsel.criteria import Discriminant, KernelRidge, LeastSquares, NearestNeighbours
from subsel.data.task import Task
from subsel.engine import run
from subsel.ranking.scores.neighbours.relieff import relieff
from subsel.ranking.scores.neighbours.surf import multisurf
from subsel.search import RandomWalk, find_search
from subsel.space.packed import PackedCandidates
from subsel.space.space import Space


def load_compiled():
    """Load the compiled loops, so that one core is measured at its best; whether this machine can."""
    try:
        from subsel._loops.linear import subsets  # noqa: F401
        from subsel._loops.neighbours import distances as nearest_neighbours  # noqa: F401
    except ImportError:
        return False
    return True


def quantity(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return Task.of(X, X[:, :15].sum(axis=1) + 2 * rng.standard_normal(n), "regression")


def classes(n, p, seed=0):
    task = quantity(n, p, seed)
    return Task.of(task.matrix, (task.y > np.median(task.y)).astype(int))


def subsets(space, size, n, seed=0):
    """Random subsets of one size."""
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, space.n_units), dtype=bool)
    for row in masks:
        row[rng.choice(space.n_units, size, replace=False)] = True
    return PackedCandidates.of_masks(space, masks)


def seconds_of(call, at_least=0.0):
    """How long a call takes, repeated for some time."""
    begin, n = time.perf_counter(), 0
    while n == 0 or time.perf_counter() - begin < at_least:
        call()
        n += 1
    return (time.perf_counter() - begin) / n


def one_core(call, at_least=0.0):
    """The same with one thread."""
    with threadpool_limits(1):
        return seconds_of(call, at_least)


def bound(criterion, device, task):
    """An evaluator, and how long it took to make."""
    begin = time.perf_counter()
    evaluator = criterion.set_params(device=device).bind(task)
    return evaluator, time.perf_counter() - begin


def same(one, other, what):
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9, err_msg=what)


def engine(search, evaluator, space, steps, seed=0):
    """A run of so many steps: evaluations a second, and the result."""
    begin = time.perf_counter()
    result = run(search, evaluator, space, budget=steps, seed=seed)
    return result.n_evaluations / (time.perf_counter() - begin), result


def walkers_ridge(device, quick):
    """RFS1 with 4,096 walkers, ridge, n = 2,000, p = 500, about 20 columns."""
    n, p, walkers, rounds = (400, 100, 256, 4) if quick else (2000, 500, 4096, 400)
    task, space = quantity(n, p), Space.of(p, low=15, high=25)
    search = RandomWalk(walkers=walkers, patience=10**9)
    fast, set_up = bound(LeastSquares(), device, task)
    plain, _ = bound(LeastSquares(), None, task)
    engine(search, fast, space, 20 * walkers)  # compiles and loads what is needed
    few = 64
    some = RandomWalk(walkers=few, patience=10**9)
    one, other = (engine(some, e.fork(), space, 12 * few)[1] for e in (fast, plain))
    same(one.trace["quality"], other.trace["quality"], "the trace of a run")
    rate, result = engine(search, fast, space, rounds * walkers, seed=1)
    batch = subsets(space, 20, walkers)
    alone = walkers / seconds_of(lambda: fast.evaluate(batch), 1.0)
    core = subsets(space, 20, 512)
    cpu = 512 / one_core(lambda: plain.evaluate(core), 1.0)
    with threadpool_limits(1):
        cpu_rate, _ = engine(
            RandomWalk(walkers=512, patience=10**9), plain.fork(), space, 512 * (2 if quick else 20)
        )
    return {
        "evaluations_per_second": rate, "evaluator_alone": alone, "one_core_end_to_end": cpu_rate,
        "one_core_evaluator": cpu, "set_up_seconds": set_up, "evaluations": result.n_evaluations,
        "asked": 5e5, "ratio": rate / cpu_rate,
    }  # fmt: skip


def kernel_ridge(device, quick):
    """Kernel ridge, leave-one-out, n = 500."""
    n, walkers, rounds = (100, 32, 3) if quick else (500, 2048, 6)
    task, space = quantity(n, 60), Space.of(60, low=5, high=15)
    criterion = KernelRidge(kernel="rbf", cv=LeaveOneOut(), scoring="neg_mean_squared_error")
    fast, set_up = bound(criterion, device, task)
    plain, _ = bound(criterion, None, task)
    few = subsets(space, 10, 24)
    same(fast.evaluate(few), plain.evaluate(few), "kernel ridge")
    search = RandomWalk(walkers=walkers, patience=10**9)
    engine(search, fast, space, walkers)
    rate, _ = engine(search, fast, space, rounds * walkers, seed=1)
    cpu = len(few) / one_core(lambda: plain.evaluate(few), 1.0)
    return {
        "evaluations_per_second": rate,
        "one_core": cpu,
        "ratio": rate / cpu,
        "asked": 100,
        "set_up": set_up,
    }


def nearest(device, quick):
    """1-NN, n = 20,000."""
    n, walkers, rounds = (600, 8, 2) if quick else (20_000, 64, 4)
    task, space = classes(n, 50), Space.of(50, low=8, high=12)
    fast, set_up = bound(NearestNeighbours(1), device, task)
    plain, _ = bound(NearestNeighbours(1), None, task)
    few = subsets(space, 10, 2)
    engine(RandomWalk(walkers=walkers, patience=10**9), fast, space, walkers)
    rate, _ = engine(
        RandomWalk(walkers=walkers, patience=10**9), fast, space, rounds * walkers, seed=1
    )
    plain.evaluate(subsets(space, 2, 1))  # loads compiled code
    begin = time.perf_counter()
    with threadpool_limits(1):
        wanted = plain.evaluate(few)
    cpu = len(few) / (time.perf_counter() - begin)
    same(fast.evaluate(few), wanted, "1-NN")
    return {
        "evaluations_per_second": rate,
        "one_core": cpu,
        "ratio": rate / cpu,
        "asked": 100,
        "set_up": set_up,
    }


def wide(device, quick):
    """A forward step over 100,000 columns, ridge, n = 2,000."""
    n, p = (200, 2000) if quick else (2000, 100_000)
    task, space = quantity(n, p), Space.of(p)
    fast, set_up = bound(LeastSquares(), device, task)
    base = space.subset(range(10))
    step = space.additions(base)
    fast.evaluate(step)
    seconds = seconds_of(lambda: fast.evaluate(step), 1.0)
    begin = time.perf_counter()
    result = run(find_search("sfs"), fast.fork(), Space.of(p, low=3, high=3), budget=4 * p)
    forward = (time.perf_counter() - begin) / max(1, result.n_evaluations)
    plain, plain_set_up = bound(LeastSquares(), None, task)
    begin = time.perf_counter()
    with threadpool_limits(1):
        wanted = plain.evaluate(step)
    cpu = time.perf_counter() - begin
    found = fast.evaluate(step)
    same(found, wanted, "a forward step")
    assert found.argmax() == wanted.argmax()
    return {
        "step_seconds": seconds, "one_core_step_seconds": cpu, "ratio": cpu / seconds, "set_up": set_up,
        "set_up_on_the_processor": plain_set_up, "end_to_end_seconds_per_step": forward * p,
        "selected": result.chosen.tolist(),
    }  # fmt: skip


def long(device, quick):
    """Moments of a million rows and 1,000 columns, and a thousand subsets of them."""
    n, p = (5000, 100) if quick else (1_000_000, 1000)
    task, space = quantity(n, p), Space.of(p)
    fast, set_up = bound(LeastSquares(), device, task)
    begin = time.perf_counter()
    fast.moments.whole  # noqa: B018
    batch = subsets(space, 10, 200)
    found = fast.evaluate(batch)
    first = time.perf_counter() - begin
    same(fast.evaluate(batch[:2]), found[:2], "a second look")
    return {
        "set_up": set_up,
        "moments_and_200_subsets": first,
        "200_subsets": seconds_of(lambda: fast.evaluate(batch)),
    }


def relief(device, quick):
    """ReliefF and MultiSURF, 8,000 x 500: the same scores."""
    task, found = classes(*((300, 40) if quick else (8000, 500))), {}
    relieff(task.matrix[:200], np.arange(200) % 2, device=device)  # loads what the device needs
    for name, score in (("relieff", relieff), ("multisurf", multisurf)):
        begin = time.perf_counter()
        there = score(task.matrix, task.y, device=device)
        middle = time.perf_counter()
        with threadpool_limits(1):
            here = score(task.matrix, task.y)
        core = time.perf_counter() - middle
        same(there, here, name)
        found[name] = {
            "seconds": middle - begin,
            "one_core_seconds": core,
            "ratio": core / (middle - begin),
        }
    return found


FAMILIES = {
    "ridge": (LeastSquares(), quantity, (500, 2000, 8000, 32_000), 4096),
    "lda": (Discriminant(), classes, (500, 2000, 8000, 32_000), 4096),
    "gaussian naive Bayes": (Discriminant("gaussian-nb"), classes, (500, 2000, 8000, 32_000), 4096),
    "kernel ridge, leave-one-out": (
        KernelRidge(kernel="rbf", cv=LeaveOneOut(), scoring="neg_mean_squared_error"), quantity, (200, 500, 1000, 2000), 512,
    ),
    "1-NN": (NearestNeighbours(1), classes, (500, 2000, 8000, 20_000, 50_000), 32),
    "5-NN": (NearestNeighbours(5), classes, (500, 2000, 8000, 20_000), 32),
}  # fmt: skip


def curves(device, quick):
    """Evaluations a second against the number of rows, ten of fifty columns, device and one core."""
    rows = []
    for name, (criterion, make, sizes, width) in FAMILIES.items():
        for n in sizes[:1] if quick else sizes:
            task, space = make(n, 50), Space.of(50)
            fast, _ = bound(criterion, device, task)
            batch = subsets(space, 10, 32 if quick else width)
            fast.evaluate(batch[:4])
            rate = len(batch) / seconds_of(lambda fast=fast, batch=batch: fast.evaluate(batch), 0.5)
            rows.append(
                {
                    "evaluator": name,
                    "rows": n,
                    "device": rate,
                    "one_core": _core_rate(criterion, task, space, n),
                }
            )
            print(rows[-1], flush=True)
    return rows


def _core_rate(criterion, task, space, n):
    """Of one core, where that takes seconds and not minutes."""
    if (isinstance(criterion, NearestNeighbours) and n > 20_000) or (
        isinstance(criterion, KernelRidge) and n > 1000
    ):
        return None
    plain, _ = bound(criterion, None, task)
    slow = isinstance(criterion, NearestNeighbours | KernelRidge)
    batch = subsets(space, 10, 2 if slow and n > 1000 else 16 if slow else 256)
    with threadpool_limits(1):
        plain.evaluate(batch)  # loads compiled code
        return len(batch) / seconds_of(lambda: plain.evaluate(batch), 0.3 if n < 5000 else 0.0)


CASES = {
    "walkers_ridge": walkers_ridge,
    "kernel_ridge_leave_one_out": kernel_ridge,
    "nearest_neighbours": nearest,
    "forward_step": wide,
    "relief": relief,
    "curves": curves,
    "long_table": long,
}


def about(device):
    """The machine."""
    import torch

    card = torch.cuda.get_device_name(0) if device.startswith("cuda") else platform.processor()
    return {
        "device": device,
        "card": card,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": sys.version,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="benchmarks/results")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true", help="small problems, to see that it runs")
    parser.add_argument(
        "--seconds", type=float, default=420.0, help="no case is begun after so long"
    )
    parser.add_argument("cases", nargs="*", help=", ".join(CASES))
    asked = parser.parse_args()
    folder, begin = Path(asked.out), time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    found = {"about": about(asked.device) | {"compiled": load_compiled()}}
    for name in asked.cases or CASES:
        if time.perf_counter() - begin > asked.seconds:
            found[name] = {"skipped": "no time was left"}
            continue
        start = time.perf_counter()
        try:
            found[name] = CASES[name](asked.device, asked.quick)
        except Exception:
            found[name] = {"failed": traceback.format_exc()}
        print(
            f"{name} ({time.perf_counter() - start:.1f} s): {json.dumps(found[name], default=str)}",
            flush=True,
        )
        (folder / "accelerator.json").write_text(
            json.dumps(found, indent=1, default=str), encoding="utf8"
        )


if __name__ == "__main__":
    main()
