"""How the fourth table of the 2003 challenge was made: mass spectra of several laboratories, merged, with probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.probes import permuted_probes, replace_by_probes, with_probes, zipf_probes

__all__ = [
    "MadeTable",
    "SpectraSource",
    "make_arcene",
    "make_dexter",
    "make_dorothea",
    "make_gisette",
    "merge_spectra",
    "worst_region",
]


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


@dataclass(frozen=True, eq=False)
class MadeTable:
    """A table with probes among its columns.

    Attributes
    ----------
    X : ndarray or sparse array
        The table, its columns shuffled.
    origin : ndarray of int
        Where each column comes from: its number among the real columns, -1 for a probe.
    rows : ndarray of int
        The rows of the source that were kept.
    pairs : ndarray of shape (n_real, 2), optional
        Of pixels: the two pixels that each real column multiplies; twice the same is the pixel itself.

    Examples
    --------
    >>> made = make_dexter(np.eye(6), 4, random_state=0)
    >>> made.X.shape, sorted(made.origin.tolist())
    ((6, 10), [-1, -1, -1, -1, 0, 1, 2, 3, 4, 5])
    """

    X: Any
    origin: np.ndarray
    rows: np.ndarray
    pairs: np.ndarray | None = None

    @property
    def probes(self) -> np.ndarray:
        """Numbers of the columns that are probes."""
        return np.flatnonzero(self.origin < 0)


def make_gisette(
    images: Any,
    n_real: int = 2500,
    n_probes: int = 2500,
    *,
    centre: tuple[float, float] = (12.0, 14.0),
    spread: float = 5.0,
    random_state: int | None = None,
) -> MadeTable:
    """Make a table like GISETTE of images of digits: pixels, products of two pixels, and permuted products as probes [1]_.

    Values are brought to [0, 1], those under one half to zero; every pixel that is ever lit is kept, the rest of the real
    columns are products of pairs of pixels drawn from a normal law around the middle of the image (the appendix prints
    neither its middle nor its width; these are ours). Probes are further products, each permuted by itself. Values are
    whole numbers up to 999.

    Parameters
    ----------
    images : array of shape (n_rows, height, width)
        Any grey values.
    n_real, n_probes : int
        Columns of either kind.
    centre, spread : pair of float, float
        Of the law of pixels, in rows and columns of the image.
    random_state : int or None
        The seed.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, GISETTE.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> made = make_gisette(load_digits().images[:50], 80, 20, centre=(3.5, 3.5), spread=2.0, random_state=0)
    >>> made.X.shape, made.X.max(), len(made.probes)
    ((50, 100), np.float64(999.0), 20)
    """
    rng = np.random.default_rng(random_state)
    images = np.asarray(images, dtype=float)
    n, height, width = images.shape
    pixels = (images / images.max()).reshape(n, -1)
    pixels = np.where(pixels < 0.5, 0.0, pixels)
    lit = np.flatnonzero(pixels.any(axis=0))
    if len(lit) > n_real:
        raise ValueError(
            f"n_real must be at least {len(lit)}, the number of pixels that are lit, got {n_real}."
        )
    seen = {(int(p), int(p)) for p in lit}
    pairs = np.array([[p, p] for p in lit])
    wanted = n_real + n_probes
    for _ in range(10_000):
        if len(pairs) >= wanted:
            break
        drawn = _drawn_pixels(rng, 4 * wanted, height, width, centre, spread)
        new = [(a, b) for a, b in drawn if a < b and (pixels[:, a] * pixels[:, b]).any()]
        fresh = [pair for pair in dict.fromkeys(new) if pair not in seen]
        seen.update(fresh)
        pairs = np.vstack([pairs, np.array(fresh, dtype=int).reshape(-1, 2)])
    if len(pairs) < wanted:
        raise ValueError(
            f"the law of pixels has only {len(pairs)} pairs that are ever lit, {wanted} are wanted."
        )
    pairs = pairs[:wanted]
    columns = np.round(999 * pixels[:, pairs[:, 0]] * pixels[:, pairs[:, 1]])
    probes = rng.permuted(columns[:, n_real:], axis=0)
    X, origin = with_probes(columns[:, :n_real], probes, rng)
    return MadeTable(X, origin, np.arange(n), pairs[:n_real])


def _drawn_pixels(
    rng: np.random.Generator,
    n: int,
    height: int,
    width: int,
    centre: tuple[float, float],
    spread: float,
) -> list[tuple[int, int]]:
    """Pairs of pixel numbers, smaller first, those that fall off the image left out."""
    places = np.round(rng.normal(centre, spread, size=(n, 2, 2))).astype(int)
    inside = ((places >= 0) & (places < (height, width))).all(axis=(1, 2))
    numbers = np.sort(places[inside] @ [width, 1], axis=1)
    return [(int(a), int(b)) for a, b in numbers]


def make_dexter(
    X: Any,
    n_probes: int = 10053,
    *,
    exponent: float = 0.9,
    density: float = 0.005,
    random_state: int | None = None,
) -> MadeTable:
    """Make a table like DEXTER of word counts: sparse probes whose frequencies follow Zipf's law, whole numbers up to 999 [1]_.

    Parameters
    ----------
    X : array or sparse matrix
        Counts or weights of words.
    n_probes : int
        Probes to add.
    exponent, density : float
        Of Zipf's law, and the share of entries of the probes that are not zero.
    random_state : int or None
        The seed.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, DEXTER.

    Examples
    --------
    >>> made = make_dexter(np.eye(20), 30, density=0.1, random_state=0)
    >>> made.X.shape, made.X.max()
    ((20, 50), np.float64(999.0))
    """
    rng = np.random.default_rng(random_state)
    table = sparse.csc_array(X, dtype=float)
    top = abs(table).max()
    if top:
        table = table * (999.0 / top)
    table.data = np.maximum(np.round(table.data), 1.0)
    both, origin = with_probes(
        table,
        zipf_probes(table, n_probes, exponent=exponent, density=density, random_state=rng),
        rng,
    )
    return MadeTable(both, origin, np.arange(table.shape[0]))


def make_dorothea(
    X: Any,
    y: Any,
    n_columns: int = 100_000,
    *,
    penalty: float = 3.0,
    random_state: int | None = None,
) -> tuple[MadeTable, np.ndarray]:
    """Make a table like DOROTHEA of bits: the columns of largest unbalanced score, the lower half of them permuted [1]_.

    Columns are ranked by their sum over positive rows less ``penalty`` times that over the others, and the first
    ``n_columns`` kept; rows that are all zero are dropped but for one, which is called negative; the lower half of the
    columns is permuted, each by itself: those are the probes. The author ranked by rows that the test set had, and admits
    that the table favours this score.

    Parameters
    ----------
    X : array or sparse matrix
        Bits.
    y : array
        Two classes; the second is the positive one.
    n_columns : int
        Columns to keep.
    penalty : float
        Of the score.
    random_state : int or None
        The seed.

    Returns
    -------
    MadeTable, ndarray
        The table and the classes of its rows.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, DOROTHEA.

    Examples
    --------
    >>> X = (np.random.default_rng(0).random((30, 8)) < 0.3).astype(int)
    >>> made, y = make_dorothea(X, np.arange(30) % 2, 6, random_state=0)
    >>> made.X.shape[1], len(made.probes)
    (6, 3)
    """
    rng = np.random.default_rng(random_state)
    table, classes = sparse.csc_array(X), np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"y holds {len(classes)} classes, two are due.")
    y = np.asarray(y).copy()
    scores = table.T @ np.where(y == classes[1], 1.0, -penalty)
    order = np.argsort(-scores, kind="stable")[:n_columns]
    table = table[:, order]
    empty = np.flatnonzero(np.diff(table.tocsr().indptr) == 0)
    y[empty[:1]] = classes[0]
    rows = np.setdiff1d(np.arange(len(y)), empty[1:])
    table = sparse.csc_array(table.tocsr()[rows])
    half = table.shape[1] - table.shape[1] // 2
    both, origin = with_probes(
        table[:, :half], permuted_probes(table[:, half:], random_state=rng), rng
    )
    return MadeTable(both, np.where(origin < 0, -1, order[origin]), rows), y[rows]
