"""Quadratic discriminants scored while a sweep moves are those of outputs computed one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import RepeatedStratifiedKFold

from subsel._loops.quadratic import settle_class_hits
from subsel.criteria.discriminant import Discriminant
from subsel.criteria.sweep import Sweep
from subsel.space import Space
from subsel.task import Task

from .battery import use_backend

BOUNDS = np.array([0, 3, 4, 13, 30])


def task(n=90, p=12, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
    y = np.arange(n) % n_classes
    return Task.of(X * (1 + 0.3 * y[:, None]) + 0.2 * y[:, None], y)


def counted(outputs, codes, bounds):
    """Rows right per candidate and fold, from outputs (C, K, n)."""
    return np.add.reduceat((outputs.argmax(axis=1) == codes).astype(float), bounds[:-1], axis=1)


def truth(codes, n_classes):
    return np.where(codes == 1, 1.0, -1.0) if n_classes == 2 else codes.astype(float)


def against_first(base, n_classes):
    """The outputs of two classes as one: how far that of the second is beyond that of the first."""
    return base[len(base) // 2 :] - base[: len(base) // 2] if n_classes == 2 else base


def right(hits, codes, n_classes):
    """Rows right, where those of two classes are given as signs of the rows that go to the second."""
    return hits + (
        np.add.reduceat((codes != 1).astype(float), BOUNDS[:-1]) if n_classes == 2 else 0
    )


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n_asked", range(10))
def test_settling_brings_every_row_up_to_date(n_asked, n_classes, direction):
    """All rows are moved, those asked for are scored after it, in the order in which they are asked for."""
    rng, blocks = np.random.default_rng(n_asked), 4 * n_classes
    R, row, base = (
        rng.normal(size=shape) for shape in ((9, 30 * n_classes), 30 * n_classes, 30 * n_classes)
    )
    share, pivot, offset = (
        rng.normal(size=(blocks, 9)),
        rng.uniform(0.5, 2, (blocks, 9)),
        rng.normal(size=(n_classes, 4)),
    )
    codes, first = rng.integers(0, n_classes, 30), rng.permutation(9)[:n_asked]
    block = (np.arange(n_classes)[:, None] * 4 + np.repeat(np.arange(4), np.diff(BOUNDS))).ravel()
    expected = R + share[block].T * row
    outputs = (
        base
        - 0.5 * direction * expected**2 / pivot[block].T
        - 0.5 * np.log(pivot)[block].T
        + offset.ravel()[block]
    )
    scored = offset, against_first(base, n_classes), truth(codes, n_classes), BOUNDS, 0.0
    hits = settle_class_hits(R, share, row, first, direction, pivot, *scored)
    by_class = outputs[first].reshape(n_asked, n_classes, 30)
    assert_array_equal(right(hits, codes, n_classes), counted(by_class, codes, BOUNDS))
    assert_allclose(R, expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_asked", [0, 1, 2, 3, 4, 5, 7, 8])
def test_entering_while_scoring_is_entering_and_then_scoring(n_asked, n_classes, monkeypatch):
    """One pass gives the state of a fresh sweep, and what is counted from its residuals."""
    monkeypatch.setattr("subsel.criteria.blocks._TINY", 0.0)
    judge = Discriminant("qda", cv=4).bind(task(n_classes=n_classes))
    blocks, codes, bounds = judge.blocks, judge.held_out.y, judge.held_out.bounds
    blocks.asked = -np.inf  # never held whole
    rng, state = np.random.default_rng(n_asked), Sweep(blocks, [3])
    base, offset = rng.normal(size=90 * n_classes), rng.normal(size=(n_classes, 4))
    for inside, j in (([3], 5), ([3, 5], 0), ([0, 3, 5], 7)):
        first = rng.permutation(np.setdiff1d(np.arange(12), [*inside, j]))[:n_asked]
        state.flip(j)
        hits = state.class_hits(
            first, 1.0, offset, against_first(base, n_classes), truth(codes, n_classes), 0.0
        )
        hits += np.add.reduceat((codes != 1).astype(float), bounds[:-1]) if n_classes == 2 else 0
        fresh = Sweep(blocks, state.columns)
        outputs = base - 0.5 * fresh.residual**2 / fresh.pivot[blocks.block_of].T
        outputs += (offset.ravel()[:, None] - 0.5 * np.log(fresh.pivot))[blocks.block_of].T
        state.complete()
        assert_array_equal(
            hits, counted(outputs[first].reshape(n_asked, n_classes, 90), codes, bounds)
        )
        s = len(state.columns)
        assert_allclose(state.pivot, fresh.pivot, rtol=1e-10)
        assert_allclose(state.coupling[:, :s], fresh.coupling[:, :s], rtol=1e-8, atol=1e-10)
        assert_allclose(state.residual, fresh.residual, rtol=1e-8, atol=1e-10)


REPEATED = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
OPTIONS = [{}, {"reg_param": 0.2}, {"scaling": "standard"}, {"pooled": True}, {"cv": REPEATED}]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("held", [False, True], ids=["rows of blocks", "blocks held whole"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "".join(options) or "plain")
def test_a_search_by_one_pass_a_step_is_one_from_scratch(options, held, n_classes, monkeypatch):
    """Forward and back, the last move finished while all flips are scored, each quality is that of the subset alone."""
    use_backend(monkeypatch, True)
    monkeypatch.setattr("subsel.criteria.blocks._TINY", 0.0)
    passes, score, data, space = [], Sweep.class_hits, task(300, 16, n_classes), Space.of(16)
    monkeypatch.setattr(
        Sweep, "class_hits", lambda *args: passes.append(score(*args)) or passes[-1]
    )
    judge, alone = (Discriminant("qda", **options).bind(data) for _ in range(2))
    judge.blocks.asked = np.inf if held else -np.inf
    base = space.empty()
    for moves in [space.additions] * 12 + [space.removals] * 4 + [space.additions] * 2:
        flips = moves(base)
        qualities = judge.evaluate(flips)
        assert_array_equal(qualities, [alone._alone(columns) for columns in flips.columns()])
        base = flips[int(qualities.argmin())]
    assert sum(hits is not None for hits in passes) == 11


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_outputs_equal_but_for_rounding_go_to_the_first_class(seed, n_classes, monkeypatch):
    """On columns of -1 and 1, where many rows lie as near to one class as to another, every path has the same labels."""
    rng, space = np.random.default_rng(seed), Space.of(14)
    X = rng.choice([-1.0, 1.0], (120, 14))
    X[1::2] = -X[::2]
    data, path, found = Task.of(X, np.arange(120) % n_classes), rng.permutation(14), []
    for compiled in (False, True):
        use_backend(monkeypatch, compiled)
        judge = Discriminant("qda", cv=4).bind(data)
        batches = [space.additions(space.subset(path[:s])) for s in range(9)]
        batches += [space.removals(space.subset(path[:8])), space.swaps(space.subset(path[:7]))]
        found.append(np.concatenate([judge.evaluate(batch) for batch in batches]))
    assert_array_equal(*found)
