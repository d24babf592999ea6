"""What a run itself should make a reader doubt: a budget that ended too soon, a choice that all features beat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from subsel.report.cautions.assessment import ONE_PASS
from subsel.report.cautions.caution import Caution
from subsel.report.figures.display import named

__all__ = ["run_cautions"]

ENDED_EARLY = {
    "seconds": "Its time was spent.",
    "evaluations": "Its evaluations were spent.",
    "interrupted": "It was interrupted.",
}


def run_cautions(selection: Mapping[str, Any]) -> Iterator[Caution]:
    """What the document of a selection says against it.

    Examples
    --------
    >>> run = {"stopped_by": "seconds", "evaluations": 30, "searched": 500}
    >>> [caution.title for caution in run_cautions({"run": run})]
    ['The budget ended before every column was tried']
    """
    run, race = selection.get("run", {}), selection.get("race")
    ended = run.get("stopped_by", "")
    evaluations, searched = run.get("evaluations", 0), run.get("searched", 0)
    if ended in ("seconds", "evaluations") and evaluations < searched:
        text = (
            f"{evaluations:,} subsets were looked at, fewer than the {searched:,} columns: some columns were never "
            "tried. Give a larger --budget, or fewer columns."
        )
        yield Caution("serious", "The budget ended before every column was tried", text)
    elif ended in ENDED_EARLY:
        yield Caution(
            "note",
            "The search was cut short",
            f"{ENDED_EARLY[ended]} A longer run may find better.",
        )
    if starved := run.get("starved"):
        text = (
            f"{named(starved, 4)} ended before looking at every column once, so that the comparison of models is unfair "
            "to it. Give a larger --budget, or name one model with --estimator."
        )
        yield Caution("serious", "An evaluator was starved", text)
    if race:
        yield from _of_race(race)


def _of_race(race: Mapping[str, Any]) -> Iterator[Caution]:
    price = race.get("price")
    if price is not None and price["interval"][1] < 0:
        low, high = price["interval"]
        text = (
            f"{price['against']} scores {-price['difference']:.3f} higher on the same folds (selecting costs "
            f"{-high:.3f} to {-low:.3f}). Use all features, unless few are wanted for another reason."
        )
        yield Caution("serious", "Something simpler does better", text)
    folds = max((row["folds"] for row in race["procedures"]), default=0)
    if folds < min(ONE_PASS, race.get("folds_asked", ONE_PASS)):
        text = f"{folds} of {race.get('folds_asked', ONE_PASS)} folds were run before the time was spent. Give a larger --budget."
        yield Caution("serious", "Unfinished assessment", text)
