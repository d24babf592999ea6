"""The race: contenders run the same folds, each with its whole selection inside, and poor ones are dropped early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy.stats import t as student

from subsel.assessment.fold import Fold, Plan, run_fold
from subsel.assessment.fold_journal import FoldJournal
from subsel.assessment.intervals import corrected_error
from subsel.assessment.procedure import Procedure
from subsel.assessment.running import run_jobs
from subsel.assessment.splits import Split, share_tested
from subsel.engine.telling import tell
from subsel.race.contender import Contender, Standing
from subsel.task import Task

__all__ = ["Race", "race"]

FEWEST_FOLDS = 3  # no one is dropped before
BROKEN = "the procedure"
DOUBT = 0.1  # how sure one must be that a contender is worse than the leader, to drop it


@dataclass(frozen=True, eq=False)
class Race:
    """What came of a race.

    Parameters
    ----------
    standings : tuple of Standing
        Best first: those that finished, then those that were dropped.
    splits : list of Split
        The folds.
    notes : tuple of str
        What the user should know: who failed, what was not tried.
    interrupted : bool
        Whether the user ended it.
    """

    standings: tuple[Standing, ...]
    splits: list[Split]
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def finished(self) -> tuple[Standing, ...]:
        """Those that ran all folds (where time ended early, those that ran most), best first."""
        most = max(len(standing.folds) for standing in self.standings)
        return tuple(standing for standing in self.standings if len(standing.folds) == most)

    @property
    def eligible(self) -> tuple[Standing, ...]:
        """Those among which the winner is taken: eligible, and no other eligible one ran more folds; best first."""
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
) -> Race:
    """Let contenders run the folds side by side, one fold after the other.

    After three folds a contender is dropped once it is worse than the leader beyond doubt, by the corrected test for
    overlapping folds; the best ``keep`` of those that may be taken stay. One that cannot be fitted is dropped with a note. ``deadline`` (of ``perf_counter``) ends the
    race after the fold in progress.
    """
    plans = [_plan(contender, task, scorer, scoring, seed) for contender in contenders]
    run: list[list[Fold]] = [[] for _ in contenders]
    errors: dict[int, str] = {}
    eligible = [contender.eligible for contender in contenders]
    live, interrupted = list(range(len(contenders))), False
    for number in range(len(splits)):
        jobs = ((place, number) for place in live)
        what = f"race, fold {number + 1} of {len(splits)}"
        heats, interrupted = run_jobs(
            _heat, (plans, splits), jobs, len(live), n_jobs, verbose, what, journal, unit="procedure"
        )
        for place, fold in zip(live, heats if len(heats) == len(live) else ()):
            if BROKEN in fold.failed:
                errors[place] = fold.failed[BROKEN]
            else:
                run[place].append(fold)
        live = _still_in([place for place in live if place not in errors], run, eligible, splits, keep)
        _tell(_standings(contenders, run, live, errors), number + 1, len(splits))
        if interrupted or perf_counter() >= deadline or not live:
            break
    notes = [f"{contenders[place].name} could not be fitted: {error}" for place, error in errors.items()]
    if live and len(run[live[0]]) < len(splits):
        notes.append(f"the race ended after {len(run[live[0]])} of {len(splits)} folds.")
    return Race(_standings(contenders, run, live, errors), splits, tuple(notes), interrupted)


def _standings(
    contenders: Sequence[Contender], run: list[list[Fold]], live: list[int], errors: dict[int, str]
) -> tuple[Standing, ...]:
    """How each contender stands at the end: who ran most folds first, then the best."""
    standings = [
        Standing(contender, tuple(folds), place in live, errors.get(place, ""))
        for place, (contender, folds) in enumerate(zip(contenders, run))
    ]
    return tuple(sorted(standings, key=lambda s: (-len(s.folds), -s.score)))


def _tell(standings: Sequence[Standing], done: int, total: int) -> None:
    """Tell who watches how the contenders stand after a fold."""
    rows = [
        {"name": s.name, "score": s.score, "size": s.size, "folds": len(s.folds), "live": s.finished}
        for s in standings
        if s.folds
    ]
    tell("race", done=done, total=total, standings=rows)


def _heat(shared: tuple[list[Plan], list[Split]], place: int, number: int) -> Fold:
    """One contender on one fold; where it could not run, the fold says why."""
    plans, splits = shared
    try:
        return run_fold(plans[place], splits[number], number)
    except Exception as error:  # one contender must not end a race
        why = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        return Fold(np.nan, np.nan, None, None, 0.0, None, False, False, failed={BROKEN: why})


def _plan(contender: Contender, task: Task, scorer: Callable, scoring: str, seed: int) -> Plan:
    return Plan(Procedure.of(contender.procedure, None), task, scorer, scoring, None, seed, keep_predictions=True)


def _still_in(
    live: list[int], run: list[list[Fold]], eligible: list[bool], splits: list[Split], keep: int
) -> list[int]:
    """Drop who is worse than the leader beyond doubt; the best of those that may be taken stay."""
    if not live or len(run[live[0]]) < FEWEST_FOLDS:
        return live
    scores = {place: np.array([fold.score for fold in run[place]]) for place in live}
    ordered = sorted(live, key=lambda place: -scores[place].mean())
    leader, share = ordered[0], share_tested(splits)
    best = {leader, *[place for place in ordered if eligible[place]][:keep]}
    return [place for place in live if place in best or not _beaten(scores[leader] - scores[place], share)]


def _beaten(differences: np.ndarray, share: float) -> bool:
    """Whether the differences to a better one are more than the doubt about overlapping folds."""
    error = corrected_error(differences, share)
    return bool(differences.mean() > student.ppf(1 - DOUBT, len(differences) - 1) * error and differences.mean() > 0)
