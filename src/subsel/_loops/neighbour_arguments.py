"""What scans for the nearest rows are given, grouped by meaning; numba takes named tuples."""

from typing import NamedTuple

import numpy as np

__all__ = ["Base", "Beside", "Flipped", "Found", "Lists", "Shift", "Summed", "Table", "Voting"]


class Voting(NamedTuple):
    """How the nearest rows vote.

    Row r votes ``values[r]`` in channel ``codes[r]``; ``by_distance`` is 0 for equal weights, 1 for one over the root of
    what is summed, 2 for one over it; ``absolute`` says that absolute differences are summed, not squared ones.
    """

    k: int
    codes: np.ndarray
    values: np.ndarray
    by_distance: int
    absolute: bool


class Found(NamedTuple):
    """Where a scan writes: votes (queries, channels and the sum of weights, candidates), k-th distances (queries, candidates).

    Scans of many candidates side by side give k-th distances roughly where rows have equal votes.
    """

    votes: np.ndarray
    kth: np.ndarray


class Summed(NamedTuple):
    """What distances are summed from afresh: columns (n, s), one row per row, and their multipliers (queries, s)."""

    columns: np.ndarray
    scale: np.ndarray


class Shift(NamedTuple):
    """The columns (m, n) by which a base differs from the state, their multipliers, spans, and whether they are added (1) or taken out (-1)."""

    columns: np.ndarray
    scale: np.ndarray
    spans: np.ndarray
    signs: np.ndarray


class Flipped(NamedTuple):
    """Columns (m, n), each of which a candidate adds or takes out.

    ``rough`` are the same columns moved and divided by their ``spans``, in the precision of a first look; ``grain`` is
    the share that rounding to it may cost, ``unit`` one over the largest distance there can be. ``scale`` (queries, m)
    multiplies differences; ``skip`` is the place of each column among those of `Summed`.
    """

    columns: np.ndarray
    rough: np.ndarray
    grain: float
    unit: float
    scale: np.ndarray
    spans: np.ndarray
    skip: np.ndarray


class Base(NamedTuple):
    """What the rough distances of queries over a base come from, in units of the largest of them.

    If ``state`` is empty they are summed over the columns ``packed`` (chunks, s, rows of a chunk), which are moved and
    divided by their spans, in single precision; ``root[scaled[q]]`` multiplies differences. ``blocked[part[q]]`` is 0 for the rows that may
    answer, infinite for the others; ``alone`` says that a query's own row must not. Otherwise ``state`` is ``hi``, one row
    after another, to which the columns of a shift are added; ``unit`` is one over the largest distance.
    """

    packed: np.ndarray
    root: np.ndarray
    blocked: np.ndarray
    part: np.ndarray
    scaled: np.ndarray
    alone: bool
    unit: float
    state: np.ndarray
    shift: Shift


class Beside(NamedTuple):
    """Columns, each of which a candidate adds or takes out, side by side and filled up to whole lanes, as in `Base`.

    The last are their numbers.
    """

    block: np.ndarray
    root: np.ndarray
    columns: np.ndarray


class Table(NamedTuple):
    """What distances are summed from in double precision: rows (n, p), their multipliers, and the columns of the base."""

    rows: np.ndarray
    scale: np.ndarray
    base: np.ndarray


class Lists(NamedTuple):
    """The rows nearest to each query: their numbers and distances, how many, what they lie under, how finely they are sorted."""

    order: np.ndarray
    base: np.ndarray
    length: np.ndarray
    edge: np.ndarray
    grain: np.ndarray
