"""Univariate scores against scipy and scikit-learn: same answer, CPU time, interleaved in one process.

Run ``python -m benchmarks.univariate``; the table goes to ``benchmarks/results/univariate.md``. A peer without a
vectorised form is looped over some of the columns and its time multiplied up, which the table says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from unittest.mock import patch

import numpy as np
from scipy import stats
from sklearn.feature_selection import f_classif, r_regression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from threadpoolctl import threadpool_limits

from subsel.ranking.scores.counts.hypergeometric import hypergeometric_p_value
from subsel.ranking.scores.moments.anova import anova_f, anova_f_p_value
from subsel.ranking.scores.moments.pearson import pearson
from subsel.ranking.scores.moments.student_t import t_test, t_test_p_value, welch_t
from subsel.ranking.scores.one_feature_models.threshold import threshold_balanced_accuracy
from subsel.ranking.scores.ranks.kolmogorov_smirnov import (
    kolmogorov_smirnov,
    kolmogorov_smirnov_p_value,
)
from subsel.ranking.scores.ranks.mann_whitney import auc, auc_p_value
from subsel.ranking.scores.ranks.rank_correlation import kendall, kendall_p_value, spearman

RESULTS = Path(__file__).parent / "results" / "univariate.md"
REPEATS = 7
LOOPED = 200  # columns on which a peer without a vectorised form is timed


@dataclass
class Case:
    """A score, its peer on the first `n_columns` of the table, and the ratio that must hold, if any."""

    name: str
    ours: Callable[[np.ndarray], np.ndarray]
    peer: Callable[[np.ndarray], np.ndarray]
    n_columns: int | None = None
    must_hold: float | None = None


def main() -> None:
    """Time every case and write the table."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 100_000)), rng.permutation(np.repeat([0, 1], [60, 40]))
    lines = [
        "# Univariate scores, 100 rows x 100,000 columns, two classes",
        "",
        f"CPU milliseconds (`process_time`), one thread, median of {REPEATS}, interleaved; *ext.*: the peer is a loop,",
        f"timed on at most {LOOPED} columns and multiplied up. f_classif and ttest_ind compute the p-value with the",
        "statistic; ours are timed with and without it, and f_classif once with its p-values left out. f_classif loses digits",
        "where F is near 0 (f_oneway agrees with us). The *limit* is the ratio of a score that takes as long as one read of",
        "the table, its sum by numpy, timed in turn with both: it follows the memory of the day. F reads a little faster.",
        "",
        "F of two classes is one compiled call, in strokes of 10,000 columns, twelve rows at a time.",
        "",
        "| score | peer | ours | one read | ratio | limit | must hold | largest relative difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    with threadpool_limits(1):
        for case in cases(y):
            lines.append(measure(case, X))
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def cases(y: np.ndarray) -> list[Case]:
    """The scores with their peers."""

    def split(X):
        return (X[y == 1], X[y == 0])

    def loop(f):
        return lambda X: np.array([f(x) for x in X.T])

    pairs = loop(lambda x: stats.mannwhitneyu(x[y == 1], x[y == 0]).statistic)
    quantity = np.random.default_rng(1).standard_normal(len(y))
    return [
        Case("F, f_classif", lambda X: anova_f(X, y), lambda X: f_classif(X, y)[0], None, 20),
        Case("F, f_classif without its p", lambda X: anova_f(X, y), lambda X: without_p(X, y)),
        Case("p of F, f_classif", lambda X: anova_f_p_value(X, y), lambda X: f_classif(X, y)[1]),
        Case(
            "t, ttest_ind",
            lambda X: t_test(X, y),
            lambda X: np.abs(stats.ttest_ind(*split(X)).statistic),
            None,
            20,
        ),
        Case(
            "p of t, ttest_ind",
            lambda X: t_test_p_value(X, y),
            lambda X: stats.ttest_ind(*split(X)).pvalue,
        ),
        Case(
            "Welch t, ttest_ind",
            lambda X: welch_t(X, y),
            lambda X: np.abs(stats.ttest_ind(*split(X), equal_var=False).statistic),
        ),
        Case(
            "Pearson, r_regression", lambda X: pearson(X, y), lambda X: np.abs(r_regression(X, y))
        ),
        Case(
            "AUC, mannwhitneyu(axis=0)",
            lambda X: auc(X, y),
            lambda X: better(stats.mannwhitneyu(*split(X), axis=0).statistic / (40 * 60)),
            None,
            6,
        ),
        Case(
            "p of AUC, mannwhitneyu(axis=0)",
            lambda X: auc_p_value(X, y),
            lambda X: stats.mannwhitneyu(*split(X), axis=0).pvalue,
        ),
        Case(
            "AUC, mannwhitneyu loop",
            lambda X: auc(X, y),
            lambda X: better(pairs(X) / (40 * 60)),
            LOOPED,
        ),
        Case(
            "AUC, roc_auc_score loop",
            lambda X: auc(X, y),
            loop(lambda x: better(roc_auc_score(y, x))),
            LOOPED,
        ),
        Case(
            "KS, ks_2samp loop",
            lambda X: kolmogorov_smirnov(X, y),
            loop(lambda x: stats.ks_2samp(x[y == 1], x[y == 0]).statistic),
            LOOPED,
        ),
        Case(
            "p of KS, ks_2samp loop",
            lambda X: kolmogorov_smirnov_p_value(X, y),
            loop(lambda x: stats.ks_2samp(x[y == 1], x[y == 0], method="exact").pvalue),
            LOOPED,
        ),
        Case(
            "Spearman, spearmanr loop",
            lambda X: spearman(X, y),
            loop(lambda x: abs(stats.spearmanr(x, y)[0])),
            LOOPED,
        ),
        Case(
            "Kendall, kendalltau loop",
            lambda X: kendall(X, y),
            loop(lambda x: abs(stats.kendalltau(x, y)[0])),
            LOOPED,
        ),
        Case(
            "p of Kendall, kendalltau loop",
            lambda X: kendall_p_value(X, quantity),
            loop(lambda x: stats.kendalltau(x, quantity)[1]),
            LOOPED,
        ),
        Case(
            "best balanced threshold, balanced_accuracy_score loop",
            lambda X: threshold_balanced_accuracy(X, y),
            loop(lambda x: max(better(balanced_accuracy_score(y, x > t)) for t in x)),
            10,
        ),
        Case(
            "hypergeometric p of X > 1, hypergeom loop",
            lambda X: hypergeometric_p_value(X > 1, y),
            loop(lambda x: tails(np.sum(x > 1), np.sum(x[y == 1] > 1))),
            LOOPED,
        ),
    ]


def without_p(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The statistic of f_classif, the law of F being left out."""
    with patch("scipy.special.fdtrc", lambda above, below, f: f):
        return f_classif(X, y)[0]


def better(area: np.ndarray) -> np.ndarray:
    """The area in its better direction."""
    return np.maximum(area, 1 - area)


def tails(drawn: int, hits: int) -> float:
    """Twice the smaller tail of the hypergeometric law."""
    law = stats.hypergeom(100, 40, drawn)
    return min(1.0, 2 * min(law.sf(hits - 1), law.cdf(hits)))


def measure(case: Case, X: np.ndarray) -> str:
    """One line of the table: ours and the peer in turn, each of them warmed up first."""
    part = X if case.n_columns is None else np.ascontiguousarray(X[:, : case.n_columns])
    ours, theirs = case.ours(X), case.peer(part)
    gap = np.max(np.abs(ours[: len(theirs)] - theirs) / np.maximum(np.abs(theirs), 1e-12))
    times: dict[str, list[float]] = {"ours": [], "peer": [], "read": []}
    for _ in range(REPEATS):
        for key, f, table in (
            ("ours", case.ours, X),
            ("peer", case.peer, part),
            ("read", np.sum, X),
        ):
            start = process_time()
            f(table)
            times[key].append(process_time() - start)
    scale = 1 if case.n_columns is None else X.shape[1] / case.n_columns
    mine, other = 1e3 * median(times["ours"]), 1e3 * median(times["peer"]) * scale
    read = 1e3 * median(times["read"])
    note = "" if scale == 1 else " *ext.*"
    target = "" if case.must_hold is None else f"{case.must_hold:g}"
    ratios = f"{other / mine:.3g} | {other / read:.3g}"
    return f"| {case.name} | {other:.4g}{note} | {mine:.3g} | {read:.3g} | {ratios} | {target} | {gap:.0e} |"


if __name__ == "__main__":
    main()
