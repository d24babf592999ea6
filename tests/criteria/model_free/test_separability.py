"""The separability of subsets is that of plain linear programmes, whatever the way to them."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog

from subsel import SubsetSelector
from subsel.criteria.model_free.separability import Separability
from subsel.data.task import Task
from subsel.result.rounding import round_qualities
from subsel.space.candidates import Candidates
from subsel.space.space import Space


def oracle(task, columns, lam, cost, threshold_cost):
    """Minus the least criterion by linprog, summed over one-against-rest problems."""
    X = task.matrix[:, columns]
    m = len(X)
    price = np.ones(m) if task.sample_weight is None else task.sample_weight
    gamma = lam * np.append(cost[columns], threshold_cost)
    labels = task.classes[1:] if len(task.classes) == 2 else task.classes
    total = 0.0
    for label in labels:
        sign = np.where(task.y == label, 1.0, -1.0)
        A = sign[:, None] * np.hstack([X, np.ones((m, 1))])
        A = np.hstack([A, -A, np.eye(m)])
        total += linprog(
            np.r_[gamma, gamma, price], A_ub=-A, b_ub=-np.ones(m), bounds=(0, None)
        ).fun
    return -total


def problem(seed=0, m=30, p=9, n_classes=2, weights=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, p)) * rng.uniform(0.5, 3, p) + rng.normal(size=p)
    X[:, -1] = X[:, 0]  # a repeated column
    X[:, -2] = 1.5  # a constant one
    signal = X[:, 0] / X[:, 0].std() + X[:, 1] / X[:, 1].std() + 0.7 * rng.normal(size=m)
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    return Task.of(X, y, sample_weight=rng.uniform(0.2, 2, m) if weights else None), rng


@pytest.mark.parametrize(
    ("n_classes", "weights", "threshold_cost"),
    [(2, False, 0.0), (2, True, 1.0), (3, True, 0.0), (3, False, 0.5)],
)
@pytest.mark.parametrize("lam", [0.02, 1.5])
def test_every_move_equals_the_plain_programme(n_classes, weights, threshold_cost, lam):
    """Additions, removals, swaps and a population have linprog's value."""
    task, rng = problem(1, n_classes=n_classes, weights=weights)
    cost = rng.uniform(0.5, 2, 9)
    evaluator = Separability(
        lam, feature_costs=cost, threshold_cost=threshold_cost, scale=False
    ).bind(task)
    space = Space.of(9)
    base = space.subset([0, 2, 3])
    population = Candidates.of(space, [space.sample(rng, size) for size in (1, 4, 8)])
    for batch in (space.additions(base), space.removals(base), space.swaps(base), population):
        qualities = evaluator.evaluate(batch)
        for i in rng.choice(len(batch), min(3, len(batch)), replace=False):
            expected = oracle(task, space.columns(batch[i]), lam, cost, threshold_cost)
            assert_allclose(qualities[i], expected, rtol=1e-9, atol=1e-9)


def test_only_columns_worth_their_cost_change_the_quality():
    """All additions and swaps, some changing nothing and some a little, equal programmes
    solved one by one.
    """
    task, _ = problem(7, m=30, p=30)
    space = Space.of(30)
    base = space.subset([0, 1, 4])
    for lam in (1.0, 4.0):
        evaluator = Separability(lam).bind(task)
        alone = evaluator.fork()
        for batch in (space.additions(base), space.swaps(base)):
            expected = [alone.quality(columns) for columns in batch.columns()]
            assert_allclose(evaluator.evaluate(batch), expected, rtol=1e-9)


def test_a_walk_does_not_change_a_quality():
    """After 150 moves by flips, swaps and batches every quality has the ten digits of a
    fresh programme.
    """
    task, rng = problem(2, m=40, p=14)
    evaluator, space = Separability(0.05).bind(task), Space.of(14)
    at = space.subset([0, 1])
    for step in range(150):
        units = rng.choice(14, int(rng.integers(1, 4)), replace=False)
        there = space.flip(at, *map(int, units))
        batch = Candidates.of(space, [there]) if step % 3 else space.swaps(at)
        if not len(batch):
            continue
        qualities = evaluator.evaluate(batch)
        i = int(rng.integers(len(batch)))
        fresh = evaluator.fork().evaluate(Candidates.of(space, [batch[i]]))
        assert_array_equal(round_qualities(qualities[i : i + 1]), round_qualities(fresh))
        at = batch[i] if rng.random() < 0.5 else at


