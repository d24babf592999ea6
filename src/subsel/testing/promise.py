"""Promises of an object, and the error for one that does not hold."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np

__all__ = ["BrokenPromise", "Promises"]

TOLERANCE = 1e-9  # the engine rounds qualities to ten digits


class BrokenPromise(AssertionError):
    """An object does not keep a promise; the message has the promise, the observation and code.

    Examples
    --------
    >>> promises = Promises("Mine", "check_search(Mine())")
    >>> promises.keep(2 < 1, "it asks for visitable subsets only", "the empty one")
    Traceback (most recent call last):
    subsel.testing.promise.BrokenPromise: Mine: it asks for visitable subsets only.
      Seen: the empty one
      To see it: check_search(Mine())
    """


class Promises(NamedTuple):
    """The promises of one object in one situation.

    Parameters
    ----------
    who : str
        The name of the object.
    again : str
        Code that reproduces the situation.
    """

    who: str
    again: str

    def keep(self, holds: Any, promise: str, seen: object) -> None:
        """Raise an error unless `holds`.

        Parameters
        ----------
        holds : bool
            Whether the promise holds.
        promise : str
            The promise.
        seen : object
            What was observed instead, or a function that returns it.
        """
        if not holds:
            self.broken(promise, seen() if callable(seen) else seen)

    def equal(self, actual: Any, expected: Any, promise: str, atol: float = TOLERANCE) -> None:
        """Raise an error if arrays differ by more than rounding; equal infinities do not."""
        actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
        self.keep(
            actual.shape == expected.shape,
            promise,
            f"shape {actual.shape} where {expected.shape} is expected",
        )
        near = np.isclose(actual, expected, rtol=TOLERANCE, atol=atol, equal_nan=True)
        self.keep(
            near.all(),
            promise,
            lambda: _difference(actual.ravel(), expected.ravel(), ~near.ravel()),
        )

    def broken(self, promise: str, seen: object) -> NoReturn:
        """Raise the error for a promise that does not hold."""
        raise BrokenPromise(f"{self.who}: {promise}.\n  Seen: {seen}\n  To see it: {self.again}")


def _difference(actual: np.ndarray, expected: np.ndarray, differ: np.ndarray) -> str:
    first = int(np.flatnonzero(differ)[0])
    return (
        f"{actual[first]} where {expected[first]} is expected, at place {first} "
        f"({differ.sum()} of {differ.size} differ)"
    )
