"""The driver: budgets are exact, memory changes nothing, restarts are independent, nothing
is lost.
"""

import gc
import pickle
import sys
import time
import warnings
import weakref
from itertools import combinations

import numpy as np
import pytest

from subsel._loops import compiler
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import Budget, StoppedEarly, run
from subsel.engine.history import History
from subsel.result.rounding import round_qualities, round_quality
from subsel.runtime import status_line
from subsel.search.registry import BudgetSpent, find_search
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from tests.oracles.clock import Clock
from tests.oracles.screen import Screen
from tests.oracles.table import Table, random_table


class Flips:
    """Random single flips, forever."""

    def steps(self, space, rng, horizon=None):
        current = space.sample(rng)
        yield current
        while True:
            candidate = space.flip(current, int(rng.integers(space.n_units)))
            if space.visitable(candidate):
                yield candidate
                current = candidate


class Batches:
    """All single flips of a random subset, again and again, until ten batches are done."""

    def steps(self, space, rng, horizon=None):
        for _ in range(10):
            yield space.flips(space.sample(rng))


class Everything:
    """Every subset of a few units once."""

    def steps(self, space, rng, horizon=None):
        for k in range(1, space.n_units + 1):
            yield Candidates.of(
                space, [space.subset(s) for s in combinations(range(space.n_units), k)]
            )


def test_what_a_run_held_is_freed_as_it_ends():
    """Tables and states go with the last name for them, before any garbage is looked for."""
    evaluator = random_table(5, 0)
    held = weakref.ref(evaluator)
    gc.disable()
    try:
        run(Batches(), evaluator, Space.of(5), seed=0)
        del evaluator
        assert held() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("search", [Flips(), Batches()], ids=["singles", "batches"])
@pytest.mark.parametrize("evaluations", [1, 2, 7, 23])
def test_an_evaluation_budget_is_exact_for_each_restart(search, evaluations):
    """Each restart receives exactly as many qualities as it was granted, whatever the size
    of its batches.
    """
    result = run(search, random_table(5, 0), Space.of(5), budget=evaluations, restarts=3, seed=1)
    assert np.bincount(result.trace["restart"]).tolist() == [evaluations] * 3
    assert result.n_evaluations == 3 * evaluations
    assert result.stopped_by == "evaluations"


def test_remembered_qualities_count_but_are_not_computed_again():
    """A deterministic criterion is asked once for each distinct subset of a restart."""
    table = random_table(4, 0)
    result = run(Flips(), table, Space.of(4), budget=500, seed=0)
    assert len(table.asked) == len(set(table.asked)) == result.n_computed <= 15
    assert result.n_evaluations == 500


@pytest.mark.parametrize("search", [Flips(), Batches(), Everything()])
def test_forgetting_changes_nothing_but_the_cost(search, monkeypatch):
    """With room for three qualities only, the trace is the same."""
    whole = run(search, random_table(5, 3), Space.of(5), budget=200, seed=5)
    monkeypatch.setattr("subsel.engine.driver.MAX_QUALITIES", 3)
    forgetful = run(search, random_table(5, 3), Space.of(5), budget=200, seed=5)
    assert np.array_equal(whole.trace, forgetful.trace)
    assert forgetful.n_computed >= whole.n_computed


def test_the_same_subset_twice_in_a_batch_is_computed_once():
    """Copies in a population share one evaluation and one quality."""

    class Copies:
        def steps(self, space, rng, horizon=None):
            self.received = yield [space.subset([0]), space.subset([1]), space.subset([0])]

    search, table = Copies(), random_table(3, 0)
    run(search, table, Space.of(3))
    assert search.received[0] == search.received[2] != search.received[1]
    assert len(table.asked) == 2


def test_incumbent_front_and_finalists_match_a_full_count():
    """Best subset, best per size and finalists are those of the whole table."""
    table = random_table(6, 7)
    space = Space.of(6, low=2, high=4)
    result = run(Everything(), table, space)
    eligible = {
        s: table.function(s) for k in (2, 3, 4) for s in map(frozenset, combinations(range(6), k))
    }
    best = max(eligible, key=eligible.get)
    assert set(result.best.tolist()) == best
    assert result.best_quality == pytest.approx(eligible[best])
    by_size = {
        k: max((q, sorted(s)) for s, q in eligible.items() if len(s) == k) for k in (2, 3, 4)
    }
    for found in result.front:
        assert found.columns.tolist() == by_size[found.size][1]
    ordered = sorted(eligible, key=eligible.get, reverse=True)
    assert [set(f.columns.tolist()) for f in result.finalists] == ordered[:100]


