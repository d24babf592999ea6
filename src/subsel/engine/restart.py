"""One restart: a search in conversation with memory, log and evaluator."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.budget import Budget, Clock, bound
from subsel.engine.cache import BoundedCache
from subsel.engine.history import History
from subsel.engine.journal.restart_log import JournalMismatch, RestartLog
from subsel.engine.parallel import Work, compute
from subsel.engine.requests import BatchRequest, Request, read_question, read_return
from subsel.result.rounding import round_qualities
from subsel.search.protocol import BudgetSpent, Search, Steps
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["NotDeterministic", "Restart"]

COMPARED = 5  # sizes of subsets of which one recorded quality is computed again on resuming
NOTHING = np.empty(0)


class NotDeterministic(UserWarning):
    """A criterion gives the same subset another quality each time, and does not say so."""


class Restart:
    """A search at work: what it asks now, what it has seen, what it may still spend.

    In each round the driver calls :meth:`ask`, has ``work`` answered (``computed``), and calls
    :meth:`record`.

    Attributes
    ----------
    request : Request
        What is asked now, with what memory and log know of it.
    work : Candidates, RelevanceWork or None
        What of it must be computed.
    computed : ndarray
        The answer to that, or the beginning of it.
    returned : Subset or None
        The search's own answer, once it has given one.
    stopped_by : str or None
        What has ended it.
    """

    request: Request
    work: Work | None

    def __init__(
        self,
        number: int,
        search: Search,
        evaluator: Evaluator,
        space: Space,
        *,
        budget: Budget,
        clock: Clock,
        seed: np.random.SeedSequence,
        memory: BoundedCache,
        log: RestartLog | None,
    ) -> None:
        self.number, self.name = number, type(search).__name__
        self.evaluator, self.space = evaluator, space
        self.budget, self.memory, self.log, self.clock = budget, memory, log, clock
        self.rng = np.random.default_rng(seed)
        horizon = budget.evaluations
        if log is not None:
            horizon = log.horizon
        self.steps: Steps = search.steps(space, self.rng, horizon)
        self.history = History(space)
        self.returned: Subset | None = None
        self.stopped_by: str | None = None
        self._left, self._patience = bound(budget.evaluations), bound(budget.patience)
        self._answer: Any = None
        self.computed = NOTHING
        self._compared: set[int] = set()

    def ask(self) -> bool:
        """Fetch the next request; False once this restart has ended."""
        history, n_evaluations = self.history, self.history.n
        if self._left <= 0:
            self.stopped_by = "evaluations"
        elif n_evaluations - history.last_improvement >= self._patience:
            self.stopped_by = "patience"
        else:
            try:
                question = self.steps.send(self._answer)
            except StopIteration as stop:
                self.returned, self.stopped_by = read_return(stop.value, self.name), "search"
            else:
                request = read_question(
                    question,
                    self.space,
                    self.memory,
                    (self.number, n_evaluations),
                    left=self._left,
                    search=self.name,
                )
                self._left -= request.n_evaluations
                if self.log is not None and self.log.replaying:
                    request = self._replayed(request, self.log)
                self.request, self.work, self.computed = request, request.work, NOTHING
                return True
        return False

    def _replayed(self, request: Request, log: RestartLog) -> Request:
        """The request with what the log holds of its answer."""
        request = request.replayed(log)
        if self.number == 0 and len(self._compared) < COMPARED and request.n_recorded:
            self._compare(request)
        return request

    def _compare(self, request: Request) -> None:
        """Evaluate what is recorded anew, once for each of the first sizes: other qualities are another criterion."""
        if request.first_size in self._compared:
            return
        self._compared.add(request.first_size)
        now = round_qualities(compute(self.evaluator.fork(), request.first_work))
        then = request.first_known
        if not np.allclose(now, then, rtol=1e-6, atol=1e-9):
            raise JournalMismatch(
                f"the journal has {then[0]} as quality of a subset of {request.first_size} feature(s), and it is "
                f"{now[0]} now. The criterion has "
                "changed or is random: give the estimator and the splitter a random_state, or another directory."
            )

    def doubt(self) -> None:
        """Evaluate the first subset once more, and warn if that gives something else."""
        if self.request.n_recorded or not len(self.computed):
            return
        now = compute(copy(self.evaluator.fork()), self.request.first_work)[:1]
        then = self.computed[:1]
        if not np.allclose(now, then, rtol=1e-6, atol=1e-9, equal_nan=True):
            warnings.warn(
                f"the same subset was evaluated twice, as {then[0]:.6g} and as {now[0]:.6g}: the first quality seen is "
                "kept, the best found is partly luck, and a journal of it cannot be resumed. Give the estimator and "
                "the splitter a random_state.",
                NotDeterministic,
                stacklevel=2,
            )

    def checkpoint(self, computed: np.ndarray) -> None:
        """Record the first qualities of a long batch while the others are being computed."""
        if self.log is None or not len(computed) or not isinstance(self.request, BatchRequest):
            return
        (request, qualities), held = self.request.answered(computed), self.request.n_recorded
        if len(qualities) > held:
            self.log.write_ahead(
                request.keys[held:], qualities[held:], self.clock.seconds(), self.history
            )
            self.request = self.request._replace(n_recorded=len(qualities))

    def break_off(self) -> None:
        """Keep what the log knew of a request that it knew in part."""
        if self.request.n_recorded:
            self.work = None

    def record(self, seconds: float) -> None:
        """Remember the answer, write it into the history, and note for the log what is new of it."""
        request, self._answer, n_computed = self.request.settled(self.computed, self.memory)
        self.history.n_computed += n_computed
        if self.log is not None and request.n_recorded:
            seconds = min(seconds, self.log.seconds)
        request.record(self._answer, self.history, seconds)
        if self.log is not None:
            request.note(self._answer, self.log)

    def conclude(self) -> None:
        """Tell a search that has not ended that it must; it may give its own answer so far."""
        self.history.settle()
        if self.stopped_by == "search":
            return
        try:
            self.steps.throw(BudgetSpent())
        except StopIteration as stop:
            self.returned = read_return(stop.value, self.name)
        except BudgetSpent:
            pass
        self.steps.close()
