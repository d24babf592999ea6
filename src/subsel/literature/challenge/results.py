"""What the entries of a season reached, opened and scored, beside what was printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.literature.challenge.figures import Figure, figures
from subsel.literature.challenge.problem import Problem
from subsel.literature.challenge.scoring import EntryScore, Openings, pairwise
from subsel.literature.challenge.season import Season

__all__ = ["EntryResult", "opened_results"]


@dataclass(frozen=True)
class EntryResult:
    """An entry to a problem.

    Parameters
    ----------
    key : str
        Of the entry.
    score : EntryScore
        On the validation rows.
    points : float
        Pairwise score among the entries to this problem.
    n_openings, first : int, str
        How often validation labels were opened for it, in full or in quick form, and when first.
    figure : Figure or None
        What was printed.
    """

    key: str
    score: EntryScore
    points: float
    n_openings: int
    first: str
    figure: Figure | None

    @property
    def printed(self) -> float:
        """The printed error that is most like ours; NaN where there is none."""
        return float("nan") if self.figure is None else self.figure.nearest

    @property
    def bars_off(self) -> float:
        """By how many error bars the balanced error lies above what was printed; NaN where nothing was.

        The bar is ours, 0.15 at least.

        >>> score = EntryScore("an entry", "madelon", 10.0, 1.0, 90.0, 4.0, 0.0, 20, 1.0)
        >>> EntryResult("key", score, 0.0, 1, "today", Figure(7.0, 8.0, "1 Dec", 20)).bars_off
        3.0
        """
        return (self.score.ber - self.printed) / max(self.score.bar, 0.15)


def opened_results(season: Season, problem: Problem, openings: Openings) -> list[EntryResult]:
    """Open and score all submissions to a problem, the least error first; every opening is recorded."""
    given = season.submissions(problem)
    scores = {key: openings.open(problem, one) for key, one in given.items()}
    points = np.zeros(len(given))
    if len(given) > 1:
        points = pairwise(problem, list(given.values()))
    found = []
    for (key, score), own in zip(scores.items(), points):
        title = score.entry.removesuffix(", quick")
        dates = [
            r["date"]
            for form in (title, f"{title}, quick")
            for r in openings.of(form, problem.name)
        ]
        figure = figures(key).get(problem.name)
        found.append(EntryResult(key, score, float(own), len(dates), min(dates), figure))
    return sorted(found, key=lambda result: result.score.ber)
