"""Is nothing found where there is nothing? Every way of selecting, on tables of noise; writes `docs/noise.md`.

Run from the checkout: `python docs/studies/noise.py` (about an hour and a half of one core). The ways are those of the slow test, which has
20 tables each; here there are 200. Finished tables are kept in `docs/studies/kept/noise.jsonl` and not computed again.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from pages import table
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.assessment.test_noise import COLUMNS, ROWS, WAYS, nested_estimate  # noqa: E402

KEPT, PAGE = ROOT / "docs" / "studies" / "kept" / "noise.jsonl", ROOT / "docs" / "noise.md"
AT_ONCE = 20  # tables of a part
MOST_ERRORS = 4


def known() -> dict[str, list[float]]:
    """The estimates found so far, by the way of selecting."""
    lines = map(json.loads, KEPT.read_text().splitlines() if KEPT.exists() else ())
    found: dict[str, list[float]] = {}
    for line in lines:
        found.setdefault(line["way"], []).extend(line["estimates"])
    return found


def simulate(n_tables: int) -> None:
    """Add parts to every way that has fewer tables than asked for."""
    KEPT.parent.mkdir(exist_ok=True)
    done = {name: len(estimates) for name, estimates in known().items()}
    for begin in range(0, n_tables, AT_ONCE):
        for name in WAYS:
            if done.get(name, 0) <= begin:
                estimates = [nested_estimate(name, seed) for seed in range(begin, begin + AT_ONCE)]
                with KEPT.open("a") as file:
                    file.write(json.dumps({"way": name, "estimates": estimates}) + "\n")
        print(f"{begin + AT_ONCE} tables", file=sys.stderr, flush=True)


def page(found: dict[str, list[float]]) -> str:
    """The mean of each way with its standard error, and who is off."""
    lines, off = [], []
    for name, estimates in sorted(found.items()):
        error = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
        distance = (np.mean(estimates) - 0.5) / error if error > 0 else 0.0
        lines.append(
            (
                f"`{name}`",
                f"{np.mean(estimates):.4f} ± {error:.4f}",
                f"{distance:+.1f}",
                len(estimates),
            )
        )
        off += [name] if abs(distance) > MOST_ERRORS else []
    said = (
        f"Off: {', '.join(off)}."
        if off
        else f"No way is more than {MOST_ERRORS} standard errors from chance."
    )
    return (
        HEAD.format(said=said)
        + table(("way", "estimate", "standard errors from 0.5", "tables"), lines)
        + "\n"
    )


def main() -> None:
    """Simulate what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="for each way of selecting")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    simulate(asked.tables)
    PAGE.write_text(page(known()))


HEAD = f"""# Is nothing found where there is nothing?

Written by `docs/studies/noise.py`. Tables of {ROWS} rows and {COLUMNS} columns of noise, two equal classes drawn by lot. Every
recipe, search and embedded selector, and the race of `AutoSelector`, is assessed in two folds with its selection repeated inside. An nested
estimate of the accuracy is one half on average; what follows ± is a standard error over the tables.

{{said}}

"""


if __name__ == "__main__":
    main()
