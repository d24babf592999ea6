"""Baselines on ARCENE: the challenge's two rankers on 25 sizes, and earlier studies of spectra. Writes docs/papers/baselines.md."""

from time import process_time

import numpy as np
from pages import locator, table, write
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from subsel.literature.recipes import (
    baseline_curve,
    forest_ranked,
    genetic_map,
    pca_discriminant,
    t_ranked,
)

SHOWN = (1, 5, 10, 15, 18, 20, 22, 24, 25)  # of the 25 sizes
STUDIES = {
    "all principal components, linear discriminant": pca_discriminant,
    "20 principal components, linear discriminant": lambda: pca_discriminant(20),
    "15 by t, nearest neighbour": lambda: t_ranked(KNeighborsClassifier(1)),
    "25 by t, linear machine": lambda: t_ranked(SVC(kernel="linear"), 25),
    "15 by t, linear discriminant": lambda: t_ranked(LinearDiscriminantAnalysis()),
    "15 by a forest, forest": lambda: forest_ranked(random_state=0),
    "genetic search, self-organising map": lambda: genetic_map(
        budget=600, population=30, random_state=0
    ),
}
PUBLISHED = {
    "all principal components, linear discriminant": "100 (ovarian), 88 (prostate)",
    "20 principal components, linear discriminant": "",
    "15 by t, nearest neighbour": "about 85 (ovarian)",
    "25 by t, linear machine": "about 85 (ovarian)",
    "15 by t, linear discriminant": "about 85 (ovarian)",
    "15 by a forest, forest": "about 92 (ovarian)",
    "genetic search, self-organising map": "97.5 (ovarian), 83 (prostate)",
}


def curves(X, y):
    """Balanced accuracy against the number of columns, both rankers, ranked inside the folds and outside."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    found = {
        (ranker, inside): baseline_curve(X, y, ranker, cv=folds, inside=inside)
        for ranker in ("golub", "rfe")
        for inside in (True, False)
    }
    sizes = found["golub", True].sizes
    rows = [
        [sizes[k - 1], *(f"{100 * curve.scores[k - 1]:.1f}" for curve in found.values())]
        for k in SHOWN
    ]
    header = [
        "columns",
        "Golub, inside",
        "Golub, outside",
        "elimination, inside",
        "elimination, outside",
    ]
    whole = found["golub", True].scores[-1]
    best = {key: curve.scores.max() for key, curve in found.items()}
    error = 100 * found["golub", True].standard_errors[-1]
    return (
        table(header, rows),
        100 * whole,
        {key: 100 * value for key, value in best.items()},
        error,
    )


def studies(X, y, new, labels):
    """Train each pipeline on the training rows, test it on the validation rows."""
    rows = []
    for name, make in STUDIES.items():
        begun = process_time()
        predicted = make().fit(X, y).predict(new)
        right = [recall_score(labels, predicted, pos_label=c) for c in (1, -1)]
        balanced = balanced_accuracy_score(labels, predicted)
        cells = [f"{100 * value:.0f}" for value in (balanced, *right)]
        rows.append([name, *cells, PUBLISHED[name], f"{process_time() - begun:.1f}"])
    return table(
        [
            "study",
            "balanced accuracy, %",
            "sensitivity",
            "specificity",
            "published, other spectra",
            "seconds",
        ],
        rows,
    )


PAGE = """
# Baselines: rankers of the challenge, and earlier studies of mass spectra

Both on ARCENE, mass spectra of the 2003 challenge: 100 training rows (44 ill), 100 validation rows, 10,000 columns of which 3,000
are probes. `docs/studies/baselines.py` makes this page.

## The two baseline rankers on 25 sizes

Guyon, Gunn, Ben-Hur and Dror (chapter 9 of *Feature Extraction*, 2006) ranked the columns by Golub's ratio and by recursive
elimination with a linear support vector machine, took 25 nested sizes evenly spaced in logarithms, and cross-validated machines on
each: machines did best without selection. They ranked with all rows before the folds. Here a linear machine on standardised
columns, five folds on the training rows; "inside" ranks anew in each fold, "outside" as they did.

{curves}

With all columns {whole:.1f}% (standard error {error:.1f}). The best of 25 sizes: Golub {golub_inside:.1f}% inside and {golub_outside:.1f}%
outside, elimination {rfe_inside:.1f}% inside and {rfe_outside:.1f}% outside. What the columns "outside" have over those "inside" is
selection bias; the best of 25 sizes is itself chosen by luck.

## Earlier studies of spectra

Chapter 30 (Levner, Bulitko and Lin) cites them; each is a pipeline in `subsel.literature.recipes`. Trained on the training rows, tested on the
validation rows, on which an accuracy has a standard error of about 4 points. Their own spectra are not among our data, ROC peaks
(`roc_peaks`) need an ordered axis, which ARCENE's shuffled columns have not.

{studies}

The percentages of the studies are means of their sensitivity and specificity where both are given; they come from one laboratory each,
whose spectra ARCENE merges with those of two others, permuting a quarter of the bins. A linear discriminant of as many components
as rows is at its worst: no row is left to estimate the spread within classes.
"""


def main():
    """Run both and write the page."""
    held = np.load(locator(__doc__)("arcene.npz"), allow_pickle=False)
    part = held["split_names"].tolist()
    train, valid = (held["split"] == part.index(name) for name in ("train", "valid"))
    X, y = held["X"].astype(float), held["y"].astype(int)
    shown, whole, best, error = curves(X[train], y[train])
    named = {
        f"{ranker}_{'inside' if inside else 'outside'}": value
        for (ranker, inside), value in best.items()
    }
    after = studies(X[train], y[train], X[valid], y[valid])
    write(
        "baselines.md", PAGE.format(curves=shown, whole=whole, error=error, studies=after, **named)
    )


if __name__ == "__main__":
    main()
