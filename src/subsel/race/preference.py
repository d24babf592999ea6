"""Which of the contenders to take: the best, a committee, or the smallest that is nearly as good."""

from __future__ import annotations

from typing import Literal

import numpy as np

from subsel.assessment.intervals import corrected_error
from subsel.assessment.splits import share_tested
from subsel.race.contender import Standing
from subsel.race.running import Race

__all__ = ["Preference", "preferred", "tolerated"]

Preference = Literal["accuracy", "balance", "few"]
ERRORS = {"accuracy": 2.0, "balance": 0.5, "few": 2.0}  # paired standard errors behind the best that are tolerated
TOLERATED = {"accuracy": 0.02, "balance": 0.005, "few": 0.03}  # the same at least, as a share of the score's range


def preferred(race: Race, prefer: Preference, committee: int = 1) -> list[Standing]:
    """The contenders to refit, the most trusted first.

    Of those that are not worse than the best by more than is tolerated, ``"accuracy"`` takes the best ``committee``,
    ``"balance"`` and ``"few"`` the smallest.
    """
    finished = race.eligible
    slack = tolerated(race, prefer)
    near = [standing for standing, most in zip(finished, slack) if finished[0].score - standing.score <= most]
    if prefer == "accuracy":
        return near[:committee]
    return sorted(near, key=lambda standing: (standing.size, -standing.score))[:committee]


def tolerated(race: Race, prefer: Preference) -> np.ndarray:
    """How far behind the best each of the eligible may be."""
    best, share = race.eligible[0], share_tested(race.splits)
    errors = [corrected_error(best.scores - standing.scores, share) for standing in race.eligible]
    finite = np.where(np.isfinite(errors), errors, 0.0)
    return np.maximum(ERRORS[prefer] * finite, TOLERATED[prefer])
