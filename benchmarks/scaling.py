"""Cost of one evaluation against rows, columns and subset size, with the limit of the machine. ``python -m benchmarks.scaling``.

The dashed line is what the least work must cost here: for a forward step the bytes that each candidate has to read, at
the measured bandwidth; for kernel ridge the n^3 flop of one inverse, at the measured rate of a matrix product.
"""

from pathlib import Path
from time import process_time

import numpy as np
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from subsel.criteria import Discriminant, Inconsistency, KernelRidge, LeastSquares, NearestNeighbours
from subsel.space import Space
from subsel.task import Task

RESULTS = Path(__file__).parent / "results"
ROWS, COLUMNS, SIZES = (250, 500, 1000, 2000, 4000), (50, 100, 200, 400, 800), (1, 2, 5, 10, 20, 40)
JUDGES = {
    "ridge": (LeastSquares(), lambda n: 8 * n),
    "LDA": (Discriminant("lda"), lambda n: 8 * n),
    "QDA": (Discriminant("qda"), lambda n: 16 * n),
    "Gaussian naive Bayes": (Discriminant("gaussian-nb"), lambda n: 8 * n),
    "1-NN": (NearestNeighbours(1), None),
    "inconsistency": (Inconsistency(), lambda n: 9 * n),
    "kernel ridge": (KernelRidge(gamma=0.1), "cubic"),
}


def bandwidth() -> float:
    """Bytes a second read from a large array."""
    values = np.ones(1 << 24)
    return values.nbytes / min(_timed(values.sum) for _ in range(5))


def flops() -> float:
    """Floating-point operations a second in a matrix product."""
    A = np.random.default_rng(0).normal(size=(1000, 1000))
    return 2e9 / min(_timed(lambda: A @ A) for _ in range(5))


def seconds(name: str, n: int, p: int, s: int) -> float | None:
    """Seconds per candidate of a forward step from s columns, the median of three steps."""
    criterion, _ = JUDGES[name]
    if name == "kernel ridge" and n > 1000:
        return None
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, :5] += 0.5 * y[:, None]
    if name == "inconsistency":
        X = np.digitize(X, [-0.5, 0.5]).astype(float)
    kind = "regression" if name == "kernel ridge" else "classification"
    evaluator, space = criterion.bind(Task.of(X, y.astype(float) if kind == "regression" else y, kind)), Space.of(p)
    additions = space.additions(space.subset(range(s)))
    additions = additions[:3] if name == "kernel ridge" else additions
    evaluator.evaluate(additions)
    return float(np.median([_timed(lambda: evaluator.evaluate(additions)) for _ in range(3)])) / len(additions)


def _timed(job) -> float:
    begin = process_time()
    job()
    return process_time() - begin


def main() -> None:
    """Draw one row of three pictures per judge."""
    with threadpool_limits(1):
        per_byte, per_flop = 1 / bandwidth(), 1 / flops()
        figure = Figure(figsize=(11, 2.3 * len(JUDGES)), layout="constrained")
        axes = figure.subplots(len(JUDGES), 3)
        for row, (name, (_, least)) in zip(axes, JUDGES.items()):
            work = lambda n, least=least: (
                None if least is None else per_flop * n**3 if least == "cubic" else per_byte * least(n)
            )
            _draw(
                row[0],
                ROWS,
                [seconds(name, n, 100, 5) for n in ROWS],
                [work(n) for n in ROWS],
                "rows (100 columns, 5 chosen)",
            )
            _draw(
                row[1],
                COLUMNS,
                [seconds(name, 500, p, 5) for p in COLUMNS],
                [work(500)] * len(COLUMNS),
                "columns (500 rows, 5 chosen)",
            )
            _draw(
                row[2],
                SIZES,
                [seconds(name, 500, 100, s) for s in SIZES],
                [work(500)] * len(SIZES),
                "chosen (500 rows, 100 columns)",
            )
            row[0].set_ylabel(f"{name}\nus per evaluation")
            print(name, flush=True)
    figure.savefig(RESULTS / "scaling.png", dpi=90)


def _draw(ax, at, took, least, label) -> None:
    known = [(x, 1e6 * t) for x, t in zip(at, took) if t is not None]
    ax.loglog(*zip(*known), marker="o", color="#0b4f8a", label="seen")
    if least[0] is not None:
        ax.loglog(at, [1e6 * t for t in least], ls="--", color="#b85c00", label="limit")
    ax.set_xticks(at, [f"{value:,}" for value in at])
    ax.minorticks_off()
    ax.set_xlabel(label)
    ax.grid(alpha=0.3)


if __name__ == "__main__":
    main()
