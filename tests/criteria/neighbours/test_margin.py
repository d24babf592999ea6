"""The margin criterion against the evaluation function computed from scratch, and against
leave-one-out 1-NN.
"""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from subsel.criteria.neighbours.margin import Margin
from subsel.data.task import Task
from subsel.ranking.scores.neighbours.hypothesis_margin import mean_distance
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from tests.criteria.neighbours.neighbour_battery import CLASSES, make_task, moves, walk


def brute(task, columns, utility, beta):
    """The definition, row by row."""
    X, total = task.matrix[:, columns], 0.0
    for i in range(len(X)):
        far = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
        others = np.arange(len(X)) != i
        same = task.codes == task.codes[i]
        theta = (far[others & ~same].min() - far[others & same].min()) / 2
        total += {"linear": theta, "zero-one": float(theta > 0), "sigmoid": expit(beta * theta)}[
            utility
        ]
    return total


@pytest.mark.parametrize("case", CLASSES)
def test_every_move_equals_the_definition(case):
    """Additions, removals, swaps and random subsets sum the utilities of margins computed
    from scratch.
    """
    task = make_task(case)[0]
    space = Space.of(task.n_columns)
    for utility in ("linear", "zero-one", "sigmoid"):
        evaluator = Margin(utility).bind(task)
        for kind, candidates in moves(space, np.random.default_rng(0)).items():
            wanted = [
                brute(task, c, utility, 1 / mean_distance(task.matrix))
                for c in candidates.columns()
            ]
            np.testing.assert_allclose(
                evaluator.evaluate(candidates), wanted, rtol=1e-9, atol=1e-9, err_msg=kind
            )


@pytest.mark.parametrize("n_moves", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_walk_does_not_drift(n_moves):
    """Along a walk of single requests the sum stays that of margins computed from scratch."""
    task = make_task("collinear")[0]
    evaluator, space = Margin().bind(task), Space.of(9)
    for step, subset in enumerate(walk(space, np.random.default_rng(0), n_moves)):
        quality = evaluator.evaluate(Candidates.of(space, [subset]))[0]
        if step % 10 == 0:
            assert quality == pytest.approx(
                brute(task, space.columns(subset), "linear", 1.0), rel=1e-10
            )


def test_zero_one_counts_what_leave_one_out_gets_right():
    """Without ties the zero-one utility is the number of hits of leave-one-out 1-NN."""
    task, _ = make_task("multi-class")
    hits = cross_val_score(
        KNeighborsClassifier(1), task.matrix[:, [0, 1]], task.y, cv=LeaveOneOut()
    ).sum()
    assert Margin("zero-one").bind(task).explain(np.array([0, 1])).quality == hits


def test_a_row_alone_in_its_class_is_left_out():
    """It has no hit; the other rows still count it as a miss."""
    task = Task.of(np.array([[0.0], [1], [5], [7], [20]]), [0, 0, 1, 1, 2])
    assert Margin().bind(task).explain(np.array([0])).quality == 6.5


def test_coinciding_rows_have_margin_zero():
    """Hit and miss at distance zero leave nothing, whatever was added and taken out before."""
    X = np.column_stack([1e5 * np.arange(8.0), np.zeros(8)])
    evaluator, space = Margin().bind(Task.of(X, [0, 1] * 4)), Space.of(2)
    assert evaluator.evaluate(space.removals(space.full()))[0] == 0.0


def test_wrong_arguments_are_named():
    """An unknown utility and a target that is no class are errors."""
    with pytest.raises(ValueError, match="utility"):
        Margin("cubic").bind(make_task("balanced")[0])
    with pytest.raises(ValueError, match="classes"):
        Margin().bind(make_task("regression")[0])


def test_margins_of_held_out_rows():
    """Only rows held out are summed, a share of each class, and only the others are their
    neighbours.
    """
    task = make_task("multi-class")[0]
    criterion = Margin(held_out=0.3)
    held, evaluator = criterion._held_out_rows(task, 5), criterion.bind(task, 5)
    shares = [held[task.codes == code].mean() for code in range(len(task.classes))]
    assert 0.2 < min(shares) <= max(shares) < 0.4
    for columns in ([0], [0, 1, 3], list(range(task.n_columns))):
        X, total = task.matrix[:, columns], 0.0
        for row in np.flatnonzero(held):
            far, same = np.sqrt(((X - X[row]) ** 2).sum(axis=1)), task.codes == task.codes[row]
            total += (far[~held & ~same].min() - far[~held & same].min()) / 2
        assert evaluator.explain(np.array(columns)).quality == pytest.approx(total, rel=1e-9)
    with pytest.raises(ValueError, match="held_out"):
        Margin(held_out=1.0).bind(task)
