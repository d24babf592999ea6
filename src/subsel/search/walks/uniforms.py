"""Random numbers of a walk, drawn many at a time.

One call of a generator takes as long as a step of the walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from operator import length_hint
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Chances", "Uniforms"]

BATCH = 512  # numbers drawn at a time


class Uniforms:
    """Uniform random numbers in [0, 1): those that ``rng.random()`` would give, in the same order.

    On leaving the context the generator stands where it would had they been drawn one by one;
    nobody else may draw from it before.

    Examples
    --------
    >>> rng, other = np.random.default_rng(0), np.random.default_rng(0)
    >>> with Uniforms(rng) as chances:
    ...     chances.random() == other.random(), chances.random() == other.random()
    (True, True)
    >>> rng.random() == other.random()
    True
    """

    __slots__ = ("_batch", "_rng", "_state", "random")

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._batch: Iterator[float] = iter(())
        self._state: Any = None  # of the generator before the batch
        self.random: Callable[[], float] = chain.from_iterable(self._batches()).__next__

    def _batches(self) -> Iterator[Iterator[float]]:
        while True:
            self._state = self._rng.bit_generator.state
            self._batch = iter(self._rng.random(BATCH).tolist())
            yield self._batch

    def __enter__(self) -> Uniforms:
        return self

    def __exit__(self, *error: object) -> None:
        if self._state is not None:
            self._rng.bit_generator.state = self._state
            self._rng.random(BATCH - length_hint(self._batch))


Chances: TypeAlias = np.random.Generator | Uniforms
"""Whatever ``random()`` gives uniform numbers."""
