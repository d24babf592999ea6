"""Uniform and stratified samples of the rows of stored tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.data.names import first_names
from subsel.data.stored.problem import Chunk, StoredProblem
from subsel.data.stored.table import StoredTable
from subsel.runtime.memory import NotEnoughMemory, byte_count

__all__ = ["RowSample", "row_numbers", "sample_rows", "sampled_features", "stratum_sizes"]

ROWS = 1 << 12  # rows of the chunks from which the sample is taken


@dataclass(frozen=True, eq=False)
class RowSample:
    """A sample of the rows of a stored table.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        The features as numbers.
    y : ndarray of shape (n_rows,)
        The target, text or numbers.
    rows : ndarray of int of shape (n_rows,)
        The numbers of the sampled rows in the table, ascending.
    names : list of str
        The names of the features.

    Examples
    --------
    >>> sample = RowSample(np.eye(2), np.array([0, 1]), np.array([3, 8]), ["a", "b"])
    >>> sample.frame().columns.tolist()
    ['a', 'b']
    """

    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    names: list[str]

    def frame(self) -> Any:
        """Return X as a data frame with names; X itself if pandas is missing."""
        try:
            import pandas as pd
        except ImportError:
            return self.X
        return pd.DataFrame(self.X, columns=self.names, copy=False)


def sample_rows(
    table: StoredTable | StoredProblem,
    target: str | None = None,
    n_rows: int = 10_000,
    *,
    stratify: bool = False,
    columns: Sequence[str] | None = None,
    memory: str | float = "1GB",
    random_state: int | None = None,
) -> RowSample:
    """Draw rows of a stored table without replacement, without loading the table [1]_.

    Every set of `n_rows` rows (if stratified: every set with the same number of rows per class) is
    equally likely. The rows depend on the seed, on their number and, if stratified, on the target,
    never on the files, row groups and batches of the table.

    Parameters
    ----------
    table : StoredTable or StoredProblem
        The table.
    target : str, optional
        The column to predict; not used with a StoredProblem, which has one.
    n_rows : int
        The number of rows; all rows are drawn if the table has no more.
    stratify : bool
        Whether the classes have the same shares in the sample as in the table, rounded to whole
        rows (the largest remainders up), and at least one row each if `n_rows` allows it.
    columns : list of str, optional
        The features to read; by default all.
    memory : int or str
        The memory that the sample and reading it may take.
    random_state : int, optional
        The seed.

    Returns
    -------
    RowSample
        Features, target and row numbers of the sample.

    References
    ----------
    .. [1] D. J. Stracuzzi, "Randomized Feature Selection", in H. Liu and H. Motoda (eds.),
       *Computational Methods of Feature Selection*, 2007, section 1.7.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile, os
    >>> from subsel.data import open_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "many.parquet")
    >>> pq.write_table(pa.table({"x": range(1000), "y": ["a"] * 900 + ["b"] * 100}), path)
    >>> sample = sample_rows(open_table(path), "y", 50, stratify=True, random_state=0)
    >>> [int((sample.y == label).sum()) for label in "ab"]
    [45, 5]
    """
    if n_rows < 1:
        raise ValueError(f"n_rows must be at least 1, got {n_rows}.")
    problem = problem_of(table, target, columns)
    n_rows, rng = min(n_rows, problem.n_rows), np.random.default_rng(random_state)
    blocks = _feature_blocks(problem, n_rows, byte_count(memory))
    if stratify:
        rows = _stratified_rows(problem, n_rows, rng)
    else:
        rows = row_numbers(problem.n_rows, n_rows, rng)
    X, y = np.empty((n_rows, problem.n_features), order="F"), np.empty(n_rows)
    for block in blocks:
        for begin, chunk, sampled in _sampled_chunks(
            problem, range(block.start, block.stop), rows, ROWS
        ):
            end = begin + len(sampled)
            X[begin:end, block] = chunk.X[sampled]
            if block.start and not np.array_equal(y[begin:end], chunk.y[sampled]):
                raise ValueError(
                    f"{problem.table.source} must give its rows in the same order every time it is "
                    "read, but does not; add ORDER BY to the query."
                )
            y[begin:end] = chunk.y[sampled]
    return RowSample(X, problem.labels_of(y), rows, list(problem.names))


def sampled_features(
    problem: StoredProblem, features: Sequence[int], n_rows: int, rows: int, random_state: int
) -> np.ndarray:
    """Return some features of a uniform sample of rows, as an array (n_rows, len(features)).

    The table is read in chunks of `rows` rows.
    """
    chosen = row_numbers(problem.n_rows, n_rows, np.random.default_rng(random_state))
    return np.concatenate(
        [chunk.X[sampled] for _, chunk, sampled in _sampled_chunks(problem, features, chosen, rows)]
    )


def problem_of(
    table: StoredTable | StoredProblem, target: str | None, columns: Sequence[str] | None
) -> StoredProblem:
    """Return the features and target of a table; a problem is returned as it is."""
    if isinstance(table, StoredProblem):
        return table
    if target is None:
        raise ValueError(
            f"name the target column; {table.source} has the columns {first_names(table.names, 8)}."
        )
    return StoredProblem(table, target, columns)


def _sampled_chunks(
    problem: StoredProblem, features: Sequence[int], rows: np.ndarray, chunk_rows: int
) -> Iterator[tuple[int, Chunk, np.ndarray]]:
    """Yield each chunk that holds sampled rows.

    Parameters
    ----------
    problem : StoredProblem
        The table.
    features : sequence of int
        The numbers of the features to read.
    rows : ndarray of int
        The numbers of the sampled rows, ascending.
    chunk_rows : int
        The number of rows of a chunk.

    Yields
    ------
    begin : int
        The position in the sample of the first sampled row of the chunk.
    chunk : Chunk
        The chunk, whose arrays are overwritten by the next one.
    sampled : ndarray of int
        The positions of the sampled rows within the chunk.
    """
    begin_row = begin = 0
    for chunk in problem.chunks(features, chunk_rows, allow_nan=True):
        end = int(np.searchsorted(rows, begin_row + len(chunk.y)))
        if end > begin:
            yield begin, chunk, rows[begin:end] - begin_row
        begin_row, begin = begin_row + len(chunk.y), end


def _stratified_rows(problem: StoredProblem, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Return the numbers of the rows of a stratified sample, ascending.

    The members of each class are drawn by their rank within the class; one pass over the target
    turns ranks into row numbers.
    """
    if problem.many_labels:
        raise ValueError(
            f"stratify=True needs classes, but the target {problem.target!r} has too many distinct "
            "values; use stratify=False."
        )
    sizes = stratum_sizes(problem.label_counts, n_rows)
    sampled_members = [
        row_numbers(int(n), int(k), rng) for n, k in zip(problem.label_counts, sizes)
    ]
    n_seen, begin_row, rows = np.zeros(len(sizes), dtype=np.int64), 0, []
    for chunk in problem.chunks([], 1 << 16):
        if problem.target_is_text:
            codes = chunk.y.astype(np.intp)
        else:
            codes = np.searchsorted(problem.labels, chunk.y)
        for c in np.unique(codes):
            members = np.flatnonzero(codes == c)
            low, high = np.searchsorted(sampled_members[c], (n_seen[c], n_seen[c] + len(members)))
            rows.append(begin_row + members[sampled_members[c][low:high] - n_seen[c]])
            n_seen[c] += len(members)
        begin_row += len(codes)
    return np.sort(np.concatenate(rows))


