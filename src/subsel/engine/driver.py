"""The driver of every search: restarts in lockstep against one evaluator, within a budget."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.budget import Budget, Clock, bound
from subsel.engine.cache import BoundedCache, QualityCache
from subsel.engine.journal.journal import Journal
from subsel.engine.journal.restart_log import RestartLog
from subsel.engine.outcome import StoppedEarly, outcome
from subsel.engine.parallel import Evaluators
from subsel.engine.progress import Progress, watching_callback
from subsel.engine.restart import Restart
from subsel.result.result import EvaluatorRecord, Result
from subsel.runtime.interruption import is_part_of_a_job
from subsel.runtime.status_line import StatusLine
from subsel.search.protocol import Search
from subsel.space.space import Space

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
    callbacks: Iterable[Callable[[Progress], object]] = (),
    journal: Journal | None = None,
) -> Result:
    """Let a search look for the best subset of a space.

    Restarts run in lockstep: a round is one request of each, in order of restart, so that neither
    ``n_jobs`` nor the speed of the machine can change an answer. Each restart has its own stream of
    random numbers and its own memory of qualities seen (oldest forgotten first once full).
    Interrupting returns the best so far, unless the run is part of a larger job (a fold, a race),
    which is then ended whole. With a journal, what it holds is replayed instead of being computed,
    and what is new is written to it.

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
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    name = evaluator.traits.name or type(evaluator).__name__
    clock, logs = Clock(), list[RestartLog | None]([None] * restarts)
    stopped_by: str | None = "failed"
    try:
        if journal is not None:
            journal.announce(search, space, verbose)
            logs = [*journal.open(restarts, budget.evaluations)]
            clock.set(journal.seconds)
        runs = [
            Restart(
                number,
                search,
                evaluator,
                space,
                budget=budget,
                clock=clock,
                seed=own,
                memory=_memory(evaluator, restarts),
                log=log,
            )
            for number, (own, log) in enumerate(zip(seed.spawn(restarts), logs))
        ]
        callbacks = [*callbacks, *watching_callback()]
        what = f"{type(search).__name__} by {name}"
        progress = Progress(runs, budget, clock, callbacks=callbacks, what=what)
        with Evaluators(evaluator, restarts, n_jobs) as evaluators, ExitStack() as screen:
            if verbose > 0:
                line = StatusLine(progress.__str__, final=True).__enter__()
                screen.callback(line.__exit__)  # without an error: the last state is left
            rounds = _Rounds(runs, evaluators, budget, progress, journal)
            try:
                stopped_by = rounds.go()
            except KeyboardInterrupt:
                stopped_by = "interrupted"
                if is_part_of_a_job():
                    raise
            finally:
                rounds.conclude(stopped_by)
    finally:  # also where the user interrupts between opening and searching
        if journal is not None:
            journal.close()
    record = EvaluatorRecord(name, evaluator.traits.exact, evaluators.n_refits)
    return outcome(
        runs, space, record, stopped_by, progress.seconds, notes=rounds.notes, hung=rounds.hung
    )


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


def _memory(evaluator: Evaluator, restarts: int) -> BoundedCache:
    """What one of the restarts remembers."""
    if evaluator.traits.deterministic:
        return QualityCache(MEMORY // restarts, VECTORS // restarts)
    return BoundedCache()


class _Rounds:
    """Rounds of one request of each restart that has not ended."""

    def __init__(
        self,
        runs: list[Restart],
        evaluators: Evaluators,
        budget: Budget,
        progress: Progress,
        journal: Journal | None,
    ) -> None:
        self.runs, self.evaluators, self.progress = runs, evaluators, progress
        self.journal, self.replaying = journal, journal is not None and journal.replaying
        self.deadline, self.target = bound(budget.seconds), bound(budget.target)
        self.grace, self.notes, self.hung = budget.grace, list[str](), False
        self.until = np.inf  # perf_counter at the deadline
        if not self.replaying:
            self.until = progress.clock.at(self.deadline)
        traits = runs[0].evaluator.traits
        refits = traits.heavy and traits.deterministic  # which may draw random numbers unasked
        self.in_doubt = refits and not traits.certain
        self.unwatched = self.deadline < np.inf and evaluators.refits

    def go(self) -> str | None:
        """Until all restarts have ended, or something ends all of them, which is then given."""
        live, progress, journal = self.runs, self.progress, self.journal
        while live := [restart for restart in live if restart.ask()]:
            if self.replaying:
                self._go_on(live)
            if self.unwatched and any(restart.work is not None for restart in live):
                self._watch()
            if not self.evaluators.answer(live, self.until, self.until + self.grace):
                return self._give_up()
            seconds = self._seconds()
            if self.in_doubt:
                self.in_doubt = False
                if seconds < DOUBT * self.deadline:
                    live[0].doubt()
            for restart in live:
                restart.record(seconds)
            if journal is not None and seconds >= journal.flush_at:
                journal.flush(seconds, [restart.history for restart in self.runs])
            if seconds >= self.deadline and not self.replaying:
                return "seconds"
            if progress.stop:
                return "callback"
            if self.target < np.inf and progress.best_quality >= self.target:
                return "target"
        return None

    def _seconds(self) -> float:
        """How long the run has taken, without what was spent compiling."""
        clock = self.progress.clock
        if clock.leave_out_compiling() and not self.replaying:
            self.until = clock.at(self.deadline)
        return self.progress.tick()

    def conclude(self, stopped_by: str | None) -> None:
        """Let every restart end, and the journal say why."""
        for restart in self.runs:
            restart.conclude()
        if self.journal is not None:
            reasons = [stopped_by or restart.stopped_by or "" for restart in self.runs]
            histories = [restart.history for restart in self.runs]
            self.journal.end(self.progress.seconds, histories, reasons)

    def _go_on(self, live: list[Restart]) -> None:
        """Once all that was recorded is replayed the clock goes on from there, and ends what it ended before."""
        assert self.journal is not None
        if self.journal.replaying:
            return
        self.replaying = False
        self.progress.clock.set(self.journal.seconds)
        self.until = self.progress.clock.at(self.deadline)
        if self.journal.seconds >= self.deadline:
            for restart in live:
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
        warnings.warn(note, FitStopped, stacklevel=3)
        self.notes.append(note)
        return "seconds"
