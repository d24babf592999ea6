"""Cost of one evaluation against rows, columns and subset size, with the limit. ``python -m benchmarks.scaling``.

An evaluation is one candidate of a forward step. The dashed line is the least work at the speed of this machine, measured
in the same run: the bytes that a candidate has to read, or for kernel ridge the n^3 operations of one inverse. Compiled
loops are loaded before the clock starts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from subsel.criteria import (
    CorrelationMerit,
    Criterion,
    DiscreteNaiveBayes,
    Discriminant,
    Inconsistency,
    KernelRidge,
    LeastSquares,
    Margin,
    NearestCentroid,
    NearestNeighbours,
    RedundancyPenalised,
    Scatter,
)
from subsel.data.task import Task
from subsel.space.space import Space

RESULTS = Path(__file__).parent / "results"
ROWS, COLUMNS, SIZES = (250, 500, 1000, 2000, 4000), (50, 100, 200, 400, 800), (1, 2, 5, 10, 20, 40)


@dataclass(frozen=True)
class Case:
    """An evaluator, the bytes (or operations) that an evaluation cannot do without, and what data it takes."""

    name: str
    criterion: Criterion
    least: Callable[[int, int], float]
    unit: str = "byte"
    coded: bool = False
    regression: bool = False
    most_rows: int = 4000


CASES = (
    Case("ridge", LeastSquares(), lambda n, s: 8 * n),  # the residual of the column
    Case("LDA", Discriminant("lda"), lambda n, s: 8 * n),
    Case("QDA", Discriminant("qda"), lambda n, s: 16 * n),  # a residual for each class
    Case("Gaussian naive Bayes", Discriminant("gaussian-nb"), lambda n, s: 8 * n),
    Case(
        "1-NN", NearestNeighbours(1), lambda n, s: 20 * n
    ),  # a row number, a distance, a value for each neighbour
    Case("5-NN", NearestNeighbours(5), lambda n, s: 100 * n),
    Case("nearest centroid", NearestCentroid(), lambda n, s: 16 * n),  # a distance for each class
    Case(
        "kernel ridge",
        KernelRidge(gamma=0.1),
        lambda n, s: n**3,
        "flop",
        regression=True,
        most_rows=1000,
    ),
    Case("discrete naive Bayes", DiscreteNaiveBayes(), lambda n, s: 16 * n, coded=True),
    Case("inconsistency", Inconsistency(), lambda n, s: 9 * n, coded=True),  # a group and a value
    Case(
        "correlation merit", CorrelationMerit(), lambda n, s: 8 * s, coded=True
    ),  # associations with the subset
    Case("redundancy penalised", RedundancyPenalised(), lambda n, s: 8 * s, coded=True),
    Case("scatter (Wilks)", Scatter(), lambda n, s: 16 * s),  # a column of two matrices
    Case("margin", Margin(), lambda n, s: 8 * n**2, most_rows=1000),  # all pairs of rows
)


def bandwidth() -> float:
    """Bytes a second read from a large array."""
    values = np.ones(1 << 24)
    return values.nbytes / min(_timed(values.sum) for _ in range(5))


def flops() -> float:
    """Floating-point operations a second in a matrix product."""
    A = np.random.default_rng(0).normal(size=(1000, 1000))
    return 2e9 / min(_timed(lambda: A @ A) for _ in range(5))


def seconds(case: Case, n: int, p: int, s: int) -> float:
    """Seconds per candidate of a forward step from s columns, the median of three steps; NaN where it would take long."""
    if n > case.most_rows:
        return np.nan
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, :5] += 0.5 * y[:, None]
    if case.coded:
        X = np.digitize(X, [-0.5, 0.5]).astype(float)
    task = (
        Task.of(X, y.astype(float), "regression")
        if case.regression
        else Task.of(X, y, "classification")
    )
    evaluator, space = case.criterion.bind(task), Space.of(p)
    additions = space.additions(space.subset(range(s)))
    additions = additions[:3] if case.unit == "flop" else additions
    evaluator.evaluate(additions)
    return float(
        np.median([_timed(lambda: evaluator.evaluate(additions)) for _ in range(3)])
    ) / len(additions)


def _timed(job: Callable[[], object]) -> float:
    begin = process_time()
    job()
    return process_time() - begin


def main() -> None:
    """Draw one row of three pictures per evaluator."""
    with threadpool_limits(1):
        per = {"byte": 1 / bandwidth(), "flop": 1 / flops()}
        figure = Figure(figsize=(11, 1.9 * len(CASES)), layout="constrained")
        axes = figure.subplots(len(CASES), 3, sharey="row")
        for row, case in zip(axes, CASES):

            def work(n, s, case=case):
                return per[case.unit] * case.least(n, s)

            took = [seconds(case, n, 100, 5) for n in ROWS]
            _draw(row[0], ROWS, took, [work(n, 5) for n in ROWS], "rows (100 columns, 5 chosen)")
            took = [seconds(case, 500, p, 5) for p in COLUMNS]
            _draw(
                row[1], COLUMNS, took, [work(500, 5)] * len(COLUMNS), "columns (500 rows, 5 chosen)"
            )
            took = [seconds(case, 500, 100, s) for s in SIZES]
            _draw(
                row[2], SIZES, took, [work(500, s) for s in SIZES], "chosen (500 rows, 100 columns)"
            )
            row[0].set_ylabel(f"{case.name}\nus per evaluation")
            print(case.name, flush=True)
    axes[0, 0].legend(frameon=False, fontsize=8)
    figure.savefig(RESULTS / "scaling.png", dpi=80)


def _draw(
    ax: Axes, at: Sequence[int], took: Sequence[float], least: Sequence[float], label: str
) -> None:
    ax.loglog(at, 1e6 * np.array(took), marker="o", ms=4, color="#0b4f8a", label="measured")
    ax.loglog(at, 1e6 * np.array(least), ls="--", color="#b85c00", label="limit")
    ax.set_xticks(at, [f"{value:,}" for value in at])
    ax.minorticks_off()
    ax.set_xlabel(label, fontsize=8)
    ax.grid(alpha=0.3)


if __name__ == "__main__":
    main()
