"""Accuracy by prototypes against scikit-learn's nearest neighbours trained on the chosen
rows and columns.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier

from subsel.criteria.neighbours.prototype_accuracy import PrototypeAccuracy, nearest_codes
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

N, P = 40, 5
ROWS, COLUMNS = Block(N, name="rows"), Block(P)


@pytest.fixture
def task():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N)
    return Task.of(rng.normal(size=(N, P)) + 0.7 * y[:, None], y)


def draws(space, n=12):
    rng = np.random.default_rng(1)
    return Candidates.of(space, [space.sample(rng) for _ in range(n)])


def by_refitting(task, rows, columns, k):
    model = KNeighborsClassifier(min(k, len(rows))).fit(task.X[rows][:, columns], task.y[rows])
    return model.score(task.X[:, columns], task.y)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("memory", [1e9, 0.0])
def test_accuracy_of_rows_is_that_of_a_model_trained_on_them(task, k, memory):
    """Random sets of rows, all columns, with and without room for the distances."""
    candidates = draws(Space((ROWS,)))
    found = PrototypeAccuracy(k, memory=memory).bind(task).evaluate(candidates)
    expected = [by_refitting(task, rows, np.arange(P), k) for rows in candidates.columns()]
    assert_allclose(found, expected)


@pytest.mark.parametrize("k", [1, 4])
def test_accuracy_of_rows_and_columns_is_that_of_a_model_trained_on_them(task, k):
    """Random sets of rows and columns; the order of the blocks does not matter."""
    space, turned = Space((COLUMNS, ROWS)), Space((ROWS, COLUMNS))
    candidates = draws(space)
    evaluator = PrototypeAccuracy(k).bind(task)
    pairs = [(space.columns(s, 1), space.columns(s, 0)) for s in candidates]
    expected = [by_refitting(task, *pair, k) for pair in pairs]
    assert_allclose(evaluator.evaluate(candidates), expected)
    same = [turned.subset([*rows, *(N + columns)]) for rows, columns in pairs]
    assert_allclose(evaluator.evaluate(Candidates.of(turned, same)), expected)


@pytest.mark.parametrize("k", [1, 3])
def test_leaving_itself_out_is_a_loop_over_rows(task, k):
    """Each row is classified by the prototypes other than itself."""
    candidates = draws(Space((ROWS,)), 3)
    found = PrototypeAccuracy(k, leave_self_out=True).bind(task).evaluate(candidates)
    for accuracy, rows in zip(found, candidates.columns()):
        hits = 0
        for i in range(N):
            others = rows[rows != i]
            model = KNeighborsClassifier(min(k, len(others))).fit(task.X[others], task.y[others])
            hits += model.predict(task.X[[i]])[0] == task.y[i]
        assert_allclose(accuracy, hits / N)


def test_without_a_block_of_rows_all_rows_are_prototypes(task):
    """Then leaving itself out is leave-one-out accuracy over the chosen columns, and not
    doing so is perfect.
    """
    space = Space((COLUMNS,))
    candidates = draws(space, 4)
    assert (PrototypeAccuracy().bind(task).evaluate(candidates) == 1).all()
    found = PrototypeAccuracy(leave_self_out=True).bind(task).evaluate(candidates)
    for accuracy, columns in zip(found, candidates.columns()):
        near = (
            KNeighborsClassifier(1)
            .fit(task.X[:, columns], task.y)
            .kneighbors(return_distance=False)[:, 0]
        )
        assert_allclose(accuracy, np.mean(task.y[near] == task.y))


def test_a_lone_prototype_left_out_of_itself_has_no_neighbour():
    """It counts as an error; the others of its class are right."""
    task = Task.of([[0.0], [1], [2]], [0, 0, 1])
    space = Space((Block(3, name="rows"),))
    for k in (1, 2):
        found = (
            PrototypeAccuracy(k, leave_self_out=True)
            .bind(task)
            .evaluate(Candidates.of(space, [space.subset([0])]))
        )
        assert_allclose(found, [1 / 3])


def test_ties_go_to_the_lower_row_and_the_smaller_class():
    """Equal distances: the first prototype; equal votes: the first class.

    More votes than prototypes: all.
    """
    distances = np.array([[1.0, 1.0], [1.0, 2.0]])
    assert_array_equal(nearest_codes(distances, np.array([1, 0]), 1, 2), [1, 1])
    assert_array_equal(nearest_codes(distances, np.array([1, 0]), 2, 2), [0, 0])
    assert_array_equal(nearest_codes(distances, np.array([1, 0]), 9, 2), [0, 0])


def test_bad_settings_are_named(task):
    """Neighbours must be counted, targets be classes."""
    with pytest.raises(ValueError, match="n_neighbors must be at least 1"):
        PrototypeAccuracy(0).bind(task)
    with pytest.raises(ValueError, match="must hold classes"):
        PrototypeAccuracy().bind(Task.of(task.X, task.X[:, 0], "regression"))
