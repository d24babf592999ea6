"""The quality that settings of RFS1 reach in equal processor time, paired over seeds.

Every run that has ended is kept, one line each, in ``results/walkers_quality.jsonl``: a study that was broken off goes
on where it was, with more seeds if more are asked for. Each setting is compared with one walk over the seeds with which
both have ended.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from tests.real_tables import table_if_here

from benchmarks.table import RESULTS, write
from subsel.criteria import LeastSquares, NearestNeighbours
from subsel.criteria.base import Evaluator
from subsel.data.task import Task
from subsel.engine import run
from subsel.search import RandomWalk
from subsel.space.space import Space

FINISHED = RESULTS / "walkers_quality.jsonl"
SETTINGS = {
    "1 walk": (1, 1),
    "8 restarts": (1, 8),
    "64 walkers": (64, 1),
    "1,024 walkers": (1024, 1),
}
HEADER = ("problem", "setting", "quality", "gain", "seeds", "evaluations", "CPU s")


class Cell(NamedTuple):
    """One run of the study."""

    problem: str
    setting: str
    seed: int
    seconds: float


class Reached(NamedTuple):
    """What a run has come to: no batch is cut short, so it may take longer than it was given."""

    quality: float
    evaluations: int
    took: float


def ridge_problem(n: int = 2000, p: int = 500) -> Task:
    """Fifteen columns and noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return Task.of(X, X[:, :15].sum(axis=1) + 2 * rng.standard_normal(n), "regression")


def problems(folder: Path | None) -> Iterator[tuple[str, Evaluator, Space]]:
    """The evaluators of the study, and what may be searched."""
    yield "ridge 2,000 x 500", LeastSquares().bind(ridge_problem()), Space.of(500, low=1, high=25)
    path = table_if_here("madelon.npz", folder)
    if path is not None:
        with np.load(path) as file:
            X, y, train = file["X"].astype(float), file["y"], file["split"] == 0
        task = Task.of(X[train], y[train])
        yield "MADELON, 5-NN", NearestNeighbours(5, cv=5).bind(task), Space.of(500, low=1, high=25)


def reach(cell: Cell, evaluator: Evaluator, space: Space) -> Reached:
    """The best quality after so many seconds of processor time."""
    begin, (walkers, restarts) = process_time(), SETTINGS[cell.setting]

    def late(progress):
        return process_time() - begin >= cell.seconds

    search = RandomWalk(walkers=walkers, patience=10**9)
    result = run(
        search,
        evaluator.fork(),
        space,
        restarts=restarts,
        seed=cell.seed,
        n_jobs=1,
        callbacks=[late],
    )
    return Reached(result.best_quality, result.n_evaluations, process_time() - begin)


def study(
    seconds: float, seeds: int, folder: Path | None, only: str = "", finished: Path = FINISHED
) -> None:
    """Run what has not ended yet, seed after seed, and write the table, also where that is broken off."""
    found, posed = read(finished), list(problems(folder))
    warm: set[str] = set()
    try:
        for seed in range(seeds):
            for name, evaluator, space in posed:
                for setting in SETTINGS:
                    cell = Cell(name, setting, seed, seconds)
                    if cell in found or only not in f"{name}, {setting}":
                        continue
                    if name not in warm:
                        reach(
                            Cell(name, "64 walkers", 0, 0.1), evaluator, space
                        )  # loads compiled code
                        warm.add(name)
                    found[cell] = reach(cell, evaluator, space)
                    keep(cell, found[cell], finished)
                    print(*cell, *found[cell], sep=", ", flush=True)
    finally:
        title = f"Quality of RFS1 in {seconds:g} s of processor time, paired with one walk"
        write("walkers_quality", title, HEADER, list(table(found, seconds)))


def read(finished: Path) -> dict[Cell, Reached]:
    """The runs that have ended."""
    lines = finished.read_text(encoding="utf8").splitlines() if finished.exists() else []
    parsed: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return {Cell(*run["cell"]): Reached(*run["reached"]) for run in parsed}


def keep(cell: Cell, reached: Reached, finished: Path) -> None:
    """Add a run to those that have ended."""
    with finished.open("a", encoding="utf8") as file:
        file.write(json.dumps({"cell": cell, "reached": reached}) + "\n")


def table(found: dict[Cell, Reached], seconds: float) -> Iterator[tuple[str, ...]]:
    """One row for each problem and setting, over the seeds with which it and one walk have ended."""
    for problem in dict.fromkeys(cell.problem for cell in found):
        runs = {
            (c.setting, c.seed): r
            for c, r in found.items()
            if (c.problem, c.seconds) == (problem, seconds)
        }
        for setting in SETTINGS:
            seeds = sorted(
                seed for key, seed in runs if key == setting and ("1 walk", seed) in runs
            )
            if not seeds:
                continue
            quality, asked, took = np.array([runs[setting, seed] for seed in seeds]).T
            gain = quality - [runs["1 walk", seed].quality for seed in seeds]
            error = gain.std(ddof=1) / np.sqrt(len(seeds)) if len(seeds) > 1 else np.nan
            yield (
                problem,
                setting,
                f"{quality.mean():.4f}",
                f"{gain.mean():+.4f} +- {error:.4f}",
                f"{len(seeds)}: {(gain > 0).sum()} better, {(gain < 0).sum()} worse",
                f"{asked.mean():,.0f}",
                f"{took.mean():.1f}",
            )
