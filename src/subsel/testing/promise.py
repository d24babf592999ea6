"""A promise that does not hold: what it says, what was seen instead, how to see it again."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np

__all__ = ["BrokenPromise", "Promises"]

TOLERANCE = 1e-9  # the engine rounds qualities to ten digits


class BrokenPromise(AssertionError):
    """Something does not do what others rely on.

    Examples
    --------
    >>> Promises("Mine", "check_search(Mine())").keep(2 < 1, "it asks for visitable subsets only", "the empty one")
    Traceback (most recent call last):
    subsel.testing.promise.BrokenPromise: Mine: it asks for visitable subsets only.
      Seen: the empty one
      To see it: check_search(Mine())
    """


class Promises(NamedTuple):
    """What one object must keep in one situation.

    Parameters
    ----------
    who : str
        Whose promises they are.
    again : str
        Code that shows the situation.
    """

    who: str
    again: str

    def keep(self, holds: Any, promise: str, seen: object) -> None:
        """Raise where a promise does not hold; ``seen`` may be a function that is called then."""
        if not holds:
            self.broken(promise, seen() if callable(seen) else seen)

    def equal(self, found: Any, expected: Any, promise: str, atol: float = TOLERANCE) -> None:
        """Raise where two arrays differ by more than rounding; infinities of one sign are equal."""
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        self.keep(
            found.shape == expected.shape,
            promise,
            f"shape {found.shape} where {expected.shape} is due",
        )
        near = np.isclose(found, expected, rtol=TOLERANCE, atol=atol, equal_nan=True)
        self.keep(
            near.all(), promise, lambda: _difference(found.ravel(), expected.ravel(), ~near.ravel())
        )

    def broken(self, promise: str, seen: object) -> NoReturn:
        """Raise with all that there is to say."""
        raise BrokenPromise(f"{self.who}: {promise}.\n  Seen: {seen}\n  To see it: {self.again}")


def _difference(found: np.ndarray, expected: np.ndarray, differ: np.ndarray) -> str:
    first = int(np.flatnonzero(differ)[0])
    return f"{found[first]} where {expected[first]} is due, at place {first} ({differ.sum()} of {differ.size} differ)"
