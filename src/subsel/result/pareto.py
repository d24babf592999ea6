"""The Pareto front: what nothing else beats in every respect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

__all__ = ["dominates", "undominated"]

Item = TypeVar("Item")


def dominates(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether the first matches or beats the second in every loss.

    Examples
    --------
    >>> dominates((1, 0.5), (2, 0.5)), dominates((1, 0.5), (2, 0.4))
    (True, False)
    """
    return all(a <= b for a, b in zip(first, second))


def undominated(items: Iterable[Item], losses: Callable[[Item], tuple[float, ...]]) -> list[Item]:
    """Select the items that no other matches or beats in every loss, in order of losses.

    Parameters
    ----------
    items : iterable
        Anything.
    losses : callable
        Gives the losses of an item, smaller is better; the first one orders the front.

    Examples
    --------
    >>> points = [(3, 0.9), (1, 0.5), (2, 0.5), (2, 0.8)]
    >>> undominated(points, losses=lambda point: (point[0], -point[1]))
    [(1, 0.5), (2, 0.8), (3, 0.9)]
    """
    front: list[tuple[tuple[float, ...], Item]] = []
    for place, item in sorted(((losses(item), item) for item in items), key=lambda pair: pair[0]):
        if not any(dominates(other, place) for other, _ in front):
            front.append((place, item))
    return [item for _, item in front]
