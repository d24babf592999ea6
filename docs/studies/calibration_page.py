"""The page of the calibration study: tables with standard errors, and what lies outside its target."""

from __future__ import annotations

import equal_procedures
import interval_coverage
import numpy as np
import stability_coverage
from interval_coverage import Cell
from pages import table

from subsel.assessment.intervals import wilson

LOW, HIGH, WIDEST = (
    0.93,
    0.98,
    1.3,
)  # targets of coverage at 95%, and of width in units of 3.92 standard deviations
MOST_REJECTED, LEAST_COVERED, MOST_BIAS = 0.07, 0.90, 0.03
WANTED = 2000
NAMES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "roc_auc": "Area under the curve, two classes",
    "roc_auc_ovr": "Area under the curve, each class against the rest",
    "neg_log_loss": "Log loss",
    "r2": "R2, pooled over held-out rows",
}


def page(found: dict[str, np.ndarray]) -> str:
    """All tables of what was simulated, by the names of the cells."""
    parts = [HEAD, *_intervals(found), _stability(found), _compare(found)]
    return "\n\n".join(parts).rstrip() + "\n"


def _intervals(found: dict[str, np.ndarray]) -> list[str]:
    cells = {
        (measure, name): Cell.of(found[key][:, i])
        for name, (_, measures) in interval_coverage.designs().items()
        if (key := f"interval: {name}") in found
        for i, measure in enumerate(measures)
    }
    return [
        INTERVALS,
        _outside(cells),
        *(_of_measure(m, title, cells) for m, title in NAMES.items()),
    ]


def verdict(name: str, cell: Cell) -> str:
    """Whether a cell is inside its target, and on which side not, beyond the doubt that the number of tables leaves."""
    if "perfect" in name and (cell.coverage > HIGH or cell.relative_width > 2):
        return "floor"
    low, high = wilson(cell.coverage * cell.n, cell.n)
    if high < LOW:
        return "short"
    if low > HIGH:
        return "covers too much"
    return "inside" if cell.relative_width <= WIDEST else "wide"


def _outside(cells: dict[tuple[str, str], Cell]) -> str:
    verdicts = {key: verdict(key[1], cell) for key, cell in cells.items()}
    count = lambda what: sum(v == what for v in verdicts.values())
    lines = [
        f"Of {len(cells)} cells {count('inside')} are inside; in {count('floor')} a floor acts (perfect signal)."
    ]
    for what, why in REASONS.items():
        named = [
            f"{m} {name} ({cells[m, name].coverage:.3f})"
            for (m, name), v in verdicts.items()
            if v == what
        ]
        if named:
            lines.append(f"- **{what}** ({len(named)}): {why} {'; '.join(named)}.")
    return "\n\n".join(lines[:1]) + "\n\n" + "\n".join(lines[1:])


def _of_measure(measure: str, title: str, cells: dict[tuple[str, str], Cell]) -> str:
    rows = [
        [
            name, f"{c.truth:.3f}", f"{c.truth_of_fold:.3f}", f"{c.mean:.3f}", f"{c.spread:.3f}", _width(c),
            f"{c.coverage:.3f} ± {c.error:.3f}", f"{c.coverage_of_fold:.3f}", str(c.n), verdict(name, c),
        ]
        for (m, name), c in cells.items()
        if m == measure
    ]  # fmt: skip
    header = [
        "law, rows, columns, signal",
        "truth",
        "truth, fold's rows",
        "mean",
        "sd",
        "width",
        "coverage",
    ]
    return f"### {title}\n\n" + table([*header, "coverage, fold's rows", "tables", "verdict"], rows)


def _width(cell: Cell) -> str:
    return f"{cell.relative_width:.2f}" if cell.relative_width < 100 else "–"


