"""Evaluators with a position: forks share the data, and start from a position of their own."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import TypeVar

from subsel.criteria.base import Evaluator

__all__ = ["Position"]

Self = TypeVar("Self", bound="Position")


class Position(Evaluator):
    """An evaluator with a position: the subset from which it answers flips.

    Examples
    --------
    >>> class Steps(Position):
    ...     def _start(self):
    ...         self.at = []
    ...     def quality(self, columns):
    ...         self.at.append(len(columns))
    ...         return float(len(self.at))
    >>> first = Steps()
    >>> first._start()
    >>> first.quality([0]), first.quality([1]), first.fork().quality([1])
    (1.0, 2.0, 1.0)
    """

    @abstractmethod
    def _start(self) -> None:
        """Forget the position; called when the shared data are ready, and in every fork."""

    def fork(self: Self) -> Self:
        """Share the data, and start from the beginning."""
        other = copy(self)
        other._start()
        return other
