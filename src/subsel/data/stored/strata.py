"""Which rows a sample takes: uniform draws, and shares of classes."""

from __future__ import annotations

import numpy as np

__all__ = ["row_numbers", "strata"]


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
