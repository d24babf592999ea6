"""Parts of exact linear evaluators, each compared with the plain computation that it replaces."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from subsel._loops.linear import moves
from subsel._loops.linear.flips import flip_hits, nudged_hits, score_hits
from subsel._loops.linear.fold_sums import fold_sums, products, subtract_origin, transpose_rows
from subsel.criteria.linear.discriminant import Discriminant
from subsel.criteria.linear.gaussian_bayes import _Place
from subsel.criteria.linear.least_squares import LeastSquares
from subsel.criteria.linear.linear_evaluator import HeldRows, Moves, Nudges
from subsel.criteria.linear.sweep import NotTrusted, Sweep, Tables
from subsel.data.task import Task
from subsel.space.space import Space
from tests.oracles import sweep_moves

SPANS = np.array([0, 3, 4, 11, 30])


def task(n=60, p=9, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
    return Task.of(X, np.arange(n) % n_classes)


# Loops that take four rows at a time ------------------------------------------------------------


@pytest.mark.parametrize("p", range(1, 10))
def test_products_by_fold(p):
    """Products of rows with columns over each span are numpy's, for any number of columns."""
    rng = np.random.default_rng(p)
    flat, table = rng.normal(size=(2, 30)), rng.normal(size=(p, 30))
    expected = [flat[:, a:b] @ table[:, a:b].T for a, b in pairwise(SPANS)]
    assert_allclose(products(flat, table, SPANS), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("p", range(1, 10))
def test_tables_are_turned_and_shifted(p):
    """Columns are copied in the requested order of rows, then less an origin over each span.

    That holds for any remainder of four.
    """
    rng = np.random.default_rng(p)
    X, rows, shift, origin = (
        rng.normal(size=(150, p)),
        rng.permutation(150)[:130],
        rng.normal(size=p),
        rng.normal(size=(3, p)),
    )
    table, spans = np.empty((p, 130)), np.array([0, 1, 64, 130])
    transpose_rows(X, rows, shift, table)
    assert_array_equal(table, (X[rows] - shift).T)
    less = np.empty_like(table)
    subtract_origin(table, origin, spans, less)
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
def test_signs_are_counted_as_from_outputs(n_asked):
    """Flips of one residual, four at a time, are scored as flips of two, in the requested order."""
    rng = np.random.default_rng(n_asked)
    R, base = rng.normal(size=(9, 30)), rng.normal(size=30)
    pivot, target = rng.uniform(0.5, 2, (4, 9)), rng.normal(size=(4, 9, 1))
    sign, first = np.where(rng.random(30) < 0.5, 1.0, -1.0), rng.permutation(9)[:n_asked]
    second, weight2 = rng.permutation(9)[:n_asked], rng.normal(size=(4, n_asked))
    block, held = np.repeat(np.arange(4), np.diff(SPANS)), HeldRows(base, sign, SPANS)
    weight = -(target[:, :, 0] / pivot)[:, first]
    one = base + weight[block].T * R[first]
    two = one + weight2[block].T * R[second]
    signs = [
        np.add.reduceat(np.where(outputs > 0, sign, 0.0), SPANS[:-1], axis=1).T
        for outputs in (one, two)
    ]
    tables = Tables(np.zeros((4, 1, 9)), pivot, target, np.ones(9))
    assert_array_equal(score_hits(R, first, -1.0, tables, held), signs[0])
    assert_array_equal(flip_hits(R, Moves(first, weight, second, weight2), held), signs[1])
    none = Moves(first, weight, first, 0 * weight)
    assert_array_equal(flip_hits(R, none, held), signs[0])


@pytest.mark.parametrize("p", [1, 4, 9])
def test_residuals_move_by_their_shares(p):
    """Each row moves by its share of a row in each block."""
    rng = np.random.default_rng(p)
    R, row, share = rng.normal(size=(p, 30)), rng.normal(size=30), rng.normal(size=(4, p))
    expected = R + share[np.repeat(np.arange(4), np.diff(SPANS))].T * row
    moves.add_outer(R, share, row, SPANS)
    assert_allclose(R, expected, rtol=1e-14)


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
        nudged_hits(R, 1.0, Nudges(first, second, weight2, size), HeldRows(base, sign, SPANS)),
        expected,
    )


# Moves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_walk_arrives_where_a_fresh_state_stands(n_classes):
    """Columns that enter and leave give the arrays of a new state."""
    blocks = LeastSquares().bind(task(n_classes=n_classes)).blocks
    state, rng = Sweep(blocks, [3]), np.random.default_rng(0)
    for column in [5, 0, 8, *rng.integers(0, 9, 30)]:
        state.flip(int(column))
    fresh = Sweep(blocks, state.columns)
    s = len(state.columns)
    assert 0 < s < 9
    assert_allclose(state.pivot, fresh.pivot, rtol=1e-9)
    assert_allclose(state.target, fresh.target, rtol=1e-7, atol=1e-9)
    assert_allclose(state.coupling, fresh.coupling, rtol=1e-7, atol=1e-9)
    assert_allclose(state.residual, fresh.residual, rtol=1e-7, atol=1e-9)


