"""Write ``ranking.md``: the guide to rankings and cuts, with measured figures.

Run as ``python docs/generate_ranking.py --data FOLDER`` (some minutes). FOLDER, by default the one that the environment
variable SUBSEL_DATA names, holds leukemia_golub.npz, colon_alon.npz and dorothea.npz; madelon.npz is in the repository
(``tests/real_tables``). Everything is seeded.
"""

import re
import sys
import tracemalloc
from pathlib import Path

import numpy as np
from scipy import sparse

from subsel import RankingSelector
from subsel.ranking import find_score, gram_schmidt, signal_to_noise
from subsel.ranking.cuts.probe_risk import n_within_risk, sampled_probe_risk
from subsel.ranking.cuts.registry import CUTS
from subsel.ranking.suitability import find_ranking

sys.path.append(str(Path(__file__).resolve().parents[1]))
from tests.real_tables import given_folder, needed_table

PAGE = Path(__file__).with_name("ranking.md")

# Real data ----------------------------------------------------------------------------------------------------------

# The 5 informative columns of MADELON and the 15 that are combinations of them.
MADELON = [
    28,
    48,
    64,
    105,
    128,
    153,
    241,
    281,
    318,
    336,
    338,
    378,
    433,
    442,
    451,
    453,
    455,
    472,
    475,
    493,
]


def sentence(cut) -> str:
    """The first sentence of a cut without its references."""
    return re.sub(r" \[\d\]_", "", (cut.__doc__ or "").splitlines()[0])


def locate(name: str) -> Path:
    """The path of a table; where it is missing, one line says so and the script ends."""
    return needed_table(name, given_folder())


