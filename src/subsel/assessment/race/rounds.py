"""The race: contenders run the same folds, and poor ones are dropped early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from subsel.assessment.folds.fold import Fold, FoldSettings, run_fold
from subsel.assessment.folds.fold_journal import FoldJournal
from subsel.assessment.folds.procedure import Procedure
from subsel.assessment.folds.splits import Split
from subsel.assessment.race.contender import Contender, Standing
from subsel.assessment.row_intervals import ScoredFolds
from subsel.data.task import Task
from subsel.runtime.events import emit
from subsel.runtime.fold_loop import run_jobs
from subsel.runtime.screenful import frame, html_screenful, screenful

__all__ = ["Race", "race"]

FEWEST_FOLDS = 3  # folds before a contender is dropped, if the measure is no sum over rows
FIRST_SHARE = 0.4  # share of the time that the first fold may take
FIRST_FOLD = 5.0  # seconds that the first fold may take in any case
MEASURED = 1.0  # expected seconds after which the speed of the machine is known
FEWEST_CONTENDERS = 2  # contenders that run the first fold in any case
BROKEN = "the procedure"
DOUBT = 0.05  # the p-value under which a contender that is worse than the leader is dropped


@dataclass(frozen=True, eq=False)
class Race:
    """The outcome of a race.

    Parameters
    ----------
    standings : tuple of Standing
        The results of the contenders, best first, those that finished before those that were
        dropped.
    splits : list of Split
        The folds.
    notes : tuple of str
        Remarks for the user, such as contenders that failed.
    interrupted : bool
        Whether the user ended it.
    left_out : tuple of str
        The names of contenders that were not run for lack of time.
    warned : mapping
        Warnings of other libraries, by how often.

    Examples
    --------
    One contender ran three folds; the other was dropped after one and is not among the finished.
    Score and size are means over the folds.

    >>> def ran(score, columns):
    ...     return Fold(score, score, None, np.arange(columns), 1.0, None, False, False)
    >>> good = Standing(Contender("good", None), (ran(0.7, 2), ran(0.8, 3), ran(0.9, 4)), True)
    >>> poor = Standing(Contender("poor", None), (ran(0.5, 9),), False)
    >>> outcome = Race((good, poor), splits=[])
    >>> [(standing.name, round(standing.score, 2), standing.size) for standing in outcome.finished]
    [('good', 0.8, 3.0)]
    """

    standings: tuple[Standing, ...]
    splits: list[Split]
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    left_out: tuple[str, ...] = ()
    warned: Mapping[str, int] = field(default_factory=dict)

    def table(self) -> Any:
        """Give a table with one row per procedure, best first.

        It is a pandas frame where pandas is installed, otherwise a table that prints.
        """
        return frame(self._columns())

    def __repr__(self) -> str:
        """Show the results of the procedures on one screen."""
        return screenful(
            (f"note: {note}" for note in self.notes), {"the race, best first:": self._columns()}
        )

    def _repr_html_(self) -> str:
        return html_screenful(
            (f"note: {note}" for note in self.notes), {"the race, best first:": self._columns()}
        )

    def _columns(self) -> dict[str, list]:
        ran = [standing for standing in self.standings if standing.folds]
        return {
            key: [getattr(s, key) for s in ran] for key in ("name", "score", "size", "seconds")
        } | {"folds": [len(s.folds) for s in ran]}

    @property
    def finished(self) -> tuple[Standing, ...]:
        """The contenders that ran most folds, normally all, best first."""
        most = max(len(standing.folds) for standing in self.standings)
        return tuple(standing for standing in self.standings if len(standing.folds) == most)

    @property
    def eligible(self) -> tuple[Standing, ...]:
        """The eligible contenders that ran most folds, best first; the winner is one of them."""
        allowed = [standing for standing in self.standings if standing.contender.eligible]
        most = max(len(standing.folds) for standing in allowed)
        return tuple(standing for standing in allowed if len(standing.folds) == most)


def race(
    contenders: Sequence[Contender],
    task: Task,
    splits: list[Split],
    scorer: Callable,
    scoring: str,
    seed: int,
    *,
    deadline: float = np.inf,
    n_jobs: int | None = None,
    verbose: int = 0,
    journal: FoldJournal | None = None,
    keep: int = 3,
    tolerance: float = 0.0,
) -> Race:
    """Run one fold after the other with all contenders that remain.

    After every fold a contender is dropped if it is significantly worse than the leader on the rows
    held out so far, as :func:`subsel.assessment.compare` tests it, and by more than ``tolerance``;
    a measure that is not a sum over rows is tested after three folds. The best ``keep`` eligible
    contenders are not dropped. One that cannot be fitted is dropped with a note. A fold that would
    end after ``deadline`` (of ``perf_counter``) is not begun, except the first fold of two
    contenders.
    """
    plans = [_plan(contender, task, scorer, scoring, seed) for contender in contenders]
    how = {"n_jobs": n_jobs, "verbose": verbose, "journal": journal}
    late = _Late(contenders, deadline, effective_n_jobs(n_jobs))
    course = _Course(contenders, plans, splits, late, how, keep=keep, tolerance=tolerance)
    return course.outcome(course.run())


class _Course:
    """The state of a race: the contenders that remain, and the folds that each has run."""

    def __init__(
        self,
        contenders: Sequence[Contender],
        plans: list[FoldSettings],
        splits: list[Split],
        late: _Late,
        how: dict[str, Any],
        *,
        keep: int,
        tolerance: float,
    ) -> None:
        self.keep, self.tolerance = keep, tolerance
        self.contenders, self.plans, self.splits, self.late, self.how = (
            contenders,
            plans,
            splits,
            late,
            how,
        )
        self.folds: list[list[Fold]] = [[] for _ in contenders]
        self.errors: dict[int, str] = {}
        self.live, self.dropped = list(range(len(contenders))), 0

    def run(self) -> bool:
        """Run folds while contenders and time remain; give whether the user ended the race."""
        for number in range(len(self.splits)):
            if number:
                self._keep_who_can_finish(number)
                if self.late.for_fold([self.folds[place] for place in self.live]):
                    return False
            if self._fold(number):
                return True
            if not self.live:
                return False
        return False

    def _keep_who_can_finish(self, number: int) -> None:
        """Drop contenders where time does not suffice for one pass over the folds with all.

        The best contenders for which it suffices remain.

        The best eligible one and the best of the others remain in any case.
        """
        left = sum(split.repeat == 0 for split in self.splits) - number
        if left <= 0 or not self.late.for_fold([self.folds[place] for place in self.live], left):
            return
        order = sorted(self.live, key=self._score, reverse=True)
        eligible = [place for place in order if self.contenders[place].eligible][:1]
        kept = list(dict.fromkeys([*eligible, *order[:FEWEST_CONTENDERS]]))[:FEWEST_CONTENDERS]
        for place in order:
            if place not in kept and not self.late.for_fold(
                [self.folds[p] for p in (*kept, place)], left
            ):
                kept.append(place)
        self.dropped += len(self.live) - len(kept)
        self.live = sorted(kept)

    def _score(self, place: int) -> float:
        """The mean over the folds that a contender has run."""
        return float(np.mean([fold.score for fold in self.folds[place]]))

    def _fold(self, number: int) -> bool:
        """Run one fold with all contenders that remain; give whether the user ended it.

        A fold that not all could run is discarded, unless it is the first.
        """
        handed: list[int] = []
        jobs = ((place, number) for place in self.late.in_time(self.live, number, handed))
        what = f"race, fold {number + 1} of {len(self.splits)}"
        shared, n = (self.plans, self.splits), len(self.live)
        heats, interrupted = run_jobs(
            _heat,
            shared,
            jobs,
            n,
            what=what,
            unit="procedure",
            named=lambda job: self.contenders[job[0]].name,
            **self.how,
        )
        if len(heats) != len(handed) or (number and handed != self.live):
            heats = []
        for place, fold in zip(handed, heats):
            if BROKEN in fold.failed:
                self.errors[place] = fold.failed[BROKEN]
            else:
                self.folds[place].append(fold)
        ran = [place for place in self.live if len(self.folds[place]) == number + 1]
        eligible = [contender.eligible for contender in self.contenders]
        scored = {place: self._scored(place) for place in ran}
        self.live = _still_in(ran, scored, eligible, self.keep, self.tolerance)
        _tell(
            _standings(self.contenders, self.folds, self.live, self.errors),
            number + 1,
            len(self.splits),
        )
        return interrupted

    def _scored(self, place: int) -> ScoredFolds:
        """Give the scores of a contender so far, with contributions of rows."""
        plan, folds = self.plans[place], self.folds[place]
        scores, outputs = np.array([fold.score for fold in folds]), [fold.outputs for fold in folds]
        return ScoredFolds.of(plan.scoring, scores, outputs, self.splits[: len(folds)], plan.task)

    def outcome(self, interrupted: bool) -> Race:
        """Give the outcome of the race."""
        notes = [
            f"{self.contenders[place].name} could not be fitted: {error}"
            for place, error in self.errors.items()
        ]
        most = max(map(len, self.folds))
        if self.dropped:
            some = f"{self.dropped} procedures were"
            if self.dropped == 1:
                some = "1 procedure was"
            notes.append(f"time was short: {some} dropped to run all folds with the others.")
        if 0 < most < len(self.splits):
            notes.append(f"the race ended after {most} of {len(self.splits)} folds.")
        left_out = tuple(self.contenders[place].name for place in self.late.left_out)
        warned = sum(
            (Counter(fold.warned) for folds in self.folds for fold in folds), Counter[str]()
        )
        standings = _standings(self.contenders, self.folds, self.live, self.errors)
        return Race(standings, self.splits, tuple(notes), interrupted, left_out, dict(warned))


class _Late:
    """The time that remains, from the expected and measured seconds of the contenders."""

    def __init__(self, contenders: Sequence[Contender], deadline: float, n_workers: int) -> None:
        self.contenders, self.deadline, self.n_workers = contenders, deadline, n_workers
        self.left_out: list[int] = []

    def in_time(self, live: list[int], number: int, handed: list[int]) -> Iterator[int]:
        """Give the contenders that will end a fold in time; appends them to ``handed``.

        In the first fold two contenders are given in any case.
        """
        begin, expected = perf_counter(), 0.0
        deadline = self.deadline
        if number == 0 and np.isfinite(deadline):
            deadline = max(begin + FIRST_SHARE * (deadline - begin), begin + FIRST_FOLD)
        for turn, place in enumerate(live):
            now, seconds = perf_counter(), 0.0 if number else self.contenders[place].seconds
            pace = 1.0
            if expected > MEASURED:
                pace = max(pace, (now - begin) / expected)
            if now + pace * seconds > deadline and not (number == 0 and turn < FEWEST_CONTENDERS):
                if number == 0:
                    self.left_out.append(place)
                continue
            expected += seconds
            handed.append(place)
            yield place

    def for_fold(self, run: list[list[Fold]], n_folds: int = 1) -> bool:
        """Tell whether so many more folds of these contenders would end too late."""
        seconds = sum(sum(fold.seconds for fold in folds) / len(folds) for folds in run)
        return perf_counter() + n_folds * seconds / self.n_workers > self.deadline


def _standings(
    contenders: Sequence[Contender], run: list[list[Fold]], live: list[int], errors: dict[int, str]
) -> tuple[Standing, ...]:
    """Give the results of all contenders, sorted by number of folds, then by score."""
    standings = [
        Standing(contender, tuple(folds), place in live, errors.get(place, ""))
        for place, (contender, folds) in enumerate(zip(contenders, run))
    ]
    return tuple(sorted(standings, key=lambda s: (-len(s.folds), -s.score)))


def _tell(standings: Sequence[Standing], done: int, total: int) -> None:
    """Emit an event with the results after a fold."""
    rows = [
        {
            "name": s.name,
            "score": s.score,
            "size": s.size,
            "folds": len(s.folds),
            "live": s.finished,
        }
        for s in standings
        if s.folds
    ]
    emit("race", done=done, total=total, standings=rows)


def _heat(shared: tuple[list[FoldSettings], list[Split]], place: int, number: int) -> Fold:
    """Run one contender on one fold; a failure is recorded in the fold."""
    plans, splits = shared
    try:
        return run_fold(plans[place], splits[number], number)
    except Exception as error:  # one contender must not end a race
        first_line = next(iter(str(error).splitlines()), "")
        why = f"{type(error).__name__}: {first_line}"
        return Fold(np.nan, np.nan, None, None, 0.0, None, False, False, failed={BROKEN: why})


def _plan(
    contender: Contender, task: Task, scorer: Callable, scoring: str, seed: int
) -> FoldSettings:
    return FoldSettings(
        Procedure.of(contender.procedure, None), task, scorer, scoring, seed, guided=False
    )


def _still_in(
    live: list[int],
    scored: Mapping[int, ScoredFolds],
    eligible: list[bool],
    keep: int,
    tolerance: float = 0.0,
) -> list[int]:
    """Drop contenders significantly worse than the leader, except the best eligible ones."""
    if not live:
        return live
    ordered = sorted(live, key=lambda place: -scored[place].scores.mean())
    leader = ordered[0]
    best = {leader, *[place for place in ordered if eligible[place]][:keep]}
    return [
        place
        for place in live
        if place in best or not _beaten(scored[leader], scored[place], tolerance)
    ]


def _beaten(leader: ScoredFolds, other: ScoredFolds, tolerance: float) -> bool:
    """Tell whether a contender is worse than the leader, significantly and beyond the tolerance."""
    if (leader.rows is None or other.rows is None) and len(leader.scores) < FEWEST_FOLDS:
        return False
    gap, _, p_value = leader.compared(other, 0.95)
    return gap > tolerance and p_value < DOUBT
