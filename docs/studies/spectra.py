"""Mass spectra: the preprocessing of Arcene and the figures of the book's chapter 30. Writes docs/papers/spectra.md."""

import matplotlib
import numpy as np
from pages import PAGES, locator, table, write
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from subsel.literature.spectra import BlockMeans, LowPass, PeakHeights, mass_spectra

matplotlib.use("Agg")
import matplotlib.pyplot as plt

WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
N_REPEATS = 10


def save(figure, name):
    """Write a picture beside the page."""
    PAGES.mkdir(exist_ok=True)
    figure.savefig(PAGES / name, dpi=90)
    plt.close(figure)


def patients(locate):
    """The spectra up to 10,000 m/z, the two of a patient averaged."""
    stored = np.load(locate("seldi_imac_camassclass.npz"))
    names, first = np.unique(stored["patient"], return_index=True)
    kept = stored["mz"] <= 10_000
    X = np.stack([stored["X"][stored["patient"] == name].mean(axis=0) for name in names]).astype(
        float
    )
    return X[:, kept], stored["y"][first], stored["mz"][kept]


def nearest_mean(X, y, train, test):
    """Balanced accuracy of the class with the nearest mean by the sum of absolute differences: the chapter's learner."""
    means = [X[train][y[train] == c].mean(axis=0) for c in (-1, 1)]
    nearer = [np.abs(X[test] - mean).sum(axis=1) for mean in means]
    return balanced(np.where(nearer[1] < nearer[0], 1, -1), y[test])


def single(X, y, train, test):
    """Balanced accuracy of every column alone."""
    means = [X[train][y[train] == c].mean(axis=0) for c in (-1, 1)]
    right = (np.abs(X[test] - means[1]) < np.abs(X[test] - means[0])) == (y[test] == 1)[:, None]
    return np.mean([right[y[test] == c].mean(axis=0) for c in (-1, 1)], axis=0)


def balanced(predicted, y):
    """Mean of the two shares of right predictions."""
    return np.mean([np.mean(predicted[y == c] == c) for c in (-1, 1)])


def folds(y):
    """Three equal folds, repeated."""
    return [
        split
        for seed in range(N_REPEATS)
        for split in StratifiedKFold(3, shuffle=True, random_state=seed).split(y, y)
    ]


def chain(X, mz):
    """A spectrum before and after the chain."""
    steps = mass_spectra().fit(X)
    found = steps.transform(X)
    figure, axes = plt.subplots(3, 1, figsize=(8, 6), layout="constrained", sharex=True)
    axes[0].plot(mz, X[0], lw=0.6)
    axes[1].plot(mz, steps[:2].transform(X)[0], lw=0.6)
    axes[2].plot(mz, found[0], lw=0.6)
    for axis, title in zip(axes, ("raw", "without baseline, smoothed", "levels 0 to 999")):
        axis.set_title(title)
    axes[2].set_xlabel("m/z")
    save(figure, "spectra_chain.png")
    return (found > 0).mean(), len(PeakHeights().fit(found).peaks_)


def steps_accuracy(X, y):
    """Accuracy of a linear machine after each step of the chain: a step was accepted if it changed nothing much."""
    whole = mass_spectra()
    rows = []
    for k in range(len(whole.steps) + 1):
        found = [machine(X, y, mass_spectra()[:k], train, test) for train, test in folds(y)[:15]]
        rows.append(
            [
                whole.steps[k - 1][0] if k else "raw",
                f"{100 * np.mean(found):.1f} ± {100 * np.std(found):.0f}",
            ]
        )
    peaks = [
        machine(X, y, make_pipeline(mass_spectra(), PeakHeights()), train, test)
        for train, test in folds(y)[:15]
    ]
    rows.append(["heights of peaks", f"{100 * np.mean(peaks):.1f} ± {100 * np.std(peaks):.0f}"])
    return table(["after", "balanced accuracy, %"], rows)


def machine(X, y, steps, train, test):
    """Balanced accuracy of a linear machine on the result of some steps, all learnt on training rows."""
    train_rows, test_rows = X[train], X[test]
    if len(steps):
        train_rows, test_rows = steps.fit_transform(train_rows), steps.transform(test_rows)
    scale = np.abs(train_rows).mean()
    return balanced(
        SVC(kernel="linear").fit(train_rows / scale, y[train]).predict(test_rows / scale), y[test]
    )


