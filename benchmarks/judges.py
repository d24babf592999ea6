"""Every exact judge side by side with its peer, in one process. ``python -m benchmarks.judges``."""

from importlib import import_module

from benchmarks.judges_discrete import import_seconds
from benchmarks.table import write

FAMILIES = ("judges_linear", "judges_neighbours", "judges_discrete")
HEADER = ("job", "against", "peer", "ours", "ratio", "at least", "aim", "holds")


def main() -> None:
    """Run all families and write one table."""
    lines = []
    for family in FAMILIES:
        for row in import_module(f"benchmarks.{family}").rows():
            ratio = row.peer / row.ours
            holds = "" if row.at_least is None else "yes" if ratio >= row.at_least else "NO"
            cells = (
                row.job,
                row.against,
                _seconds(row.peer),
                _seconds(row.ours),
                f"{ratio:,.3g}",
                row.at_least,
                row.aim,
                holds,
            )
            lines.append(["" if cell is None else cell for cell in cells])
            print(*lines[-1], sep=" | ", flush=True)
    seconds = import_seconds()
    lines.append(["import subsel", "", "", _seconds(seconds), "", "0.5 s", "0.25 s", "yes" if seconds <= 0.5 else "NO"])
    write("judges", "Exact judges against refitting (CPU time, median of 5, equal answers asserted)", HEADER, lines)


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms" if value >= 1e-3 else f"{1e6 * value:.3g} us"


if __name__ == "__main__":
    main()
