"""Linear models of many subsets without a common base, solved and scored in compiled loops.

B is the number of blocks, C of subsets, S of the columns of all subsets together, T of targets, M
of held-out rows and p of all columns.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from subsel.criteria.linear.blocks import Blocks

__all__ = ["HeldColumns", "Solved", "Subsets", "Systems", "count_hits", "outputs_of", "solve_all"]


class Systems(NamedTuple):
    """The moments of all columns in each block; read only."""

    whole: np.ndarray  # (B, p, p) second moments
    targets: np.ndarray  # (B, p, T) right-hand sides
    least_pivot: np.ndarray  # (B, p) pivots up to which a solution is unreliable
    scale: np.ndarray  # (B, p) what columns are divided by
    origin: np.ndarray  # (B, p) what is subtracted from held-out rows

    @classmethod
    def of(cls, blocks: Blocks) -> Systems:
        """Return those of blocks that are stored whole."""
        assert blocks.whole is not None
        return cls(blocks.whole, blocks.targets, blocks.least_pivot, blocks.scale, blocks.origin)


class Subsets(NamedTuple):
    """The columns of subsets, one subset after another; read only."""

    columns: np.ndarray  # (S,) column numbers
    starts: np.ndarray  # (C + 1,) first of the columns of each subset, and the end
    most: int  # columns of the largest subset

    @classmethod
    def of(cls, subsets: list[np.ndarray]) -> Subsets:
        """Return those of a list of arrays of columns."""
        sizes = [len(columns) for columns in subsets]
        return cls(np.concatenate(subsets), np.array([0, *accumulate(sizes)]), max(sizes))


class Solved(NamedTuple):
    """The models of subsets in each block; `solve` overwrites it."""

    weights: np.ndarray  # (B, T, S) weights of the columns in the units of the table
    constants: np.ndarray  # (B, C, T) what is added to their weighted sums
    sound: np.ndarray  # (C,) whether all pivots of a subset are large enough


class HeldColumns(NamedTuple):
    """What outputs on held-out rows are computed from; read only."""

    columns: np.ndarray  # (p, M) columns of the held-out rows
    start: np.ndarray  # (T, M) outputs of the empty model
    spans: np.ndarray  # (B + 1,) first row of each block, and the end


def solve_all(systems: Systems, half: float, subsets: Subsets) -> Solved:
    """Return the models of all subsets; `half` is that of `Linear`."""
    # Loops work on whole vectors and four rows at a time, which the room exceeds the largest system
    # by.
    from subsel._loops.lanes import N
    from subsel._loops.linear.subsets import solve

    n_blocks, _, n_targets = systems.targets.shape
    n_subsets, rows = len(subsets.starts) - 1, subsets.most + 4
    room = np.zeros((rows, N * ((rows + n_targets) // N + 1)))
    weights = np.empty((n_blocks, n_targets, len(subsets.columns)))
    constants = np.empty((n_blocks, n_subsets, n_targets))
    solved = Solved(weights, constants, np.ones(n_subsets, dtype=bool))
    solve(systems, subsets, half, room, solved)
    return solved


def outputs_of(held: HeldColumns, subsets: Subsets, solved: Solved) -> np.ndarray:
    """Return outputs (C, T, M), undefined for subsets that are not sound."""
    from subsel._loops.linear.subsets import subset_outputs

    out = np.empty((len(solved.sound), *held.start.shape))
    subset_outputs(held, subsets, solved, out)
    return out


def count_hits(
    held: HeldColumns, codes: np.ndarray, subsets: Subsets, solved: Solved
) -> np.ndarray:
    """Return how many rows of each block have the class of their output: (C, B).

    `codes` (M,) are the classes as floats. Subsets that are not sound have 0.
    """
    from subsel._loops.linear.subsets import NEAR, subset_hits

    hits = np.zeros((len(solved.sound), len(held.spans) - 1))
    room = np.empty((len(held.start), NEAR))
    subset_hits(held, codes, subsets, solved, room, hits)
    return hits
