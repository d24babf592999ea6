"""Criteria that break a promise are told which.

Those that keep them pass whatever their class is called.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from subsel import SubsetSelector
from subsel.criteria import CRITERIA, Evaluation, Evaluator, Footprint
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.testing import BrokenPromise, check_criterion
from subsel.testing.tasks import make_task


class Sum(Evaluator):
    """The sum of a weight per column; each broken one below changes one thing."""

    traits = Traits("sum of weights", monotone=True)

    def __init__(self, task=None):
        self.task = task
        self.weights = 1.0 / (1.0 + np.arange(100))

    def quality(self, columns):
        return float(self.weights[columns].sum())


class NoTraits(Sum):
    traits = None


class OneNumber(Sum):
    def evaluate(self, candidates):
        return float(len(candidates))


class Counts(Sum):
    def evaluate(self, candidates):
        return candidates.sizes


class NotANumber(Sum):
    def quality(self, columns):
        return np.nan


class ChangesTheData(Sum):
    def quality(self, columns):
        self.task.y[0] = 1 - self.task.y[0]
        return 1.0


class Chance(Sum):
    def __init__(self, task=None):
        super().__init__(task)
        self.weights = np.random.default_rng().random(100)


class DrawsInTurn(Sum):
    """Not deterministic, and chance depends on how often it was asked."""

    traits = Traits("noisy", deterministic=False)

    def __init__(self, task=None):
        super().__init__(task)
        self.rng = np.random.default_rng(0)

    def quality(self, columns):
        return super().quality(columns) + self.rng.random()


class DrawsByStream(DrawsInTurn):
    """Not deterministic, keyed by the number of the evaluation."""

    def evaluate(self, candidates):
        restart, first = candidates.stream
        noise = [
            np.random.default_rng([restart, first + i]).random() for i in range(len(candidates))
        ]
        return Sum(self.task).evaluate(candidates) + noise


class FlipsForgotten(Sum):
    """Answers additions with the quality of their base."""

    def evaluate(self, candidates):
        changes = candidates.changes()
        if changes is None or not changes.added.shape[1]:
            return super().evaluate(candidates)
        return np.full(len(candidates), self.quality(changes.base))


class Drifts(Sum):
    """Follows single requests, a little less well each time."""

    steps = 0

    def evaluate(self, candidates):
        self.steps += len(candidates) == 1
        return super().evaluate(candidates) + 1e-7 * max(0, self.steps - 10)

    def fork(self):
        return type(self)(self.task)


class ReadsUnits(Sum):
    """Takes units for columns, which they are while nothing is fixed or grouped."""

    def evaluate(self, candidates):
        space = candidates.space
        return np.array([self.weights[space.units(subset)].sum() for subset in candidates])


class ExplainsOtherwise(Sum):
    def explain(self, columns):
        return Evaluation(self.quality(columns) + 1)


class NoError(Sum):
    traits = Traits("no error", standard_error=True)


class NotMonotone(Sum):
    def quality(self, columns):
        return -super().quality(columns)


class OneRelevance(Sum):
    traits = Traits("relevant", relevance=True)

    def relevances(self, columns, stream=(0, 0)):
        return np.ones(1)


class SilentRelevance(Sum):
    def relevances(self, columns, stream=(0, 0)):
        return np.ones(len(columns))


@dataclass
class Bound:
    """A criterion of any evaluator."""

    evaluator: type = Sum

    def bind(self, task, seed=None):
        return self.evaluator(task)


class TooSmall(Bound):
    def footprint(self, shape):
        return Footprint(least=2.0, usual=1.0)


BROKEN = {
    NoTraits: "traits is a Traits",
    OneNumber: "one float per candidate",
    Counts: "one float per candidate",
    NotANumber: "a quality is a number",
    ChangesTheData: "the data stay as they are",
    Chance: "bound to the same task and seed it answers alike",
    DrawsInTurn: "chance is keyed by the seed and candidates.stream",
    FlipsForgotten: r"quality of candidates \(first\) is that of each of them alone",
    Drifts: "after 20 single requests along a walk nothing has drifted",
    ReadsUnits: r"one quality in every space \(groups\): units are not columns",
    ExplainsOtherwise: "explain gives the quality that evaluate gives",
    NoError: "explain gives a standard error as its traits say",
    NotMonotone: "monotone as its traits say",
    OneRelevance: "relevances gives one finite number per column",
    SilentRelevance: "relevances are refused with a TypeError",
}


@pytest.mark.parametrize(
    ("evaluator", "message"), BROKEN.items(), ids=[cls.__name__ for cls in BROKEN]
)
def test_each_broken_promise_is_named(evaluator, message):
    """The error says which promise, what was seen, and how to get the evaluator."""
    with pytest.raises(BrokenPromise, match=message) as caught:
        check_criterion(Bound(evaluator), {"mine": make_task()})
    assert "To see it: evaluator = criterion.bind(tasks['mine'], 0)" in str(caught.value)


def test_chance_keyed_by_the_stream_passes():
    """An evaluator need not be deterministic if its noise depends on seed and stream alone."""
    check_criterion(Bound(DrawsByStream))


def test_a_footprint_that_cannot_be_is_named():
    """The least may not pass the usual."""
    with pytest.raises(BrokenPromise, match="0 <= least <= usual"):
        check_criterion(TooSmall(), {"mine": make_task()})


def test_forks_that_share_their_place_are_found():
    """A state in a list that forks share is wrong as soon as they evaluate different subsets."""

    class Walking(Sum):
        """Right alone; wrong after another fork has moved the shared subset."""

        def __init__(self, task=None):
            super().__init__(task)
            self.shared, self.mine = {}, None

        def evaluate(self, candidates):
            qualities = super().evaluate(candidates)
            disturbed = self.shared.get("owner", id(self)) != id(self) and self.mine is not None
            self.shared["owner"], self.mine = id(self), candidates
            return qualities + 0.5 * disturbed

        def fork(self):
            twin = Walking(self.task)
            twin.shared = self.shared
            return twin

    with pytest.raises(BrokenPromise, match="forks that are asked in turn answer as if alone"):
        check_criterion(Bound(Walking), {"mine": make_task()})


def test_a_reference_is_what_qualities_are_held_against():
    """With a reference an evaluator that agrees with itself but not with it is found."""
    check_criterion(Bound(), reference=lambda task, columns: Sum().quality(columns))
    with pytest.raises(BrokenPromise, match="each of them alone"):
        check_criterion(Bound(), reference=lambda task, columns: Sum().quality(columns) + 1e-6)


@pytest.mark.parametrize("memory", [None, "200 MB"])
def test_the_name_of_a_class_means_nothing(memory):
    """A user's criterion with the name of ours, Margin, works with and without a memory limit."""

    class Margin(Bound):
        pass

    check_criterion(Margin())
    task = make_task()
    chosen = SubsetSelector(Margin(), "sfs", n_features=2, memory=memory).fit(task.X, task.y)
    assert chosen.get_support(indices=True).tolist() == [0, 1]
    assert (
        type(chosen.result_.evaluator.name) is str
        and chosen.result_.evaluator.name == "sum of weights"
    )


def test_a_name_already_taken_is_refused():
    """Two criteria cannot have one key: the error says whose it is, and the owner stays."""
    with pytest.raises(
        ValueError,
        match=r"criterion 'margin' belongs to subsel.criteria.neighbours.margin:Margin; .*another name",
    ):
        criterion("margin")(Bound)
    assert CRITERIA["margin"].__module__ == "subsel.criteria.neighbours.margin"
