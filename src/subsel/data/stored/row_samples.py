"""Unbiased samples of the rows of stored tables: uniform or stratified, seeded, exactly as many rows as asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.table import StoredTable
from subsel.runtime.memory import NotEnoughMemory, byte_count

__all__ = ["RowSample", "row_numbers", "sample_rows", "sampled_features", "strata"]

ROWS = 1 << 12  # rows of a chunk while the sampled ones are picked


@dataclass(frozen=True, eq=False)
class RowSample:
    """A sample of the rows of a stored table.

    Attributes
    ----------
    X, y : ndarray
        The features as numbers, and the labels (text, or numbers).
    rows : ndarray of int
        The numbers of the rows in the table, in order.
    names : list of str
        Of the features.

    Examples
    --------
    >>> RowSample(np.eye(2), np.array([0, 1]), np.array([3, 8]), ["a", "b"]).frame().columns.tolist()
    ['a', 'b']
    """

    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    names: list[str]

    def frame(self) -> Any:
        """The features as a data frame where pandas is there, so that names travel."""
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
    """Draw rows of a stored table without replacement, without loading it [1]_.

    Which rows are drawn depends on the seed, the number of rows and, if stratified, the target, never on how the table
    is cut into files, row groups and batches: every set of so many rows is equally likely.

    Parameters
    ----------
    n_rows : int
        How many; all of them if the table has no more.
    stratify : bool
        Draw from every class its share, rounded to whole rows (the largest remainders up), and at least one row where
        there are rows enough; otherwise the classes come as chance has it.
    columns : list of str, optional
        The features to read; by default all.
    memory : int or str
        The most that the sample and reading it may hold.

    References
    ----------
    .. [1] D. J. Stracuzzi, "Randomized Feature Selection", in H. Liu and H. Motoda (eds.), *Computational Methods of
       Feature Selection*, 2007, section 1.7.

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
        for begin, chunk, picked in _picked(problem, range(block.start, block.stop), rows, ROWS):
            end = begin + len(picked)
            X[begin:end, block] = chunk.X[picked]
            if block.start and not np.array_equal(y[begin:end], chunk.y[picked]):
                raise ValueError(
                    f"{problem.table.source} gives its rows in another order each time: add ORDER BY."
                )
            y[begin:end] = chunk.y[picked]
    return RowSample(X, problem.labels_of(y), rows, list(problem.names))


def sampled_features(
    problem: StoredProblem, features: Sequence[int], n_rows: int, rows: int, random_state: int
) -> np.ndarray:
    """Some features of a uniform sample of rows, read so many rows at a time."""
    chosen = row_numbers(problem.n_rows, n_rows, np.random.default_rng(random_state))
    return np.concatenate(
        [chunk.X[picked] for _, chunk, picked in _picked(problem, features, chosen, rows)]
    )


def problem_of(
    table: StoredTable | StoredProblem, target: str | None, columns: Sequence[str] | None
) -> StoredProblem:
    """The features and target of a table; a problem is given back as it is."""
    if isinstance(table, StoredProblem):
        return table
    if target is None:
        raise ValueError(
            f"name the target column; {table.source} has {', '.join(table.names[:8])}."
        )
    return StoredProblem(table, target, columns)


def _picked(
    problem: StoredProblem, features: Sequence[int], rows: np.ndarray, chunk_rows: int
) -> Iterator[tuple]:
    """Go through the chunks with the sampled rows in each: where in the sample they begin, the chunk, their places in it."""
    done = begin = 0
    for chunk in problem.chunks(features, chunk_rows, allow_nan=True):
        end = int(np.searchsorted(rows, done + len(chunk.y)))
        if end > begin:
            yield begin, chunk, rows[begin:end] - done
        done, begin = done + len(chunk.y), end


def _stratified_rows(problem: StoredProblem, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """The sampled members of each class are drawn by their number within it, and found in one pass over the target."""
    if problem.many_labels:
        raise ValueError(
            f"the target {problem.target!r} has too many values to stratify by: use stratify=False."
        )
    shares = strata(problem.label_counts, n_rows)
    wanted = [row_numbers(int(n), int(k), rng) for n, k in zip(problem.label_counts, shares)]
    seen, done, found = np.zeros(len(shares), dtype=np.int64), 0, []
    for chunk in problem.chunks([], 1 << 16):
        if problem.target_is_text:
            codes = chunk.y.astype(np.intp)
        else:
            codes = np.searchsorted(problem.labels, chunk.y)
        for c in np.unique(codes):
            members = np.flatnonzero(codes == c)
            low, high = np.searchsorted(wanted[c], (seen[c], seen[c] + len(members)))
            found.append(done + members[wanted[c][low:high] - seen[c]])
            seen[c] += len(members)
        done += len(codes)
    return np.sort(np.concatenate(found))


def _feature_blocks(problem: StoredProblem, n_rows: int, limit: int) -> list[slice]:
    """Blocks of features that can be read beside the whole sample."""
    p = problem.n_features
    sample = 8 * n_rows * (p + 4)

    def needed(width: int) -> int:
        return sample + problem.reading_bytes(width) + 8 * width * min(ROWS, problem.n_rows)

    if needed(1) > limit:
        raise NotEnoughMemory(f"a sample of {n_rows:,} rows and {p:,} columns", needed(1), limit)
    width = max(w for w in range(1, p + 1) if needed(w) <= limit)
    return [slice(begin, min(begin + width, p)) for begin in range(0, p, width)]


def row_numbers(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Give k of the numbers 0 to n - 1, in order, every set of k equally likely, in memory of the order of k.

    Numbers are drawn with replacement and the first k different ones kept; where more than half are wanted, those to
    leave out are drawn.

    >>> row_numbers(10, 10, np.random.default_rng(0)).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    if not 0 <= k <= n:
        raise ValueError(f"k must lie between 0 and n = {n}, got {k}.")
    if 2 * k > n:
        return np.delete(np.arange(n), row_numbers(n, n - k, rng))
    found = np.empty(0, dtype=np.int64)
    while len(found) < k:
        drawn = np.concatenate((found, rng.integers(n, size=k - len(found) + k // 8 + 8)))
        _, first = np.unique(drawn, return_index=True)
        found = drawn[np.sort(first)][:k]
    return np.sort(found)


def strata(counts: np.ndarray, k: int) -> np.ndarray:
    """Share k rows among classes of these counts: proportionally, the largest remainders up, at least one each if k allows.

    >>> strata(np.array([900, 95, 5]), 20).tolist()
    [18, 1, 1]
    """
    least = np.zeros_like(counts)
    if k >= np.count_nonzero(counts):
        least = np.minimum(counts, 1)
    share = k * counts / counts.sum()
    given = np.maximum(np.floor(share).astype(np.int64), least)
    while (
        given.sum() > k
    ):  # ones given to the rare classes are taken from the class that has most above its share
        given[np.argmax(np.where(given > least, given - share, -np.inf))] -= 1
    remainders = np.argsort(-(share - given), kind="stable")
    for c in remainders[: k - given.sum()]:
        given[c] += 1
    return given
