"""The driver of every search: restarts in lockstep against one evaluator, within a budget."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from subsel._loops.path import COMPILED, PLAIN, decide, decided
from subsel._loops.readiness import WAIT, note
from subsel.criteria.base import Evaluator
from subsel.engine.budget import Budget
from subsel.engine.clock import Clock
from subsel.engine.journal import Journal
from subsel.engine.memory import Forgetful, Memory
from subsel.engine.outcome import StoppedEarly, outcome
from subsel.engine.parallel import Evaluators
from subsel.engine.progress import Progress
from subsel.engine.rehearsal import expected_evaluations
from subsel.engine.restart import Restart
from subsel.engine.restart_log import RestartLog
from subsel.engine.telling import watching_callback
from subsel.interruption import is_part_of_a_job
from subsel.result import Judge, Result
from subsel.search.protocol import Search
from subsel.space import Space

__all__ = ["FitStopped", "StoppedEarly", "run"]

MEMORY = 2**20  # qualities remembered, all restarts together: about 100 bytes each
DOUBT = 0.1  # share of the seconds within which a first evaluation must be done to be done twice
VECTORS = 2**26  # bytes of relevances remembered, all restarts together


class FitStopped(UserWarning):
    """A model was still being fitted long after the seconds allowed, and was stopped."""


def run(
    search: Search,
    evaluator: Evaluator,
    space: Space,
    *,
    budget: Budget | str | int | None = None,
    restarts: int = 1,
    seed: int | np.random.SeedSequence | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    callbacks: Iterable[Callable[[Progress], Any]] = (),
    journal: Journal | None = None,
) -> Result:
    """Let a search look for the best subset of a space.

    Restarts run in lockstep: a round is one request of each, in order of restart, so that neither ``n_jobs`` nor the
    speed of the machine can change an answer. Each restart has its own stream of random numbers and its own memory
    of qualities seen (oldest forgotten first once full). Interrupting returns the best so far, unless the
    run is part of a larger job (a fold, a race), which is then ended whole. With a journal, what it
    holds is replayed instead of being computed, and what is new is written to it. Whether numpy or compiled code answers
    is decided once, here (``result.judge.path``); a journal goes on as it was begun.

    Parameters
    ----------
    search : Search
        Where to look next.
    evaluator : Evaluator
        How good a subset is.
    space : Space
        What may be tried.
    budget : Budget, str, int or None
        When to stop, see `Budget`; None leaves it to the search.
    restarts : int
        Independent runs of the search.
    seed : int, SeedSequence or None
        Of the random numbers.
    n_jobs : int or None
        Workers, as in joblib; they never change the answer.
    verbose : int
        Above 0: show the progress.
    callbacks : iterable of callable
        Called now and then with the `Progress`; returning True ends the run.
    journal : Journal or None
        Where answers are recorded and replayed from.

    Returns
    -------
    Result
        What was found.

    Examples
    --------
    >>> from subsel.criteria.traits import Traits
    >>> from subsel.search import find_search
    >>> class Even(Evaluator):
    ...     def quality(self, columns):
    ...         return float(np.sum(columns % 2 == 0) - np.sum(columns % 2))
    >>> run(find_search("sfs"), Even(), Space.of(6)).chosen
    array([0, 2, 4])
    """
    budget = Budget.of(budget)
    _check_traits(search, evaluator)
    seconds = partial(_plain_seconds, search, evaluator, space, budget, restarts)
    compiled = decide(seconds, None if journal is None else journal.begun_on)
    with decided(compiled):
        try:
            runs = _Runs(
                search,
                evaluator,
                space,
                budget,
                restarts,
                seed,
                journal,
                _path(evaluator, compiled),
                verbose,
            )
            return runs.search(n_jobs, [*callbacks, *watching_callback()])
        finally:  # also where the user interrupts between opening and searching
            if journal is not None:
                journal.close()


def _plain_seconds(
    search: Search, evaluator: Evaluator, space: Space, budget: Budget, restarts: int
) -> float:
    """How long numpy would be at work on a run, about."""
    each = restarts * evaluator.plain_seconds
    if not 0 < each < np.inf:
        return each
    n: float | None = budget.evaluations
    n = expected_evaluations(search, space, most=WAIT / each + 1) if n is None else n
    return min(n * each, np.inf if budget.seconds is None else budget.seconds)


def _path(evaluator: Evaluator, compiled: bool) -> str:
    path = evaluator.traits.path
    return path if path != "either" else COMPILED if compiled else PLAIN


class _Runs:
    """The restarts of a run on its path, from the first request to the result."""

    def __init__(
        self,
        search: Search,
        evaluator: Evaluator,
        space: Space,
        budget: Budget,
        restarts: int,
        seed: int | np.random.SeedSequence | None,
        journal: Journal | None,
        path: str,
        verbose: int,
    ) -> None:
        self.evaluator, self.space, self.budget, self.journal = evaluator, space, budget, journal
        self.path, self.verbose, self.named = (
            path,
            verbose,
            f"{_named(search)} by {_named(evaluator)}",
        )
        seeds, self.clock = _sequence(seed).spawn(restarts), Clock()
        logs: Sequence[RestartLog | None] = [None] * restarts
        if journal is not None:
            journal.announce(search, space, verbose)
            logs = journal.open(restarts, budget.evaluations, path)
            self.clock.set(journal.seconds)
        memory = _memories(evaluator, restarts)
        self.runs = [
            Restart(number, search, evaluator, space, own, budget, memory(), log, self.clock)
            for number, (own, log) in enumerate(zip(seeds, logs))
        ]

    def search(self, n_jobs: int | None, callbacks: list[Callable[[Progress], Any]]) -> Result:
        """Let all restarts search to their end."""
        runs, budget, journal = self.runs, self.budget, self.journal
        progress = Progress(runs, budget, self.clock, self.verbose, callbacks, self.named)
        try:
            with Evaluators(self.evaluator, len(runs), n_jobs) as evaluators:
                lockstep = _Lockstep(runs, evaluators, budget, progress, journal)
                stopped_by = _rounds(lockstep, progress, journal)
        finally:
            progress.close()
        traits = self.evaluator.traits
        judge = Judge(_named(self.evaluator), traits.exact, evaluators.n_refits, self.path)
        result = outcome(
            runs, self.space, judge, stopped_by, progress.seconds, lockstep.notes, lockstep.hung
        )
        missing = note() if self.path == PLAIN and traits.path == "either" else None
        return result if missing is None else replace(result, notes=(*result.notes, missing))


def _named(part: Any) -> str:
    """What a search or an evaluator is called on the screen."""
    return getattr(getattr(part, "traits", None), "name", "") or type(part).__name__


def _check_traits(search: Search, evaluator: Evaluator) -> None:
    """See that the evaluator can answer what the search asks."""
    if getattr(search, "needs_monotone", False) and not evaluator.traits.monotone:
        warnings.warn(
            f"{type(search).__name__} is exact for monotone criteria only, this one is not known to be.",
            stacklevel=3,
        )
    if getattr(search, "asks_relevance", False) and not evaluator.traits.relevance:
        raise TypeError(
            f"{type(search).__name__} asks how much a trained model used each feature, which "
            f"{evaluator.traits.name or type(evaluator).__name__} cannot say: give an estimator with coef_ or "
            "feature_importances_, and exact='never' where an exact evaluator takes its place."
        )


def _memories(evaluator: Evaluator, restarts: int) -> Callable[[], Forgetful]:
    if not evaluator.traits.deterministic:
        return Forgetful
    return lambda: Memory(MEMORY // restarts, VECTORS // restarts)


def _rounds(lockstep: _Lockstep, progress: Progress, journal: Journal | None) -> str | None:
    """Go round the restarts until all have ended; gives the reason if something ended all of them."""
    reason: str | None = "failed"
    runs = lockstep.runs
    try:
        reason = lockstep.go()
    except KeyboardInterrupt:
        reason = "interrupted"
        if is_part_of_a_job():
            raise
    finally:
        for restart in runs:
            restart.conclude()
        if journal is not None:
            reasons = [reason or restart.stopped_by or "" for restart in runs]
            journal.end(progress.seconds, [restart.history for restart in runs], reasons)
    return reason


class _Lockstep:
    """Rounds of one request of each restart that has not ended."""

    def __init__(
        self,
        runs: list[Restart],
        evaluators: Evaluators,
        budget: Budget,
        progress: Progress,
        journal: Journal | None,
    ) -> None:
        self.runs, self.evaluators, self.progress, self.journal = (
            runs,
            evaluators,
            progress,
            journal,
        )
        self.deadline = np.inf if budget.seconds is None else budget.seconds
        self.grace, self.target, self.notes = budget.grace, budget.target, list[str]()
        self.replaying = journal is not None and journal.replaying
        traits = runs[0].evaluator.traits
        refits = traits.heavy and traits.deterministic  # which may draw random numbers unasked
        self.in_doubt = refits and not traits.certain
        self.until = (
            np.inf if self.replaying else progress.clock.at(self.deadline)
        )  # perf_counter at the deadline
        self.hung = False
        self.unwatched = self.deadline < np.inf and evaluators.refits

    def go(self) -> str | None:
        """Until all restarts have ended, or something ends all of them, which is then given."""
        live, progress, journal = self.runs, self.progress, self.journal
        while live := [restart for restart in live if restart.ask()]:
            if not self._answered(live):
                return self._give_up()
            seconds = progress.tick()
            if self.in_doubt:
                self.in_doubt = False
                if seconds < DOUBT * self.deadline:
                    live[0].doubt()
            for restart in live:
                restart.record(seconds)
            if journal is not None and seconds >= journal.flush_at:
                journal.flush(seconds, [restart.history for restart in self.runs])
            may_end = seconds >= self.deadline or progress.stop or self.target is not None
            if may_end and (reason := self._end(live, seconds)):
                return reason
        return None

    def _answered(self, live: list[Restart]) -> bool:
        """Have the requests of a round answered; False if that takes too long."""
        if self.replaying:
            self._go_on(live)
        if self.unwatched and any(restart.work is not None for restart in live):
            self._watch()
        return self.evaluators.answer(live, self.until, self.until + self.grace)

    def _go_on(self, live: list[Restart]) -> None:
        """Once all that was recorded is replayed the clock goes on from there, and ends what it ended before."""
        assert self.journal is not None
        if self.journal.replaying:
            return
        self.replaying = False
        self.progress.clock.set(self.journal.seconds)
        self.until = self.progress.clock.at(self.deadline)
        for restart in live if self.journal.seconds >= self.deadline else ():
            restart.break_off()

    def _watch(self) -> None:
        """Get those ready who can be stopped if they hang; the clock stands still meanwhile."""
        clock, self.unwatched = self.progress.clock, False
        seconds = clock.seconds()
        if not self.evaluators.watch():
            self.notes.append(
                "the estimator cannot be sent to a process of its own: a fit that hangs is not stopped."
            )
        clock.set(seconds)
        if not self.replaying:
            self.until = clock.at(self.deadline)

    def _give_up(self) -> str:
        """End a run whose evaluations hang."""
        seconds, self.hung = self.progress.tick(), True
        note = (
            f"fitting a model was stopped {seconds - self.deadline:.0f} s after the end of the {self.deadline:g} s "
            "allowed: what it would have given is not known."
        )
        warnings.warn(note, FitStopped, stacklevel=5)
        self.notes.append(note)
        return "seconds"

    def _end(self, live: list[Restart], seconds: float) -> str | None:
        """What ends all restarts now."""
        if seconds >= self.deadline and not self.replaying:
            return "seconds"
        if self.progress.stop:
            return "callback"
        if self.target is not None and any(
            restart.history.best_quality >= self.target for restart in live
        ):
            return "target"
        return None


def _sequence(seed: int | np.random.SeedSequence | None) -> np.random.SeedSequence:
    return seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
