"""An evaluator uses the memory that it states.

With a limit it gives the same qualities, or is refused with the number.
"""

import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from subsel import SubsetSelector
from subsel.criteria import (
    CRITERIA,
    CorrelationMerit,
    DiscreteNaiveBayes,
    Discriminant,
    Footprint,
    IcompRegression,
    Inconsistency,
    IntervalNaiveBayes,
    KernelRidge,
    KernelRidgeClassification,
    LeastSquares,
    Margin,
    NearestCentroid,
    NearestNeighbours,
    PrototypeAccuracy,
    RedundancyPenalised,
    Scatter,
    Separability,
)
from subsel.criteria.base import Evaluator
from subsel.criteria.evaluators.footprint import Shape, fit_into, footprint
from subsel.data.task import Task
from subsel.runtime.memory import NotEnoughMemory
from subsel.space.candidates import Candidates
from subsel.space.space import Space

JUDGES = {
    "ridge": LeastSquares(),
    "lda": Discriminant(),
    "qda": Discriminant(kind="qda", reg_param=0.1),
    "naive Bayes": Discriminant(kind="gaussian-nb"),
    "neighbours": NearestNeighbours(),
    "margin": Margin(),
    "centroid": NearestCentroid(),
    "kernel ridge": KernelRidge(),
    "prototypes": PrototypeAccuracy(),
    "discrete Bayes": DiscreteNaiveBayes(),
    "inconsistency": Inconsistency(),
    "merit": CorrelationMerit(),
    "mrmr": RedundancyPenalised(),
    "scatter": Scatter("bhattacharyya"),
    "separability": Separability(),
    "interval Bayes": IntervalNaiveBayes(),
    "least-squares classes": KernelRidgeClassification(),
    "complexity": IcompRegression(),
}
SLOW = (
    IcompRegression,
    KernelRidge,
    KernelRidgeClassification,
    PrototypeAccuracy,
    Separability,
)  # one subset at a time, whatever the request
DISCRETE = ("discrete Bayes", "inconsistency")
QUANTITY = ("kernel ridge", "complexity")


