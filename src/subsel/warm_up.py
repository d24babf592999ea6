"""Compile what searches need before anyone waits for it: every loop of the exact evaluators, on small problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

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
    """Compile, and say after each criterion what is ready.

    Yields
    ------
    str
        What was compiled.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((_ROWS, _COLUMNS))
    value = X[:, :5].sum(axis=1) + rng.standard_normal(_ROWS)
    targets = [value, (value > 0).astype(int), np.digitize(value, [-1.0, 1.0])]
    tasks = [Task.of(X, targets[0], "regression"), *(Task.of(X, y, "classification") for y in targets[1:])]
    jobs: list[tuple[str, Any, list[Task]]] = [
        ("ridge", LeastSquares(), tasks),
        ("linear discriminants", Discriminant(), tasks[1:]),
        ("quadratic discriminants", Discriminant("qda"), tasks[1:]),
        ("naive Bayes", Discriminant("gaussian-nb"), tasks[1:]),
        ("nearest neighbours", NearestNeighbours(), tasks[:2]),
    ]
    for name, criterion, given in jobs:
        for task in given:
            _exercise(criterion.bind(task), rng)
        yield name
    run(RandomWalk(walkers=_WALKERS), LeastSquares().bind(tasks[0]), Space.of(_COLUMNS), budget=3 * _WALKERS)
    yield "walkers"
    for evaluator in (LeastSquares().bind(tasks[0]), Discriminant().bind(tasks[2])):
        run(RecursiveElimination(), evaluator, Space.of(_COLUMNS))
    yield "eliminations"
    mark_ready()


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
    for part in ("blocks", "moments", "nearest"):
        if hasattr(evaluator, part):
            getattr(evaluator, part).work = _WORK
