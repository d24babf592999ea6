"""Wine under the 20/80 protocol of CVGA: the published solutions, what our search finds, and why the figures differ.

Writes docs/papers/cvga.md. Run: ``python docs/studies/cvga_wine.py [--replications 100]`` (about twenty minutes on one core).
"""

import argparse
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.datasets import load_wine

from subsel.criteria.refits.icomp import IcompPerf, icomp_perf
from subsel.data.task import Task
from subsel.literature.recipes.cvga import CvgaStudy, cvga

PUBLISHED = [  # subset (columns from 1), kernel, score, test error in %: Table 4
    ((1, 2, 3, 4, 7, 8, 11, 12, 13), "quadratic", -229.61, 0.70),
    ((1, 3, 7, 11, 13), "cubic", -222.45, 0.70),
    ((1, 3, 6, 7, 8, 11, 12, 13), "quadratic", -145.87, 1.41),
    ((1, 3, 4, 7, 8, 9, 11, 12), "quadratic", -127.64, 1.41),
    ((1, 2, 3, 7, 10, 13), "quadratic", -125.01, 1.41),
    ((1, 4, 6, 9, 10, 11, 12, 13), "quadratic", -123.36, 1.41),
]
ALL = tuple(range(1, 14))
OURS = [
    ((1, 3, 7, 11, 13), "linear"),
    ((1, 3, 7, 11, 13), "exponential"),
    (ALL, "linear"),
    (ALL, "exponential"),
]
FORMS = {"Fisher": "fisher", "support vectors": "support-vector"}


def percent(x: float) -> str:
    return f"{100 * x:.2f}"


def named(columns: tuple[int, ...]) -> str:
    return "{" + ", ".join(map(str, columns)) + "}"


def on_fresh_splits(columns: tuple[int, ...], criterion: IcompPerf, n_splits: int) -> np.ndarray:
    """Score, complexity and both errors of a solution: one row a split."""
    task = Task.of(*load_wine(return_X_y=True))
    return np.array(criterion.bind(task, 0).sampled(np.array(columns) - 1, n_splits))


def cell(terms: np.ndarray) -> str:
    low, high = np.percentile(terms[:, 3], [2.5, 97.5])
    return f"{percent(terms[:, 3].mean())} [{percent(low)}, {percent(high)}]"


def implied_complexity(score: float, error: float) -> float:
    """What is left of a printed score when its lack of fit is taken off."""
    return (score - icomp_perf(round(1.42 * error) / 142, 142, 0.0)) / 2


