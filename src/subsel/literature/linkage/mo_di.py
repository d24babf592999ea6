"""mo-DI: which attributes should say that two records are of one person?"""

from __future__ import annotations

from typing import Any

from subsel.literature.linkage.accuracy import LinkageAccuracy
from subsel.search.walks.random_walk import RandomWalk
from subsel.selector.subset import SubsetSelector

__all__ = ["mo_di"]


def mo_di(
    threshold: int = 1,
    swappable: tuple[str | int, str | int] | None = ("first_name", "last_name"),
    c: float | None = None,
    **options: Any,
) -> SubsetSelector:
    """Choose the attributes that link records best, by a random walk.

    Fit it on a frame of text columns with the number (or name) of the person as ``y``.

    Parameters
    ----------
    threshold, swappable : Any
        As in :class:`subsel.literature.linkage.accuracy.LinkageAccuracy`.
    c : float or None
        As in :class:`subsel.search.RandomWalk`.
    **options : Any
        Further parameters of :class:`subsel.SubsetSelector`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 3.3.

    Examples
    --------
    >>> from subsel.literature.linkage.persons import persons
    >>> made = persons(300, error_rate={"zip": 0.5, "sex": 0.3, "first_name": 0.05}, random_state=0)
    >>> selector = mo_di(budget=60, random_state=0).fit(made.records, made.person)
    >>> bool(selector.get_support()[4])
    False
    """
    return SubsetSelector(
        LinkageAccuracy(threshold, swappable), search=RandomWalk("metropolis", c=c), **options
    )
