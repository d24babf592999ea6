"""The driver of every search: restarts in lockstep against one evaluator, within a budget."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from subsel.candidates import Candidates, Subset
from subsel.criteria.base import Evaluator
from subsel.engine.budget import Budget
from subsel.engine.history import History
from subsel.engine.journal import Journal, JournalMismatch, Tape
from subsel.engine.parallel import Judges
from subsel.engine.progress import Progress
from subsel.engine.rounding import round_qualities, round_quality
from subsel.result import Found, Judge, Result
from subsel.search.registry import Search, Spent, Steps
from subsel.space import Space

__all__ = ["StoppedEarly", "run"]

MEMORY = 2**20  # qualities remembered, all restarts together: about 100 bytes each


class StoppedEarly(UserWarning):
    """The budget ended before any eligible subset was evaluated."""


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
    """Let a search look for the best subset of a space (papers ANYTIME, PRNG).

    Restarts run in lockstep: a round is one request of each, in order of restart, so that neither ``n_jobs`` nor the
    speed of the machine can change an answer. Each restart has its own stream of random numbers and its own memory
    of qualities seen (oldest forgotten first once full). Interrupting returns the best so far. With a journal, what it
    holds is told again instead of being computed, and what is new is written to it.
    """
    budget = Budget.of(budget)
    seeds = _sequence(seed).spawn(restarts)
    if getattr(search, "needs_monotone", False) and not evaluator.traits.monotone:
        warnings.warn(
            f"{type(search).__name__} is exact for monotone criteria only, this one is not known to be.",
            stacklevel=2,
        )
    tapes: Sequence[Tape | None] = [None] * restarts if journal is None else journal.open(restarts, budget.evaluations)
    walks = [
        _Walk(number, search, evaluator, space, s, budget, MEMORY // restarts, tape)
        for number, (s, tape) in enumerate(zip(seeds, tapes))
    ]
    progress = Progress(walks, budget, verbose, callbacks)
    for walk in walks:
        walk.clock = lambda: perf_counter() - progress.begin
    try:
        with Judges(evaluator, restarts, n_jobs) as judges:
            stopped_by = _rounds(walks, judges, budget, progress, journal)
    finally:
        if journal is not None:
            journal.close()
    progress.close()
    return _result(walks, evaluator, space, stopped_by, progress.seconds, judges.n_refits, seeds)


def _rounds(
    walks: list[_Walk], judges: Judges, budget: Budget, progress: Progress, journal: Journal | None
) -> str | None:
    """Go round the restarts until all have ended; gives the reason if something ended all of them."""
    reason: str | None = "failed"
    try:
        reason = _go_round(walks, judges, budget, progress, journal)
    except KeyboardInterrupt:
        reason = "interrupted"
    finally:
        for walk in walks:
            walk.conclude()
        if journal is not None:
            reasons = [reason or walk.stopped_by or "" for walk in walks]
            journal.end(progress.seconds, [walk.history for walk in walks], reasons)
    return reason


def _go_round(
    walks: list[_Walk], judges: Judges, budget: Budget, progress: Progress, journal: Journal | None
) -> str | None:
    live, replaying = walks, journal is not None and journal.replaying
    deadline = np.inf if budget.seconds is None else budget.seconds
    target = np.inf if budget.target is None else budget.target
    if journal is not None:
        progress.begin -= journal.seconds
    while live := [walk for walk in live if walk.ask()]:
        if replaying and not journal.replaying:  # type: ignore[union-attr]
            replaying = False
            _take_up(live, journal.seconds, deadline, progress)  # type: ignore[union-attr]
        judges.answer(live, np.inf if replaying else progress.begin + deadline)
        seconds = progress.tick()
        for walk in live:
            walk.record(seconds)
        if journal is not None and seconds >= journal.flush_at:
            journal.flush(seconds, [walk.history for walk in walks])
        if seconds >= deadline and not replaying:
            return "seconds"
        if progress.stop:
            return "callback"
        if target < np.inf and any(walk.history.best_quality >= target for walk in live):
            return "target"
    return None


def _take_up(live: list[_Walk], seconds: float, deadline: float, progress: Progress) -> None:
    """All that was recorded has been told: the clock goes on from there, and ends what it ended before."""
    progress.begin = perf_counter() - seconds
    for walk in live if seconds >= deadline else ():
        walk.break_off()


class _Walk:
    """One restart: its search, what it asks for now, what it has seen and remembers."""

    def __init__(
        self,
        number: int,
        search: Search,
        evaluator: Evaluator,
        space: Space,
        seed: np.random.SeedSequence,
        budget: Budget,
        memory: int,
        tape: Tape | None,
    ) -> None:
        self.number, self.space, self.evaluator, self.tape, self.budget = number, space, evaluator, tape, budget
        self.rng = np.random.default_rng(seed)
        self.steps: Steps = search.steps(space, self.rng, budget.evaluations if tape is None else tape.horizon)
        self.history = History(space)
        self.memory: dict[int, float] | None = {} if evaluator.traits.deterministic else None
        self.room = max(1, memory)
        self.left = np.inf if budget.evaluations is None else budget.evaluations
        self.patience = np.inf if budget.patience is None else budget.patience
        self.request: Subset | Candidates
        self.answer: Any = None
        self.returned: Subset | None = None
        self.stopped_by: str | None = None
        self.pending: Candidates | None = None
        self.n_told = 0  # how many qualities of this request the journal knew
        self.early: np.ndarray | None = None  # those of them that had to be computed once
        self.clock: Callable[[], float] = perf_counter  # seconds of the run

    def ask(self) -> bool:
        """Fetch the next request; False once this restart has ended."""
        history = self.history
        if self.left <= 0:
            self.stopped_by = "evaluations"
        elif len(history.qualities) - history.last_improvement >= self.patience:
            self.stopped_by = "patience"
        else:
            try:
                request = self.steps.send(self.answer)
            except StopIteration as stop:
                self.returned, self.stopped_by = stop.value, "search"
            else:
                self.receive(request)
                return True
        return False

    def conclude(self) -> None:
        """Tell a search that has not ended that it must; it may give its own answer so far."""
        if self.stopped_by == "search":
            return
        try:
            self.steps.throw(Spent())
        except StopIteration as stop:
            self.returned = stop.value
        except Spent:
            pass
        self.steps.close()

    def receive(self, request: Subset | Candidates) -> None:
        """Trim a request to the budget and look up what is remembered or recorded; the rest is pending."""
        if isinstance(request, Subset):
            self.left -= 1
            self.request = request
            self.answer = None if self.memory is None else self.memory.get(request.key)
            self.pending = self._stream(Candidates.of(self.space, [request])) if self.answer is None else None
        else:
            batch = request if isinstance(request, Candidates) else Candidates.of(self.space, request)
            if len(batch) > self.left:
                batch = batch[: int(self.left)]
            self.left -= len(batch)
            self.request, self.answer = batch, np.empty(len(batch))
            self._look_up(batch)
        if self.tape is not None and self.tape.replaying:
            self._replay(self.tape)

    def _replay(self, tape: Tape) -> None:
        """Let the journal answer, as far as it can."""
        batch = Candidates.of(self.space, [self.request]) if isinstance(self.request, Subset) else self.request
        told = tape.replay(batch.keys)
        if not len(self.history) and not self.number and len(told):
            self._compare(batch, float(told[0]))
        self.n_told = len(told)
        if self.pending is None:
            return
        missing = np.zeros(1, dtype=np.int64) if isinstance(self.request, Subset) else self.missing
        known = told[missing[missing < len(told)]]
        if len(known) == len(missing):
            self.pending = None
            self.deliver(known)
        elif len(told):
            self.pending, self.early = batch.take(missing[len(known) :]), known
            self.pending.stream = self.number, len(self.history) + len(known)

    def _compare(self, batch: Candidates, recorded: float) -> None:
        """Judge the very first request anew: if that gives something else, so would all others."""
        now = round_quality(float(self.evaluator.fork().evaluate(self._stream(batch[:1]))[0]))
        if not np.isclose(now, recorded, rtol=1e-6, atol=1e-9):
            raise JournalMismatch(
                f"the journal has {recorded} as quality of the first subset, and it is {now} now. The criterion has "
                "changed or is random: give the estimator and the splitter a random_state, or another directory."
            )

    def break_off(self) -> None:
        """Keep what the journal knew of a request that it knew in part."""
        if self.pending is not None and self.early is not None:
            self.pending = None
            self.deliver(np.empty(0))

    def _look_up(self, request: Candidates) -> None:
        """Split a batch into remembered qualities and those that must be computed, each distinct subset once."""
        if self.memory is None:
            self.pending = self._stream(request) if len(request) else None
            self.missing = np.arange(len(request))
            return
        keys = request.keys.tolist()
        if self.memory.keys().isdisjoint(keys) and len(set(keys)) == len(keys):
            self.missing, self.keys = np.arange(len(keys)), keys
            self.pending = self._stream(request) if keys else None
            return
        known = [self.memory.get(key) for key in keys]
        first: dict[int, int] = {}
        for i, (key, quality) in enumerate(zip(keys, known)):
            if quality is None:
                first.setdefault(key, i)
            else:
                self.answer[i] = quality
        self.missing, self.keys = np.fromiter(first.values(), dtype=np.int64, count=len(first)), keys
        whole = len(self.missing) == len(request)
        self.pending = self._stream(request if whole else request.take(self.missing)) if len(first) else None

    def _stream(self, candidates: Candidates) -> Candidates:
        candidates.stream = self.number, len(self.history.qualities)
        return candidates

    def hear(self, qualities: np.ndarray) -> None:
        """Keep the first qualities of a long batch in the journal while the others are being computed."""
        if self.tape is None or isinstance(self.request, Subset) or not len(qualities):
            return
        heard = round_qualities(qualities if self.early is None else np.concatenate([self.early, qualities]))
        end = len(self.request) if len(heard) == len(self.missing) else int(self.missing[len(heard)])
        answer = self.answer[:end].copy()
        answer[self.missing[: len(heard)]] = heard
        if self.memory is not None:
            self._fill_in(answer, dict(zip((self.keys[i] for i in self.missing.tolist()), heard.tolist())))
        if end > self.n_told:
            self.tape.write(self.request.keys[self.n_told : end], answer[self.n_told :], self.clock())
            self.n_told = end

    def _fill_in(self, answer: np.ndarray, fresh: dict[int, float]) -> None:
        """Answer what is asked for twice in one batch."""
        if len(fresh) < len(answer):
            for i, key in enumerate(self.keys[: len(answer)]):
                if key in fresh:
                    answer[i] = fresh[key]

    def deliver(self, qualities: np.ndarray) -> None:
        """Take the qualities of what was pending, rounded once and for all."""
        if self.early is not None:
            qualities, self.early = np.concatenate([self.early, qualities]), None
        self.history.n_computed += len(qualities)
        if isinstance(self.request, Subset):
            self.answer = round_quality(float(qualities[0]))
            if self.memory is not None:
                if len(self.memory) >= self.room:
                    del self.memory[next(iter(self.memory))]
                self.memory[self.request.key] = self.answer
            return
        if len(qualities) < len(self.missing):
            self._cut_short(len(qualities))
        rounded = round_qualities(qualities)
        whole = len(rounded) == len(self.answer)
        if whole:
            self.answer = rounded
        else:
            self.answer[self.missing] = rounded
        if self.memory is not None:
            keys = self.keys if whole else [self.keys[i] for i in self.missing.tolist()]
            fresh = dict(zip(keys, rounded.tolist()))
            self._fill_in(self.answer, fresh)
            self._remember_all(self.memory, fresh)

    def _cut_short(self, n_answered: int) -> None:
        """Time ran out within a batch: keep what stands before the first candidate without an answer."""
        assert isinstance(self.request, Candidates)
        end = int(self.missing[n_answered])
        self.missing, self.request, self.answer = self.missing[:n_answered], self.request[:end], self.answer[:end]
        if self.memory is not None:
            self.keys = self.keys[:end]

    def _remember_all(self, memory: dict[int, float], fresh: dict[int, float]) -> None:
        if len(memory) + len(fresh) <= self.room:
            memory.update(fresh)
            return
        for key, quality in fresh.items():
            if len(memory) >= self.room:
                del memory[next(iter(memory))]
            memory[key] = quality

    def record(self, seconds: float) -> None:
        """Write the answered request into the history, and what is new of it into the journal."""
        if self.n_told:
            self._record_told(seconds)
        elif isinstance(self.request, Subset):
            self.history.record(self.request, self.answer, seconds)
            if self.tape is not None:
                self.tape.keys.append(self.request.key)
        else:
            self.history.record_batch(self.request, self.answer, seconds)
            if self.tape is not None:
                self.tape.keys.frombytes(self.request.keys.tobytes())

    def _record_told(self, seconds: float) -> None:
        """Write a request that the journal knows, or the beginning of which it knows, into the history."""
        assert self.tape is not None
        told, self.n_told = self.n_told, 0
        seconds = min(seconds, self.tape.seconds)
        if isinstance(self.request, Subset):
            self.history.record(self.request, self.answer, seconds)
        else:
            self.history.record_batch(self.request, self.answer, seconds)
            self.tape.keys.frombytes(self.request.keys[told:].tobytes())


def _sequence(seed: int | np.random.SeedSequence | None) -> np.random.SeedSequence:
    return seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)


# The result ---------------------------------------------------------------------------------------------------------


def _result(
    walks: list[_Walk],
    evaluator: Evaluator,
    space: Space,
    stopped_by: str | None,
    seconds: float,
    n_refits: int,
    seeds: Sequence[np.random.SeedSequence],
) -> Result:
    notes: list[str] = []
    if walks[0].tape is not None and walks[0].tape.horizon != walks[0].budget.evaluations:
        begun = walks[0].tape.horizon or "no fixed number of"
        notes.append(f"the journal was begun with a budget of {begun} evaluations, which any schedule still follows.")
    answers = [_answer(walk, space, notes) for walk in walks]
    answer = max(answers, key=lambda found: found.quality)  # the first of equals
    histories = [walk.history for walk in walks]
    seen = [(h.best_quality, h.incumbent) for h in histories if h.incumbent is not None]
    quality, subset = max(seen, key=lambda pair: pair[0]) if seen else (answer.quality, None)
    best = answer if subset is None else _found(space, subset, quality)
    return Result(
        chosen=answer.columns,
        chosen_quality=answer.quality,
        best=best.columns,
        best_quality=best.quality,
        answer=answer,
        front=_front(histories, space),
        finalists=_finalists(histories, space),
        trace=_trace(histories),
        improvements=_improvements(histories),
        n_evaluations=sum(map(len, histories)),
        n_computed=sum(h.n_computed for h in histories),
        n_replayed=sum(walk.tape.n_told for walk in walks if walk.tape is not None),
        seconds=seconds,
        stopped_by=stopped_by or ", ".join(f"{reason}" for reason in Counter(w.stopped_by for w in walks)),
        judge=Judge(evaluator.traits.name or type(evaluator).__name__, evaluator.traits.exact, n_refits),
        restart_answers=tuple(answers),
        notes=tuple(dict.fromkeys(notes)),
    )


def _answer(walk: _Walk, space: Space, notes: list[str]) -> Found:
    """The answer of one restart: its own, else its incumbent, else something eligible near the best it has seen."""
    history = walk.history
    if walk.returned is not None and space.eligible(walk.returned):
        return _found(space, walk.returned, _quality_of(walk, walk.returned))
    if history.incumbent is not None:
        return _found(space, history.incumbent, history.best_quality)
    start = history.fallback[1] if history.fallback else space.empty()
    note = "the budget ended before any eligible subset was evaluated: the answer was completed at random."
    warnings.warn(note, StoppedEarly, stacklevel=4)
    notes.append(note)
    return _found(space, space.repair(start, walk.rng), -np.inf)


def _quality_of(walk: _Walk, subset: Subset) -> float:
    if walk.memory is not None and subset.key in walk.memory:
        return walk.memory[subset.key]
    seen = [q for q, s in walk.history.finalists if s == subset]
    seen += [q for q, s in walk.history.best_per_size.values() if s == subset]
    return max(seen, default=-np.inf)


def _found(space: Space, subset: Subset, quality: float, columns: np.ndarray | None = None) -> Found:
    columns = space.columns(subset) if columns is None else columns
    return Found(columns, quality, space.cost(subset), space.options(subset))


def _front(histories: list[History], space: Space) -> tuple[Found, ...]:
    """The undominated subsets over quality, size and cost, in order of size."""
    points = [p for h in histories for p in h.pareto]
    points += [(q, s.size, space.cost(s), s) for h in histories for q, s in h.best_per_size.values()]
    front: list[tuple[float, int, float, Subset]] = []
    for point in sorted(points, key=lambda p: (p[1], -p[0], p[2])):
        if not any(q >= point[0] and size <= point[1] and cost <= point[2] for q, size, cost, _ in front):
            front.append(point)
    return tuple(_found(space, subset, quality) for quality, _, _, subset in front)


def _finalists(histories: list[History], space: Space) -> tuple[Found, ...]:
    best: dict[int, tuple[float, Subset]] = {}
    for quality, subset in (pair for h in histories for pair in h.finalists):
        if quality > best.get(subset.bits, (-np.inf, None))[0]:
            best[subset.bits] = quality, subset
    ordered = sorted(best.values(), key=lambda pair: -pair[0])[:100]
    columns = Candidates.of(space, [subset for _, subset in ordered]).columns() if ordered else []
    return tuple(_found(space, subset, quality, c) for (quality, subset), c in zip(ordered, columns))


def _trace(histories: list[History]) -> np.ndarray:
    trace = np.empty(sum(map(len, histories)), dtype=[("restart", "i4"), ("quality", "f8"), ("size", "i4")])
    trace["restart"] = np.repeat(np.arange(len(histories)), [len(h) for h in histories])
    trace["quality"] = np.concatenate([np.frombuffer(h.qualities, dtype="f8") for h in histories])
    trace["size"] = np.concatenate([np.frombuffer(h.sizes, dtype="i4") for h in histories])
    return trace


def _improvements(histories: list[History]) -> np.ndarray:
    rows = [(r, i, t, q, s.size) for r, h in enumerate(histories) for i, t, q, s in h.improvements]
    kind = [("restart", "i4"), ("evaluation", "i8"), ("seconds", "f8"), ("quality", "f8"), ("size", "i4")]
    return np.array(rows, dtype=kind)
