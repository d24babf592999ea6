"""Polymers: kernel ridge on motif counts, all features against selected ones. Writes docs/papers/polymer.md."""

import csv
import gzip
import re
from collections import Counter
from time import process_time

import numpy as np
from pages import locator, table, write
from scipy.sparse import load_npz
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from subsel.literature.problems import sample_chains, xy2_chains
from subsel.literature.recipes.kernel_ridge import dis_krr, mg_krr, mo_krr, ran_krr

N_SPLITS, N_STEPS, N_GREEDY = 3, 600, 15
TOKEN = re.compile(r"\[[^]]*\]|Br|Cl|Si|%\d\d|.")
TABLE_1 = {
    "KRR": ("92.98 (20)", "93.75 (20)", "96.49 (20)"),
    "mg-KRR": ("93.07 (19)", "94.22 (11)", "97.23 (14)"),
    "mo-KRR": ("93.43 (16)", "94.23 (18)", "97.63 (14)"),
}
TABLE_1_EIGHT = {
    "KRR": ("96.95 (20)", "90.58 (20)", "95.81 (20)"),
    "mg-KRR": ("96.95 (20)", "90.64 (15)", "95.99 (19)"),
    "mo-KRR": ("97.45 (17)", "95.17 (12)", "97.68 (13)"),
}
TABLE_2 = {
    "KRR": ("92.85 (162)", "89.30 (162)", "87.01 (162)"),
    "mo-KRR": ("94.07 (127)", "92.01 (125)", "88.57 (127)"),
    "dis-KRR": ("93.56 (111)", "91.18 (118)", "87.63 (113)"),
    "ran-KRR": ("96.48 (105)", "95.68 (102)", "94.47 (102)"),
}


def motifs(smiles, at_least=10):
    """Counts of single tokens, pairs and triplets that enough polymers hold, per token of the repeat unit."""
    words = [
        ["R" if t[-1].isdigit() and "[" not in t else t for t in TOKEN.findall(s)] for s in smiles
    ]
    counts = [
        Counter(tuple(w[i : i + n]) for n in (1, 2, 3) for i in range(len(w) - n + 1))
        for w in words
    ]
    held = Counter(motif for count in counts for motif in count)
    kept = sorted(motif for motif, n in held.items() if n >= at_least)
    return np.array([[count[m] / len(w) for m in kept] for count, w in zip(counts, words)])


def load(locate):
    """Table, target and number of training rows of each problem."""
    tokens = locate("polymer_bandgap_chain_tokens.npz")
    with np.load(tokens) as data:
        problems = {"band gap of chains, eV": (load_npz(tokens).toarray().astype(float), data["y"].astype(float), 300)}
    with gzip.open(locate("polymer/khazana_multitask.csv.gz"), "rt", encoding="utf-8") as file:
        rows = [(r["smiles"], float(r["value"])) for r in csv.DictReader(file) if r["property"] == "eps"]
    smiles, values = zip(*rows)
    return problems | {"dielectric constant": (motifs(smiles), np.array(values), 255)}


def judged(train, test, y_train, y_test, alpha, columns):
    """R2, and 100 minus the relative error in per cent, on held-out polymers."""
    model = KernelRidge(kernel="rbf", alpha=alpha, gamma=1 / len(columns))
    mean = y_train.mean()
    errors = model.fit(train[:, columns], y_train - mean).predict(test[:, columns]) + mean - y_test
    return 1 - (errors**2).sum() / ((y_test - y_test.mean()) ** 2).sum(), 100 - 100 * np.abs(
        errors
    ).sum() / np.abs(y_test).sum()