def published_table(n_splits: int) -> str:
    """Every published solution, and four plain ones, on the same fresh splits."""
    asked = [(c, k, f"{e:.2f}", f"{implied_complexity(s, e):.1f}") for c, k, s, e in PUBLISHED]
    asked += [(c, k, "", "") for c, k in OURS]
    variants = [
        IcompPerf(),
        IcompPerf(form="support-vector"),
        IcompPerf(form="support-vector", scaling="standard"),
    ]
    found = (
        on_fresh_splits(c, replace(v, kernel=k), n_splits) for c, k, *_ in asked for v in variants
    )
    lines = [
        "| subset | kernel | paper | Fisher | support vectors | standardised | best split | one error or none | C1F: paper | ours |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for columns, kernel, paper, complexity in asked:
        fisher, margin, standard = next(found), next(found), next(found)
        lines.append(
            f"| {named(columns)} | {kernel} | {paper} | {cell(fisher)} | {cell(margin)} | {cell(standard)} "
            f"| {percent(margin[:, 3].min())} | {percent(np.mean(margin[:, 3] < 1.5 / 142))} "
            f"| {complexity} | {np.median(margin[:, 1]):.1f} |"
        )
    return "\n".join(lines)


def study_table(study: CvgaStudy, by: str, n: int = 6) -> str:
    table = study.table(n, by)
    lines = [
        "| subset | kernel | score | train error | test error [95%] | wins | visits | confirmed test error [95%] | support vectors |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in zip(*table.values(), strict=True):
        (
            subset,
            kernel,
            score,
            train,
            _,
            test,
            interval,
            wins,
            visits,
            confirmed,
            range_,
            support,
        ) = row
        columns = named(tuple(int(name[1:]) + 1 for name in subset))
        again = (
            ""
            if confirmed is None
            else f"{percent(confirmed)} [{percent(range_[0])}, {percent(range_[1])}]"
        )
        test_cell = f"{percent(test)} [{percent(interval[0])}, {percent(interval[1])}]"
        lines.append(
            f"| {columns} | {kernel} | {score:.2f} | {percent(train)} | {test_cell} | {wins} | {visits} | {again} "
            f"| {'' if support is None else format(support, '.1f')} |"
        )
    return "\n".join(lines)


def form_section(name: str, study: CvgaStudy, seconds: float) -> str:
    winners = [s for s in study.solutions if s.frequency]
    guides = np.repeat([s.test_error for s in winners], [s.frequency for s in winners])
    low, high = np.percentile(guides, [2.5, 97.5])
    best = study.best
    kernels = ", ".join(f"{k} {n}" for k, n in study.kernel_frequency.items())
    visits = study.n_evaluations / len(study.solutions)
    return f"""### {name}

{study.n_replications} replications, {study.n_evaluations} evaluations of {len(study.solutions)} distinct solutions
({visits:.1f} visits each on average), {seconds:.0f} s of processor time.
Wins by kernel: {kernels}.
The {len(winners)} solutions that have won a replication have a test error of {percent(guides.mean())} [{percent(low)}, {percent(high)}]
over all replications that met them.

By the published order (least mean of medians):

{study_table(study, "score")}

By the score on splits that no search has seen:

{study_table(study, "confirmed")}

Best: {named(tuple(c + 1 for c in best.columns))} with the {best.kernel} kernel, test error {percent(best.confirmed_error or 0)}%.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--splits", type=int, default=400)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parents[1] / "papers" / "cvga.md"
    )
    options = parser.parse_args()
    X, y = load_wine(return_X_y=True)
    sections = []
    for name, form in FORMS.items():
        begun, criterion = process_time(), IcompPerf(form=form)  # type: ignore[arg-type]
        study = cvga(
            X, y, criterion=criterion, replications=options.replications, random_state=0, verbose=1
        )
        sections.append(form_section(name, study, process_time() - begun))
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(
        TEXT.format(
            table=published_table(options.splits),
            splits=options.splits,
            sections="\n".join(sections),
        )
    )


TEXT = """# CVGA on Wine

Generated by `python docs/studies/cvga_wine.py`. Howe and Bozdogan, *Regularized SVM classification with a new
complexity-driven stochastic optimizer*, section 4.2 and Table 4: 178 wines of three kinds, 13 columns, nine kernels;
every evaluation trains on a fresh stratified fifth (36 rows) and tests on the other 142. Columns are counted from 1.
Errors in percent, with the range that holds 95% of them. Kernels have the paper's parameters, classes are told apart one
against all, C = 1 in the support-vector form. Columns are scaled to 0 and 1 by the training rows (standardised where it
says so): the paper does not say what it did.

## The published solutions on {splits} fresh splits

{table}

"Best split" is the least test error of the support-vector form over these splits; beside it the share of splits with at most
one error among 142, which is 0.70%. C1F is the complexity that the printed score leaves when its lack of fit is taken
off, and our median.

## What our search finds

{sections}
## Why the figures differ

The paper reports 0.70% for its two best solutions. On fresh splits they err several times as often, by either form and
either scaling. The published figure is the median over the visits of a solution, and in a space of 73,719 a solution
is met once or twice: of thousands of such medians the table then shows the luckiest. Our own tables in the published order show the
same, and their last column what the same solutions do on splits of their own. A winner is judged by the splits that made
it win; only the confirmed error estimates performance under this protocol. (And that is still for a solution chosen by
looking at all rows: `subsel.assess` selects inside each fold.)

The complexities are near the printed ones with columns scaled to 0 and 1, and far below them with standardised columns, which
suggests that the paper did the former. They need not agree: neither the m of the convex sum (we take the middle of the
admissible range) nor the exact covariance (we take that within classes of the training kernel matrix, and its 25
largest eigenvalues after stabilisation) is printed.

Our genetic algorithm keeps the score of its best chromosome instead of judging it anew in every generation.

The paper says that its 100 replications explored nearly half of the 73,719 solutions; ours meet a quarter. It says that the
quadratic kernel was selected most often (25%), then the exponential one (18%); ours wins with the exponential kernel in 40 of
100 replications and with the quadratic one in 1, which agrees with the confirmed errors above: on fresh splits the quadratic
kernel errs more.

Among solutions that do not differ beyond the variation over splits the paper would take the one of fewest features
(`CvgaStudy.parsimonious`), and it counts support vectors (`CvgaSolution.n_support`), 14 and 11 for its two best on the X-ray data.

Two further data sets of the paper cannot be run here, for neither table is public: X-ray bursts (Table 2: 174 x 2, both columns
with the Laplace kernel in 86 of 100 replications, test error 0.72%) and aorta (Table 5: 418 x 20, six columns with the Cauchy
kernel, 0.30%). The scores printed for the latter imply a complexity C1F of 231 to 433, which 25 eigenvalues cannot have: their
most is 150.
"""

if __name__ == "__main__":
    main()