def problem(name, n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p)).astype(float) if name in DISCRETE else rng.normal(size=(n, p))
    y = (
        X[:, 0] + rng.normal(size=n)
        if name in QUANTITY
        else (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    )
    task = Task.of(X, y)
    assert task.matrix.shape == (n, p)  # held by the task, not by the evaluator
    return task


def play(evaluator, task, seed=0):
    """Additions, removals, swaps and single subsets; gives the qualities."""
    space, rng = Space.of(task.n_columns), np.random.default_rng(seed)
    evaluator, base = evaluator.bind(task, 0), space.sample(rng, 6)
    swaps = space.swaps(base)
    asked = [
        space.additions(base),
        space.removals(base),
        swaps.take(np.arange(min(len(swaps), task.n_columns))),
    ]
    if type(evaluator) in SLOW:
        asked = [request.take(np.arange(min(len(request), 8))) for request in asked]
    asked.append(Candidates.of(space, [space.sample(rng, 6) for _ in range(10)]))
    return np.concatenate([evaluator.evaluate(request) for request in asked])


def test_every_judge_is_here():
    """A formula without a test would be a promise only."""
    assert {type(evaluator) for evaluator in JUDGES.values()} == {
        cls for cls in CRITERIA.values() if hasattr(cls, "footprint")
    }


@pytest.mark.parametrize(("n", "p"), [(200, 400), (700, 60)], ids=str)
@pytest.mark.parametrize("name", JUDGES)
def test_the_peak_is_as_stated(name, n, p):
    """What is allocated at once stays under the statement, which is not ten times too much."""
    if name == "separability":
        n, p = n // 5, p // 10
    evaluator, task = JUDGES[name], problem(name, n, p)
    play(evaluator, task)  # loads what is compiled
    said = footprint(evaluator, Shape.of(task))
    tracemalloc.start()
    play(evaluator, task)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= said.usual + 1.5e6
    assert said.least <= 10 * peak + 1.5e6


@pytest.mark.parametrize(
    "name", [name for name, evaluator in JUDGES.items() if hasattr(evaluator, "memory")]
)
def test_under_a_limit_the_answers_are_the_same(name):
    """Evaluators with little more than the least memory keep to it, and give equal qualities."""
    task = problem(name, 600, 80)
    limit, without = footprint(JUDGES[name], Shape.of(task)).least * 1.05, play(JUDGES[name], task)
    tracemalloc.start()
    found = play(fit_into(JUDGES[name], task, limit), task)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= limit + 1.5e6
    assert found == pytest.approx(without, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", JUDGES)
def test_too_little_is_refused_with_the_number(name):
    """The message says what is needed."""
    task = problem(name, 100, 10)
    least = int(footprint(JUDGES[name], Shape.of(task)).least)
    with pytest.raises(NotEnoughMemory, match=f"{least:,} bytes"):
        fit_into(JUDGES[name], task, least - 1)


def test_the_selector_takes_a_limit():
    """A limit is given as text; the qualities are the same, and another splitter counts.

    A refitted estimator has no limit to keep.
    """
    X, y = np.random.default_rng(0).normal(size=(200, 20)), np.arange(200) % 2

    def fit(model, memory, **options):
        return (
            SubsetSelector(model, "sfs", n_features=3, memory=memory, **options).fit(X, y).result_
        )

    for model in (RidgeClassifier(), KNeighborsClassifier()):
        assert np.array_equal(fit(model, "2MB").trace, fit(model, None).trace)
    with pytest.raises(NotEnoughMemory, match="LeastSquares on 200 rows and 20 columns needs"):
        fit(Ridge(), "10KB")
    with pytest.raises(NotEnoughMemory, match="needs"):
        fit(
            RidgeClassifier(),
            "300KB",
            cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=20, random_state=0),
        )
    assert fit(Ridge(), 1, exact="never").evaluator.exact is False
    with pytest.raises(ValueError, match="memory must be"):
        fit(Ridge(), "much")


class Sizes(Evaluator):
    """The more columns the better."""

    def quality(self, columns):
        """The number of columns."""
        return float(len(columns))


class Plain:
    """A criterion of somebody else's, which is not a dataclass and states no footprint."""

    def bind(self, task, seed=None):
        return Sizes()


Plain.__name__ = "Margin"


class Sized:
    """A user's criterion that states its footprint and has a parameter for memory."""

    def __init__(self, memory=1e9):
        self.memory = memory

    def footprint(self, shape):
        return Footprint(1000.0 * shape.rows, 5000.0 * shape.rows)

    def bind(self, task, seed=None):
        self.seen.append(self.memory)
        return Sizes()

    seen: list = []


def test_a_criterion_of_a_known_name_is_not_taken_for_ours():
    """A user's criterion called Margin is left alone, whatever ours of that name needs."""
    task, criterion = problem("margin", 50, 4), Plain()
    assert fit_into(criterion, task, 1) is criterion
    assert footprint(criterion, Shape.of(task)) is None
    assert (
        SubsetSelector(criterion, "sfs", n_features=2, memory="1KB")
        .fit(task.matrix, task.y)
        .get_support()
        .sum()
        == 2
    )


def test_memory_is_kept_by_other_peoples_criteria():
    """A user's criterion with a footprint is given its memory, or refused with the number."""
    task, criterion = problem("margin", 50, 4), Sized()
    Sized.seen.clear()
    SubsetSelector(criterion, "sfs", n_features=2, memory=80_000, restarts=3).fit(
        task.matrix, task.y
    )
    assert Sized.seen == [10_000.0] and criterion.memory == 1e9
    with pytest.raises(NotEnoughMemory, match="Sized on 50 rows and 4 columns needs 50 KB"):
        SubsetSelector(criterion, "sfs", n_features=2, memory="49KB").fit(task.matrix, task.y)
