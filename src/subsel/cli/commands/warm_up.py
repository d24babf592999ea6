"""Compile what searches need before anyone waits for it: every loop of the exact evaluators, on small problems."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed

from subsel.criteria.linear.discriminant import Discriminant
from subsel.criteria.linear.least_squares import LeastSquares
from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.data.task import Task
from subsel.engine.driver import run
from subsel.search.sequential.recursive_elimination import RecursiveElimination
from subsel.search.walks.random_walk import RandomWalk
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["add_warm_up_command", "warm_up"]

_ROWS, _COLUMNS, _WALKERS = 300, 70, 256


def warm_up() -> Iterator[str]:
    """Compile, what shares no loops side by side where there are two processors, and say what is ready.

    Yields
    ------
    str
        What was compiled.
    """
    side_by_side = Parallel(n_jobs=min(2, cpu_count()), return_as="generator_unordered")
    for names in side_by_side(
        delayed(compile_all)() for compile_all in (_linear_models, _neighbours)
    ):
        yield from names


def _linear_models() -> list[str]:
    (value, *classes), rng = _tasks(), np.random.default_rng(0)
    for task in (value, *classes):
        _exercise(LeastSquares().bind(task), rng)
    for kind in ("lda", "qda", "gaussian-nb"):
        for task in classes:
            _exercise(Discriminant(kind).bind(task), rng)
    walk, space = RandomWalk(walkers=_WALKERS), Space.of(_COLUMNS)
    run(walk, LeastSquares().bind(value), space, budget=3 * _WALKERS)
    for evaluator in (LeastSquares().bind(value), Discriminant().bind(classes[1])):
        run(RecursiveElimination(), evaluator, space)
    return ["ridge", "discriminants", "naive Bayes", "walkers", "eliminations"]


def _neighbours() -> list[str]:
    rng = np.random.default_rng(0)
    for task in _tasks()[:2]:
        _exercise(NearestNeighbours().bind(task), rng)
    return ["nearest neighbours"]


def _tasks() -> list[Task]:
    """A quantity, two classes and three."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((_ROWS, _COLUMNS))
    value = X[:, :5].sum(axis=1) + rng.standard_normal(_ROWS)
    classes = (value > 0).astype(int), np.digitize(value, [-1.0, 1.0])
    return [Task.of(X, value, "regression"), *(Task.of(X, y, "classification") for y in classes)]


def _exercise(evaluator: Any, rng: np.random.Generator) -> None:
    """Ask for every kind of move from a few places, with moments that are found as they are asked for, and held."""
    space = Space.of(_COLUMNS)
    for asked in (-np.inf, np.inf):
        if hasattr(evaluator, "blocks"):
            evaluator.blocks.asked = asked
        for size in range(4):
            evaluator.evaluate(space.additions(space.subset(range(size))))
    for size in (0, 4, 5):
        base = space.subset(range(size))
        evaluator.evaluate(space.additions(base))
        if size:
            evaluator.evaluate(space.removals(base))
            evaluator.evaluate(space.swaps(base))
        evaluator.evaluate(Candidates.of(space, [space.sample(rng, 6) for _ in range(20)]))
        for unit in (7, 8, 9):
            evaluator.evaluate(Candidates.of(space, [space.flip(base, unit)]))


def add_warm_up_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "warm-up", help="compile what searches need, once per machine, so that none waits"
    )
    parser.set_defaults(run=_warm_up)


def _warm_up(given: argparse.Namespace) -> int:  # noqa: ARG001 (what every command is called with)

    begin = time.perf_counter()
    for name in warm_up():
        print(f"{name}: ready after {time.perf_counter() - begin:.1f} s", flush=True)
    return 0
