"""The driver of every search: restarts in lockstep against one evaluator, within a budget."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.budget import Budget, Clock, limit_or_infinity
from subsel.engine.cache import EmptyCache, QualityCache
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

MAX_QUALITIES = 2**20  # qualities cached, over all restarts: about 100 bytes each
DOUBT = 0.1  # a first evaluation is repeated only if it took less than this share of the budget
MAX_BYTES = 2**26  # bytes of relevances cached, over all restarts


class FitStopped(UserWarning):
    """Warning that a model was stopped, since it was still being fitted long after the end."""


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
    """Run a search for the best subset of a space.

    Restarts run in lockstep: a round is one request of each, in order of restart, so that neither
    ``n_jobs`` nor the speed of the machine can change an answer. Each restart has its own stream of
    random numbers and its own cache of qualities (once it is full, the oldest are dropped).
    Interrupting returns the best subset so far, unless the run is part of a larger job (a fold, a
    comparison), which then ends too. With a journal, recorded answers are replayed instead of being
    computed, and new ones are recorded.

    Parameters
    ----------
    search : Search
        The strategy that proposes subsets.
    evaluator : Evaluator
        Computes the quality of a subset, larger is better.
    space : Space
        The subsets that may be proposed.
    budget : Budget, str, int or None
        When to stop, see `Budget`; None leaves it to the search.
    restarts : int
        Independent runs of the search.
    seed : int, SeedSequence or None
        Seed of the random numbers.
    n_jobs : int or None
        Workers, as in joblib; they never change the answer.
    verbose : int
        Above 0: show the progress.
    callbacks : iterable of callable
        Functions that are called about ten times a second with the `Progress`; returning True ends
        the run.
    journal : Journal or None
        Records the answers, and replays those of an earlier session.

    Returns
    -------
    Result
        The selected subset and all that was recorded.

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
                memory=_cache(evaluator, restarts),
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
                screen.callback(line.__exit__)  # without an error, so that the last state remains
            rounds = _Rounds(runs, evaluators, budget, progress, journal)
            try:
                stopped_by = rounds.run()
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
    """Check that the evaluator supports the requests of the search."""
    if getattr(search, "needs_monotone", False) and not evaluator.traits.monotone:
        warnings.warn(
            f"{type(search).__name__} is exact for monotone criteria only; "
            f"{evaluator.traits.name or type(evaluator).__name__} is not known to be monotone.",
            stacklevel=3,
        )
    if getattr(search, "asks_relevance", False) and not evaluator.traits.relevance:
        raise TypeError(
            f"{type(search).__name__} needs the relevance of each feature to a trained model, "
            f"which {evaluator.traits.name or type(evaluator).__name__} does not give: use an "
            "estimator with coef_ or feature_importances_, and exact='never' if an exact "
            "evaluator replaces it."
        )


def _cache(evaluator: Evaluator, restarts: int) -> EmptyCache:
    """Make the cache of one of the restarts: an empty one where qualities are random."""
    if evaluator.traits.deterministic:
        return QualityCache(MAX_QUALITIES // restarts, MAX_BYTES // restarts)
    return EmptyCache()


class _Rounds:
    """Runs rounds of one request of each restart that has not ended."""

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
        self.deadline, self.target = (
            limit_or_infinity(budget.seconds),
            limit_or_infinity(budget.target),
        )
        self.grace, self.notes, self.hung = budget.grace, list[str](), False
        self.until = np.inf  # perf_counter at the deadline
        if not self.replaying:
            self.until = progress.clock.at(self.deadline)
        traits = runs[0].evaluator.traits
        # refits may draw random numbers although their criterion counts as deterministic
        refits = traits.heavy and traits.deterministic
        self.check_repeat = refits and not traits.certain
        self.unwatched = self.deadline < np.inf and evaluators.refits

    def run(self) -> str | None:
        """Run until all restarts have ended, or return what has ended all of them."""
        live, progress, journal = self.runs, self.progress, self.journal
        while live := [restart for restart in live if restart.ask()]:
            if self.replaying:
                self._end_replay(live)
            if self.unwatched and any(restart.work is not None for restart in live):
                self._watch()
            if not self.evaluators.answer(live, self.until, self.until + self.grace):
                return self._give_up()
            seconds = self._seconds()
            if self.check_repeat:
                self.check_repeat = False
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
        """Return the seconds of the run, without compilation, and update the progress."""
        clock = self.progress.clock
        if clock.leave_out_compiling() and not self.replaying:
            self.until = clock.at(self.deadline)
        return self.progress.tick()

    def conclude(self, stopped_by: str | None) -> None:
        """End every restart, and record the reasons in the journal."""
        for restart in self.runs:
            restart.conclude()
        if self.journal is not None:
            reasons = [stopped_by or restart.stopped_by or "" for restart in self.runs]
            histories = [restart.history for restart in self.runs]
            self.journal.end(self.progress.seconds, histories, reasons)

    def _end_replay(self, live: list[Restart]) -> None:
        """Continue the clock from the journal once all recorded answers are replayed.

        Where the budget had ended the earlier session, only its recorded answers are kept.
        """
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
        """Start workers that can be stopped if a fit hangs; the clock is stopped meanwhile."""
        clock, self.unwatched = self.progress.clock, False
        seconds = clock.seconds()
        if not self.evaluators.watch():
            self.notes.append(
                "the estimator cannot be sent to another process: a fit that hangs is not stopped."
            )
        clock.set(seconds)
        if not self.replaying:
            self.until = clock.at(self.deadline)

    def _give_up(self) -> str:
        """End a run whose evaluations hang, with a warning and a note."""
        seconds, self.hung = self.progress.tick(), True
        note = (
            f"fitting a model was stopped {seconds - self.deadline:.0f} s after the budget of "
            f"{self.deadline:g} s had ended: its quality is not known."
        )
        warnings.warn(note, FitStopped, stacklevel=3)
        self.notes.append(note)
        return "seconds"