def test_a_column_that_others_determine_is_refused():
    """A dependent column cannot enter, and no state is built with it.

    A state without it gives the qualities it gave before.
    """
    data, space = task(), Space.of(10)
    X = np.column_stack([data.X, data.X[:, 0] - data.X[:, 4]])
    evaluator = LeastSquares(alpha=1e-12).bind(Task.of(X, data.y))
    state = Sweep(evaluator.blocks, [0, 4])
    assert not state.can_flip(9) and state.can_flip(1) and state.can_flip(4)
    with pytest.raises(NotTrusted):
        Sweep(evaluator.blocks, [0, 4, 9])
    first = evaluator.evaluate(space.additions(space.subset([0, 4])))
    evaluator.evaluate(space.additions(space.subset([0, 4, 9])))
    assert evaluator.refused == {0, 4, 9} and sorted(evaluator.state.columns) == [0, 4]
    assert_array_equal(evaluator.evaluate(space.additions(space.subset([0, 4]))), first)


@pytest.mark.parametrize(
    "criterion", [LeastSquares(), LeastSquares(alpha=0.0), LeastSquares(pooled=True)]
)
def test_a_forward_search_from_a_state_is_one_from_scratch(criterion, monkeypatch):
    """Each forward step gives the qualities of each subset alone."""
    monkeypatch.setattr("subsel.criteria.linear.blocks._TINY", 0.0)
    space, data = Space.of(24), task(n=300, p=24)
    evaluator, alone, base = criterion.bind(data), criterion.bind(data), space.empty()
    evaluator.blocks.cost = -np.inf  # never held whole
    for _ in range(10):
        additions = space.additions(base)
        qualities = evaluator.evaluate(additions)
        assert_array_equal(qualities, [alone._alone(columns) for columns in additions.columns()])
        base = additions[int(qualities.argmin())]


@pytest.mark.parametrize("n_targets", [0, 1, 3])
@pytest.mark.parametrize("n_inside", [0, 1, 4])
def test_a_move_is_that_of_arrays(n_inside, n_targets):
    """Columns enter and leave as by numpy; a quadratic discriminant has no right-hand sides."""
    rng, inside = np.random.default_rng(n_inside), np.array([6, 2, 8, 1])[:n_inside]
    shapes = (3, 9), (3, 6, 9), (3, 9), (3, 9, n_targets)
    rows, *plain = (rng.uniform(0.5, 2, shape) for shape in shapes)
    sign = np.ones(9)
    sign[[*inside, 4]] = -1.0
    tables, shares = Tables(*(part.copy() for part in plain), sign), rows.copy()
    sweep_moves.enter(4, rows, inside, *plain, sign)
    moves.enter(tables, 4, shares, inside)
    assert_allclose(shares, rows, rtol=1e-12)
    sweep_moves.leave(4, n_inside // 2, inside, rows, *plain, sign)
    moves.leave(tables, 4, n_inside // 2, inside, shares)
    assert_allclose(shares, rows, rtol=1e-9, atol=1e-12)
    sweep_moves.enter(5, rows + 1.0, inside, *plain, sign)
    moves.enter(tables, 5, rows + 1.0, inside)
    used = slice(n_inside + 1)
    assert_allclose(tables.coupling[:, used], plain[0][:, used], rtol=1e-9, atol=1e-12)
    assert_allclose(tables.pivot, plain[1], rtol=1e-9)
    assert_allclose(tables.target, plain[2], rtol=1e-9, atol=1e-12)


# Moments ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "criterion", [LeastSquares(), LeastSquares(scaling="standard"), Discriminant("qda")]
)
def test_blocks_are_the_same_held_or_not(criterion, monkeypatch):
    """Rows and sub-blocks computed one by one are those of the stored blocks.

    Blocks are stored once their parts have cost as much.
    """
    monkeypatch.setattr("subsel.criteria.linear.blocks._TINY", 0.0)
    monkeypatch.setattr("subsel.criteria.linear.blocks.CHUNK", 1 << 8)
    columns, blocks = np.array([7, 2, 3]), criterion.bind(task(p=30)).blocks
    row, gram = blocks.rows([5]), blocks.gram(columns)
    assert blocks.whole is None
    blocks.cost = np.inf
    assert_allclose(blocks.rows([5]), row, rtol=1e-10, atol=1e-10)
    assert_allclose(blocks.gram(columns), gram, rtol=1e-10, atol=1e-10)
    assert_allclose(blocks.whole, blocks._moments(np.arange(30)), rtol=1e-10, atol=1e-10)


def test_blocks_too_large_for_the_memory_are_never_held():
    """However much their parts have cost, blocks over half the memory are computed in parts."""
    blocks = LeastSquares(memory=1000).bind(task()).blocks
    blocks.cost = np.inf
    blocks.rows([1])
    assert blocks.whole is None


@pytest.mark.parametrize("memory_order", ["C", "F"])
def test_the_table_is_laid_out_from_either_order(memory_order):
    """Row-major and column-major input give the same evaluator, float32 too."""
    data = task(n=300)
    X = np.asarray(data.X, dtype=np.float32, order=memory_order)
    blocks = LeastSquares().bind(Task.of(X, data.y)).blocks
    assert_allclose(
        blocks.table.T[np.argsort(_rows(data))], X - X.mean(axis=0, dtype=float), atol=1e-12
    )


def _rows(data):
    return LeastSquares().bind(data).held_out.rows


# Others -----------------------------------------------------------------------------------------


def test_naive_bayes_follows_a_walk():
    """A place reached by many flips has the outputs of a new one, also where the floor moves."""
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
