"""Compile what searches need before anyone waits for it: every loop of the exact evaluators, on small problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed

from subsel._loops.readiness import mark_ready
from subsel.candidates import Candidates
from subsel.criteria import Discriminant, LeastSquares, NearestNeighbours
from subsel.engine import run
from subsel.search import RandomWalk, RecursiveElimination
from subsel.space import Space
from subsel.task import Task

__all__ = ["warm_up"]

_ROWS, _COLUMNS, _WALKERS = 300, 70, 256
_WORK = 1e9  # numbers touched, as evaluators count them, beyond which compiled code always pays


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
    mark_ready()


def _linear_models() -> list[str]:
    tasks, rng = _tasks(), np.random.default_rng(0)
    for criterion, given in (
        (LeastSquares(), tasks),
        (Discriminant(), tasks[1:]),
        (Discriminant("qda"), tasks[1:]),
        (Discriminant("gaussian-nb"), tasks[1:]),
    ):
        for task in given:
            _exercise(criterion.bind(task), rng)
    run(
        RandomWalk(walkers=_WALKERS),
        LeastSquares().bind(tasks[0]),
        Space.of(_COLUMNS),
        budget=3 * _WALKERS,
    )
    for evaluator in (LeastSquares().bind(tasks[0]), Discriminant().bind(tasks[2])):
        run(RecursiveElimination(), evaluator, Space.of(_COLUMNS))
    return ["ridge", "discriminants", "naive Bayes", "walkers", "eliminations"]


def _neighbours() -> list[str]:
    for task in _tasks()[:2]:
        _exercise(NearestNeighbours().bind(task), np.random.default_rng(0))
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
    _insist(evaluator)
    if hasattr(evaluator, "blocks"):
        evaluator.blocks.asked = -np.inf
        _go_forward(evaluator, space)
        evaluator.blocks.asked = np.inf
        _go_forward(evaluator, space)
    for size in (0, 4, 5):
        base = space.subset(range(size))
        evaluator.evaluate(space.additions(base))
        if size:
            evaluator.evaluate(space.removals(base))
            evaluator.evaluate(space.swaps(base))
        evaluator.evaluate(Candidates.of(space, [space.sample(rng, 6) for _ in range(20)]))
        for unit in (7, 8, 9):
            evaluator.evaluate(Candidates.of(space, [space.flip(space.subset(range(5)), unit)]))


def _go_forward(evaluator: Any, space: Space) -> None:
    """A few steps of a forward search."""
    for size in range(4):
        evaluator.evaluate(space.additions(space.subset(range(size))))


def _insist(evaluator: Any) -> None:
    """Let the evaluator take so much work for done that it uses compiled code from the start."""
    for part in ("nearest",):
        if hasattr(evaluator, part):
            getattr(evaluator, part).work = _WORK
