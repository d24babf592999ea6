"""Do p-values hold? Null columns of five kinds for every score that has p-values; writes `docs/p_values.md`.

Run from the checkout: `python docs/studies/p_values.py` (about forty minutes on one core). Parts of
5,000 columns a cell are written to `docs/studies/kept/p_values.jsonl` when they are done, and not computed again; `--columns 5000` is
content with one of them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
from false_discoveries import part_of_page  # beside this script
from joblib import Parallel, delayed
from scipy.stats import beta

from subsel.ranking.registry import SCORES

ROOT = Path(__file__).resolve().parents[2]
CELLS = ROOT / "docs" / "studies" / "kept" / "p_values.jsonl"
PAGE = ROOT / "docs" / "p_values.md"
AT_ONCE = 5_000  # columns drawn at a time
LEVELS = {
    0.01: 0.012,
    0.001: 0.0015,
}  # the level, and what the lower limit of the share may be at most
CONFIDENCE = 0.999
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
                    suits = (
                        entry.regression if target in QUANTITIES else not many or entry.multiclass
                    )
                    if suits:
                        yield Cell(key, n, target, columns)


def target_of(name: str, n: int) -> np.ndarray:
    """Labels in the shares asked for, at least one row each; or a quantity."""
    if name in QUANTITIES:
        return QUANTITIES[name](np.random.default_rng(n), n)
    shares = np.array(SHARES[name]) / sum(SHARES[name])
    sizes = np.maximum(1, np.floor(shares * n)).astype(int)
    rest = n - sizes.sum()
    sizes[: rest if rest < len(sizes) and np.ptp(shares) == 0 else 1] += (
        1 if np.ptp(shares) == 0 else rest
    )
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
    return any(
        lower_limit(found.reached[f"{level:g}"], found.n_columns) > most
        for level, most in LEVELS.items()
    )


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
    for found in Parallel(given.jobs, return_as="generator")(
        delayed(simulate)(cells, part) for part, cells in todo
    ):
        with CELLS.open("a") as file:
            file.writelines(_lines(found))
    done = known()
    CELLS.write_text("".join(_lines(done)))  # the parts of a cell as one
    PAGE.write_text(page(done))


def _lines(found: dict[Cell, Found]) -> list[str]:
    return [
        json.dumps({"cell": asdict(cell), "found": asdict(each)}) + "\n"
        for cell, each in found.items()
    ]


def page(done: dict[Cell, Found]) -> str:
    """The page: what is asked, the tables of all laws, what lies outside, the false discovery rates."""
    counts = Counter(found.n_columns for found in done.values())
    bad = [
        f"`{c.key}`, {c.n} rows, {c.target}, {c.columns}"
        for c, found in done.items()
        if outside(found)
    ]
    verdict = f"Outside its target: {'; '.join(bad)}." if bad else "No cell is outside its target."
    drawn = "; ".join(
        f"{counts[n]} cells of {n:,} columns ({_detected(n)})" for n in sorted(counts)
    )
    missing_cells = len(list(grid())) - len(done)
    rest = f" Not simulated: {missing_cells} cells, empty below." if missing_cells else ""
    parts = [HEAD.format(drawn=drawn), verdict + rest]
    for key, keys in laws().items():
        parts += [f"### {', '.join(f'`{k}`' for k in keys)}", _table(key, done)]
    return "\n\n".join([*parts, DISCOVERIES, part_of_page(), AFTER_DISCOVERIES]) + "\n"


def _detected(n: int) -> str:
    """From which shares on a cell of so many columns is seen to be outside."""
    shares = [
        next(c for c in range(1, n) if lower_limit(c, n) > most) / n for most in LEVELS.values()
    ]
    return " and ".join(f"{share:.4f}" for share in shares)


def _table(key: str, done: dict[Cell, Found]) -> str:
    lines = [
        "| target | rows | " + " | ".join(COLUMNS) + " |",
        "| --- | --- " + "| --- " * len(COLUMNS) + "|",
    ]
    for target, n in product((*SHARES, *QUANTITIES), SIZES):
        cells = [done.get(Cell(key, n, target, columns)) for columns in COLUMNS]
        if any(cells):
            lines.append(
                f"| {target} | {n} | " + " | ".join(_text(found) for found in cells) + " |"
            )
    return "\n".join(lines)


def _text(found: Found | None) -> str:
    if found is None:
        return ""
    text = " / ".join(
        f"{found.reached[f'{level:g}'] / found.n_columns / level:.2f}" for level in LEVELS
    )
    return f"**{text}**" if outside(found) else text


HEAD = """# Do p-values hold?

Made by `python docs/studies/p_values.py`, which takes up where it was stopped, and `docs/studies/false_discoveries.py`.

A p-value holds if columns that have nothing to do with the target reach it no more often than it says. Where Student's, Welch's,
Fisher's and chi-square's laws do not, p-values are the share of relabellings that score as high:

