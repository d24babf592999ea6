"""One restart: a search, its cache and its log."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.budget import Budget, Clock, limit_or_infinity
from subsel.engine.cache import EmptyCache
from subsel.engine.history import History
from subsel.engine.journal.restart_log import JournalMismatch, RestartLog
from subsel.engine.parallel import Work, compute
from subsel.engine.requests import BatchRequest, Request, read_request, read_return
from subsel.result.rounding import round_qualities
from subsel.search.protocol import BudgetSpent, Search, Steps
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["NotDeterministic", "Restart"]

COMPARED = 5  # subset sizes for each of which a recorded quality is computed again on resuming
NOTHING = np.empty(0)


class NotDeterministic(UserWarning):
    """Warning that a criterion that counts as deterministic gives a subset another quality."""


class Restart:
    """A running search: its current request, its history and its budget.

    In each round the driver calls :meth:`ask`, sets ``computed`` to the answer to ``work``, and
    calls :meth:`record`.

    Attributes
    ----------
    request : Request
        The current request, with the answers that cache and log have.
    work : Candidates, RelevanceWork or None
        What of it must be computed.
    computed : ndarray
        The answer to ``work``, or its first qualities.
    returned : Subset or None
        The search's own answer, None until it has given one.
    stopped_by : str or None
        What has ended the restart, None while it is running.
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
        memory: EmptyCache,
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
        self._left, self._patience = (
            limit_or_infinity(budget.evaluations),
            limit_or_infinity(budget.patience),
        )
        self._answer: Any = None
        self.computed = NOTHING
        self._compared: set[int] = set()

    def ask(self) -> bool:
        """Get the next request of the search; False if this restart has ended."""
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
                request = read_request(
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
        """Return the request with the answers that the log has."""
        request = request.replayed(log)
        if self.number == 0 and len(self._compared) < COMPARED and request.n_recorded:
            self._compare(request)
        return request

    def _compare(self, request: Request) -> None:
        """Check a recorded quality by computing it again, once for each of the first sizes."""
        # Replaying is exact: the search is deterministic given its seed and its answers, so that
        # the recorded answers lead it to the same requests. A criterion that has changed would not
        # be noticed by that, hence this check. The tolerance admits other versions of linear
        # algebra.
        if request.first_size in self._compared:
            return
        self._compared.add(request.first_size)
        now = round_qualities(compute(self.evaluator.fork(), request.first_work))
        then = request.first_known
        if not np.allclose(now, then, rtol=1e-6, atol=1e-9):
            raise JournalMismatch(
                f"the journal has {then[0]} as the quality of a subset of {request.first_size} "
                f"feature(s), which is {now[0]} now. The criterion has changed or is random: give "
                "the estimator and the splitter a random_state, or use another directory."
            )

    def doubt(self) -> None:
        """Evaluate the first subset again, and warn if its quality differs."""
        if self.request.n_recorded or not len(self.computed):
            return
        now = compute(copy(self.evaluator.fork()), self.request.first_work)[:1]
        then = self.computed[:1]
        if not np.allclose(now, then, rtol=1e-6, atol=1e-9, equal_nan=True):
            warnings.warn(
                f"the same subset was evaluated twice, with qualities {then[0]:.6g} and "
                f"{now[0]:.6g}: the first one is used, the best subset is partly due to chance, "
                "and a journal cannot be resumed. Give the estimator and the splitter a "
                "random_state.",
                NotDeterministic,
                stacklevel=2,
            )

    def checkpoint(self, computed: np.ndarray) -> None:
        """Record the first qualities of a long batch while the others are being computed."""
        if self.log is None or not len(computed) or not isinstance(self.request, BatchRequest):
            return
        (request, qualities), n_recorded = self.request.answered(computed), self.request.n_recorded
        if len(qualities) > n_recorded:
            keys, new = request.keys[n_recorded:], qualities[n_recorded:]
            self.log.write_ahead(keys, new, self.clock.seconds(), self.history)
            self.request = self.request._replace(n_recorded=len(qualities))

    def break_off(self) -> None:
        """Compute no more of a request that the log answers in part."""
        if self.request.n_recorded:
            self.work = None

    def record(self, seconds: float) -> None:
        """Store the answer in the cache and the history, and note what is new for the log."""
        request, self._answer, n_computed = self.request.settled(self.computed, self.memory)
        self.history.n_computed += n_computed
        if self.log is not None and request.n_recorded:
            seconds = min(seconds, self.log.seconds)
        request.record(self._answer, self.history, seconds)
        if self.log is not None:
            request.note(self._answer, self.log)

    def conclude(self) -> None:
        """End a search that has not ended; it may return its own answer."""
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