def _stability(found: dict[str, np.ndarray]) -> str:
    rows = []
    for name in stability_coverage.LAWS:
        if (lines := found.get(f"stability: {name}")) is None:
            continue
        value, low, high, folds, fresh = lines[:, 0].T
        n, truth = len(value), fresh.mean()
        covered = float(((low <= truth) & (truth <= high)).mean())
        bias, error = value.mean() - truth, np.hypot(value.std(), fresh.std()) / np.sqrt(n)
        good = covered >= LEAST_COVERED and abs(bias) <= MOST_BIAS
        rows.append(
            [
                name, f"{truth:.3f}", f"{value.mean():.3f}", f"{bias:+.3f} ± {error:.3f}", f"{folds.mean():.3f}",
                f"{(high - low).mean():.2f}", f"{covered:.3f} ± {_error(covered, n):.3f}", n,
                "inside" if good else "outside",
            ]
        )  # fmt: skip
    header = [
        "law",
        "fresh samples",
        "printed",
        "bias",
        "over five folds",
        "width",
        "coverage",
        "tables",
        "verdict",
    ]
    return STABILITY + "\n\n" + table(header, rows)


def _compare(found: dict[str, np.ndarray]) -> str:
    rows = []
    for name, law in equal_procedures.LAWS.items():
        if (lines := found.get(f"compare: {name}")) is None:
            continue
        shares = (lines[:, :, 0] < 0.05).mean(axis=0)
        n = len(lines)
        said = [f"{share:.3f} ± {_error(share, n):.3f}" for share in shares]
        said = said if law.kind == "classification" else ["–", "–", "–", *said]
        within = all(share - 2 * _error(share, n) <= MOST_REJECTED for share in shares)
        is_equal = law.ahead == 0
        last = ("inside" if within else "outside") if is_equal else "power"
        rows.append([name, *said, *["–"] * (4 - len(said)), n, last])
    header = ["law", "accuracy", "area under the curve", "log loss", "R2", "tables", "verdict"]
    return COMPARE + "\n\n" + table(header, rows)


def _error(share: float, n: int) -> float:
    return float(np.sqrt(max(share * (1 - share), 1 / n**2) / n))


REASONS = {
    "short": (
        "the folds share their luck in selecting, which held-out rows do not show and the disagreement of models shows "
        "in part only; and the procedure with all rows is better than with a fold's, by half a standard deviation and more "
        "where it still learns much."
    ),
    "covers too much": "models disagree about rows without differing in quality, which is taken for luck in training.",
    "wide": "the same, with coverage inside its target.",
}

HEAD = f"""# Are the printed numbers right?

Written by `docs/studies/calibration.py`. Tables are drawn from a known law, assessed as `assess` and `compare` do, and
what they print is held against the truth. The column "tables" says how many were drawn: the study asks for {WANTED:,} of
each cell, and a cell with fewer was not run to the end; rerun the script to go on. What follows ± is a standard error. "Inside"
means that so many tables do not show a cell to lie outside its target: with few of them that says less."""

INTERVALS = f"""## Intervals

The procedure: the five best columns by F (or correlation), then a linear discriminant (least squares); five shuffled folds,
twice, the default of `assess`. Five columns of 50 or 500 carry a weak or strong signal (two or three in a strong or
perfect regression); skewed classes are 4 to 1; groups are five rows with a part in common, and one label.

"Truth" is the expected score on fresh rows of the *procedure* trained on as many rows as the table has: of the way of
selecting and fitting, not of one fitted model. Cross-validation estimates the procedure with the rows of a fold (four
fifths), which is a little worse: that truth, and how often it is covered, stand beside it. "Width" is the mean width
in units of 3.92 true standard deviations. The target is a coverage of {LOW} to {HIGH} at 95%, and a width of at most
{WIDEST}; where everything is predicted perfectly a floor of about one row acts, and coverage may be 1.

The variance over rows is exact where selection is settled; where it is not, the procedure's luck is the same in all
folds, and no unbiased estimate of that exists. We raise the variance by a factor that grows with the disagreement of the
models of two passes. Its form was fitted to simulations of these laws (with other seeds and fewer repetitions), so these
tables show how well that fits, and not how it fares on laws of another kind."""

STABILITY = f"""## Stability

Selections from disjoint halves, three pairs of them, against selections from fresh samples of as many rows. Target: bias at
most {MOST_BIAS}, coverage at least {LEAST_COVERED:.2f} at 95%. "Over five folds" is what overlapping training parts would
show: they hold more rows each, and share most of them."""

COMPARE = f"""## Comparisons

Procedures that each see columns of their own, with the same law: they are equally good. How often is any pair told apart
at 5%, after Holm's correction for all pairs? Target: at most {MOST_REJECTED}. In the last lines the first procedure has three
means further apart by 0.3 standard deviations: there the share is the power."""
