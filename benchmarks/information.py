"""Information and contingency tables beside their peers: ``python -m benchmarks.information``.

Peer and ours run in turn, five times (fifty where that is quick), in one process with one BLAS thread; medians of CPU
seconds and the largest difference between their answers. Compiled loops are compiled before the clock starts, and sparse
tables counted once before they are loaded, with numpy alone, and once after. Where the
peer's time is mostly overhead per column in Python, a second row names our own plain numpy without it, which counts all
columns at once.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from scipy import sparse
from scipy.special import entr
from scipy.stats import chi2_contingency
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

from subsel.data.statistics.entropy import compact, mutual_information_with
from subsel.ranking.scores.counts.contingency import chi_square
from subsel.ranking.scores.information.mutual_information import mutual_information
from subsel.ranking.scores.information.neighbour_information import (
    neighbour_information,
    neighbour_information_regression,
)

ROUNDS, MORE, QUICK = 5, 50, 0.02
RESULTS = Path(__file__).parent / "results" / "information.md"


def main() -> None:
    """Run every comparison and write the table."""
    with threadpool_limits(1):
        rows = [
            *sparse_tables("numpy alone"),
            *neighbours(),
            *discrete_columns(),
            *tables(),
            *sparse_tables("compiled"),
        ]
    head = [
        "| job | peer | peer CPU s | ours CPU s | ratio | max difference |",
        "|---|---|---|---|---|---|",
    ]
    text = (
        "\n".join([f"# Information\n\n{__doc__.split(chr(10), 2)[2].strip()}\n", *head, *rows])
        + "\n"
    )
    RESULTS.write_text(text)
    print(text)


def neighbours() -> list[str]:
    """Nearest-neighbour estimates against scikit-learn's, same seed."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 500)) + np.outer(y, rng.random(500) * (np.arange(500) < 50))
    number = X[:, 0] + rng.normal(size=2000)
    return [
        compare(
            "Ross estimate, k=3, 2000x500",
            "mutual_info_classif",
            lambda: mutual_info_classif(X, y, random_state=0),
            lambda: neighbour_information(X, y, random_state=0),
        ),
        compare(
            "Kraskov estimate, k=3, 2000x50",
            "mutual_info_regression",
            lambda: mutual_info_regression(X[:, :50], number, random_state=0),
            lambda: neighbour_information_regression(X[:, :50], number, random_state=0),
        ),
    ]


def discrete_columns() -> list[str]:
    """One coded column against 500."""
    rng = np.random.default_rng(0)
    column, codes = rng.integers(0, 8, 2000), rng.integers(0, 8, (2000, 500))
    small = compact(codes)

    def peer() -> np.ndarray:
        return np.array([mutual_info_score(column, codes[:, j]) for j in range(500)])

    def lean() -> np.ndarray:
        cells = np.bincount(
            (codes * 8 + column[:, None] + 64 * np.arange(500)).ravel(), minlength=500 * 64
        )
        cells = cells.reshape(500, 8, 8) / 2000
        of_values, of_column, jointly = (
            entr(cells.sum(axis=2)),
            entr(cells.sum(axis=1)),
            entr(cells),
        )
        return of_values.sum(axis=1) + of_column.sum(axis=1) - jointly.sum(axis=(1, 2))

    return [
        compare(f"{name}, one column against 500, n=2000, 8 values", peer_name, theirs, ours)
        for name, ours in (
            ("discrete information", lambda: mutual_information_with(column, small)),
            ("the same from 64-bit codes", lambda: mutual_information_with(column, codes)),
        )
        for peer_name, theirs in (("mutual_info_score", peer), ("lean numpy (one bincount)", lean))
    ]