def _feature_blocks(problem: StoredProblem, n_rows: int, limit: int) -> list[slice]:
    """Divide the features into blocks that can be read within the limit, alongside the sample."""
    p = problem.n_features
    sample = 8 * n_rows * (p + 4)

    def needed(width: int) -> int:
        return sample + problem.reading_bytes(width) + 8 * width * min(ROWS, problem.n_rows)

    if needed(1) > limit:
        remedy = "raise memory, or sample fewer rows or columns"
        what = f"a sample of {n_rows:,} rows and {p:,} columns"
        raise NotEnoughMemory(what, needed(1), limit, remedy)
    width = max(w for w in range(1, p + 1) if needed(w) <= limit)
    return [slice(begin, min(begin + width, p)) for begin in range(0, p, width)]


def row_numbers(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Draw k of the numbers 0 to n - 1, ascending; every set of k is equally likely.

    Numbers are drawn with replacement until k different ones have occurred, in memory of the order
    of k. If k is more than half of n, the numbers that are left out are drawn instead.

    >>> row_numbers(10, 10, np.random.default_rng(0)).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    if not 0 <= k <= n:
        raise ValueError(f"k must lie between 0 and n = {n}, got {k}.")
    if 2 * k > n:
        return np.delete(np.arange(n), row_numbers(n, n - k, rng))
    distinct = np.empty(0, dtype=np.int64)
    while len(distinct) < k:
        drawn = np.concatenate((distinct, rng.integers(n, size=k - len(distinct) + k // 8 + 8)))
        _, first = np.unique(drawn, return_index=True)
        distinct = drawn[np.sort(first)][:k]
    return np.sort(distinct)


def stratum_sizes(counts: np.ndarray, k: int) -> np.ndarray:
    """Divide k rows among classes in proportion to their counts, by largest remainders.

    Every class that occurs has at least one row if k allows it. Hamilton's method: each class first
    has the integer part of its share, and the largest remainders receive what is left.

    Parameters
    ----------
    counts : ndarray of int of shape (n_classes,)
        The number of rows of each class.
    k : int
        The number of rows to divide, at most the sum of the counts.

    >>> stratum_sizes(np.array([900, 95, 5]), 20).tolist()
    [18, 1, 1]
    """
    least = np.zeros_like(counts)
    if k >= np.count_nonzero(counts):
        least = np.minimum(counts, 1)
    share = k * counts / counts.sum()
    sizes = np.maximum(np.floor(share).astype(np.int64), least)
    # the rows added for rare classes are taken from the class that is furthest above its share
    while sizes.sum() > k:
        sizes[np.argmax(np.where(sizes > least, sizes - share, -np.inf))] -= 1
    remainders = np.argsort(-(share - sizes), kind="stable")
    for c in remainders[: k - sizes.sum()]:
        sizes[c] += 1
    return sizes
