"""What the search for the nearest rows is given, grouped by meaning; numba takes named tuples."""

from typing import NamedTuple

import numpy as np

__all__ = [
    "CHUNK",
    "GRAIN",
    "LANES",
    "LEAST",
    "TIE",
    "TOGETHER",
    "Asked",
    "Base",
    "Close",
    "Columns",
    "Found",
    "Listed",
    "Moved",
    "Near",
    "Request",
    "Room",
    "Seen",
    "Sorted",
    "Table",
    "Voting",
]

LANES = 16  # candidates side by side; their number is filled up to a multiple
CHUNK = 4 * LANES  # rows looked at together; their number is filled up to a multiple
TOGETHER = 4  # queries that pass by a chunk of rows together
TIE = 1e-12  # distances that agree to this share are tied
GRAIN = 2.0**-20  # sixteen times what single precision keeps: differences and products are rounded
LEAST = 1e-37  # below, it keeps less


class Voting(NamedTuple):
    """How the nearest rows vote."""

    k: int  # how many rows vote
    codes: np.ndarray  # (n,) row r votes in channel codes[r]
    values: np.ndarray  # (n,) and gives it values[r]
    by_distance: int  # weights: 0 equal, 1 one over the root of what is summed, 2 one over it


class Found(NamedTuple):
    """Where a scan writes what it finds; a width is the number of candidates, or more."""

    votes: np.ndarray  # (queries, channels + 1, width), the last the sum of weights; one page for
    # all queries, one after the other, where only hits are asked for
    kth: np.ndarray  # (queries, width) k-th distances, where they had to be exact
    hits: (
        np.ndarray
    )  # (folds, width) queries with most votes for their own class; (0, 0): not asked
    own: np.ndarray  # (queries,) classes of the queries
    fold: np.ndarray  # (queries,) the fold in which each is held out


class Table(NamedTuple):
    """What distances are summed from in double precision."""

    rows: np.ndarray  # (n, p)
    scale: np.ndarray  # (scales, p)
    base: np.ndarray  # the columns of the base


class Base(NamedTuple):
    """Where distances over the columns of a base come from, in units of the largest of them.

    They are summed over ``packed``, columns moved and divided by their spans, in single precision,
    or read from ``state``, where sums in double precision are kept.
    """

    rows: np.ndarray  # (queries,) the rows that look for their nearest rows
    part: np.ndarray  # (queries,) which rows may answer a query
    scaled: np.ndarray  # (queries,) which multipliers are those of a query
    blocked: np.ndarray  # (parts, n) 0 for rows that may answer, infinite for the others
    alone: bool  # a query's own row must not answer
    absolute: bool  # absolute differences are summed, not squared ones
    table: Table
    packed: np.ndarray  # (chunks, s, rows of a chunk)
    root: np.ndarray  # (scales, s) what multiplies differences
    state: np.ndarray  # (queries, n) distances; (0, n) where they are summed
    unit: float  # one over the largest distance
    share: float  # what rounding may cost a rough distance: this share of it,
    least: float  # and this in any case
    rank: int  # about how many rows are looked at first, no fewer than k


class Moved(NamedTuple):
    """Columns, each of which a candidate adds or takes out, filled up to whole lanes."""

    block: np.ndarray  # (n, width) side by side, moved and divided by their spans
    root: np.ndarray  # (scales, width) what multiplies differences
    columns: np.ndarray  # their numbers; -1 for a candidate that is the base itself
    removed: bool  # they are taken out


class Request(NamedTuple):
    """What a scan is asked for."""

    base: Base
    moved: Moved
    voting: Voting
    found: Found


class Near(NamedTuple):
    """Distances of a few queries to all rows."""

    place: np.ndarray  # (few, s) where the queries are
    size: np.ndarray  # (few,) how far out that is
    whole: np.ndarray  # (few, n) distances over the base
    rest: (
        np.ndarray
    )  # (few, n) if columns are taken out, without the largest term; else as ``whole``
    most: np.ndarray  # (few, n) the largest term
    group: np.ndarray  # room for the smallest distance of each group of rows


class Listed(NamedTuple):
    """Rows of which some may count."""

    rows: np.ndarray
    rest: np.ndarray  # as in `Near`
    most: np.ndarray


class Seen(NamedTuple):
    """What was seen of rows by candidates side by side."""

    best: np.ndarray  # (k, lanes) the smallest distances
    rows: np.ndarray  # rows that may count
    distance: np.ndarray  # (rows, lanes)
    reach: np.ndarray  # (lanes,) how far rows may be
    tally: np.ndarray  # (channels, lanes) votes
    kept: np.ndarray  # (lanes, n) the rows of each candidate
    number: np.ndarray  # (lanes,) how many they are


class Close(NamedTuple):
    """Distances of a few rows in double precision."""

    short: np.ndarray  # those of one candidate
    smallest: np.ndarray  # (k,)
    tied: np.ndarray  # whether they are as far as the k-th
    asked: np.ndarray  # (n,) for which query the distance of a row over the base was summed
    whole: np.ndarray  # (n,) that distance


class Room(NamedTuple):
    """Memory that scans use again and again."""

    near: Near
    listed: Listed
    seen: Seen
    close: Close


class Columns(NamedTuple):
    """Single columns."""

    values: np.ndarray  # (m, n) sorted
    order: np.ndarray  # (m, n) the rows in this order
    scale: np.ndarray  # (queries, m) what multiplies differences
    absolute: bool  # absolute differences are summed, not squared ones


class Asked(NamedTuple):
    """Which rows ask for their nearest rows, and which may answer."""

    query: np.ndarray  # (parts, n) which query a row is in a part; -1: none
    train: np.ndarray  # (parts, n) whether it may answer there
    alone: bool  # a query's own row must not answer


class Sorted(NamedTuple):
    """Room for rows sorted by a column."""

    values: np.ndarray  # of the rows that may answer
    rows: np.ndarray  # their numbers
    asked: np.ndarray  # values of the rows that ask
    held: np.ndarray  # their numbers
    before: np.ndarray  # how many that may answer come before them
    kept: np.ndarray  # the rows nearest to one of them
    close: Close