def tables() -> list[str]:
    """Chi-square of whole tables."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (2000, 500)).astype(float), rng.integers(0, 3, 2000)

    def each_table() -> np.ndarray:
        counts = [np.bincount(x * 3 + y, minlength=15).reshape(5, 3) for x in X.T.astype(int)]
        return np.array([chi2_contingency(table, correction=False).statistic for table in counts])

    def all_tables() -> np.ndarray:
        cells = X.astype(np.int64) * 3 + y[:, None] + 15 * np.arange(500)
        counts = np.bincount(cells.ravel(), minlength=500 * 15).reshape(500, 5, 3)
        expected = counts.sum(axis=2, keepdims=True) * counts.sum(axis=1, keepdims=True) / 2000
        return ((counts - expected) ** 2 / expected).sum(axis=(1, 2))

    return [
        compare("chi-square, 5 values, 3 classes, 2000x500", name, peer, lambda: chi_square(X, y))
        for name, peer in (
            ("bincount and chi2_contingency (with p-value)", each_table),
            ("lean numpy (one bincount)", all_tables),
        )
    ]


def sparse_tables(path: str) -> list[str]:
    """Information of sparse tables, with numpy alone (before numba is loaded) or compiled."""
    assert ("numba" in sys.modules) == (path == "compiled")
    rng = np.random.default_rng(0)
    bits = sparse.csc_array(rng.random((800, 2000)) < 0.01, dtype=float)
    active = np.arange(800) % 10 == 0
    words = bits.copy()
    words.data = rng.integers(1, 5, words.nnz).astype(float)

    def all_bits() -> np.ndarray:
        sizes = np.bincount(active)
        ones = np.stack([bits.T @ (active == c).astype(float) for c in (False, True)], axis=1)
        cells = np.stack([ones, sizes - ones], axis=1) / 800
        of_values, jointly = entr(cells.sum(axis=2)).sum(axis=1), entr(cells).sum(axis=(1, 2))
        return of_values + entr(sizes / 800).sum() - jointly

    def all_words() -> np.ndarray:
        column, sizes = np.repeat(np.arange(2000), np.diff(words.indptr)), np.bincount(active)
        cells = np.bincount(
            (column * 5 + words.data.astype(int)) * 2 + active[words.indices], minlength=20_000
        )
        cells = cells.reshape(2000, 5, 2)
        cells[:, 0] = sizes - cells[:, 1:].sum(axis=1)
        cells = cells / 800
        of_values, jointly = entr(cells.sum(axis=2)).sum(axis=1), entr(cells).sum(axis=(1, 2))
        return of_values + entr(sizes / 800).sum() - jointly

    bits_score, words_score = (
        lambda: mutual_information(bits, active),
        lambda: mutual_information(words, active),
    )
    job = "information, sparse bits, 800x2000"
    found = [
        compare(f"{job}, {path}", "lean numpy (two sparse products)", all_bits, bits_score),
        compare(
            f"information, sparse counts of 1 to 4, 800x2000, {path}",
            "lean numpy (one bincount)",
            all_words,
            words_score,
        ),
    ]
    if path == "compiled":

        def each():
            return mutual_info_classif(bits, active, discrete_features=True)

        found.append(compare(f"{job}, {path}", "mutual_info_classif (discrete)", each, bits_score))
    return found


def compare(job: str, peer_name: str, peer: Callable, ours: Callable) -> str:
    """Time both in turn and give a row of the table."""
    ours()
    seconds: dict[str, list[float]] = {"peer": [], "ours": []}
    begin = process_time()
    expected = peer()
    for _ in range(MORE if process_time() - begin < QUICK else ROUNDS):
        for name, run in (("peer", peer), ("ours", ours)):
            begin = process_time()
            answer = run()
            seconds[name].append(process_time() - begin)
    difference = float(np.abs(answer - expected).max())
    theirs, own = median(seconds["peer"]), median(seconds["ours"])
    return f"| {job} | {peer_name} | {theirs:.3g} | {own:.3g} | {ratio(theirs, own)} | {difference:.0e} |"


def ratio(theirs: float, own: float) -> str:
    """Whole where that says enough."""
    return f"{theirs / own:.0f}" if theirs > 10 * own else f"{theirs / own:.1f}"


if __name__ == "__main__":
    main()
