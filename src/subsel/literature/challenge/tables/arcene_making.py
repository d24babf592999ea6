"""How the fourth table of the 2003 challenge was made: mass spectra of several laboratories, merged, with probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.data.probes import permuted_probes, replace_by_probes, with_probes
from subsel.literature.challenge.tables.challenge_making import MadeTable

__all__ = ["SpectraSource", "make_arcene", "merge_spectra", "worst_region"]


@dataclass(frozen=True, eq=False)
class SpectraSource:
    """The spectra of one laboratory.

    Attributes
    ----------
    mz : ndarray of shape (n_bins,)
        Mass over charge of each bin, rising.
    X : ndarray of shape (n_spectra, n_bins)
        Intensities.
    y : ndarray of shape (n_spectra,)
        Classes.
    patients : ndarray of shape (n_spectra,), optional
        Whose spectrum it is; those of one patient are averaged. Everyone has one unless given.

    Examples
    --------
    >>> SpectraSource(np.arange(3), np.ones((2, 3)), np.array([0, 1])).averaged()[0].shape
    (2, 3)
    """

    mz: np.ndarray
    X: np.ndarray
    y: np.ndarray
    patients: np.ndarray | None = None

    def averaged(self) -> tuple[np.ndarray, np.ndarray]:
        """Give one spectrum and one class for each patient, in the order in which they first appear."""
        if self.patients is None:
            return np.asarray(self.X, dtype=np.float64), np.asarray(self.y)
        _, first, codes = np.unique(self.patients, return_index=True, return_inverse=True)
        order = np.argsort(first)
        y = np.asarray(self.y)
        if (y != y[first][codes]).any():
            raise ValueError("the spectra of one patient must be of one class.")
        means = np.stack([np.mean(self.X[codes == code], axis=0) for code in order])
        return means, y[first[order]]


def merge_spectra(
    sources: Sequence[SpectraSource],
    mz_range: tuple[float, float] = (200.0, 10_000.0),
    *,
    reference: int = 0,
    window: int = 501,
    max_shift: int = 10,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bring spectra of several laboratories onto one axis [1]_.

    Each laboratory's are cut to the range and averaged over replicates; baseline away, smoothed, divided by their
    height, square root; then read off at the bins of the reference, and all of one laboratory shifted together to where
    its mean spectrum agrees best with that of the reference. Bins that a shift made up are trimmed from both ends.

    Parameters
    ----------
    sources : sequence of SpectraSource
        One at least.
    mz_range : pair of float
        What is kept.
    reference : int
        The source whose axis and mean spectrum the others follow.
    window : int
        Of the baseline, in bins; not printed in the source.
    max_shift : int
        In bins, either way.

    Returns
    -------
    X, y, mz, source : arrays
        The spectra, their classes, the axis, and the number of the source of each row.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, ARCENE.

    Examples
    --------
    >>> mz, bump = np.arange(300.0, 400.0), lambda at: np.exp(-((np.arange(100.0) - at) ** 2) / 20) + 0.01
    >>> labs = [SpectraSource(mz, np.array([bump(at)] * 2), np.array([0, 1])) for at in (50, 53)]
    >>> X, y, mz, source = merge_spectra(labs, window=51)
    >>> X.argmax(axis=1), len(mz), source
    (array([47, 47, 47, 47]), 94, array([0, 0, 1, 1]))
    """
    from subsel.literature.spectra.alignment import best_shift, shifted
    from subsel.literature.spectra.pipeline import mass_spectra

    if not 0 <= reference < len(sources):
        raise ValueError(f"reference must lie in [0, {len(sources) - 1}], got {reference}.")
    chain = mass_spectra(window)[:4]  # up to the square root: each spectrum for itself
    axis = _within(sources[reference].mz, mz_range)
    tables, labels = [], []
    for source in sources:
        X, y = source.averaged()
        kept = (source.mz >= mz_range[0]) & (source.mz <= mz_range[1])
        changed = chain.fit_transform(X[:, kept])
        tables.append(np.stack([np.interp(axis, source.mz[kept], row) for row in changed]))
        labels.append(y)
    goal = tables[reference].mean(axis=0)
    shifts = [best_shift(table.mean(axis=0), goal, max_shift) for table in tables]
    edge = max(abs(shift) for shift in shifts)
    trimmed = slice(edge, len(axis) - edge)
    X = np.vstack(
        [
            np.apply_along_axis(shifted, 1, table, shift)
            for table, shift in zip(tables, shifts, strict=True)
        ]
    )
    origin = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    return X[:, trimmed], np.concatenate(labels), axis[trimmed], origin


