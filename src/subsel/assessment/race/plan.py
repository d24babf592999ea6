"""The plan of a race: which contenders take part, and how often the folds are repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from subsel.assessment.race.contender import Contender

__all__ = ["RaceSchedule", "plan_race"]

MOST_REPEATS = 3
STAYING = 0.5  # share of the work that remains after poor contenders are dropped
MANY = 400  # with so many training rows, poor contenders are dropped after one fold
SHARE = 0.75  # share of the seconds for the plan; the winner and slow machines need the rest
LEAST_SHARE = 0.35  # the same for few seconds
AROUND = 6.0  # seconds that a command may need to start and to write its report


class RaceSchedule(NamedTuple):
    """The plan of a race.

    Parameters
    ----------
    contenders : tuple of Contender
        The contenders that take part.
    repeats : int
        The number of repeats of the folds.
    left_out : tuple of str
        The names of those for which the seconds do not suffice.
    """

    contenders: tuple[Contender, ...]
    repeats: int
    left_out: tuple[str, ...]


def plan_race(
    offered: Sequence[Contender], seconds: float, n_folds: int, n_rows: int = 0
) -> RaceSchedule:
    """Take as many contenders as the seconds allow, in their order, then repeat the folds.

    The costs come from a table that ships with the library, so that the same table and the same
    seconds give the same plan on any machine, however busy.

    Parameters
    ----------
    offered : sequence of Contender
        The most promising for their cost in seconds first; the first two always take part.
    seconds : float
        The time limit of the race; infinity takes all.
    n_folds : int
        The number of folds of one repeat.
    n_rows : int, default=0
        The number of rows of a training part; with many, poor contenders are dropped after the
        first fold.

    Examples
    --------
    >>> seconds = {"quick": 0.1, "slow": 5.0, "expensive": 100.0}
    >>> offered = [Contender(name, None, seconds[name]) for name in seconds]
    >>> plan = plan_race(offered, seconds=60, n_folds=5)
    >>> [contender.name for contender in plan.contenders], plan.repeats, plan.left_out
    (['quick', 'slow'], 2, ('expensive',))
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
