"""The choice of the winner of a race: the best, or the smallest that is nearly as good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from subsel.assessment.folds.splits import share_tested
from subsel.assessment.intervals import corrected_error
from subsel.assessment.race.combination import Combination
from subsel.assessment.race.contender import Standing
from subsel.assessment.race.rounds import Race

__all__ = [
    "MEMBERS",
    "TOLERATED",
    "Option",
    "Preference",
    "answers",
    "preferred_option",
    "within_tolerance",
]

Preference = Literal["accuracy", "balance", "few"]
MEMBERS = {"accuracy": 3, "balance": 3, "few": 1}  # the largest number of combined procedures
ERRORS = {
    "accuracy": 2.0,
    "balance": 0.5,
    "few": 2.0,
}  # tolerated distance from the best, in paired standard errors
TOLERATED = {
    "accuracy": 0.02,
    "balance": 0.005,
    "few": 0.05,
}  # the smallest tolerance, as a share of the range of the score


@dataclass(frozen=True, eq=False)
class Option:
    """One procedure, or a combination of several.

    Parameters
    ----------
    members : tuple of Standing
        The best first.
    scores : ndarray of shape (n_folds,)
        The score in each fold.
    """

    members: tuple[Standing, ...]
    scores: np.ndarray

    @property
    def score(self) -> float:
        """The mean over the folds."""
        return float(self.scores.mean())

    @cached_property
    def size(self) -> float:
        """The mean number of columns that the members read; infinity where it is unknown."""
        if len(self.members) == 1:
            return self.members[0].size
        return float(
            np.mean([_union(folds) for folds in zip(*(member.folds for member in self.members))])
        )


def preferred_option(
    race: Race, prefer: Preference, committee: int = 1, together: Combination | None = None
) -> tuple[Standing, ...]:
    """Give the contenders to refit, the most trusted first.

    ``"accuracy"`` takes the best ``committee`` of those within the tolerance of the best;
    ``"balance"`` and ``"few"`` take the smallest answer within the tolerance.
    """
    if prefer == "accuracy":
        return tuple(_near(race, prefer)[:committee])
    options = answers(race, committee, together)
    slack, most = within_tolerance(race, options, prefer), max(option.score for option in options)
    near = [option for option, behind in zip(options, slack) if most - option.score <= behind]
    return min(near, key=lambda option: (option.size, -option.score)).members


def answers(race: Race, committee: int = 1, together: Combination | None = None) -> list[Option]:
    """Give every contender as an option, and two combinations where they can be scored.

    These combine the best contenders, and the smallest good ones.
    """
    alone = [Option((standing,), standing.scores) for standing in race.eligible]
    if committee == 1 or together is None:
        return alone
    small = sorted(_near(race, "balance"), key=lambda standing: standing.size)[:committee]
    teams = [
        _near(race, "accuracy")[:committee],
        sorted(small, key=lambda standing: -standing.score),
    ]
    scored = [(tuple(team), together.scores(team)) for team in teams if len(team) > 1]
    return [*alone, *(Option(team, scores) for team, scores in scored if scores is not None)]


def within_tolerance(race: Race, options: Sequence[Option], prefer: Preference) -> np.ndarray:
    """Give for each option the tolerated distance from the best, shape (n_options,)."""
    best, share = max(options, key=lambda option: option.score), share_tested(race.splits)
    errors = [corrected_error(best.scores - option.scores, share) for option in options]
    finite = np.where(np.isfinite(errors), errors, 0.0)
    return np.maximum(ERRORS[prefer] * finite, TOLERATED[prefer])


def _near(race: Race, prefer: Preference) -> list[Standing]:
    """Give the contenders within the tolerance of the best, best first."""
    alone = answers(race)
    slack = within_tolerance(race, alone, prefer)
    return [
        option.members[0]
        for option, most in zip(alone, slack)
        if alone[0].score - option.score <= most
    ]


def _union(folds: Sequence) -> float:
    columns = [fold.columns for fold in folds]
    if any(chosen is None for chosen in columns):
        return np.inf
    return len(np.unique(np.concatenate(columns)))
