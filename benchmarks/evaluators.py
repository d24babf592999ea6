"""Every exact evaluator side by side with its peer, in one process. ``python -m benchmarks.evaluators``."""

from importlib import import_module

import numpy as np

from benchmarks.evaluators_discrete import import_seconds
from benchmarks.evaluators_limits import exponentials, flops, limit, read
from benchmarks.table import write

FAMILIES = ("evaluators_linear", "evaluators_neighbours", "evaluators_discrete")
REMARK = """
``limit`` is the ratio that the machine would allow (:mod:`benchmarks.evaluators_limits`) at the speeds of this run: {} GB/s read
from a table of 64 MB, {} GB/s from one of 8 MB, {} GF/s in a matrix product
({} in single precision), {} billion exponentials a second.

Why a removal of nearest neighbours at 10 columns costs more than its addition: with one column added the scan stops after
a few dozen of the 2,000 rows, because distances only grow; with one of ten taken out any row may come near, and every
distance must be looked at. The ten share one pass, which sums each row's terms with the largest apart; ninety additions
share their work on distances nine times better. Ten additions take as long each as ten removals do.

5-NN forward end to end at 2,000 rows (43 ms of CPU time): 19 ms for the scans of added columns, 12 ms for lists of the rows
nearest (distances over the base are summed in single precision and never held), 7 ms for the first step on sorted columns and
2 ms to sort them, 4 ms for votes, interpreter and engine.

Ridge end to end on breast cancer is about 3,400 calls of Python and numpy for 10 steps: of 1.2 ms the compiled passes over
the residuals take 0.1 ms. On 2,000 x 100, with ten times the arithmetic in half the steps, the aim leaves more room.

Kernel ridge: 1.1 of 1.6 ms are the inverse of the triangle, by products at three quarters of the machine's rate, 0.2 ms the
kernel, half of it exponentials; between fits of the peer, which empty the caches, it is a sixth slower than in a row.
""".strip()
HEADER = ("job", "against", "peer", "ours", "ratio", "at least", "aim", "limit", "holds")


def main() -> None:
    """Run all families and write one table."""
    lines = []
    for family in FAMILIES:
        for row in import_module(f"benchmarks.{family}").rows():
            ratio = row.peer / row.ours
            least = None if row.aim is None else limit(row.job)
            holds = "" if row.at_least is None else "yes" if ratio >= row.at_least else "NO"
            cells = (
                row.job,
                row.against,
                _seconds(row.peer),
                _seconds(row.ours),
                f"{ratio:,.3g}",
                _bound(row.at_least),
                _bound(row.aim),
                "" if least is None else f"{row.peer / least:,.3g}",
                holds,
            )
            lines.append(list(cells))
            print(*lines[-1], sep=" | ", flush=True)
    seconds = import_seconds()
    lines.append(
        [
            "import subsel",
            "",
            "",
            _seconds(seconds),
            "",
            "0.5 s",
            "0.25 s",
            "",
            "yes" if seconds <= 0.5 else "NO",
        ]
    )
    title = "Exact evaluators against refitting (CPU time, median of 5, equal answers asserted)"
    speeds = read(64), read(8), flops(), flops(np.float32), exponentials()
    write(
        "evaluators",
        title,
        HEADER,
        lines,
        REMARK.format(*(f"{speed / 1e9:.3g}" for speed in speeds)),
    )


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:,.3g}" if value < 1 else f"{value:g}"


def _seconds(value: float) -> str:
    return (
        f"{value:.3g} s"
        if value >= 1
        else f"{1e3 * value:.3g} ms"
        if value >= 1e-3
        else f"{1e6 * value:.3g} us"
    )


if __name__ == "__main__":
    main()
