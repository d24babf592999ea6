"""The arguments of the search for the nearest rows, grouped by meaning."""

from typing import NamedTuple

import numpy as np

__all__ = [
    "CHUNK",
    "GRAIN",
    "LANES",
    "QUERIES_AT_ONCE",
    "SMALLEST",
    "TIE",
    "Base",
    "Columns",
    "ExactDistances",
    "LaneDistances",
    "MovedColumns",
    "Parts",
    "QueryDistances",
    "Request",
    "Room",
    "RowList",
    "SortedRows",
    "Table",
    "Votes",
    "Voting",
]

LANES = 16  # candidates in one vector; their number is padded to a multiple
CHUNK = 4 * LANES  # rows in one step; their number is padded to a multiple
QUERIES_AT_ONCE = 4  # queries for which a chunk of rows is read once
TIE = 1e-12  # distances that agree to this share are tied
GRAIN = 2.0**-20  # sixteen times the unit roundoff of single precision, for `outermost`
SMALLEST = 1e-37  # single precision has fewer digits below this number


class Voting(NamedTuple):
    """How the nearest rows vote."""

    k: int  # number of rows that vote
    codes: np.ndarray  # (n,) the channel in which a row votes
    values: np.ndarray  # (n,) what a row adds to its channel
    by_distance: int  # weights: 0 equal, 1 one over the root of the distance, 2 one over it


class Votes(NamedTuple):
    """The results of a scan, which overwrites `votes` and `kth` and adds to `hits`.

    The width is the number of candidates, padded.
    """

    # (queries, channels + 1, width), the sum of weights last; (1, channels + 1, width), overwritten
    # by each query, where only hits are counted
    votes: np.ndarray
    kth: np.ndarray  # (queries, width) k-th distances, where they were computed in double precision
    # (folds, width) number of queries with most votes for their own class; (0, 0) if not counted
    hits: np.ndarray
    own: np.ndarray  # (queries,) class of each query
    fold: np.ndarray  # (queries,) fold in which each query is held out


class Table(NamedTuple):
    """The data from which distances are summed in double precision; read only."""

    rows: np.ndarray  # (n, p) values
    scale: np.ndarray  # (scales, p) factors of differences
    base: np.ndarray  # (s,) columns of the base


class Base(NamedTuple):
    """The source of distances over the columns of a base, in units of the largest; read only.

    They are summed over ``packed``, columns that are shifted and divided by their ranges, in single
    precision, or read from ``state``, sums in double precision.
    """

    rows: np.ndarray  # (queries,) rows whose nearest rows are searched
    part: np.ndarray  # (queries,) training part whose rows may be neighbours of a query
    scaled: np.ndarray  # (queries,) line of the factors of a query
    blocked: np.ndarray  # (parts, n) 0 for rows that may be neighbours, infinite for the others
    alone: bool  # a query's own row is not its neighbour
    absolute: bool  # absolute differences are summed, not squared ones
    table: Table
    packed: np.ndarray  # (chunks, s, rows of a chunk)
    root: np.ndarray  # (scales, s) factors of differences
    state: np.ndarray  # (queries, n) distances; (0, n) where they are summed
    unit: float  # one over the largest distance
    share: float  # relative part of the rounding error bound of a rough distance
    least: float  # absolute part of that bound
    rank: int  # about how many rows are examined first, at least k


class MovedColumns(NamedTuple):
    """Columns, each of which a candidate adds to the base or removes from it; read only.

    Their number is padded to whole vectors.
    """

    block: np.ndarray  # (n, width) values, shifted and divided by their ranges
    root: np.ndarray  # (scales, width) factors of differences
    columns: np.ndarray  # (candidates,) column numbers; -1 for a candidate that is the base itself
    removed: bool  # they are removed from the base


class Request(NamedTuple):
    """All arguments of a scan but its working memory."""

    base: Base
    moved: MovedColumns
    voting: Voting
    found: Votes


class QueryDistances(NamedTuple):
    """Room for the distances of a few queries to all rows, overwritten."""

    place: np.ndarray  # (few, s) minus the scaled values of the queries
    size: np.ndarray  # (few,) sum of their squares or magnitudes, for the bounds on rounding
    whole: np.ndarray  # (few, n) distances over the base
    # (few, n) distances without their largest term if columns are removed; else `whole` itself
    rest: np.ndarray
    most: np.ndarray  # (few, n) largest terms
    group: np.ndarray  # (groups,) smallest distance of each group of rows


class RowList(NamedTuple):
    """Room for a list of rows that may be among the nearest, overwritten."""

    rows: np.ndarray  # (rows,) row numbers
    rest: np.ndarray  # (rows,) as in `Near`
    most: np.ndarray  # (rows,) as in `Near`


class LaneDistances(NamedTuple):
    """Room for rough distances of rows to a query, for one vector of candidates; overwritten."""

    best: np.ndarray  # (k, lanes) smallest distances, ascending
    rows: np.ndarray  # (rows,) rows that may be among the nearest of any candidate
    distance: np.ndarray  # (rows, lanes) their distances
    reach: np.ndarray  # (lanes,) rough distance beyond which a row is not among the nearest
    tally: np.ndarray  # (channels, lanes) votes
    kept: np.ndarray  # (lanes, n) rows that may be among the nearest of each candidate
    number: np.ndarray  # (lanes,) how many these are


class ExactDistances(NamedTuple):
    """Room for the distances of a few rows in double precision, overwritten."""

    short: np.ndarray  # (rows,) distances for one candidate
    smallest: np.ndarray  # (k,) the smallest of these
    tied: np.ndarray  # (rows,) whether a row is as far as the k-th
    asked: np.ndarray  # (n,) query for which `whole` of a row was summed, -1 for none
    whole: np.ndarray  # (n,) distance over the base


class Room(NamedTuple):
    """The working memory of a scan, overwritten by each."""

    near: QueryDistances
    listed: RowList
    seen: LaneDistances
    close: ExactDistances


class Columns(NamedTuple):
    """Single columns; read only."""

    values: np.ndarray  # (m, n) values of each column, ascending
    order: np.ndarray  # (m, n) rows in this order
    scale: np.ndarray  # (queries, m) factors of differences
    absolute: bool  # absolute differences are summed, not squared ones


class Parts(NamedTuple):
    """Which rows are queries in each part, and which may be their neighbours; read only."""

    query: np.ndarray  # (parts, n) number of the query that a row is in a part, -1 for none
    train: np.ndarray  # (parts, n) whether a row may be a neighbour in a part
    alone: bool  # a query's own row is not its neighbour


class SortedRows(NamedTuple):
    """Room for the rows of one part, sorted by a column; overwritten."""

    values: np.ndarray  # (n,) values of the rows that may be neighbours
    rows: np.ndarray  # (n,) numbers of these rows
    asked: np.ndarray  # (n,) values of the queries
    held: np.ndarray  # (n,) rows of the queries
    before: np.ndarray  # (n,) how many possible neighbours precede each query
    kept: np.ndarray  # (n,) rows nearest to one query
    close: ExactDistances
