"""Is the false discovery rate kept? Cuts at 0.1 in six designs, with power; writes the last part of `docs/p_values.md`.

Run from the checkout: `python docs/studies/false_discoveries.py --jobs 2` (some twenty minutes of one core), then
`python docs/studies/p_values.py`. Parts of 20 draws
a cell are written to `docs/studies/kept/false_discoveries.jsonl` when they are done, and not computed again.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from subsel import RankingSelector

ROOT = Path(__file__).resolve().parents[2]
CELLS = ROOT / "docs" / "studies" / "kept" / "false_discoveries.jsonl"
N_COLUMNS, N_TRUE, BLOCK = 500, 25, 5
LEVEL = 0.1
AT_ONCE = 20  # draws of a part
Draw = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Design:
    """Rows, positive ones among them, and the columns, given the labels and which columns are relevant."""

    n_rows: int
    n_positive: int
    draw: Draw


def normal(shift: float, correlation: float = 0.0) -> Draw:
    """Normal columns in blocks of five with a correlation; relevant ones have their means so far apart."""

    def draw(rng: np.random.Generator, y: np.ndarray, true: np.ndarray) -> np.ndarray:
        shared = np.repeat(rng.standard_normal((len(y), N_COLUMNS // BLOCK)), BLOCK, axis=1)
        noise = rng.standard_normal((len(y), N_COLUMNS))
        return (
            np.sqrt(correlation) * shared
            + np.sqrt(1 - correlation) * noise
            + shift * np.outer(y, true)
        )

    return draw


def bits(rng: np.random.Generator, y: np.ndarray, true: np.ndarray) -> np.ndarray:
    """One in a hundred rows holds a column; of the positive rows one in ten a relevant one."""
    return (rng.random((len(y), N_COLUMNS)) < 0.01 + 0.09 * np.outer(y, true)).astype(float)


def cauchy(rng: np.random.Generator, y: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Cauchy columns, relevant ones shifted."""
    return rng.standard_cauchy((len(y), N_COLUMNS)) + 2.0 * np.outer(y, true)


def lognormal(rng: np.random.Generator, y: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Log-normal columns, relevant ones multiplied."""
    return np.exp(normal(1.2)(rng, y, true))


DESIGNS = {
    "independent": Design(100, 50, normal(0.9)),
    "blocks at 0.8": Design(100, 50, normal(0.9, 0.8)),
    "1 % bits": Design(400, 200, bits),
    "Cauchy": Design(100, 50, cauchy),
    "log-normal, 12 % positive": Design(200, 24, lognormal),
    "20 rows": Design(20, 10, normal(2.2)),
}
CLASSIC = ("t-test", "welch-t", "auc", "chi-square", "mutual-information")
RANKINGS = [
    *((ranking, "fdr") for ranking in CLASSIC),
    *(
        (ranking, "fdr")
        for ranking in (
            "kolmogorov-smirnov",
            "runs",
            "gini",
            "jeffreys-matusita",
            "median-information",
        )
    ),
    *(
        (ranking, cut)
        for ranking in ("t-test", "auc")
        for cut in ("fdr-any", "bonferroni", "permutation", "probes")
    ),
    ("mutual-information", "probes"),
    ("relieff", "probes"),
]


@dataclass(frozen=True)
class Cell:
    """A ranking, its cut, a design."""

    ranking: str
    cut: str
    design: str


def simulate(cell: Cell, part: int) -> dict[str, list[float]]:
    """Draw tables, select, and give the false discovery rate and the power of each draw."""
    design, rates, powers = DESIGNS[cell.design], [], []
    true = np.arange(N_COLUMNS) < N_TRUE
    for seed in range(part, part + AT_ONCE):
        rng = np.random.default_rng([seed, list(DESIGNS).index(cell.design)])
        y = rng.permutation(np.arange(design.n_rows) < design.n_positive).astype(int)
        X = design.draw(rng, y, true)
        kept = (
            RankingSelector(cell.ranking, f"{cell.cut}:{LEVEL}", random_state=seed)
            .fit(X, y)
            .support_
        )
        rates.append(round(float(kept[~true].sum() / max(1, kept.sum())), 6))
        powers.append(round(float(kept[true].mean()), 6))
    return {"rates": rates, "powers": powers}


def known() -> dict[Cell, dict[str, list[float]]]:
    """What was found before, all parts of a cell together."""
    done: dict[Cell, dict[str, list[float]]] = {}
    for line in map(json.loads, CELLS.read_text().splitlines() if CELLS.exists() else []):
        kept = done.setdefault(Cell(**line["cell"]), {"rates": [], "powers": []})
        for name, values in line["found"].items():
            kept[name] += values
    return done


def missing(done: dict[Cell, dict[str, list[float]]], n_draws: int) -> Iterator[tuple[Cell, int]]:
    """The next part of all cells, then the next but one."""
    for part in range(0, n_draws, AT_ONCE):
        for (ranking, cut), design in product(RANKINGS, DESIGNS):
            cell = Cell(ranking, cut, design)
            if cell not in done or len(done[cell]["rates"]) <= part:
                yield cell, part


def part_of_page() -> str:
    """The table: a ranking and its cut a line, a design a column."""
    done = known()
    lines = [
        "| ranking | cut | " + " | ".join(DESIGNS) + " |",
        "| --- | --- " + "| --- " * len(DESIGNS) + "|",
    ]
    for ranking, cut in RANKINGS:
        cells = [done.get(Cell(ranking, cut, design)) for design in DESIGNS]
        lines.append(
            f"| `{ranking}` | `{cut}` | " + " | ".join(_text(found) for found in cells) + " |"
        )
    counts = sorted({len(found["rates"]) for found in done.values()})
    return "\n".join(
        [f"Draws a cell: {' to '.join(str(n) for n in counts[:1] + counts[1:][-1:])}.", "", *lines]
    )


def _text(found: dict[str, list[float]] | None) -> str:
    if found is None:
        return ""
    rate, error = np.mean(found["rates"]), np.std(found["rates"]) / np.sqrt(len(found["rates"]))
    text = f"{rate:.3f} ± {error:.3f} ({np.mean(found['powers']):.2f})"
    return f"**{text}**" if rate > LEVEL + 3 * error else text


def main() -> None:
    """Simulate what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    CELLS.parent.mkdir(exist_ok=True)
    todo = list(missing(known(), given.draws))
    results = Parallel(given.jobs, return_as="generator")(
        delayed(simulate)(*cell_and_part) for cell_and_part in todo
    )
    for (cell, _), found in zip(todo, results):
        with CELLS.open("a") as file:
            file.write(json.dumps({"cell": asdict(cell), "found": found}) + "\n")


if __name__ == "__main__":
    main()