def split(X, y, n_train, seed):
    """One split: every method's size, R2, accuracy and seconds."""
    order = np.random.default_rng(seed).permutation(len(y))
    a, b = order[:n_train], order[n_train : n_train + 1500]
    scaler = StandardScaler().fit(X[a])
    train, test, target = scaler.transform(X[a]), scaler.transform(X[b]), y[a] - y[a].mean()
    grid = GridSearchCV(
        KernelRidge(kernel="rbf"), {"alpha": [0.01, 0.03, 0.1, 0.3, 1.0]}, cv=5
    ).fit(train, target)
    alpha = grid.best_params_["alpha"]
    evaluator, options = {"alpha": alpha, "cv": 5}, {"random_state": seed}
    searches = {
        "mg-KRR": mg_krr(evaluator, k=1, n_features=(1, N_GREEDY), **options),
        "mo-KRR": mo_krr(evaluator, budget=N_STEPS, **options),
        "dis-KRR": dis_krr(evaluator, budget=N_STEPS, restarts=5, **options),
        "ran-KRR": ran_krr(evaluator, budget=N_STEPS, **options),
    }
    found = {"KRR": (np.arange(X.shape[1]), grid.best_score_, 0.0)}
    for name, search in searches.items():
        started = process_time()
        result = search.fit(train, target).result_
        found[name] = result.best, result.best_quality, process_time() - started
    drawn = np.random.default_rng(seed).permutation(X.shape[1])[: len(found["ran-KRR"][0])]
    found["random subset"] = drawn, np.nan, 0.0
    held = lambda c: judged(train, test, y[a], y[b], alpha, c)
    return {name: (len(c), guide, *held(c), seconds) for name, (c, guide, seconds) in found.items()}


def part(title, X, y, n_train):
    """The section of one problem."""
    splits = [split(X, y, n_train, seed) for seed in range(N_SPLITS)]
    rows = []
    for name in splits[0]:
        size, guide, r2, accuracy, seconds = np.mean([s[name] for s in splits], axis=0)
        spread = np.std([s[name][2] for s in splits], ddof=1)
        guided = "" if np.isnan(guide) else f"{guide:.3f}"
        rows.append(
            [
                name,
                f"{size:.0f}",
                guided,
                f"{r2:.3f} ± {spread:.3f}",
                f"{accuracy:.1f}",
                f"{seconds:.1f}",
            ]
        )
    heading = f"## {title[0].upper() + title[1:]}: {n_train} polymers to train on, {min(1500, len(y) - n_train)} held out"
    header = ["method", "features", "guide R2", "held-out R2", "held-out accuracy, %", "seconds"]
    section = f"{heading}\n\n{table(header, rows)}"
    print(section)
    return section


def made_up(units, rng):
    """A property of chains: what blocks, neighbours and their excess over chance add up to, bent, with a little noise."""
    law = np.random.default_rng(7)
    block, pair = law.normal(5, 1.5, 7), law.normal(0, 1, (7, 7))
    pair = (pair + pair.T) / 2
    near = pair[units, np.roll(units, -1, axis=1)].mean(axis=1)
    value = block[units].mean(axis=1) + near
    return 3 + np.log1p(np.exp(value - 3)) + 0.02 * rng.standard_normal(len(units))


def transfer():
    """Train on 130 of the 175 chains; test on the other 45, and on sampled chains of eight blocks."""
    chains, long = (
        xy2_chains(symmetry="bracelet", containing="CH2"),
        sample_chains(300, random_state=1),
    )
    found = {}
    for seed in range(N_SPLITS):
        rng = np.random.default_rng(seed)
        y, y_long = made_up(chains.units, rng), made_up(long.units, rng)
        order = rng.permutation(len(y))
        a, b = order[:130], order[130:]
        scaler = StandardScaler().fit(chains.X[a])
        train, test, eight = (scaler.transform(part) for part in (chains.X[a], chains.X[b], long.X))
        target = y[a] - y[a].mean()
        alpha = GridSearchCV(
            KernelRidge(kernel="rbf"), {"alpha": [0.003, 0.01, 0.03, 0.1, 0.3]}, cv=5
        ).fit(train, target)
        evaluator = {"alpha": alpha.best_params_["alpha"], "cv": 5}
        chosen = {
            "KRR": np.arange(20),
            "mg-KRR": mg_krr(evaluator, k=1, random_state=seed).fit(train, target).result_.best,
            "mo-KRR": mo_krr(evaluator, budget=N_STEPS, random_state=seed)
            .fit(train, target)
            .result_.best,
        }
        for name, columns in chosen.items():
            short = judged(train, test, y[a], y[b], evaluator["alpha"], columns)
            far = judged(train, eight, y[a], y_long, evaluator["alpha"], columns)
            found.setdefault(name, []).append((len(columns), short[1], short[0], far[1], far[0]))
    rows = [
        [name, *(f"{v:.{d}f}" for v, d in zip(np.mean(one, axis=0), (0, 1, 3, 1, 3)))]
        for name, one in found.items()
    ]
    header = ["method", "features", "4 blocks: accuracy, %", "R2", "8 blocks: accuracy, %", "R2"]
    heading = "## A made-up property: 130 of the 175 chains to train on, 45 held out, then 300 chains of eight blocks"
    said = (
        "Values of the authors' properties are not public, so this one is ours: a bent sum of what blocks and pairs of neighbours "
        "contribute. Of the 20 attributes (shares of blocks, of pairs and triplets of one type) none tells unlike neighbours apart, "
        "so that no model can be perfect."
    )
    section = "\n\n".join([heading, said, table(header, rows)])
    print(section)
    return section


