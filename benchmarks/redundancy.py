"""Redundancy-aware orders beside their peers: ``python -m benchmarks.redundancy``.

Peer and ours run in turn, five times, in one process with one BLAS thread; medians of CPU seconds. The sequences must
be equal, or the row says so. Compiled loops are compiled before the clock starts. The large
ratios are mostly the peers' overhead per column or pair in Python, not arithmetic: the peers named lean numpy are our own
plain programs without it, one product or one count of all columns per step. FastCan runs by both of its methods.
"""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

from subsel.ranking.orders.cmim import cmim
from subsel.ranking.orders.gram_schmidt import gram_schmidt
from subsel.ranking.orders.jmi import jmi
from subsel.ranking.orders.mrmr import mrmr
from subsel.ranking.orders.redundancy import mrmr_difference

ROUNDS = 5
RESULTS = Path(__file__).parent / "results" / "redundancy.md"


def main() -> None:
    """Run every comparison and write the table."""
    with threadpool_limits(1):
        rows = [
            row
            for compare in (compare_mrmr, compare_information, compare_gram_schmidt)
            for row in compare()
        ]
    head = [
        "| job | peer | peer CPU s | ours CPU s | ratio | same sequence |",
        "|---|---|---|---|---|---|",
    ]
    text = (
        "\n".join(
            [f"# Redundancy-aware orders\n\n{__doc__.split(chr(10), 2)[2].strip()}\n", *head, *rows]
        )
        + "\n"
    )
    RESULTS.write_text(text)


def compare_mrmr() -> list[str]:
    """F statistic over mean absolute correlation, against mrmr_selection."""
    from mrmr import mrmr_classif

    rows = []
    for n, p, k in ((200, 2000, 15), (200, 10000, 3)):
        X, y = numbers(n, p)
        frame, target = pd.DataFrame(X), pd.Series(y)
        rows.append(
            compare(
                f"mRMR (F, mean abs. correlation) {n}x{p}, K={k}",
                "mrmr_classif",
                lambda: mrmr_classif(frame, target, K=k, show_progress=False, n_jobs=1),  # noqa: B023
                lambda: mrmr(X, y, k).features,  # noqa: B023
            )
        )
    X, y = numbers(200, 10000)
    job, peer = (
        "mRMR (F, mean abs. correlation) 200x10000, K=50",
        "lean numpy (f_classif, one product per step)",
    )
    return [
        *rows,
        compare(job, peer, lambda: lean_numbers(X, y, 50), lambda: mrmr(X, y, 50).features),
    ]


def compare_information() -> list[str]:
    """Discrete orders against loops over scikit-learn's mutual_info_score that keep running sums, and lean ones."""
    jobs: list[tuple[str, Callable, Callable, Callable]] = [
        ("mRMR difference", plain_mrmr, lean_mrmr, mrmr_difference),
        ("JMI", plain_jmi, lean_jmi, jmi),
        ("CMIM", plain_cmim, lean_cmim, cmim),
    ]
    rows = []
    for n, p, k in ((500, 100, 10), (2000, 500, 20)):
        X, y = categories(n, p)
        for name, plain, lean, ours in jobs:
            peers = {
                "loop over mutual_info_score": plain,
                "lean numpy (one bincount per step)": lean,
            }
            for what, peer in peers.items():
                if peer is plain and n > 500:
                    continue  # minutes
                rows.append(
                    compare(
                        f"{name} {n}x{p}, 5 values, K={k}",
                        what,
                        lambda: peer(X, y, k),  # noqa: B023
                        lambda: ours(X, y, k).features,  # noqa: B023
                    )
                )
    return rows


def compare_gram_schmidt() -> list[str]:
    """Orthogonal forward regression against fastcan."""
    from fastcan import FastCan

    rows = []
    for n, p, k, eta in ((2000, 500, 20, False), (2000, 500, 20, True), (200, 10000, 20, False)):
        X, y = numbers(n, p)
        response = X[:, :10].sum(axis=1) + y
        rows.append(
            compare(
                f"Gram-Schmidt {n}x{p}, K={k} (ours with leave-one-out and risk)",
                "FastCan, eta-cosine" if eta else "FastCan",
                lambda: FastCan(k, eta=eta, verbose=0).fit(X, response).indices_,  # noqa: B023
                lambda: gram_schmidt(X, response, k).features,  # noqa: B023
            )
        )
    return rows


def compare(job: str, peer_name: str, peer: Callable, ours: Callable) -> str:
    """Run both in turn and give a row of the table."""
    ours()
    runs = [(timed(peer), timed(ours)) for _ in range(ROUNDS)]
    slow, fast = (median(seconds for seconds, _ in side) for side in zip(*runs))
    same = (
        "yes" if all(np.array_equal(theirs, mine) for (_, theirs), (_, mine) in runs) else "**no**"
    )
    row = f"| {job} | {peer_name} | {slow:.4g} | {fast:.4g} | {ratio(slow, fast)} | {same} |"
    print(row, flush=True)
    return row


