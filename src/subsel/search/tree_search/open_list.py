"""Candidates that were evaluated and wait to be expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from subsel.space.candidates import Candidates, Subset

__all__ = ["Entry", "entries", "unseen"]


class Entry(NamedTuple):
    """A row of a batch, ordered by quality, the best first; among equals the first requested."""

    loss: float
    number: int
    batch: Candidates
    row: int

    @property
    def subset(self) -> Subset:
        """The candidate itself."""
        subset: Subset = self.batch[self.row]
        return subset


def entries(batch: Candidates, qualities: np.ndarray, seen: set[int]) -> Iterator[Entry]:
    """Yield the rows of a batch whose keys are already in ``seen``, the best first."""
    losses, first = -np.asarray(qualities, dtype=float), len(seen) - len(batch)
    for row in np.argsort(losses, kind="stable"):
        yield Entry(float(losses[row]), first + int(row), batch, int(row))


def unseen(candidates: Candidates, seen: set[int]) -> Candidates:
    """Select the candidates whose keys are not in ``seen``, and add them there in place."""
    if not candidates:
        return candidates
    keys = candidates.keys.tolist()
    if seen.isdisjoint(keys):
        seen.update(keys)
        return candidates
    fresh = [i for i, key in enumerate(keys) if key not in seen]
    seen.update(keys)
    return candidates.take(np.array(fresh, dtype=np.int64))