def test_quality_never_falls_with_a_column_more():
    """Over all nested pairs of subsets the quality is monotone."""
    task, _ = problem(3, m=25, p=6)
    evaluator, space = Separability().bind(task), Space.of(6)
    assert evaluator.traits.monotone and evaluator.traits.deterministic
    quality = {}
    for size in range(7):
        for columns in itertools.combinations(range(6), size):
            quality[frozenset(columns)] = evaluator.evaluate(
                Candidates.of(space, [space.subset(columns)])
            )[0]
    for subset, value in quality.items():
        assert all(value <= quality[subset | {j}] + 1e-9 for j in range(6))


def test_no_columns_cost_the_lighter_class_twice():
    """The empty subset leaves the threshold alone, which gives up the lighter class."""
    task = Task.of([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[0.5, 1.0, 2.0])
    space = Space.of(1)
    assert_allclose(
        Separability(1.0).bind(task).evaluate(Candidates.of(space, [space.empty()])), [-1.0]
    )


def test_forks_stand_alone():
    """Moving one fork does not move the other."""
    task, rng = problem(4)
    evaluator, space = Separability(0.1).bind(task), Space.of(9)
    batches = [space.additions(space.subset([k])) for k in range(4)]
    expected = [Separability(0.1).bind(task).evaluate(batch) for batch in batches]
    other = evaluator.fork()
    for batch, value in zip(batches, expected):
        other.evaluate(Candidates.of(space, [space.sample(rng, 5)]))
        assert_allclose(evaluator.evaluate(batch), value, rtol=1e-11)


def test_sparse_and_float32_tables_have_the_same_qualities():
    """The kind of table changes nothing; scaling is a choice of costs."""
    rng = np.random.default_rng(0)
    X = (rng.integers(-3, 4, (30, 8)) * (rng.random((30, 8)) < 0.5)).astype(float)
    y, space = np.arange(30) % 2, Space.of(8)
    batch = space.additions(space.subset([0, 1]))
    dense = Separability(0.3).bind(Task.of(X, y)).evaluate(batch)
    priced = (
        Separability(0.3, feature_costs=X.std(axis=0), scale=False)
        .bind(Task.of(X, y))
        .evaluate(batch)
    )
    assert_allclose(priced, dense, rtol=1e-9)
    for table in (sparse.csr_array(X), X.astype(np.float32)):
        assert_allclose(Separability(0.3).bind(Task.of(table, y)).evaluate(batch), dense, rtol=1e-9)


def test_branch_and_bound_finds_the_best_subset():
    """The criterion being monotone, branch and bound equals exhaustive search."""
    task, _ = problem(5, m=30, p=8)
    found = [
        SubsetSelector(Separability(), search=search, n_features=3).fit(task.X, task.y).result_
        for search in ("branch-and-bound", "exhaustive")
    ]
    assert found[0].best_quality == found[1].best_quality


def test_threads_do_not_change_the_answer():
    """Restarts on two threads give what they give on one."""
    task, _ = problem(6, m=30, p=12)
    runs = [
        SubsetSelector(
            Separability(), search="rfs1", restarts=3, budget=30, n_jobs=n, random_state=0
        )
        .fit(task.X, task.y)
        .result_
        for n in (1, 2)
    ]
    assert runs[0].best_quality == runs[1].best_quality
    assert_array_equal(runs[0].chosen, runs[1].chosen)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0.0}, "lam must be positive"),
        ({"threshold_cost": -1.0}, "threshold_cost must not be negative"),
        ({"feature_costs": [1.0]}, "one positive number for each of 2 columns"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    """The message says which parameter, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        Separability(**parameters).bind(Task.of([[0.0, 1.0], [1.0, 0.0]], [0, 1]))


def test_a_quantity_is_refused():
    """Separability is for classes."""
    with pytest.raises(ValueError, match="must hold classes"):
        Separability().bind(Task.of([[0.0], [1.0]], [0.1, 0.2], "regression"))
