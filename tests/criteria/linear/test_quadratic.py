"""Quadratic discriminants scored from a sweep are those of outputs computed one by one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import RepeatedStratifiedKFold

from subsel._loops.linear.class_hits import class_hits, lead_hits
from subsel.criteria.linear.discriminant import Discriminant
from subsel.criteria.linear.linear_evaluator import HeldRows, Terms
from subsel.data.task import Task
from subsel.space.space import Space

BOUNDS = np.array([0, 3, 4, 13, 30])


def task(n=90, p=12, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
    y = np.arange(n) % n_classes
    return Task.of(X * (1 + 0.3 * y[:, None]) + 0.2 * y[:, None], y)


def counted(outputs, codes):
    """Rows right per candidate and fold, from outputs (C, K, n)."""
    return np.add.reduceat((outputs.argmax(axis=1) == codes).astype(float), BOUNDS[:-1], axis=1)


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n_asked", range(6))
def test_rows_are_counted_as_from_outputs(n_asked, n_classes, direction):
    """Squares of residuals and a level move outputs of all classes; two are told by their lead."""
    rng, shape = np.random.default_rng(n_asked), (n_asked, n_classes, 4)
    R, base = rng.normal(size=(9, 30 * n_classes)), rng.normal(size=(n_classes, 30))
    a, c = -0.5 * direction * rng.uniform(0.5, 2, shape), rng.normal(size=shape)
    codes, first = rng.integers(0, n_classes, 30), rng.permutation(9)[:n_asked]
    fold = np.repeat(np.arange(4), np.diff(BOUNDS))
    outputs = base + a[:, :, fold] * R[first].reshape(n_asked, n_classes, 30) ** 2 + c[:, :, fold]
    held, none = HeldRows(base, codes.astype(float), BOUNDS), np.zeros(shape)
    terms = Terms(first, np.repeat(first[:, None], 4, axis=1), a, none, none, c)
    expected = counted(outputs, codes)
    assert_array_equal(class_hits(R, 30, terms, held, True, 0.0), expected)
    if n_classes == 2:
        signs = HeldRows(base[1] - base[0], np.where(codes == 1, 1.0, -1.0), BOUNDS)
        others = np.add.reduceat((codes != 1).astype(float), BOUNDS[:-1])
        ahead = lead_hits(R, first, a, c[:, 0] - c[:, 1], signs)
        assert_array_equal(ahead + others, expected)


REPEATED = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
OPTIONS = [{}, {"reg_param": 0.2}, {"scaling": "standard"}, {"pooled": True}, {"cv": REPEATED}]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("held", [False, True], ids=["rows of blocks", "blocks held whole"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "".join(options) or "plain")
def test_a_search_from_a_state_is_one_from_scratch(options, held, n_classes, monkeypatch):
    """Forward and back, each quality is that of the subset alone."""
    monkeypatch.setattr("subsel.criteria.linear.blocks._TINY", 0.0)
    data, space = task(300, 16, n_classes), Space.of(16)
    evaluator, alone = (Discriminant("qda", **options).bind(data) for _ in range(2))
    evaluator.blocks.cost = np.inf if held else -np.inf
    base = space.empty()
    for moves in [space.additions] * 12 + [space.removals] * 4 + [space.additions] * 2:
        flips = moves(base)
        qualities = evaluator.evaluate(flips)
        assert_array_equal(qualities, [alone._alone(columns) for columns in flips.columns()])
        base = flips[int(qualities.argmin())]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_outputs_equal_but_for_rounding_go_to_the_first_class(seed, n_classes):
    """Of columns of -1 and 1 many rows lie as near to one class as to another: labels agree."""
    rng, space = np.random.default_rng(seed), Space.of(14)
    X = rng.choice([-1.0, 1.0], (120, 14))
    X[1::2] = -X[::2]
    data, path = Task.of(X, np.arange(120) % n_classes), rng.permutation(14)
    evaluator = Discriminant("qda", cv=4).bind(data)
    batches = [space.additions(space.subset(path[:s])) for s in range(9)]
    batches += [space.removals(space.subset(path[:8])), space.swaps(space.subset(path[:7]))]
    for batch in batches:
        alone = [evaluator._alone(columns) for columns in batch.columns()]
        assert_array_equal(evaluator.evaluate(batch), alone)