def reduced(X, y):
    """Figure 30.2: accuracy against down-sampling and against the band kept."""
    made = {
        "block means": [BlockMeans(w).fit_transform(X) for w in WIDTHS],
        "low-pass": [LowPass(1 / w).fit_transform(X) for w in WIDTHS],
    }
    found = {
        name: [[nearest_mean(Z, y, *split) for split in folds(y)] for Z in tables]
        for name, tables in made.items()
    }
    best = [
        np.mean([single(Z, y, *split) for split in folds(y)], axis=0).max()
        for Z in made["block means"]
    ]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
    for axis, (name, rows) in zip(axes, found.items()):
        axis.errorbar(
            WIDTHS, 100 * np.mean(rows, axis=1), 100 * np.std(rows, axis=1), marker="o", ms=3
        )
        axis.set(title=name, xscale="log", xlabel="factor")
    axes[0].set_ylabel("balanced accuracy, %")
    save(figure, "spectra_reduced.png")
    show = lambda rows: [f"{100 * v:.1f}" for v in np.mean(rows, axis=1)]
    rows = zip(
        WIDTHS,
        show(found["block means"]),
        show(found["low-pass"]),
        (f"{100 * b:.1f}" for b in best),
    )
    return table(["factor", "block means", "low-pass", "best single block (chosen on test)"], rows)


def histogram(X, y):
    """Figure 30.3: how many columns reach which accuracy alone, on one test fold."""
    found = 100 * single(X, y, *folds(y)[0])
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    axes.hist(found, bins=20, color="grey")
    axes.set(xlabel="balanced accuracy of one column, %", ylabel="columns")
    save(figure, "spectra_single.png")
    return np.mean(found < 50), np.median(found), np.mean(found > 80)


def main():
    """Run all and write the page."""
    X, y, mz = patients(locator(__doc__))
    share, n_peaks = chain(X, mz)
    below, middle, high = histogram(X, y)
    write(
        "spectra.md",
        PAGE.format(
            n=len(y), bins=X.shape[1], share=share, peaks=n_peaks, steps=steps_accuracy(X, y), reduced=reduced(X, y),
            below=below, middle=middle, high=high, repeats=N_REPEATS,
        ),
    )  # fmt: skip


PAGE = """
# Mass spectra (chapter 30 and the making of Arcene)

Levner, Bulitko and Lin, *Feature Extraction for Classification of Proteomic Mass Spectra*, chapter 30 of *Feature
Extraction: Foundations and Applications* (2006), and its appendix B. `docs/studies/spectra.py` draws this page.

The chapter's ovarian (253 x 15154) and prostate (322 x 15154) spectra are not among our data. We have 40 SELDI spectra of 20
people, 10 of them ill (R package caMassClass); the two of a person are averaged, so there are {n} rows and {bins} bins. With
so few rows an accuracy has a standard error of about 10 points: the curves below show what the operators do, and
cannot confirm or refute the chapter's percentages.

## The chain that made Arcene

`subsel.literature.spectra.mass_spectra()` is one pipeline: baseline, smoothing, height, square root, alignment, soft threshold,
levels. Here it leaves {share:.0%} of the values above zero (the source: about 50%) and {peaks} peaks in the mean spectrum.

![chain](spectra_chain.png)

The source accepted a step if a linear machine did not change significantly. Three-fold balanced accuracy and its
standard deviation over folds, five repeats, every step learnt on training rows:

{steps}

## Figure 30.2: down-sampling and low-pass

Nearest mean by L1 distance, three folds, {repeats} repeats; bars are standard deviations over folds.

![reduced](spectra_reduced.png)

{reduced}

The chapter: accuracy falls with the factor, in oscillations that come from sub-sampling, for low-pass alone smoothly; and the
best single down-sampled bin is worse than the best original one. Do not average bins before selection. The last column is
optimised on the test folds, as the chapter's was, and says nothing about new patients.

## Figure 30.3: columns alone

![single](spectra_single.png)

{below:.0%} of the columns do worse than chance on the first fold, the median column has {middle:.0f}%, and {high:.1%} are above
80%: as in the chapter, most columns are near chance and some below it.

## Not reproduced

Figure 30.1 (other people's results), figures 30.4 and 30.5 and tables 30.1 to 30.3 (selected bins, accuracies and seconds on the
two sets we do not have).
"""

if __name__ == "__main__":
    main()
