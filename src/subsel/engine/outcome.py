"""The result of a run, from its restarts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from operator import itemgetter

import numpy as np

from subsel.engine.history import N_FINALISTS, History
from subsel.engine.restart import Restart
from subsel.result.pareto import undominated
from subsel.result.result import EvaluatorRecord, Result, SelectedSubset
from subsel.result.rounding import round_quality
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["StoppedEarly", "outcome"]

MOST_COLUMNS = 500  # of the best subsets by size: a result stays small whatever the table


class StoppedEarly(UserWarning):
    """Warning that the budget ended before any eligible subset was evaluated."""


def outcome(
    restarts: Sequence[Restart],
    space: Space,
    evaluator: EvaluatorRecord,
    stopped_by: str | None,
    seconds: float,
    *,
    notes: Sequence[str] = (),
    hung: bool = False,
) -> Result:
    """Combine the restarts of a run into its result.

    Where the budget ended before any eligible subset was evaluated, the best subset seen is
    completed to an eligible one. This is then evaluated, unless the user ended the run or a fit
    hung: only then is the quality of an answer unknown.

    Parameters
    ----------
    restarts : sequence of Restart
        All restarts, each of which has ended.
    space : Space
        The space that was searched.
    evaluator : EvaluatorRecord
        Name and properties of the evaluator.
    stopped_by : str or None
        What ended all restarts at once, None if each ended by itself.
    seconds : float
        Seconds of the run.
    notes : sequence of str
        Notes for the user.
    hung : bool
        Whether evaluations had to be stopped.
    """
    notes, first, unevaluated = [*notes], restarts[0], hung or stopped_by == "interrupted"
    if first.log is not None and first.log.horizon != first.budget.evaluations:
        begun = first.log.horizon or "no fixed number of"
        notes.append(
            f"the journal was begun with a budget of {begun} evaluations, which schedules of the "
            "search still follow."
        )
    if (step := first.history.step) > 1:
        notes.append(f"the trace has every {step}th evaluation only, because there were so many.")
    answers = [_answer(restart, space, notes, unevaluated) for restart in restarts]
    answer = max(answers, key=lambda found: found.quality)  # the first of equals
    histories = [restart.history for restart in restarts]
    seen = [(h.best_quality, h.incumbent) for h in histories if h.incumbent is not None]
    best = answer
    if seen:
        quality, subset = max(seen, key=itemgetter(0))
        best = _selected(space, subset, quality)
    reasons = Counter(str(restart.stopped_by) for restart in restarts)
    return Result(
        chosen=answer.columns,
        chosen_quality=answer.quality,
        best=best.columns,
        best_quality=best.quality,
        answer=answer,
        front=_front(histories, space),
        finalists=_finalists(histories, space),
        by_size=_by_size(histories, space),
        trace=_trace(histories),
        improvements=_improvements(histories),
        n_evaluations=sum(history.n for history in histories),
        n_computed=sum(history.n_computed for history in histories),
        n_replayed=sum(restart.log.n_replayed for restart in restarts if restart.log is not None),
        seconds=seconds,
        stopped_by=stopped_by or ", ".join(reasons),
        evaluator=evaluator,
        restart_answers=tuple(answers),
        notes=tuple(dict.fromkeys(notes)),
    )


def _answer(restart: Restart, space: Space, notes: list[str], unevaluated: bool) -> SelectedSubset:
    """Return the search's own answer, else the incumbent, else a completed subset.

    The last is the best subset seen, made eligible at random; this adds a note and warns.
    """
    history, returned = restart.history, restart.returned
    if returned is not None and space.eligible(returned):
        return _selected(space, returned, _quality_of(restart, returned))
    if history.incumbent is not None:
        return _selected(space, history.incumbent, history.best_quality)
    start = space.empty()
    if history.fallback is not None:
        start = history.fallback[1]
    completed, quality = space.repair(start, restart.rng), -np.inf
    note = (
        "the budget ended before any eligible subset was evaluated: the best seen was completed at "
        "random"
    )
    if not unevaluated:
        note += ", and evaluated beyond the budget"
        computed = restart.evaluator.evaluate(Candidates.of(space, [completed]))
        quality = round_quality(float(computed[0]))
    note += "."
    warnings.warn(note, StoppedEarly, stacklevel=4)
    notes.append(note)
    return _selected(space, completed, quality)


def _quality_of(restart: Restart, subset: Subset) -> float:
    remembered = restart.memory.quality(subset.key)
    if remembered is not None:
        return remembered
    seen = [q for q, s in restart.history.finalists if s == subset]
    seen += [q for q, s in restart.history.best_per_size.values() if s == subset]
    return max(seen, default=-np.inf)


def _selected(space: Space, subset: Subset, quality: float) -> SelectedSubset:
    return SelectedSubset(space.columns(subset), quality, space.cost(subset), space.options(subset))


def _front(histories: list[History], space: Space) -> tuple[SelectedSubset, ...]:
    """Find the undominated subsets over quality, size and cost, in order of size."""
    points = [point for history in histories for point in history.pareto]
    points += [
        (s.size, -q, space.cost(s), s)
        for history in histories
        for q, s in history.best_per_size.values()
    ]
    return tuple(
        _selected(space, subset, -loss)
        for _, loss, _, subset in undominated(points, lambda point: point[:3])
    )


def _by_size(histories: list[History], space: Space) -> tuple[SelectedSubset, ...]:
    """Collect the best eligible subset of each size, in order of size; the first of equals."""
    best: dict[int, tuple[float, Subset]] = {}
    for size, (quality, subset) in (
        item for history in histories for item in history.best_per_size.items()
    ):
        if size not in best or quality > best[size][0]:
            best[size] = quality, subset
    return tuple(
        _selected(space, subset, quality)
        for size, (quality, subset) in sorted(best.items())
        if size <= MOST_COLUMNS
    )


def _finalists(histories: list[History], space: Space) -> tuple[SelectedSubset, ...]:
    """Find the best hundred of the finalists of all restarts, each once."""
    best: dict[int, tuple[float, Subset]] = {}
    for quality, subset in (pair for history in histories for pair in history.finalists):
        if quality > best.get(subset.bits, (-np.inf, None))[0]:
            best[subset.bits] = quality, subset
    ordered = sorted(best.values(), key=lambda pair: -pair[0])[:N_FINALISTS]
    if not ordered:
        return ()
    columns = Candidates.of(space, [subset for _, subset in ordered]).columns()
    return tuple(
        SelectedSubset(its_columns, quality, space.cost(subset), space.options(subset))
        for (quality, subset), its_columns in zip(ordered, columns)
    )


def _trace(histories: list[History]) -> np.ndarray:
    lengths = [len(history.qualities) for history in histories]
    trace = np.empty(sum(lengths), dtype=[("restart", "i4"), ("quality", "f8"), ("size", "i4")])
    for number, (history, end) in enumerate(zip(histories, accumulate(lengths))):
        part = trace[end - lengths[number] : end]
        part["restart"] = number
        part["quality"] = np.frombuffer(history.qualities, dtype="f8")
        part["size"] = np.frombuffer(history.sizes, dtype="i4")
    return trace


def _improvements(histories: list[History]) -> np.ndarray:
    rows = [(r, i, t, q, s.size) for r, h in enumerate(histories) for i, t, q, s in h.improvements]
    kind = [
        ("restart", "i4"),
        ("evaluation", "i8"),
        ("seconds", "f8"),
        ("quality", "f8"),
        ("size", "i4"),
    ]
    return np.array(rows, dtype=kind)