@pytest.mark.parametrize("seed", range(5))
def test_records_of_single_evaluations_are_those_of_all_of_them(seed):
    """Incumbent, best per size and the hundred finalists are what sorting all eligible
    evaluations gives.
    """
    rng, space = np.random.default_rng(seed), Space.of(9, low=3, high=5)
    history, table, eligible = History(space), {}, {}
    for index in range(900):
        subset = space.subset(np.flatnonzero(rng.integers(0, 2, 9)))
        quality = table.setdefault(subset, rng.integers(40) / 40)
        history.record(subset, quality, 0.0)
        if 3 <= subset.size <= 5:
            eligible.setdefault(subset, (-quality, index))
    ordered = sorted(eligible, key=eligible.get)
    assert [found for _, found in history.finalists] == ordered[:100]
    assert history.incumbent == ordered[0]
    assert history.last_improvement == eligible[ordered[0]][1] + 1
    for size in (3, 4, 5):
        best = next(subset for subset in ordered if subset.size == size)
        assert history.best_per_size[size] == (table[best], best)


def test_the_front_is_undominated_in_cost_too():
    """With prices, no member of the front is beaten in quality, size and cost at once, and
    none is missing.
    """
    rng = np.random.default_rng(0)
    table, costs = random_table(5, 11), rng.integers(1, 9, 5).tolist()
    result = run(Everything(), table, Space.of(5, costs=costs))
    every = [frozenset(s) for k in range(1, 6) for s in combinations(range(5), k)]

    def point(s):
        return (round_quality(table.function(s)), -len(s), -float(sum(costs[c] for c in s)))

    def dominated(s):
        return any(
            all(a >= b for a, b in zip(point(t), point(s))) and point(t) != point(s) for t in every
        )

    assert {frozenset(f.columns.tolist()) for f in result.front} == {
        s for s in every if not dominated(s)
    }


def test_restarts_are_independent_of_their_number():
    """Restart i is the same run whether or not others run beside it."""
    alone = run(Flips(), random_table(5, 0), Space.of(5), budget=40, seed=9)
    many = run(Flips(), random_table(5, 0), Space.of(5), budget=40, restarts=4, seed=9)
    assert np.array_equal(alone.trace["quality"], many.trace["quality"][:40])
    assert len({tuple(many.trace["quality"][i * 40 : i * 40 + 40]) for i in range(4)}) == 4


class Heavy(Table):
    """A table that asks to be spread over processes."""

    traits = Traits("table", heavy=True)


def _quality(columns):
    return -abs(sum(columns) - 6.5)


@pytest.mark.parametrize(
    "evaluator", [Heavy(_quality), Table(_quality)], ids=["processes", "threads"]
)
@pytest.mark.parametrize("search", [Flips(), Batches()], ids=["singles", "batches"])
def test_workers_change_nothing(evaluator, search):
    """One job or two: the same trace, the same answer."""
    one = run(search, evaluator, Space.of(6), budget=30, restarts=2, seed=3)
    two = run(search, evaluator, Space.of(6), budget=30, restarts=2, seed=3, n_jobs=2)
    assert np.array_equal(one.trace, two.trace)
    assert one.chosen.tolist() == two.chosen.tolist()
    assert one.n_computed == two.n_computed


def test_patience_counts_evaluations_since_the_last_improvement():
    """A constant criterion improves once, so patience of 7 ends after 8 evaluations."""
    result = run(Flips(), Table(lambda s: 1.0), Space.of(5), budget=Budget(patience=7), seed=0)
    assert (result.n_evaluations, result.stopped_by) == (8, "patience")


def test_a_target_ends_all_restarts():
    """Once one restart is good enough the others need not go on."""
    result = run(
        Flips(),
        Table(lambda s: float(len(s))),
        Space.of(8),
        budget=Budget(target=6, evaluations=10_000),
        restarts=3,
        seed=0,
    )
    assert result.stopped_by == "target"
    assert result.best_quality >= 6
    assert result.n_evaluations < 30_000


class Slow(Table):
    """A table whose look-up takes two milliseconds, by the clock of the engine."""

    def __init__(self, function, monkeypatch):
        super().__init__(function)
        self.clock = Clock().rule(monkeypatch)

    def quality(self, columns):
        self.clock.add(0.002)
        return super().quality(columns)


