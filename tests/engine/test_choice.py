"""What the selector uses of what a run found."""

import numpy as np
import pytest

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.engine.choice import choose, to_rescore
from subsel.ranking.one_standard_error import smallest_within
from subsel.result.pareto import undominated
from subsel.search import Exhaustive
from subsel.space.space import Block, Space


class Sizes(Evaluator):
    """A quality that grows up to two columns, and an option worth something at the end only."""

    traits = Traits(standard_error=True)

    def __init__(self, space, bonus, final=None, error=0.15):
        self.space, self.bonus, self.final, self.error = space, bonus, final, error

    def evaluate(self, candidates):
        def option(s):
            return self.space.option(s, 0) if self.space.choices else 0

        return np.array([min(s.size, 2) * 0.1 + self.bonus * option(s) for s in candidates])

    def explain(self, columns):
        return Evaluation(0.0, self.error)


def test_rescored_finalists_keep_their_options():
    """Subsets that differ in the option of a choice only are evaluated again each by
    itself, and the better one is chosen.
    """
    space = Space((Block(3), Block(2, name="kernel", choice=True)))
    searched = Sizes(space, bonus=-1.0, final=Sizes(space, bonus=1.0))
    result = run(Exhaustive(), searched, space)
    chosen, last = choose(result, searched, space, "best")
    assert last is searched.final
    assert chosen.chosen_options == (1,)
    assert chosen.chosen_quality == pytest.approx(1.2)
    assert len(chosen.chosen) == 2
    assert len({(tuple(f.columns), f.options) for f in to_rescore(result)}) == len(
        to_rescore(result)
    )


@pytest.mark.parametrize(("error", "size"), [(0.15, 1), (0.05, 2)])
def test_one_standard_error_takes_the_smallest_within_it(error, size):
    """The error decides how many columns are given up; the front says what it was."""
    space = Space.of(4)
    evaluator = Sizes(space, 0.0, error=error)
    result, _ = choose(run(Exhaustive(), evaluator, space), evaluator, space, "one-se")
    assert len(result.chosen) == size
    assert [f.standard_error for f in result.front] == [None, error]


def test_without_a_standard_error_the_best_is_chosen_and_said_so():
    """A criterion that has no error cannot have the rule applied.

    The smallest of the best is taken.
    """
    space = Space.of(4)
    evaluator = Sizes(space, 0.0, error=None)
    result, _ = choose(run(Exhaustive(), evaluator, space), evaluator, space, "one-se")
    assert len(result.chosen) == 2
    assert "no standard error" in result.notes[-1]


@pytest.mark.parametrize("seed", range(5))
def test_the_front_is_what_nothing_beats(seed):
    """Brute force: an item stays if no other is at least as good in every loss (the first
    of equals stays).
    """
    points = [tuple(p) for p in np.random.default_rng(seed).integers(0, 4, size=(30, 3)).tolist()]

    def beaten(p):
        return any(q != p and all(a <= b for a, b in zip(q, p)) for q in points)

    assert undominated(points, lambda p: p) == sorted({p for p in points if not beaten(p)})


def test_the_rule_counts_the_error_itself_as_within():
    """A quality exactly one error below the best is near enough, one further is not."""
    assert smallest_within([0.25, 0.5, 0.75], best=0.75, error=0.25) == 1
    assert smallest_within([0.25, 0.5, 0.75], best=0.75, error=0.0) == 2
    assert smallest_within(np.array([0.1]), best=0.1, error=0.0) == 0