- **all of them** where a column's ties, or few rows, leave few outcomes;
- **random ones** elsewhere, drawn in stages until enough of them did as well (sequential Monte Carlo, Besag and Clifford 1991):
  20 for means and correlations, where all permutations and columns are products of matrices, 50 for statistics of tables, 1000
  where the values are equally frequent, as columns cut into equal parts share one law. A column's p-value is then
  (1 + b) / (1 + m), b of m having done as well; it is repeated by `random_state`, does not depend on the other columns, and has
  a relative standard error of up to 1/4, 1/7 or 1/30 (more where `n_permutations` end the drawing).

When are random relabellings drawn?

| p-values of | the law is kept where |
| --- | --- |
| `t-test`, `anova-f`, `correlation-ratio`, `pearson` | it gives more than 0.1, or (skewness of column x skewness of target)^2 / n plus the product of their excess kurtoses, if both are positive, over n is at most 0.03; of classes the smallest makes the target |
| `welch-t` | it gives more than 0.1, or the smaller class has 20 rows and skewness^2 at most 0.03 of them |
| `spearman` | it gives more than 0.1, or there are more than 30 rows |
| `runs` | the column has no ties (exact), or the normal law gives more than 0.1 |
| `chi-square`; `g-statistic`, information; `jeffreys-matusita` | it gives more than 0.5, or every count to be expected is at least 5; 20; 50 |
| `gini` and its kin | as for `chi-square`, with two classes; never with more |
| `auc`, `kendall`, `kolmogorov-smirnov`, `hypergeometric`, `odds-ratio` | always |

A p-value above the bound named first may be wrong by the law's error: it is no evidence at any level in use.

**How fine?** By default at most 100,000 permutations are drawn for a column, `n_permutations` of the p-value functions. The cuts
`fdr`, `bonferroni` and `p` of `RankingSelector` ask for as many as let a single column pass, the number of columns over alpha (ten times as many up to
100,000), from 20,000 up to 2,000,000: beyond that, with more than 200,000 columns at 0.1, several columns must stand out together. **What does it cost?** On one
core, 100 rows and 100,000 columns, `t-test` and `anova-f`: 0.025 s for the law alone, 0.04 s with the rule where it holds (normal columns, 40 rows
positive), 0.25 s for log-normal columns, 0.5 s with 10 rows positive: columns of noise take few permutations. Columns that stand out take all, a million
for 100,000 columns at 0.1: 1.4 s for one of them, 2.2 s for 50. Tables take some two microseconds a draw; columns cut into
equal parts share one law (0.2 s, remembered), 100,000 columns each with ties of its own take half a minute (`runs` on rounded values).

With few rows there are few relabellings: of 12 rows, two of them positive, 66, so that no p-value by permutation is below 0.015, and among
many columns none can be kept. That is what the data can tell if columns may be skewed; `fdr` then keeps nothing. Light tails: Student's law
is kept for uniform columns of two equal classes, which reach 0.001 1.9 times as often as it says with 12 rows, 1.5 times with 20, 1.3
times with 50. Fractional weights and moments in place of a table (`rank_stored` says so in `notes_`) keep the laws.

## P-values of noise

How many times more often than promised do null columns reach 0.01 / 0.001? A cell is outside, and printed bold, where the lower 99.9 % limit of
the share exceeds 0.012 or 0.0015. So far, with the shares from which that is seen: {drawn}. A further run of the script adds columns up to 100,000 a cell. Skewed classes are of shares 5:1, 7:2:1 and
9:3:2:2:1:1:1:1, a row at least. Rare bits: 3 % ones, two rows at least in expectation. Values below 1 are exact laws of few outcomes, which
cannot use up the level, and Student's of heavy tails."""

DISCOVERIES = """## False discovery rates

Realised rate at 0.1, mean ± standard error over draws, and in brackets the share of relevant columns kept; bold where the rate exceeds 0.1 by three
standard errors. 500 columns, 25 of them relevant. *Independent*: 100 rows, two equal classes, normal columns, means 0.9
standard deviations apart. *Blocks*: of five columns correlated at 0.8. *Bits*: 400 rows, 1 % ones, 10 % of the positive rows in
relevant columns. *Cauchy*: shifted by 2. *Log-normal*: 200 rows, 24 positive, logarithms 1.2 apart. *20 rows*: means 2.2 apart. `bonferroni` and
`permutation` bound the chance of any false one, which is more."""

AFTER_DISCOVERIES = """Where the classes differ in spread as in means, as log-normal ones do, labels permuted under Welch's t find little: take `t-test` or `auc`. `p` and `probe-p` are not corrected for the number of columns, and say so in `evidence_`; `gap`, `threshold`, `probe-mean` and
`relabelled` promise nothing."""


if __name__ == "__main__":
    main()
