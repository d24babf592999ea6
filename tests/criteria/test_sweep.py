"""Tests of the parts that exact linear judges are made of, each against the plain computation it replaces."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from subsel._loops import entering, moves
from subsel._loops.fold_sums import fold_sums
from subsel._loops.least_squares import (
    flip_hits,
    less_origin,
    mean_of_hits,
    nudged_hits,
    products,
    score_hits,
    settle_hits,
    turn,
)
from subsel.criteria.discriminant import Discriminant
from subsel.criteria.gaussian_bayes import _Place
from subsel.criteria.least_squares import LeastSquares
from subsel.criteria.sweep import Sweep
from subsel.space import Space
from subsel.task import Task

SPANS = np.array([0, 3, 4, 11, 30])


def task(n=60, p=9, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
    return Task.of(X, np.arange(n) % n_classes)


# Loops that take four rows at a time ----------------------------------------------------------------------------------


@pytest.mark.parametrize("p", range(1, 10))
def test_products_by_fold(p):
    """Products of rows with all columns over each span are those of numpy, whatever four leaves over."""
    rng = np.random.default_rng(p)
    flat, table = rng.normal(size=(2, 30)), rng.normal(size=(p, 30))
    expected = [flat[:, a:b] @ table[:, a:b].T for a, b in pairwise(SPANS)]
    assert_allclose(products(flat, table, SPANS), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("p", range(1, 10))
def test_tables_are_turned_and_shifted(p):
    """Column after column, rows in the order asked for, whatever four leaves over; then less an origin over each span."""
    rng = np.random.default_rng(p)
    X, rows, shift, origin = (
        rng.normal(size=(150, p)),
        rng.permutation(150)[:130],
        rng.normal(size=p),
        rng.normal(size=(3, p)),
    )
    table, spans = np.empty((p, 130)), np.array([0, 1, 64, 130])
    turn(X, rows, shift, table)
    assert_array_equal(table, (X[rows] - shift).T)
    less = np.empty_like(table)
    less_origin(table, origin, spans, less)
    assert_array_equal(less, table - np.repeat(origin, np.diff(spans), axis=0).T)


@pytest.mark.parametrize("n_targets", [1, 3])
def test_sums_over_folds(n_targets):
    """Of columns, their squares and their products with targets, as numpy adds them up."""
    rng = np.random.default_rng(n_targets)
    table, weights, targets = (
        rng.normal(size=(5, 30)),
        rng.random(30),
        rng.normal(size=(n_targets, 30)),
    )
    parts = [(table[:, a:b], weights[a:b], targets[:, a:b]) for a, b in pairwise(SPANS)]
    expected = [np.vstack([X @ w, X**2 @ w, y @ X.T]) for X, w, y in parts]
    assert_allclose(fold_sums(table, weights, targets, SPANS), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n_asked", range(10))
def test_settling_brings_every_row_up_to_date(n_asked):
    """All rows are moved, those asked for are scored after it, in the order in which they are asked for."""
    rng = np.random.default_rng(n_asked)
    R, row, base = rng.normal(size=(9, 30)), rng.normal(size=30), rng.normal(size=30)
    share, pivot, target = (
        rng.normal(size=(4, 9)),
        rng.uniform(0.5, 2, (4, 9)),
        rng.normal(size=(4, 9, 1)),
    )
    sign, first = np.where(rng.random(30) < 0.5, 1.0, -1.0), rng.permutation(9)[:n_asked]
    block = np.repeat(np.arange(4), np.diff(SPANS))
    expected = R + share[block].T * row
    outputs = base - (target[:, :, 0] / pivot)[block].T[first] * expected[first]
    signs = np.add.reduceat(np.where(outputs > 0, sign, 0.0), SPANS[:-1], axis=1).T
    assert_array_equal(score_hits(expected, first, -1.0, pivot, target, base, sign, SPANS), signs)
    others, sizes = np.add.reduceat(sign < 0, SPANS[:-1]), np.diff(SPANS)
    right = np.add.reduceat((outputs > 0) == (sign > 0), SPANS[:-1], axis=1)
    assert_allclose(
        mean_of_hits(signs, others.astype(float), sizes), (right / sizes).mean(axis=1), rtol=1e-14
    )
    assert_array_equal(
        settle_hits(R, share, row, first, -1.0, pivot, target, base, sign, SPANS), signs
    )
    assert_allclose(R, expected, rtol=1e-15)


@pytest.mark.parametrize("n_asked", range(1, 10))
@pytest.mark.parametrize("nudge", [0.0, 1e-9, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_nudges_turn_the_signs_they_reach(seed, n_asked, nudge):
    """A second residual counts where it can turn a sign, be it ever so small."""
    rng = np.random.default_rng([seed, n_asked])
    R, base, sign = (
        rng.normal(size=(13, 30)),
        rng.normal(size=30),
        np.where(rng.random(30) < 0.5, 1.0, -1.0),
    )
    base[[7, 20]] = 0.01 * nudge - R[2, [7, 20]]  # outputs next to zero but for the nudge
    first, one = rng.choice([0, 1, 3, 4, 5], n_asked), n_asked // 2
    second, weight2 = rng.integers(6, 13, (n_asked, 4)), nudge * rng.normal(size=(n_asked, 4))
    first[one] = 2
    weight2[np.arange(n_asked) != one] *= n_asked % 2  # that one alone is nudged, or all are
    size = np.maximum.reduceat(np.abs(R[6:]), SPANS[:-1], axis=1)
    block = np.repeat(np.arange(4), np.diff(SPANS))
    outputs = base + R[first] + weight2[:, block] * R[second[:, block], np.arange(30)]
    expected = np.add.reduceat(np.where(outputs > 0, sign, 0.0), SPANS[:-1], axis=1)
    assert_array_equal(
        nudged_hits(R, first, 1.0, second, weight2, size, base, sign, SPANS), expected
    )


# Moves ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pays", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_walk_arrives_where_a_fresh_state_stands(pays, n_classes, monkeypatch):
    """Columns that enter and leave give the pivots, targets, coupling and residuals of a state built there."""
    monkeypatch.setattr("subsel.criteria.sweep.pays_to_compile", lambda work: pays)
    monkeypatch.setattr("subsel.criteria.blocks.pays_to_compile", lambda work: pays)
    blocks = LeastSquares().bind(task(n_classes=n_classes)).blocks
    state, rng = Sweep(blocks, [3]), np.random.default_rng(0)
    for column in [5, 0, 8, *rng.integers(0, 9, 30)]:
        state.flip(int(column))
    state.complete()
    fresh = Sweep(blocks, state.columns)
    s = len(state.columns)
    assert state.sound and 0 < s < 9
    assert_allclose(state.pivot, fresh.pivot, rtol=1e-9)
    assert_allclose(state.target, fresh.target, rtol=1e-7, atol=1e-9)
    assert_allclose(state.coupling[:, :s], fresh.coupling[:, :s], rtol=1e-7, atol=1e-9)
    assert_allclose(state.residual, fresh.residual, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("held", [False, True], ids=["rows found", "rows held"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("n_asked", [0, 1, 2, 3, 4, 5, 7, 8])
def test_entering_while_scoring_is_entering_and_then_scoring(
    n_asked, intercept, weighted, held, monkeypatch
):
    """One pass gives the state of a fresh sweep, and the signs that are counted from its residuals."""
    monkeypatch.setattr("subsel.criteria.blocks._TINY", 0.0)
    rng = np.random.default_rng(n_asked)
    weights = rng.uniform(0.2, 3, 60) if weighted else None
    X = 2.0 + rng.normal(size=(60, 12)) @ (np.eye(12) + 0.3 * rng.normal(size=(12, 12)))
    judge = LeastSquares(fit_intercept=intercept).bind(
        Task.of(X, np.arange(60) % 2, sample_weight=weights)
    )
    blocks, signs, base = judge.blocks, judge._signs.of_rows, rng.normal(size=60)
    blocks.asked = np.inf if held else -np.inf
    state = Sweep(blocks, [3])
    for inside, j in (([3], 5), ([3, 5], 0), ([0, 3, 5], 7)):
        first = rng.permutation(np.setdiff1d(np.arange(12), [*inside, j]))[:n_asked]
        state.flip(j)
        above = state.enter_hits(first, base, signs)
        fresh = Sweep(blocks, state.columns)
        weight = (fresh.target[:, :, 0] / fresh.pivot)[:, first]
        none = first, np.zeros_like(weight)
        state.complete()
        assert_array_equal(
            above, flip_hits(fresh.residual, first, weight, *none, base, signs, blocks.spans)
        )
        s = len(state.columns)
        assert_allclose(state.pivot, fresh.pivot, rtol=1e-10)
        assert_allclose(state.target, fresh.target, rtol=1e-8, atol=1e-10)
        assert_allclose(state.coupling[:, :s], fresh.coupling[:, :s], rtol=1e-8, atol=1e-10)
        assert_allclose(state.residual, fresh.residual, rtol=1e-8, atol=1e-10)


def test_entering_while_scoring_keeps_its_digits(monkeypatch):
    """Rows of the blocks told from residuals are as good after fifty entries as those from the table."""
    monkeypatch.setattr("subsel.criteria.blocks._TINY", 0.0)
    judge = LeastSquares().bind(task(n=200, p=80))
    judge.blocks.asked = -np.inf  # never held whole
    walks = [Sweep(judge.blocks), Sweep(judge.blocks)]
    for j in np.random.default_rng(0).permutation(80)[:50]:
        for state in walks:
            state.flip(int(j))
        outside = np.setdiff1d(np.arange(80), walks[0].columns)
        assert walks[0].enter_hits(outside, judge.start[0], judge._signs.of_rows) is not None
        walks[1].settle()
    walks[0].complete()
    fresh = Sweep(judge.blocks, walks[0].columns)
    outside = fresh.sign > 0
    error = [np.abs(state.pivot / fresh.pivot - 1)[:, outside].max() for state in walks]
    assert error[0] < 1e-11 and error[0] < 20 * error[1]
    assert_allclose(walks[0].residual, fresh.residual, atol=1e-10)


@pytest.mark.parametrize(
    "criterion", [LeastSquares(), LeastSquares(alpha=0.0), LeastSquares(pooled=True)]
)
def test_a_forward_search_by_one_pass_a_step_is_one_from_scratch(criterion, monkeypatch):
    """Each forward step, the columns entering while all others are scored, gives the qualities of each subset alone."""
    monkeypatch.setattr("subsel.criteria.blocks._TINY", 0.0)
    passes, space, data = [], Space.of(24), task(n=300, p=24)
    enter = Sweep.enter_hits
    monkeypatch.setattr(
        Sweep, "enter_hits", lambda *args: passes.append(enter(*args)) or passes[-1]
    )
    judge, alone, base = criterion.bind(data), criterion.bind(data), space.empty()
    judge.blocks.asked = -np.inf  # never held whole
    for _ in range(10):
        additions = space.additions(base)
        qualities = judge.evaluate(additions)
        assert_array_equal(qualities, [alone._alone(columns) for columns in additions.columns()])
        base = additions[int(qualities.argmin())]
    assert sum(signs is not None for signs in passes) == 9


@pytest.mark.parametrize("n_targets", [0, 1, 3])
@pytest.mark.parametrize("n_inside", [0, 1, 4])
def test_a_move_is_the_same_compiled(n_inside, n_targets):
    """Columns enter and leave alike by numpy and by loops; a quadratic discriminant has no right-hand sides."""
    rng, inside = np.random.default_rng(n_inside), np.array([6, 2, 8, 1])[:n_inside]
    shapes = (3, 9), (3, 6, 9), (3, 9), (3, 9, n_targets)
    states = [[rng.uniform(0.5, 2, shape) for shape in shapes]]
    states.append([part.copy() for part in states[0]])
    sign = np.ones(9)
    sign[[*inside, 4]] = -1.0
    for move, (rows, coupling, pivot, target) in zip((moves, entering), states):
        move.enter(4, rows, inside, coupling, pivot, target, sign)
        move.leave(4, n_inside, inside, rows, coupling, pivot, target, sign)
        move.enter(5, rows + 1.0, inside, coupling, pivot, target, sign)
    for plain, ours in zip(*states):
        assert_allclose(ours, plain, rtol=1e-9, atol=1e-12)


# Moments --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "criterion", [LeastSquares(), LeastSquares(scaling="standard"), Discriminant("qda")]
)
def test_blocks_are_the_same_held_or_not(criterion, monkeypatch):
    """Rows and sub-blocks computed one by one are those of the blocks held whole, which come once they have paid."""
    monkeypatch.setattr("subsel.criteria.blocks._TINY", 0.0)
    monkeypatch.setattr("subsel.criteria.blocks.CHUNK", 1 << 8)
    columns, blocks = np.array([7, 2, 3]), criterion.bind(task(p=30)).blocks
    row, gram = blocks.rows([5]), blocks.gram(columns)
    assert blocks.whole is None
    blocks.asked = np.inf
    assert_allclose(blocks.rows([5]), row, rtol=1e-10, atol=1e-10)
    assert_allclose(blocks.gram(columns), gram, rtol=1e-10, atol=1e-10)
    assert_allclose(blocks.whole, blocks._moments(np.arange(30)), rtol=1e-10, atol=1e-10)


def test_blocks_too_large_for_the_memory_are_never_held():
    """However much is asked, blocks over half the memory are computed in parts."""
    blocks = LeastSquares(memory=1000).bind(task()).blocks
    blocks.asked = np.inf
    blocks.rows([1])
    assert blocks.whole is None


@pytest.mark.parametrize("memory_order", ["C", "F"])
def test_the_table_is_laid_out_from_either_order(memory_order):
    """Row-major and column-major input give the same judge, float32 too."""
    data = task(n=300)
    X = np.asarray(data.X, dtype=np.float32, order=memory_order)
    blocks = LeastSquares().bind(Task.of(X, data.y)).blocks
    assert_allclose(
        blocks.table.T[np.argsort(_rows(data))], X - X.mean(axis=0, dtype=float), atol=1e-12
    )


def _rows(data):
    return LeastSquares().bind(data).held_out.rows


# Others ---------------------------------------------------------------------------------------------------------------


def test_naive_bayes_follows_a_walk():
    """A place reached by many flips has the outputs of one built there, also where columns set or lose the floor."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)) * [1, 1, 30, 1e-3, 1, 1e5, 1, 1]
    X[:, 6] = 0.0
    m = Discriminant("gaussian-nb").bind(Task.of(X, np.arange(60) % 2)).moments
    place = _Place(m, [0])
    for column in rng.integers(0, 8, 130):
        before, place = place, place.flip(int(column))
        assert place.columns == sorted({*before.columns} ^ {int(column)})
        fresh = _Place(m, place.columns)
        for name in ("floor", "output", "slope", "least"):
            assert_allclose(getattr(place, name), getattr(fresh, name), rtol=1e-9, atol=1e-9)
        assert place.moves <= 50
