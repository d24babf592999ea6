"""How many selections are false? Stability selection and knockoffs against what they promise; writes `docs/false_selections.md`.

Run from the checkout: `python docs/studies/false_selections.py` (ten to twenty minutes on one core).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from subsel.embedded import Knockoffs, StabilitySelection

N_DRAWS = 200
N_ROWS, N_COLUMNS, N_TRUE, BLOCK = 300, 100, 10, 5
SIZE, FDR = 0.3, 0.2
PAGE = Path(__file__).resolve().parents[1] / "false_selections.md"
TRUE = np.arange(0, N_TRUE * BLOCK, BLOCK)  # one in each of the first ten blocks


def independent(rng: np.random.Generator) -> np.ndarray:
    """Standard normal columns."""
    return rng.standard_normal((N_ROWS, N_COLUMNS))


def correlated(rng: np.random.Generator) -> np.ndarray:
    """Blocks of five columns with correlations of 0.8."""
    shared = np.repeat(rng.standard_normal((N_ROWS, N_COLUMNS // BLOCK)), BLOCK, axis=1)
    return np.sqrt(0.8) * shared + np.sqrt(0.2) * rng.standard_normal((N_ROWS, N_COLUMNS))


def heavy_tailed(rng: np.random.Generator) -> np.ndarray:
    """Independent columns and noise of Student's law with three degrees of freedom, of unit variance."""
    return rng.standard_t(3, (N_ROWS, N_COLUMNS)) / np.sqrt(3)


DESIGNS = {"independent": independent, "correlated": correlated, "heavy-tailed": heavy_tailed}
STABLE = {
    "r-concave bound": {"bound": "r-concave"},
    "unimodal bound": {"bound": "unimodal"},
    "worst-case bound": {"bound": "worst"},
    "independent halves, worst-case bound": {"bound": "worst", "pairs": False},
    "randomised lasso, r-concave bound": {"bound": "r-concave", "weakness": 0.5},
}
COPIED = {
    "model-X, coefficient difference": {"cv": 3},
    "model-X, entry penalty": {"statistic": "entry"},
    "model-X, equicorrelated, entry penalty": {"statistic": "entry", "distances": "equicorrelated"},
    "fixed-X, entry penalty": {"copies": "fixed"},
}


def draw(design: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A table and a target of ten true columns, with signs by chance and noise of unit variance."""
    rng = np.random.default_rng([seed, list(DESIGNS).index(design)])
    X = DESIGNS[design](rng)
    noise = (
        rng.standard_t(3, N_ROWS) / np.sqrt(3)
        if design == "heavy-tailed"
        else rng.standard_normal(N_ROWS)
    )
    return X, X[:, TRUE] @ (SIZE * rng.choice([-1, 1], N_TRUE)) + noise


def false_and_true(make: Callable, design: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of false and of true selections over the draws."""
    found = []
    for seed in range(N_DRAWS):
        kept = make(seed).fit(*draw(design, seed)).get_support()
        found.append((np.delete(kept, TRUE).sum(), kept[TRUE].sum()))
    false, true = np.array(found).T
    return false, true


def shown(values: np.ndarray, digits: int = 2) -> str:
    """A mean and its standard error."""
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"


def stable_rows(design: str) -> list[list[str]]:
    """Rows of the table of stability selection."""
    rows = []
    for name, settings in STABLE.items():
        make = lambda seed, settings=settings: StabilitySelection(random_state=seed, **settings)
        false, true = false_and_true(make, design)
        rows.append([design, name, "1", shown(false), shown(true / N_TRUE)])
        print(rows[-1], flush=True)
    return rows


def copied_rows(design: str) -> list[list[str]]:
    """Rows of the table of knockoffs."""
    rows = []
    for name, settings in COPIED.items():
        make = lambda seed, settings=settings: Knockoffs(fdr=FDR, random_state=seed, **settings)
        false, true = false_and_true(make, design)
        rows.append(
            [
                design,
                name,
                f"{FDR:g}",
                shown(false / np.maximum(false + true, 1), 3),
                shown(true / N_TRUE),
            ]
        )
        print(rows[-1], flush=True)
    return rows


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join(
        "| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *rows]
    )


def main() -> None:
    """Run both and write the page."""
    argparse.ArgumentParser(
        description="False selections of stability selection and knockoffs."
    ).parse_args()
    warnings.simplefilter("ignore")
    begin = perf_counter()
    with threadpool_limits(1):
        stable = [row for design in DESIGNS for row in stable_rows(design)]
        copied = [row for design in DESIGNS for row in copied_rows(design)]
    values = {
        "n": N_ROWS, "p": N_COLUMNS, "true": N_TRUE, "size": SIZE, "draws": N_DRAWS,
        "stable": table(["design", "stability selection", "stated", "false selections", "share of true found"], stable),
        "copied": table(["design", "knockoffs", "stated", "false discovery rate", "share of true found"], copied),
    }  # fmt: skip
    PAGE.write_text(TEXT.format(**values).lstrip(), encoding="utf-8")
    print(f"wrote {PAGE} in {perf_counter() - begin:.0f} s", file=sys.stderr)


TEXT = """
# False selections, stated and realised

`python docs/studies/false_selections.py` makes this page: {draws} draws of {n} rows and {p} columns, {true} of which make the
target with weights of {size} and signs by chance, beside noise of unit variance. Means and their standard errors over the draws.
In the *correlated* design columns come in blocks of five with correlations of 0.8, and each true column has four false
neighbours; in the *heavy-tailed* design columns and noise follow Student's law with three degrees of freedom.

## Stability selection

The lasso on 100 half-samples, three quarters of which must agree, with as many features on each as one false selection in
expectation allows.

{stable}

The bounds speak of features whose chance to be selected on a half-sample is at most the average; a false neighbour of a true
column has a larger one, and is not counted in what they promise. Here every column that is not one of the true ones counts.

## Knockoffs

The lasso at a stated false discovery rate, with offset 1; minimum-variance distances unless said otherwise.

{copied}

Copies of second order are exact for Gaussian columns whose covariance is known; here it is estimated, and the third design is
not Gaussian at all. Fixed-X copies believe in Gaussian noise, which the third design does not have either.
"""

if __name__ == "__main__":
    main()