def worst_region(
    X: Any, y: Any, width: int, step: int | None = None, cv: int = 3
) -> tuple[int, int]:
    """Find the run of neighbouring columns from which a linear support vector machine predicts worst [1]_.

    Parameters
    ----------
    X, y : arrays
        Spectra and classes.
    width : int
        Of the run.
    step : int, optional
        From one run to the next; half the width unless given.
    cv : int
        Folds, not shuffled, balanced accuracy.

    Returns
    -------
    start, stop : int
        The columns of the run, the first of equally bad ones.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, ARCENE.

    Examples
    --------
    >>> X = np.tile(np.arange(20.0)[:, None] % 2, 12)
    >>> X[:, 4:8] = 1.0
    >>> worst_region(X, np.arange(20) % 2, 4, step=4)
    (4, 8)
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X = np.asarray(X, dtype=np.float64)
    if not 1 <= width <= X.shape[1]:
        raise ValueError(f"width must lie in [1, {X.shape[1]}], got {width}.")
    if step is None:
        step = max(1, width // 2)
    machine, folds = make_pipeline(StandardScaler(), SVC(kernel="linear")), StratifiedKFold(cv)

    def accuracy(start: int) -> float:
        region = X[:, start : start + width]
        return cross_val_score(machine, region, y, cv=folds, scoring="balanced_accuracy").mean()

    start = min(range(0, X.shape[1] - width + 1, step), key=accuracy)
    return start, start + width


def make_arcene(
    sources: Sequence[SpectraSource],
    *,
    permuted: tuple[int, int] | None = None,
    copied: tuple[int, int] | None = None,
    share: float = 0.5,
    levels: int = 1000,
    random_state: int | None = None,
    **merging: Any,
) -> tuple[MadeTable, np.ndarray, np.ndarray]:
    """Make a table like ARCENE: spectra merged, thresholded, in whole levels, with probes of two kinds [1]_.

    Of the merged bins a region is permuted where it stands, each column by itself, and permuted copies of another are
    added. The source searched for the region from which a linear machine predicts worst (2500 of its 9500 bins) and
    copied 500 bins; without regions given, the same shares are taken here, the copies from the end of the axis. Columns
    are shuffled at the end.

    Parameters
    ----------
    sources : sequence of SpectraSource
        One at least.
    permuted, copied : pair of int, optional
        First and last but one column of each region, on the merged axis.
    share : float
        Of the values that stay above the threshold.
    levels : int
        Whole numbers from 0.
    random_state : int or None
        The seed.
    **merging : Any
        Parameters of `merge_spectra`.

    Returns
    -------
    made, y, source : MadeTable, ndarray, ndarray
        The table, whose origins are merged bins, the classes, and where each row comes from.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, ARCENE.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> lab = SpectraSource(np.arange(300.0, 360.0), rng.gamma(2, size=(12, 60)), np.arange(12) % 2)
    >>> made, y, source = make_arcene([lab], permuted=(10, 20), copied=(40, 45), window=21, random_state=0)
    >>> made.X.shape, len(made.probes), made.X.max()
    ((12, 65), 15, np.float64(999.0))
    """
    from subsel.literature.spectra.levels import Quantisation, SoftThreshold

    rng = np.random.default_rng(random_state)
    merged, y, _, source = merge_spectra(sources, **merging)
    X = Quantisation(levels).fit_transform(SoftThreshold(share).fit_transform(merged))
    n_bins = X.shape[1]
    bad = permuted or worst_region(X, y, max(1, round(n_bins * 2500 / 9500)))
    again = copied or (n_bins - max(1, round(n_bins * 500 / 9500)), n_bins)
    for name, (start, stop) in {"permuted": bad, "copied": again}.items():
        if not 0 <= start < stop <= n_bins:
            raise ValueError(f"{name} must be a region inside [0, {n_bins}], got {(start, stop)}.")
    spoilt = replace_by_probes(X, np.arange(*bad), random_state=rng)
    both, origin = with_probes(spoilt, permuted_probes(X[:, slice(*again)], random_state=rng), rng)
    probe = (origin >= bad[0]) & (origin < bad[1])
    return MadeTable(both, np.where(probe, -1, origin), np.arange(len(X))), y, source


def _within(mz: np.ndarray, mz_range: tuple[float, float]) -> np.ndarray:
    kept = mz[(mz >= mz_range[0]) & (mz <= mz_range[1])]
    if not len(kept):
        raise ValueError(f"mz_range must hold bins of the reference, got {mz_range}.")
    return np.asarray(kept, dtype=np.float64)
