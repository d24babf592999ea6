"""Every exact judge side by side with its peer, in one process. ``python -m benchmarks.judges``."""

from importlib import import_module

from benchmarks.judges_discrete import import_seconds
from benchmarks.table import write

FAMILIES = ("judges_linear", "judges_neighbours", "judges_discrete")
REMARK = """
Why a removal of nearest neighbours at 10 columns stays under a third of its addition: with one column added the scan
stops after a few dozen of the 2,000 rows, because distances only grow; with one of ten taken out, whose squared range is
2.4 to 15 times the squared spreads of all ten together, any row may come near and every distance must be looked at.
Taken apart (1-NN, 16 November 2026), a removal of 1,110 us was 390 us for rough copies of the held distances and what a
batch costs once, shared by its ten candidates (90 us of it to read the 33 MB), 285 us to subtract the column from 4
million distances, 90 us to bound the k-th of each row, and 350 us to find, check in double precision and count the rows
within the bound. Were only the read and the subtraction left, 375 us, it would still cost 1.9 times its addition of 196 us.
""".strip()
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
    title = "Exact judges against refitting (CPU time, median of 5, equal answers asserted)"
    write("judges", title, HEADER, lines, REMARK)


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms" if value >= 1e-3 else f"{1e6 * value:.3g} us"


if __name__ == "__main__":
    main()