def test_seconds_end_a_run(monkeypatch):
    """An endless search ends with its time."""
    Clock(step=0.001).rule(monkeypatch)
    result = run(Flips(), random_table(5, 0), Space.of(5), budget="0.2s", seed=0)
    assert result.stopped_by == "seconds"
    assert 0.2 <= result.seconds < 0.21


@pytest.mark.parametrize("heavy", [False, True])
def test_seconds_end_a_run_within_a_long_batch(heavy, monkeypatch):
    """A batch that would take minutes is left in the middle.

    What was evaluated equals an evaluation budget of as many.
    """

    class OneBatch:
        def steps(self, space, rng, horizon=None):
            yield space.additions(space.empty())

    evaluator, space = Slow(lambda s: -(float(min(s) - 50) ** 2), monkeypatch), Space.of(3000)
    evaluator.traits = Traits("table", heavy=heavy)
    result = run(OneBatch(), evaluator, space, budget="0.5s", seed=0)
    assert result.stopped_by == "seconds"
    assert 0.5 <= result.seconds < 1
    assert 250 <= result.n_evaluations < 500
    again = run(OneBatch(), Table(evaluator.function), space, budget=result.n_evaluations, seed=0)
    assert np.array_equal(again.trace, result.trace)
    assert again.best.tolist() == result.best.tolist()


def test_interrupting_returns_the_best_so_far():
    """Ctrl-C in the middle of an evaluation loses nothing already found."""
    table = random_table(6, 0)

    class Interrupted(Table):
        def quality(self, columns):
            if len(self.asked) == 20:
                raise KeyboardInterrupt
            return super().quality(columns)

    result = run(Flips(), Interrupted(table.function), Space.of(6), seed=0)
    assert result.stopped_by == "interrupted"
    assert result.best_quality == max(result.trace["quality"])


def test_an_error_in_the_judge_is_not_taken_for_the_end_of_the_search():
    """A StopIteration raised by a criterion surfaces as an error."""

    class Broken(Evaluator):
        def quality(self, columns):
            raise StopIteration("broken")

    with pytest.raises((StopIteration, RuntimeError)):
        run(Flips(), Broken(), Space.of(3), budget=5)


def test_callbacks_see_progress_and_may_stop(monkeypatch):
    """A callback that returns True ends the run."""
    seen = []

    def stop(progress):
        seen.append(
            (progress.n_evaluations, progress.best_quality, progress.best_size, str(progress))
        )
        return len(seen) == 2

    Clock(step=0.001).rule(monkeypatch)
    result = run(
        Flips(),
        random_table(5, 0),
        Space.of(5),
        budget=Budget(seconds=20),
        seed=0,
        callbacks=[stop],
    )
    assert result.stopped_by == "callback"
    assert len(seen) == 2
    assert seen[1][0] > seen[0][0]
    assert "best guide quality" in seen[0][3]