def training_part(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dense training rows, their labels, and the names of the columns."""
    held = np.load(locate(f"{name}.npz"))
    rows = held["split"] == 0
    names = held["feature_names"] if "feature_names" in held else np.arange(held["X"].shape[1])
    return held["X"][rows].astype(float), held["y"][rows], names.astype(str)


def madelon_hits(ranking: str, **options: object) -> int:
    """How many of the first 20 columns of a ranking of MADELON's training part are true."""
    X, y, _ = training_part("madelon")
    ranked = find_ranking(ranking).function(X, y, **options)
    first = ranked.features if hasattr(ranked, "features") else np.argsort(-ranked, kind="stable")
    return int(np.isin(MADELON, first[:20]).sum())


def golub_genes() -> tuple[list[str], int]:
    """The 50 genes: 25 of largest signal-to-noise on either side, AML first; and the errors of their vote on the test part.

    Each gene votes with its signal-to-noise times the distance from the midpoint of the class means (Golub's classifier).
    """
    held = np.load(locate("leukemia_golub.npz"))
    X, y, names = training_part("leukemia_golub")
    means = X[y == 1].mean(axis=0), X[y == -1].mean(axis=0)
    signed = signal_to_noise(X, y) * np.sign(means[0] - means[1])
    order = np.argsort(-signed, kind="stable")
    genes = np.concatenate((order[:25], order[:-26:-1]))
    test = held["split"] == 1
    votes = (held["X"][test].astype(float) - (means[0] + means[1]) / 2)[:, genes] @ signed[genes]
    return names[genes].tolist(), int(np.sum(np.sign(votes) != held["y"][test]))


def dorothea() -> tuple[sparse.csc_array, np.ndarray]:
    """The training part, 800 x 100,000, in compressed columns."""
    held = np.load(locate("dorothea.npz"))
    rows = np.flatnonzero(held["split"] == 0)
    return sparse.csc_array(sparse.load_npz(locate("dorothea.npz"))[rows], dtype=np.float64), held["y"][rows]


def peak_memory(key: str, X: sparse.csc_array, y: np.ndarray) -> float:
    """The largest memory that a score takes beside the table, as a multiple of the table."""
    score = find_score(key).function
    score(X[:, :50], y)  # compilation is not counted
    tracemalloc.start()
    try:
        score(X, y)
        return tracemalloc.get_traced_memory()[1] / (
            X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
        )
    finally:
        tracemalloc.stop()


# Calibration --------------------------------------------------------------------------------------------------------

ALPHA, N_DRAWS, N_ROWS, N_COLUMNS, N_RELEVANT = 0.1, 100, 100, 50, 10
JUDGED = [
    ("t-test", "fdr"), ("t-test", "probes"), ("auc", "fdr"), ("auc", "probes"),
    ("mutual-information", "fdr"), ("mutual-information", "probes"), ("relieff", "probes"),
]  # fmt: skip


def draw(
    seed: int, n_relevant: int = N_RELEVANT, correlation: float = 0.0, unlike: bool = False
) -> tuple:
    """Two classes, relevant columns shifted by one; blocks of ten share a part; or every other noise column is a rare bit."""
    rng, y = np.random.default_rng(seed), np.arange(N_ROWS) % 2
    shared = rng.standard_normal((N_ROWS, N_COLUMNS // 10)).repeat(10, axis=1)
    X = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.standard_normal(
        (N_ROWS, N_COLUMNS)
    )
    X[:, :n_relevant] += np.where(y == 1, 0.5, -0.5)[:, None]
    if unlike:
        X[:, n_relevant::2] = rng.random(X[:, n_relevant::2].shape) < 0.05
    return X, y


def realised(ranking: str, rule: str, n_relevant: int = N_RELEVANT, **settings: object) -> str:
    """Mean false discovery rate with its standard error; the share of relevant columns kept, where there are any."""
    rates, power = [], []
    for seed in range(N_DRAWS):
        X, y = draw(seed, n_relevant, **settings)
        kept = RankingSelector(ranking, f"{rule}:{ALPHA}", random_state=seed).fit(X, y).support_
        rates.append(kept[n_relevant:].sum() / max(1, kept.sum()))
        power.append(kept[:n_relevant].mean() if n_relevant else np.nan)
    text = f"{np.mean(rates):.3f} ± {np.std(rates) / np.sqrt(N_DRAWS):.3f}"
    return text if n_relevant == 0 else f"{text} ({np.mean(power):.2f})"


def book_example(n_draws: int = 500) -> tuple[float, float]:
    """Mean number of false positives of the Gram-Schmidt stop: by 100 sampled probes, and by the law of the probe."""
    sampled, lawful = [], []
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 10))
        y = X[:, :5].sum(axis=1) + rng.standard_normal(100)
        path = gram_schmidt(X, y)
        risk = sampled_probe_risk(X, y, path, n_probes=100, random_state=seed)
        sampled.append(np.sum(path.features[: n_within_risk(risk, 0.1)] >= 5))
        lawful.append(np.sum(gram_schmidt(X, y, max_risk=0.1).features >= 5))
    return float(np.mean(sampled)), float(np.mean(lawful))


# The page -----------------------------------------------------------------------------------------------------------


def page() -> str:
    """The page as text."""
    return TEXT.format(
        cuts="\n".join(f"| `{rule}` | {sentence(cut)} |" for rule, cut in CUTS.items()),
        calibration=calibration_table(),
        n_draws=N_DRAWS,
        n_rows=N_ROWS,
        n_columns=N_COLUMNS,
        n_relevant=N_RELEVANT,
        n_noise=N_COLUMNS - N_RELEVANT,
        expected=ALPHA * (N_COLUMNS - N_RELEVANT) / N_COLUMNS,
        book="{:.2f} by 100 sampled probes and {:.2f} by the law".format(*book_example()),
        madelon=madelon_table(),
        **golub_figures(),
        colon=colon_table(),
        dorothea=dorothea_table(),
        kept=dorothea_kept(),
    )


def calibration_table() -> str:
    """One row per ranking and rule."""
    settings = [{}, {"correlation": 0.8}, {"unlike": True}, {"n_relevant": 0}]
    rows = [
        [f"`{r}`", f"`{rule}:{ALPHA}`", *(realised(r, rule, **s) for s in settings)]
        for r, rule in JUDGED
    ]
    head = ["ranking", "cut", "independent", "correlated", "unlike", "noise only"]
    return table(head, rows)


def golub_figures() -> dict[str, object]:
    """The leading genes on either side, and the errors of all 50."""
    genes, errors = golub_genes()
    return {"aml": ", ".join(genes[:3]), "all_": ", ".join(genes[25:28]), "errors": errors}


def madelon_table() -> str:
    """True columns among the first 20."""
    once, some = {"n_restarts": 1, "random_state": 0}, {"n_features": 20}
    asked = [("relieff", {}), ("multisurf", {}), ("simba", once), ("t-test", {}), ("auc", {}), ("kolmogorov-smirnov", {}),
             ("mutual-information", {}), ("mrmr", some), ("mrmr-difference", some), ("jmi", some), ("gram-schmidt", some)]  # fmt: skip
    rows = [[f"`{r}`", str(madelon_hits(r, **o)), plain(find_ranking(r).summary)] for r, o in asked]
    return table(["ranking", "true of 20", "what it does"], rows)


def colon_table() -> str:
    """Genes kept at a false discovery rate of .05."""
    X, y, _ = training_part("colon_alon")
    fits = {
        r: RankingSelector(r, "fdr:0.05", random_state=0).fit(X, y)
        for r in ("t-test", "auc", "signal-to-noise", "relieff")
    }
    return table(
        ["ranking", "kept of 2000", "evidence"],
        [[f"`{r}`", str(f.support_.sum()), f.evidence_] for r, f in fits.items()],
    )


def dorothea_table() -> str:
    """Peak memory of some scores."""
    X, y = dorothea()
    keys = ("t-test", "auc", "chi-square", "mutual-information", "hypergeometric", "bi-normal-separation", "kendall")
    return table(
        ["score", "memory beside the table, in tables"],
        [[f"`{k}`", f"{peak_memory(k, X, y):.2f}"] for k in keys],
    )


def dorothea_kept() -> str:
    """Columns kept at a false discovery rate of .05 by different p-values."""
    X, y = dorothea()
    keys = ("hypergeometric", "auc", "kolmogorov-smirnov", "chi-square", "mutual-information", "t-test", "welch-t")
    kept = [RankingSelector(key, "fdr:0.05").fit(X, y).support_.sum() for key in keys]
    return table(
        ["p-values of", "kept of 100,000"], [[f"`{key}`", f"{n:,}"] for key, n in zip(keys, kept)]
    )


def plain(summary: str) -> str:
    """The first sentence of a docstring without its marks."""
    return re.sub(r"\s*\[\d\]_|:func:|\s*\(book[^)]*\)", "", summary)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


TEXT = """# Rankings and cuts

A *score* gives each column a number from the data alone; an *order* (mRMR, Gram-Schmidt, ...) takes one column after the other, each
in view of those taken; a *cut* decides how many to keep. `subsel methods` lists all of them with their sources,
[which scores see what](which-scores-see-what.md) shows what each can find.

```python
from subsel import RankingSelector

RankingSelector("relieff", cut="fdr:0.1").fit(X, y)        # probes, since ReliefF has no p-value
RankingSelector("anova-f", cut="fdr:0.1").fit(X, y)        # Benjamini-Hochberg on its p-values
RankingSelector("gram-schmidt", cut="probe-risk:0.1").fit(X, y)
RankingSelector("mrmr", cut="cv", estimator=model).fit(X, y)
```

On the command line: `subsel rank data.csv --target y --score relieff --cut fdr:0.1 --out folder` prints the table and writes `ranking.csv`
and `ranking.png`.

## Cuts

A whole number keeps so many columns, a float a share of them; the other rules are written `rule:value`.

| rule | keeps |
| --- | --- |
{cuts}
| `cv` | The number that cross-validates best, the ranking learnt anew in each fold, by the one-standard-error rule. |
| `cv-gap` | The same, of the numbers that end at the ten largest gaps of the ranking. |
| `end` | (orders) What the order takes before it stops by itself. |
| `probe-risk` | (Gram-Schmidt) What is taken before a Gaussian probe would come in with this probability. |

What to know:

- `evidence_` says what a selection rests on. `fdr`, `bonferroni` and `p` use the p-values of the score where it has them, probes otherwise.
- Probes are shuffled copies of the columns (or `"gaussian"`, or sparse `"zipf"` ones), scored beside the columns. By default there are as many
  as a single column needs to pass the cut, at least 100 and at most 10,000: with more than 10,000 alpha columns the cap means that several
  columns must do well together. The p-value of a column is the share of probes that score as well, itself counted among them; correcting these by
  Benjamini and Hochberg is the book's bound (2.4) on the false discovery rate.
- After a cut by probes `scores_` are those beside the probes. For scores of single columns they are the same as without.
- Columns of score NaN come last and have no evidence; constant columns have the p-value one and make no probes; infinite scores come first; of equal
  scores the first column comes first (the command's table notes ties that a cut divides).
- A selection may be empty. Then nothing passed, and `transform` gives a table of no columns with scikit-learn's warning.
- Missing values: scores and orders of contingency tables take NaN as a value of its own, Relief and its kin as the difference to be expected; the
  others refuse it.
- Weighted or repeated rows: `sample_weight` is passed to scores that take it, and to the orders of discrete information (MIFS, mRMR by information, JMI, CMIM, DISR, FCBF,
  CFS, CMI buckets, information clusters), where a row of weight w counts as w rows; the others refuse it.

## Several opinions

```python
from subsel.ranking import uniformity_p_value
from subsel.ranking.aggregation.committee import Committee, UnionOfTests
from subsel.ranking.aggregation.votes import votes

from subsel.literature.studies import SecondOpinion

RankingSelector(Committee(("auc", "relieff")), cut=20)                            # mean rank
RankingSelector(SecondOpinion("bayesian-accuracy", "mutual-information"), cut=20)  # the second decides the ties of the first
RankingSelector(UnionOfTests({{"auc": 0.001, "runs": 0.002}}), cut="threshold:0")    # what any test finds, at its own threshold
votes([first.get_support(), second.get_support(), third.get_support()], at_least=2)
uniformity_p_value(selector.p_values_)     # large: the p-values look like those of noise, nothing should be selected
```

`value_bias("gini", n_classes=5)` measures how a score likes columns of many values, `bayes_error_bounds(X, y)` bounds the error that the best rule on each
column must and need not make, from the entropy it leaves.

## Separability splits

`separability-split` (SSV) scores a column by its best split in two: twice the pairs of rows of different classes on different sides, less the rows of classes that it
divides. `separability-tree` goes on splitting until the parts are pure, prunes the tree by cross-validation and scores what its intervals gain on the majority; `SSV` in
`subsel.construct` gives the intervals themselves. Both take many classes, weights that count rows, sparse tables and missing values, which are left out of the counts; `nominal=[...]` names the
columns whose numbers are names, of which up to ten are put into the best of all groups. The tree is for finding intervals and columns that need several cuts rather than
for telling faint signal from noise: its intervals are evaluated on the rows they were found on. Of 100 rows and two equal classes one standard deviation apart, the split
told 1,000 such columns from 1,000 of noise with an AUC of .99, the tree with one of about .71: three noise columns of four kept a cut.

## One-feature trees and the value difference metric

`one-feature-tree` grows a small decision tree on each column and scores its leaves: by the accuracy that it gains on the majority in ten folds (`measure="accuracy"`), or by
the Gini index or the information of the leaves on the rows that the tree grew on (`"gini"`, `"information"`). `one-feature-tree-regression` scores the variance explained of rows held
out. Below 0 the tree does worse than the majority, or the mean. Both take weights, sparse tables and missing values, which have a leaf of their own; `TreeCuts` in
`subsel.construct` gives the intervals. Of 100 rows and two equal classes one standard deviation apart, four leaves told 1,000 such columns from 1,000 of noise with an AUC of .97 by
accuracy, .99 by Gini or information. Where one class lay on both sides of the other, one cut reached .86 by accuracy and three cuts .97.

`value_difference_metric(X, y, Z)` gives the distances between rows of nominal values by the classes that the values make likely, `numeric=[...]` naming the columns whose
posteriors are interpolated between bins; `feature_value_difference(X, y)` gives those between columns: redundant ones are at 0. The score `value-difference` is the square that is expected of
one column between two rows.

## Sparse and large tables

Scores of single columns read dense tables and compressed rows or columns, in bytes or any other numbers, as they are stored, some columns at a time; orders of
discrete information (mRMR by information, JMI, CMIM, DISR, FCBF, CFS, Markov blankets) keep a sparse table sparse. Scores of neighbourhoods need dense tables.

## Are the promises kept?

Realised false discovery rate at `alpha = 0.1`, mean ± standard error over {n_draws} draws of {n_rows} rows and {n_columns} columns, {n_relevant} of them relevant
(means one standard deviation apart); in brackets the share of the relevant columns that are kept. Exact p-values of independent columns
would give {expected:.2f}. *Correlated*: blocks of ten columns correlated at .8, which shuffled probes are not. *Unlike*: every other noise
column is a rare bit, so that columns have different laws and the pooled probes suit none of them exactly. *Noise only*: nothing is relevant; the share of draws in which anything is kept.

{calibration}

Within sampling error all keep the rate when the columns are independent, and probes also when they are correlated, though no theorem says they must.
ReliefF's rate is well below the nominal one: a column's score is
its mean over several sets of probes while a probe has one draw, which makes the cut stricter than asked for; and in correlated noise it finds fewer of the relevant columns.

### P-values

[P-values](p_values.md) has the figures: null columns of five kinds, every law, 12 to 200 rows, 2 to 8 classes and quantities; false discovery
rates of all cuts; when a law is kept and when labels are permuted, and what that costs. In short: p-values are exact where ties or few rows leave few
outcomes (rare bits, counts that are mostly zero), by permuted labels or random tables where Student's, Welch's, Fisher's and chi-square's laws promise too
much, and by those laws elsewhere. They are exact where a column leaves at most 4096 outcomes; for columns of two values the limit is 65,536 with two classes or where a
count below 5 is expected: m ones leave C(m + K - 1, K - 1) outcomes with K classes, so that up to 89 ones are exact with three equal classes, 24 with
five, 9 with ten. Whole weights repeat rows; fractional ones leave the laws of large samples.

The stop of Gram-Schmidt: 10 candidates, 5 relevant, 100 rows, `alpha = 0.1`: the book expects half a false positive; mean over 500 draws {book}.

## Real data

**MADELON** (2000 training rows, 500 columns; 5 informative, 15 combinations of them, 480 noise; the classes are clusters on the corners of a
cube, an XOR in five dimensions):

{madelon}

Scores of neighbourhoods find nearly all. Scores of single columns find those that happen to show alone. Orders that mind redundancy find few: the 20 true
columns are much correlated with each other and the noise columns are not, so that they soon prefer noise (mRMR from the second step on).

**Golub's leukaemia** (38 training rows, 7129 genes): by signal-to-noise the 50 genes, 25 on either side, are led by {aml} (high in AML) and
{all_} (high in ALL). Their vote, each gene weighted by its signal-to-noise, errs on {errors} of the 34 test rows. The published list of 50 was
not at hand to compare with.

**Colon** (62 rows, 2000 genes), kept at `fdr:0.05`:

{colon}

**DOROTHEA** (800 rows, 100,000 binary columns, 0.9 % ones) is never made dense; dense it would be 70 tables:

{dorothea}

Kept at `fdr:0.05`. The columns are rare bits, and all these laws exact: they agree but for how they take two sides. Student's own law would keep 15,261, Welch's 9,505. Welch's t is
large wherever a bit is absent from the small class, as most rare bits are by chance, so that its exact p-values find little:

{kept}

Generated by `docs/generate_ranking.py`.
"""

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf8")
