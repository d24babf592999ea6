"""Do p-values hold? Null columns of five kinds for every score that has p-values; writes `docs/p_values.md`.

Run from the checkout: `python docs/studies/p_values.py` (about forty minutes on one core). Parts of
20,000 columns a cell are written to `build/p_values.jsonl` when they are done, and not computed again; `--columns 20000` is
content with one of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import beta

from subsel.ranking import SCORES

ROOT = Path(__file__).resolve().parents[2]
CELLS = ROOT / "build" / "p_values.jsonl"
PAGE = ROOT / "docs" / "p_values.md"
AT_ONCE = 20_000  # columns drawn at a time
LEVELS = {0.01: 0.012, 0.001: 0.0015}  # the level, and what the lower limit of the share may be at most
CONFIDENCE = 0.999
FEWER = {("runs", "rounded"): 20_000}  # columns where p-values take long
SIZES = (12, 50, 200)
SHARES = {
    "2 classes": (1, 1),
    "2 classes, skewed": (5, 1),
    "3 classes": (1, 1, 1),
    "3 classes, skewed": (7, 2, 1),
    "8 classes": (1,) * 8,
    "8 classes, skewed": (9, 3, 2, 2, 1, 1, 1, 1),
}
QUANTITIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal quantity": lambda rng, n: rng.standard_normal(n),
    "Cauchy quantity": lambda rng, n: rng.standard_cauchy(n),
    "rounded quantity": lambda rng, n: np.round(rng.standard_normal(n), 1),
}
COLUMNS: dict[str, Callable[[np.random.Generator, int, int], np.ndarray]] = {
    "normal": lambda rng, n, p: rng.standard_normal((n, p)),
    "lognormal": lambda rng, n, p: np.exp(rng.standard_normal((n, p))),
    "Cauchy": lambda rng, n, p: rng.standard_cauchy((n, p)),
    "rounded": lambda rng, n, p: np.round(rng.standard_normal((n, p)), 1),
    "rare bits": lambda rng, n, p: (rng.random((n, p)) < max(0.03, 2 / n)).astype(float),
}


@dataclass(frozen=True)
class Cell:
    """A score with p-values, rows, the target, the kind of columns."""

    key: str
    n: int
    target: str
    columns: str


@dataclass(frozen=True)
class Found:
    """How many columns there were, how many of them reached each level, and the seconds that the p-values took."""

    n_columns: int
    reached: dict[str, int]
    seconds: float

    def with_more(self, other: Found) -> Found:
        """The same with further columns."""
        reached = {level: count + other.reached[level] for level, count in self.reached.items()}
        return Found(self.n_columns + other.n_columns, reached, self.seconds + other.seconds)


def laws() -> dict[str, list[str]]:
    """The first score of each law of the table, and all scores that share it."""
    shared: dict[Callable, list[str]] = {}
    for entry in dict.fromkeys(SCORES.values()):
        if entry.p_value is not None:
            shared.setdefault(entry.p_value, []).append(entry.key)
    return {keys[0]: keys for keys in shared.values()}


def grid() -> Iterator[Cell]:
    """All cells: classes that the score takes, quantities for those that take numbers."""
    for n in SIZES:
        for target in (*SHARES, *QUANTITIES):
            for columns in COLUMNS:
                for key in laws():
                    entry = SCORES[key]
                    many = target not in SHARES or len(SHARES[target]) > 2
                    suits = entry.regression if target in QUANTITIES else not many or entry.multiclass
                    if suits:
                        yield Cell(key, n, target, columns)


def target_of(name: str, n: int) -> np.ndarray:
    """Labels in the shares asked for, at least one row each; or a quantity."""
    if name in QUANTITIES:
        return QUANTITIES[name](np.random.default_rng(n), n)
    shares = np.array(SHARES[name]) / sum(SHARES[name])
    sizes = np.maximum(1, np.floor(shares * n)).astype(int)
    rest = n - sizes.sum()
    sizes[: rest if rest < len(sizes) and np.ptp(shares) == 0 else 1] += 1 if np.ptp(shares) == 0 else rest
    return np.repeat(np.arange(len(sizes)), sizes)


def simulate(cells: list[Cell], part: int) -> dict[Cell, Found]:
    """Draw null columns that cells of equal size and kind share, and count the p-values at or under each level."""
    n, columns, found = cells[0].n, cells[0].columns, {}
    rng = np.random.default_rng([part, n, list(COLUMNS).index(columns)])
    X = COLUMNS[columns](rng, n, AT_ONCE)
    for cell in cells:
        begin = process_time()
        p = SCORES[cell.key].p_value(X, target_of(cell.target, n))
        seconds = process_time() - begin
        reached = {f"{level:g}": int((p <= level * (1 + 1e-9)).sum()) for level in LEVELS}
        found[cell] = Found(AT_ONCE, reached, round(seconds, 3))
    return found


def lower_limit(count: int, n: int) -> float:
    """The lower limit of a share, of one-sided confidence (Clopper and Pearson)."""
    return float(beta.ppf(1 - CONFIDENCE, count, n - count + 1)) if count else 0.0


def outside(found: Found) -> bool:
    """Whether a cell reaches a level more often than its target allows."""
    return any(lower_limit(found.reached[f"{level:g}"], found.n_columns) > most for level, most in LEVELS.items())


def known() -> dict[Cell, Found]:
    """What was found before, all parts of a cell together."""
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    done: dict[Cell, Found] = {}
    for line in map(json.loads, lines):
        cell, found = Cell(**line["cell"]), Found(**line["found"])
        done[cell] = done[cell].with_more(found) if cell in done else found
    return done


def missing(done: dict[Cell, Found], n_columns: int) -> Iterator[tuple[int, list[Cell]]]:
    """The next part of all cells, then the next but one, and so on; cells of a size and kind of columns together."""
    for part, n, columns in product(range(0, n_columns, AT_ONCE), SIZES, COLUMNS):
        cells = [cell for cell in grid() if cell.n == n and cell.columns == columns]
        cells = [cell for cell in cells if part < FEWER.get((cell.key, columns), n_columns)]
        if cells := [cell for cell in cells if cell not in done or done[cell].n_columns <= part]:
            yield part, cells


def main() -> None:
    """Simulate what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=100_000, help="null columns a cell")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    CELLS.parent.mkdir(exist_ok=True)
    todo = missing(known(), given.columns)
    for found in Parallel(given.jobs, return_as="generator")(delayed(simulate)(cells, part) for part, cells in todo):
        with CELLS.open("a") as file:
            file.writelines(json.dumps({"cell": asdict(c), "found": asdict(f)}) + "\n" for c, f in found.items())
    for cell, found in known().items():
        if outside(found):
            print(cell, found, "outside", file=sys.stderr)


if __name__ == "__main__":
    main()