def test_progress_is_logged_in_plain_lines_where_there_is_no_terminal(monkeypatch):
    """Without a terminal each report is a line of its own, with the time left."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(status_line, "FIRST", 0.0)

    class Waiting(Table):
        def quality(self, columns):
            if len(self.asked) == 5:
                assert screen.awaits()
            return super().quality(columns)

    budget = Budget(seconds=10_000, evaluations=20)
    run(
        Flips(), Waiting(random_table(5, 0).function), Space.of(5), budget=budget, seed=0, verbose=1
    )
    lines = screen.getvalue().splitlines()
    assert len(lines) >= 2
    assert all(line.startswith("subsel: ") for line in lines)
    assert "s left" in lines[0]


def test_without_an_eligible_subset_the_answer_is_completed_with_a_warning():
    """A budget that ends too soon still gives an eligible answer, and says what it is worth."""
    with pytest.warns(StoppedEarly, match="completed at random"):
        result = run(Everything(), random_table(6, 0), Space.of(6, low=6, high=6), budget=1, seed=2)
    assert len(result.chosen) == 6
    assert (
        result.chosen_quality
        == result.best_quality
        == pytest.approx(random_table(6, 0).quality(np.arange(6)))
    )
    assert result.notes


def test_a_search_may_give_its_own_answer_when_the_budget_ends():
    """A strategy that catches the end of the budget answers for itself.

    An answer that is not eligible is not taken.
    """

    class Last:
        def steps(self, space, rng, horizon=None):
            try:
                for unit in range(space.n_units):
                    yield space.subset(range(unit + 1))
            except BudgetSpent:
                return space.subset(range(unit + 1))

    table = Table(lambda s: -float(len(s)))
    assert run(Last(), table, Space.of(6), budget=3).chosen.tolist() == [0, 1, 2]
    assert run(Last(), table, Space.of(6, low=1, high=2), budget=3).chosen.tolist() == [0]


def test_nan_is_the_worst_quality():
    """A criterion that gives NaN for some subsets never has them chosen."""
    table = Table(lambda s: float("nan") if 0 in s else float(len(s)))
    result = run(Everything(), table, Space.of(4))
    assert result.best.tolist() == [1, 2, 3]


def test_ties_go_to_the_first():
    """Of equal qualities the first asked for is the answer."""
    result = run(Everything(), Table(lambda s: 1.0), Space.of(4))
    assert result.best.tolist() == [0]


def test_random_criteria_are_not_remembered_and_know_their_draw():
    """Fresh draws are keyed by restart and request, so batching and workers cannot change them."""

    class Noise(Evaluator):
        traits = Traits(deterministic=False)

        def evaluate(self, candidates):
            restart, first = candidates.stream
            return np.array(
                [
                    np.random.default_rng([restart, first + i]).random()
                    for i in range(len(candidates))
                ]
            )

    result = run(Flips(), Noise(), Space.of(2), budget=30, restarts=2, seed=0)
    expected = [np.random.default_rng([r, i]).random() for r in range(2) for i in range(30)]
    assert result.trace["quality"] == pytest.approx(expected)
    assert result.n_computed == 60


def test_a_result_pickles_and_is_plain_data():
    """A result holds no evaluator: it survives pickling and stays small."""
    result = run(Flips(), random_table(5, 0), Space.of(5), budget=100, seed=0)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.chosen.tolist() == result.chosen.tolist()
    assert len(pickle.dumps(result)) < 20_000


def test_branch_and_bound_style_searches_warn_on_unknown_criteria():
    """A search that needs a monotone criterion says so, and runs."""

    class Monotone(Everything):
        needs_monotone = True

    with pytest.warns(UserWarning, match="monotone"):
        run(Monotone(), random_table(3, 0), Space.of(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(Monotone(), Table(lambda s: float(len(s)), monotone=True), Space.of(3))


def test_rounding_keeps_ten_digits_and_agrees_with_itself():
    """Scalars and arrays round alike, to ten significant digits, for any magnitude."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(5000) * 10.0 ** rng.integers(-40, 40, 5000)
    values = np.concatenate(
        [
            values,
            [0.0, -0.0, 1.0, 10.0, 1e-300, -1e300, np.inf, -np.inf, 0.1, 1e10, 9.9999999999999],
        ]
    )
    powers = np.array([10.0**k for k in range(-290, 291)])
    values = np.concatenate(
        [values, powers, -np.nextafter(powers, 0), np.nextafter(powers, np.inf)]
    )
    many = round_qualities(values)
    assert many.tolist() == [round_quality(v) for v in values.tolist()]
    usual = np.abs(values) < 1e200
    assert many[usual] == pytest.approx([float(f"{v:.9e}") for v in values[usual]], rel=1e-14)
    for decade in (
        0.1 + 0.9 * rng.random(50),
        -3e12 - 1e11 * rng.random(50),
        np.array([1.0, 9.99999999999]),
        [np.nan],
    ):
        assert round_qualities(decade).tolist() == [round_quality(float(v)) for v in decade]
    assert round_quality(0.95 + 1e-14) == round_quality(0.95) == 0.95


@pytest.mark.parametrize(
    "value", ["soon", "30", 2.5, -3, "0s", Budget(evaluations=5), None, "1.5h", 10]
)
def test_budgets_are_read_or_refused(value):
    """A budget is understood, or the message says what is."""
    if value in ("soon", 2.5, -3, "0s"):
        with pytest.raises(ValueError, match="budget"):
            Budget.of(value)
    else:
        assert isinstance(Budget.of(value), Budget)


def test_compiling_does_not_count(monkeypatch):
    """A search that compiles for longer than its seconds goes as far as one that need not,
    also within a long batch.
    """
    monkeypatch.setattr(compiler, "_spent", [0.0])

    class Compiles(Evaluator):
        n = 0

        def quality(self, columns):
            self.n += 1
            if self.n == 2:
                time.sleep(0.6)
                compiler._spent[0] += 0.6
            return float(columns.sum())

    for search in ("sfs", "genetic"):
        found = run(
            find_search(search),
            Compiles(),
            Space.of(200),
            budget=Budget(seconds=0.5, evaluations=800),
        )
        assert found.stopped_by == "evaluations" and found.seconds < 0.5, search
        assert found.n_evaluations == 800, search  # no batch was left early
