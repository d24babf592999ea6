"""Searches that break a promise are told which, what was seen, and how to see it again."""

import numpy as np
import pytest

from subsel.engine import run
from subsel.search import SequentialForward
from subsel.search.registry import BudgetSpent, search
from subsel.space.candidates import Candidates
from subsel.testing import BrokenPromise, check_search
from subsel.testing.play import play
from subsel.testing.search import SPACES, bumpy
from tests.oracles.table import Table


class Sampler:
    """Asks for a few eligible subsets; each broken search below changes one thing."""

    def steps(self, space, rng, horizon=None):
        for _ in range(5):
            yield space.repair(space.sample(rng), rng)


class NoGenerator(Sampler):
    def steps(self, space, rng, horizon=None):
        return [space.sample(rng)]


class YieldsAnInt(Sampler):
    def steps(self, space, rng, horizon=None):
        yield 3


class ReturnsColumns(Sampler):
    def steps(self, space, rng, horizon=None):
        yield space.sample(rng)
        return np.array([0])


class AsksForNothing(Sampler):
    def steps(self, space, rng, horizon=None):
        yield Candidates.of(space, [])


class AsksForTheEmptySet(Sampler):
    def steps(self, space, rng, horizon=None):
        yield space.empty()


class IgnoresBounds(Sampler):
    def steps(self, space, rng, horizon=None):
        yield space.full()


class ReturnsWhatItNeverAskedFor(Sampler):
    def steps(self, space, rng, horizon=None):
        first = yield from self.ask(space, rng)
        return next(s for s in iter(lambda: space.sample(rng), None) if s != first)

    def ask(self, space, rng):
        subset = space.sample(rng)
        yield subset
        return subset


class NeverEnds(Sampler):
    def steps(self, space, rng, horizon=None):
        while True:
            yield space.sample(rng)


class EndsOnlyWhenBetter(Sampler):
    def steps(self, space, rng, horizon=None):
        first = yield space.sample(rng)
        while (yield space.sample(rng)) <= first:
            pass


class ForeignChance(Sampler):
    def steps(self, space, rng, horizon=None):
        yield from super().steps(space, np.random.default_rng())


class RemembersInSelf(Sampler):
    def steps(self, space, rng, horizon=None):
        self.rng = rng
        for _ in range(5):
            yield space.sample(self.rng)


class AsksOn(Sampler):
    def steps(self, space, rng, horizon=None):
        try:
            for _ in range(5):
                yield space.sample(rng)
        except BudgetSpent:
            yield space.sample(rng)


BROKEN = {
    NoGenerator: "steps is a generator",
    YieldsAnInt: r"(?s)it yields subsets, candidates or a Relevance.*must yield a Subset",
    ReturnsColumns: r"(?s)returns a subset or nothing.*returned array\(\[0\]\)",
    AsksForNothing: "no question is empty",
    AsksForTheEmptySet: r"(?s)visitable subsets only.*Subset\(\[\], size=0\) as question 1 of 1.*SPACES\['plain'\]",
    IgnoresBounds: r"(?s)asks for an eligible subset.*SPACES\['bounds'\]",
    ReturnsWhatItNeverAskedFor: "it has asked for its answer",
    NeverEnds: r"(?s)it ends by itself.*questions, and on",
    EndsOnlyWhenBetter: "ends by itself",
    ForeignChance: r"(?s)all chance comes from rng.*in one run",
    RemembersInSelf: r"(?s)two restarts take turns on one object.*local variables",
    AsksOn: r"(?s)asks no more once BudgetSpent is thrown.*limit=1",
}


@pytest.mark.parametrize(
    ("strategy", "message"), BROKEN.items(), ids=[cls.__name__ for cls in BROKEN]
)
def test_each_broken_promise_is_named(strategy, message):
    """The error says who, which promise, what was seen, and the call that shows it."""
    with pytest.raises(BrokenPromise, match=message) as caught:
        check_search(strategy(), {name: SPACES[name] for name in ("plain", "bounds")})
    assert str(caught.value).startswith(f"{strategy.__name__}: ")
    assert "To see it: play(search, SPACES[" in str(caught.value)


def test_a_search_that_keeps_them_passes():
    """Nothing is demanded beyond the promises: five samples are a search."""
    check_search(Sampler())


def test_an_error_of_the_search_itself_is_passed_on():
    """A TypeError of its own code is not taken for a broken promise."""

    class Buggy(Sampler):
        def steps(self, space, rng, horizon=None):
            yield space.sample(rng, size=None + 1)

    with pytest.raises(TypeError, match="NoneType"):
        check_search(Buggy())


def test_the_engine_says_what_a_search_yielded():
    """Without any check, too, an int is answered with what may be yielded."""
    with pytest.raises(
        TypeError, match=r"must yield a Subset .* or Relevance\(subset\); YieldsAnInt yielded 3"
    ):
        run(YieldsAnInt(), Table(len), SPACES["plain"])


def test_a_name_already_taken_is_refused():
    """A stranger's class under a key of ours is an error that says whose the key is."""
    with pytest.raises(
        ValueError,
        match=r"search 'sfs' belongs to subsel.search.sequential.sequential:\w+; .*another name",
    ):
        search("sfs")(Sampler)


def test_what_is_played_is_what_the_engine_plays():
    """The plain driver and the engine ask for the same subsets and come to the same answer."""
    evaluator = Table(bumpy(2))
    result = run(SequentialForward(), evaluator, SPACES["bounds"], seed=0)
    game = play(SequentialForward(), SPACES["bounds"], bumpy(2))
    asked = [frozenset(game.space.columns(subset).tolist()) for subset in game.subsets]
    assert asked == evaluator.asked
    assert bumpy(2)(frozenset(result.best.tolist())) == max(
        bumpy(2)(s) for s in asked if 2 <= len(s) <= 3
    )