def ratio(theirs: float, own: float) -> str:
    """Whole where that says enough."""
    return f"{theirs / own:.0f}" if theirs > 10 * own else f"{theirs / own:.1f}"


def timed(run: Callable) -> tuple[float, np.ndarray]:
    """Give the CPU seconds of a run and its features."""
    begin = process_time()
    features = run()
    return process_time() - begin, np.asarray(features)


def numbers(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Two Gaussian classes; every column shifted by a random amount."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return rng.standard_normal((n, p)) + y[:, None] * rng.random(p) / 2, y


def categories(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of five values, of which ten make the class."""
    rng = np.random.default_rng(0)
    X = rng.integers(5, size=(n, p))
    return X, (X[:, :10].sum(axis=1) + rng.integers(5, size=n) > 21).astype(int)


def plain_mrmr(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """Relevance less mean redundancy, one pair at a time."""
    relevance = np.array([mutual_info_score(column, y) for column in X.T])
    taken, redundancy = [int(np.argmax(relevance))], np.zeros(X.shape[1])
    while len(taken) < n_features:
        redundancy += [mutual_info_score(column, X[:, taken[-1]]) for column in X.T]
        scores = relevance - redundancy / len(taken)
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return taken


def plain_jmi(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """The sum of joint informations, one pair at a time."""
    taken, total = (
        [int(np.argmax([mutual_info_score(column, y) for column in X.T]))],
        np.zeros(X.shape[1]),
    )
    while len(taken) < n_features:
        total += [mutual_info_score(column * 5 + X[:, taken[-1]], y) for column in X.T]
        scores = total.copy()
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return taken


def plain_cmim(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """The minimum of conditional informations, one pair at a time."""
    relevance = np.array([mutual_info_score(column, y) for column in X.T])
    taken, minima = [int(np.argmax(relevance))], np.full(X.shape[1], np.inf)
    while len(taken) < n_features:
        last = X[:, taken[-1]]
        joint = np.array([mutual_info_score(column * 5 + last, y) for column in X.T])
        minima = np.minimum(minima, joint - relevance[taken[-1]])
        minima[taken] = -np.inf
        taken.append(int(np.argmax(minima)))
    return taken


def lean_numbers(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """F over mean absolute correlation: the table standardised once, one product with it per step."""
    relevance = f_classif(X, y)[0]
    Z = X - X.mean(axis=0)
    Z /= np.sqrt((Z**2).sum(axis=0))
    taken, total = [int(np.argmax(relevance))], np.zeros(X.shape[1])
    while len(taken) < n_features:
        total += np.maximum(np.abs(Z[:, taken[-1]] @ Z), 0.001)
        scores = relevance / total
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return taken


def lean_information(places: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """I of every column with a code per row, from one count of all cells; ``places`` number the values of all columns."""
    n, p = places.shape
    counts = np.bincount(
        (places * n_codes + codes[:, None]).ravel(), minlength=5 * p * n_codes
    ).reshape(p, 5, n_codes)
    cells, values, of_codes = (
        xlogy(c, c) for c in (counts, counts.sum(axis=2), counts.sum(axis=1))
    )
    return (cells.sum(axis=(1, 2)) - values.sum(axis=1) - of_codes.sum(axis=1)) / n + np.log(n)


def lean_mrmr(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """Relevance less mean redundancy."""
    places = X + 5 * np.arange(X.shape[1])
    relevance, redundancy = lean_information(places, y, 2), np.zeros(X.shape[1])
    taken = [int(np.argmax(relevance))]
    while len(taken) < n_features:
        redundancy += lean_information(places, X[:, taken[-1]], 5)
        scores = relevance - redundancy / len(taken)
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return taken


def lean_conditional(places: np.ndarray, last: np.ndarray, y: np.ndarray) -> np.ndarray:
    """I(X; Y | last) of every column, as I(X; last, Y) - I(X; last)."""
    return lean_information(places, 2 * last + y, 10) - lean_information(places, last, 5)


def lean_jmi(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """The sum of joint informations."""
    places = X + 5 * np.arange(X.shape[1])
    relevance, total = lean_information(places, y, 2), np.zeros(X.shape[1])
    taken = [int(np.argmax(relevance))]
    while len(taken) < n_features:
        total += relevance[taken[-1]] + lean_conditional(places, X[:, taken[-1]], y)
        scores = total.copy()
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return taken


def lean_cmim(X: np.ndarray, y: np.ndarray, n_features: int) -> list[int]:
    """The minimum of conditional informations."""
    places = X + 5 * np.arange(X.shape[1])
    relevance, minima = lean_information(places, y, 2), np.full(X.shape[1], np.inf)
    taken = [int(np.argmax(relevance))]
    while len(taken) < n_features:
        minima = np.minimum(minima, lean_conditional(places, X[:, taken[-1]], y))
        minima[taken] = -np.inf
        taken.append(int(np.argmax(minima)))
    return taken


if __name__ == "__main__":
    main()