def main():
    """Run both problems and write the page."""
    parts = [part(title, *problem) for title, problem in load(locator(__doc__)).items()]
    published = ["method", "band gap", "electronic DC", "total DC"]
    tables = [
        table(published, [[name, *row] for name, row in t.items()])
        for t in (TABLE_1, TABLE_1_EIGHT, TABLE_2)
    ]
    names = dict(zip(("first", "eight", "second"), tables))
    sizes = {"splits": N_SPLITS, "steps": N_STEPS, "greedy": N_GREEDY}
    page = PAGE.format(parts="\n\n".join(parts), transfer=transfer(), **names, **sizes)
    write("polymer.md", page)


PAGE = """
# Properties of polymers by kernel ridge regression

Saha, Rajasekaran and Ramprasad predict the band gap and the dielectric constant of chains of XY2 blocks from the shares of motifs
in them, and let their walks choose the motifs: mg-KRR (greedy), mo-KRR (RFS1), ran-KRR (RFS2), dis-KRR (restarts of RFS1). Their property
values are not public. Their chains can be made (`subsel.literature.problems.chains`: 616 four-block chains up to rotation, 406 up to rotation
and reversal, 20 or 230 motif attributes; its 175 chains are as many as those of the 406 that hold a CH2 block, our inference, and
those hold all 28 pairs and 196 triplets, so that its 162 attributes come from yet another restriction). So this page asks the
same question of public polymers, and the question of transfer to longer chains of a made-up property. `python
docs/studies/polymer.py` makes it.

The motifs are tokens of the SMILES string of the repeat unit: for the band gap (DFT, polyVERSE) the counts of 171 single tokens
and pairs, on a random part of the 4,209 polymers; for the dielectric constant (Khazana, 382 polymers) the shares of singles, pairs and
triplets that at least ten polymers hold. Columns are standardised and the target centred on the training part; Gaussian kernel with
gamma one over the number of columns, ridge chosen for all features by cross-validation and kept. Searches are guided by
five-fold R2 on the training part ({steps} evaluations for each walk; greedy up to {greedy} features). The table has means over {splits} splits,
± standard deviation; accuracy is 100 minus the sum of absolute errors over the sum of values; "guide" is what the search saw and is no
estimate of performance.

{parts}

{transfer}

On polymers that no search has seen, selected features predict as well as all of them or slightly better (by about a standard
deviation over the splits, or less), with a half to a tenth of the features; a random subset of the same size is worse. That is the
paper's finding in kind, at a fraction of its size. The searches differ little among each other, and what they say of themselves (the
guide) is far above what holds: selection on 300 rows overfits too.

## Published

Accuracy in per cent (features) on the authors' chains, 20 attributes, four blocks (Table 1):

{first}

The same models on chains of eight blocks (Table 1, lower half):

{eight}

162 attributes (Table 2):

{second}

## Why they differ

Other molecules, other motifs, and a harder question: the paper's polymers are all of one family with four blocks, these have
hundreds of chemistries. And the paper scores its searches on the test chains, so its gains over KRR hold the bias that the
[selection-bias study](selection_bias.md) measures; in ours the held-out polymers were never looked at.
"""

if __name__ == "__main__":
    main()
