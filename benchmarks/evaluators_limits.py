"""What the machine would allow each exact evaluator: seconds per piece of work at the speeds measured in the same run.

A limit counts only what any exact way must read or compute once the state of the step before is held; interpreter, engine
and the laying out of tables are left out.
"""

import re
from collections.abc import Callable
from functools import cache
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

KNN_STEPS = {"breast cancer, k=10": (569, 30, 10), "2000x100, k=5": (2000, 100, 5)}


def limit(job: str) -> float | None:
    """The fewest seconds for one piece of a job's work, if we know what it must read or compute."""
    for pattern, seconds in LIMITS.items():
        found = re.search(pattern, job)
        if found:
            return seconds(job)
    return None


def _least(work: Callable, turns: int = 7) -> float:
    """The least CPU seconds of some turns, on one thread."""
    took = []
    with threadpool_limits(1):
        for _ in range(turns):
            begin = process_time()
            work()
            took.append(process_time() - begin)
    return min(took)


@cache
def read(megabytes: int) -> float:
    """Bytes a second that are read from a table of about so many megabytes (a dot product of it with itself)."""
    table = np.ones(megabytes * 125_000)
    repeats = max(1, 64 // megabytes)
    return 8 * len(table) * repeats / _least(lambda: [table @ table for _ in range(repeats)])


@cache
def flops(kind: type = float) -> float:
    """Operations a second of a product of two matrices, 1,000 by 1,000, of doubles or of floats."""
    square = np.ones((1000, 1000), dtype=kind)
    return 2e9 / _least(lambda: square @ square)


@cache
def exponentials() -> float:
    """Exponentials of doubles a second, where they lie."""
    numbers = np.linspace(-5.0, 0.0, 10_000)
    room = np.empty_like(numbers)
    return 100 * len(numbers) / _least(lambda: [np.exp(numbers, out=room) for _ in range(100)])


def kernel_ridge(job: str) -> float:
    """Half a kernel matrix, its factor and the factor's inverse (2 n^3 / 3 operations), all at the speed of products.

    Rows held out one by one need the diagonal of the inverse in full precision. Those held out by fold need its blocks
    (n m^2 operations for m rows, less what stands below them), and could do with floats, corrected three times in double.
    """
    n, folds = 500, re.search(r"(\d+)-fold", job)
    half, root = n * (n + 1) / 2 / exponentials(), 2 * n**3 / 3
    if "leave-one-out" in job:
        return half + root / flops()
    k = int(folds.group(1)) if folds else 5
    return half + (root + n**3 * (k + 1) / (2 * k**2)) / flops(np.float32) + 12 * n**2 * k / flops()


def outputs(job: str) -> float:
    """The held outputs of one candidate and its column are read, and one of them is written: 24 bytes a row."""
    return 24 * _rows(job) / read(8)


def two_outputs(job: str) -> float:
    """As `outputs`, for each of two classes."""
    return 2 * outputs(job)


def one_output(job: str) -> float:
    """The terms that a column adds to the log-odds are read: 8 bytes a row."""
    return 8 * _rows(job) / read(8)


def steps_of_ridge(job: str) -> float:
    """Inner products of all columns once (n p^2 operations), then in each step the outputs of all candidates."""
    n, p, k = next(size for name, size in KNN_STEPS.items() if name in job)
    return n * p**2 / flops() + k * p * 24 * n / read(8)


def random_subset(job: str) -> float:
    """Five factorisations (s^3 / 3 operations) and the outputs of all held-out rows (2 n s)."""
    n, s = _rows(job), int(job.split("s=")[1].split(",")[0])
    return (5 * s**3 / 3 + 2 * n * s) / flops()


def _addition(n: int, k: int, s: int) -> float:
    """Rows nearer than the k-th with one column more, about n^(1/(s+1)) k^(s/(s+1)) a query, four operations each."""
    return 4 * n * n ** (1 / (s + 1)) * k ** (s / (s + 1)) / flops()


def _summed(n: int, s: int) -> float:
    """Distances over few columns, summed in single precision without being held: three operations a column and pair."""
    return 3 * s * n**2 / (2 * flops())


def steps_of_neighbours(job: str) -> float:
    """In each step distances over the base are summed, then come the additions."""
    n, p, k = next(size for name, size in KNN_STEPS.items() if name in job)
    return sum(_summed(n, s) + (p - s) * _addition(n, 5, s) for s in range(k))


def step_of_neighbours(job: str) -> float:
    """One of 493 additions at seven columns, and its share of the distances over them."""
    return _summed(2000, 7) / 493 + _addition(2000, int(job[0]), 7)


def removal_of_neighbours(job: str) -> float:
    """Its share of a pass that sums all distances in single precision, the largest terms apart: five operations a term."""
    n, s = 2000, int(re.search(r"(?:s=|step of )(\d+)", job).group(1))  # type: ignore[union-attr]
    seconds = 5 * n**2 / (2 * flops())
    return s * seconds if "step of" in job else seconds


def swap_of_neighbours(job: str) -> float:
    """An addition, and its share of distances without the column: summed, or read if that is quicker (8 n^2 bytes)."""
    s = int(job.split("s=")[1])
    return min(_summed(2000, s - 1), 8 * 2000**2 / read(64)) / (100 - s) + _addition(
        2000, int(job[0]), s
    )


def inconsistency(job: str) -> float:
    """The cell of each row (4 bytes), its new value and class (a byte each) are read."""
    return 6 * int(job.split(", ")[1].split(" x")[0].replace(",", "")) / read(1)


def _rows(job: str) -> int:
    return int(re.search(r"(\d+)x\d+", job).group(1))  # type: ignore[union-attr]


LIMITS: dict[str, Callable[[str], float]] = {
    r"^ridge forward end": steps_of_ridge,
    r"^ridge random subset": random_subset,
    r"^(ridge|LDA) ": outputs,
    r"^QDA ": two_outputs,
    r"^Gaussian naive Bayes ": one_output,
    r"^kernel ridge": kernel_ridge,
    r"^5-NN forward end": steps_of_neighbours,
    r"^[15]-NN forward": step_of_neighbours,
    r"^[15]-NN (removal|backward)": removal_of_neighbours,
    r"^[15]-NN swap": swap_of_neighbours,
    r"^inconsistency": inconsistency,
}
