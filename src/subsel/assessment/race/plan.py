"""Who takes part in a race, and how often the folds are repeated: decided by the table's shape and the seconds asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from subsel.assessment.race.contender import Contender

__all__ = ["RaceSchedule", "plan_race"]

MOST_REPEATS = 3
STAYING = 0.5  # of the work that is still there once the poor are dropped
MANY = 400  # training rows from which the rows held out in one fold tell who is poor
SHARE = 0.75  # of the seconds that a plan may fill: the rest is for fitting the winner, and for a slow machine
LEAST_SHARE = 0.35  # the same where few seconds are asked for
AROUND = 6.0  # seconds that a command may need to start, and to write its report


class RaceSchedule(NamedTuple):
    """What will be run.

    Parameters
    ----------
    contenders : tuple of Contender
        Those that take part.
    repeats : int
        How often the folds are repeated.
    left_out : tuple of str
        Names of those for which the seconds do not suffice.
    """

    contenders: tuple[Contender, ...]
    repeats: int
    left_out: tuple[str, ...]


def plan_race(
    offered: Sequence[Contender], seconds: float, n_folds: int, n_rows: int = 0
) -> RaceSchedule:
    """Take as many contenders as the seconds allow, in the order in which they are offered, then repeat the folds.

    The costs come from a table that ships with the library, so that the same table and the same
    seconds give the same plan on any machine, however busy.

    Parameters
    ----------
    offered : sequence of Contender
        The most promising for their price first; the first two are always taken.
    seconds : float
        For the whole race; infinity takes all.
    n_folds : int
        Folds of one repeat.
    n_rows : int, default=0
        Rows of a training part; where they are many, the poor are dropped after the first fold.

    Examples
    --------
    >>> offered = [Contender("quick", None, 0.1), Contender("slow", None, 5.0), Contender("dear", None, 100.0)]
    >>> plan = plan_race(offered, seconds=60, n_folds=5)
    >>> [contender.name for contender in plan.contenders], plan.repeats, plan.left_out
    (['quick', 'slow'], 2, ('dear',))
    """
    whole = min(SHARE * seconds, max(LEAST_SHARE * seconds, 0.85 * seconds - AROUND))
    room, taken, left_out = whole, [], []
    passes = 1 + STAYING * (n_folds - 1) if n_rows >= MANY else n_folds
    for place, contender in enumerate(offered):
        cost = passes * contender.seconds
        if place < 2 or cost <= room:
            taken.append(contender)
            room -= cost
        else:
            left_out.append(contender.name)
    once = sum(contender.seconds for contender in taken)
    more: float = MOST_REPEATS - 1
    if once > 0:
        more = min((whole - passes * once) / (STAYING * n_folds * once), more)
    repeats = 1 + int(max(0.0, more))
    return RaceSchedule(tuple(taken), repeats, tuple(left_out))
