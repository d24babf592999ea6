"""How three tables of the 2003 challenge were made from their sources: pixel products, Zipf probes, unbalanced ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.probes import permuted_probes, with_probes, zipf_probes

__all__ = ["MadeTable", "make_dexter", "make_dorothea", "make_gisette"]


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
