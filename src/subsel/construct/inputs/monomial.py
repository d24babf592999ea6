"""One product or ratio of columns, and the best of many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from subsel.construct.inputs.association import association

__all__ = ["Monomial", "best_monomials"]

BLOCK = 256  # candidates that exist at one time


class Monomial(NamedTuple):
    """A product of columns over another column or none.

    >>> Monomial((0, 0), (1,)).values(np.array([[6.0, 3.0]]))
    array([12.])
    """

    over: tuple[int, ...]
    under: tuple[int, ...] = ()

    def parents(self) -> list[int]:
        """Give its columns, each once.

        >>> Monomial((2, 2), (0,)).parents()
        [0, 2]
        """
        return sorted({*self.over, *self.under})

    def values(self, X: np.ndarray) -> np.ndarray:
        """Give its values; 0 where it would divide by 0.

        >>> Monomial((0,), (1,)).values(np.array([[6.0, 3.0], [1.0, 0.0]]))
        array([2., 0.])
        """
        under = X[:, list(self.under)].prod(axis=1)
        return np.divide(
            X[:, list(self.over)].prod(axis=1), under, out=np.zeros(len(X)), where=under != 0
        )

    def name(self, names: Any) -> str:
        """Give a name.

        >>> Monomial((0, 1), (2,)).name(["a", "b", "c"])
        'a*b/c'
        """
        return "/".join(
            "*".join(str(names[j]) for j in part) for part in (self.over, self.under) if part
        )


def best_monomials(
    candidates: Iterator[Monomial], X: np.ndarray, y: np.ndarray, n: int
) -> list[Monomial]:
    """Give the n candidates most associated with the target, in the order they came.

    >>> X = np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 0.2], [2.0, 2.0, 0.9]])
    >>> best_monomials(iter([Monomial((0, 2)), Monomial((0, 1))]), X, X[:, 0] * X[:, 1] + 0.5, n=1)
    [Monomial(over=(0, 1), under=())]
    """
    kept: list[tuple[float, int, Monomial]] = []
    while block := list(islice(candidates, BLOCK)):
        first = len(kept) and max(number for _, number, _ in kept) + 1
        strength = association(np.column_stack([monomial.values(X) for monomial in block]), y)
        kept += [(-s, first + k, monomial) for k, (s, monomial) in enumerate(zip(strength, block))]
        kept = sorted(kept)[:n]
    return [monomial for _, _, monomial in sorted(kept, key=lambda item: item[1])]
