"""Stability indices: how similar the sets selected on different samples are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from subsel.assessment.intervals import wilson

__all__ = [
    "Stability",
    "half_stability",
    "jaccard",
    "kuncheva",
    "nogueira",
    "stability",
    "top_overlap",
]

# pairs of halves cut the same rows: their mean has this additional variance, as a share of the
# variance between pairs (simulated)
SHARED_CUTS = 0.8


@dataclass(frozen=True)
class Stability:
    """The stability of a selection: Nogueira's measure, Kuncheva's and Jaccard's index.

    An undefined value is NaN.

    Attributes
    ----------
    value, interval : float and pair of float
        Nogueira's measure and its interval: one if the features are always the same, zero in
        expectation for sets drawn at random.
    kuncheva, jaccard : float
        The means over pairs of selections.
    n_pairs, n_rows : int, optional
        The number of pairs of disjoint halves that were compared, and the number of rows of a half.
        The value is that of selections from so few rows, and lower than that of selections from all
        rows. None where selections were given.

    Examples
    --------
    >>> Stability(0.5, (0.3, 0.7), 0.5, 0.4).value
    0.5
    """

    value: float
    interval: tuple[float, float]
    kuncheva: float
    jaccard: float
    n_pairs: int | None = None
    n_rows: int | None = None

    @property
    def basis(self) -> str:
        """The selections that were compared, in words."""
        if self.n_pairs is None:
            return "given selections"
        return f"{self.n_pairs} pairs of disjoint halves, {self.n_rows} rows each"


def half_stability(first: Any, second: Any, n_rows: int, confidence: float = 0.95) -> Stability:
    r"""Measure the stability of selections from disjoint halves of the rows [1]_.

    .. math:: \hat\Phi = 1 - \frac{\frac1B \sum_b |A_b \triangle B_b| / 2d}{\frac{\bar k}{d} (1 -
        \frac{\bar k}{d})}

    for B pairs among d features of mean size :math:`\bar k`: Nogueira's measure over pairs that
    share no row. Selections of overlapping folds share rows, and agree more than selections from
    independent samples would. The value is unbiased for the number of rows of a half, and therefore
    low for all rows.

    The interval is Wilson's, of the share of features that are common, for twice as many features
    as are selected, or for fewer where the pairs differ by more. That is fitted to simulations
    (``docs/calibration.md``), not derived.

    Parameters
    ----------
    first, second : array of bool
        The masks of the selections, shape (n_pairs, n_columns), one array for each half.
    n_rows : int
        The number of rows of a half.
    confidence : float
        Level of the interval.

    References
    ----------
    .. [1] Nogueira, Sechidis, Brown, On the Stability of Feature Selection Algorithms, JMLR 18
       (2018), definition 4.

    Examples
    --------
    >>> half_stability([[1, 1, 0, 0], [1, 1, 0, 0]], [[1, 1, 0, 0], [1, 0, 1, 0]], n_rows=30).value
    0.5
    """
    a, b = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    pairs, d = len(a), a.shape[1]
    mean = float(np.concatenate((a, b)).sum(axis=1).mean())
    by_kuncheva, by_jaccard = (
        float(np.mean([index([x, y]) for x, y in zip(a, b)])) for index in (kuncheva, jaccard)
    )
    chance = mean / d * (1 - mean / d)
    if chance == 0:
        return Stability(np.nan, (np.nan, np.nan), by_kuncheva, by_jaccard, pairs, n_rows)
    values = 1 - (a != b).sum(axis=1) / (2 * d) / chance
    value, least = float(values.mean()), mean / d
    share = np.clip(values * (1 - least) + least, 0, 1)
    low, high = _share_interval(share, mean, confidence)
    span = (float((low - least) / (1 - least)), float((high - least) / (1 - least)))
    interval = (min(span[0], value), max(span[1], value))
    return Stability(value, interval, by_kuncheva, by_jaccard, pairs, n_rows)


def _share_interval(share: np.ndarray, size: float, confidence: float) -> tuple[float, float]:
    """Give Wilson's interval of the share of common features.

    ``share`` has shape (n_pairs,). The number of features is twice the mean size, or smaller where
    the variance over pairs says so.
    """
    mean, n = float(share.mean()), 2 * size
    spread = 0.0
    if len(share) > 1:
        spread = share.var(ddof=1) * (1 / len(share) + SHARED_CUTS)
    if 0 < mean < 1 and spread > 0:
        n = min(n, mean * (1 - mean) / spread)
    low, high = wilson(mean * n, n, confidence)
    return float(low), float(high)


def stability(supports: Any, confidence: float = 0.95) -> Stability:
    """Measure the stability of several selections.

    Parameters
    ----------
    supports : array of bool
        The masks of the selections, shape (n_selections, n_columns).
    confidence : float
        Level of the interval, which assumes that the selections come from independent samples.
        Selections of overlapping folds are not: they agree more than those of independent samples;
        see :func:`half_stability`.

    Examples
    --------
    >>> stability([[1, 1, 0, 0], [1, 1, 0, 0]]).value
    1.0
    """
    value, error = nogueira(supports)
    reach = float(norm.ppf((1 + confidence) / 2)) * error
    interval = (max(-1.0, value - reach), min(1.0, value + reach))
    return Stability(value, interval, kuncheva(supports), jaccard(supports))


def nogueira(supports: Any) -> tuple[float, float]:
    r"""Give the stability of Nogueira, Sechidis and Brown [1]_ and its standard error.

    .. math:: \hat\Phi = 1 - \frac{\frac1d \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
              {\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    for M selections among d features of mean size :math:`\bar k`. One if all are equal, at least
    :math:`-1/(M-1)`, zero in expectation for sets drawn at random (up to terms of order 1/M where
    sizes vary); for equal sizes the mean pairwise Kuncheva index. NaN if nothing or everything is
    always selected. The error is their asymptotic one.

    References
    ----------
    .. [1] Nogueira, Sechidis, Brown, On the Stability of Feature Selection Algorithms, JMLR 18
       (2018), definition 4 and theorem 7.

    Examples
    --------
    >>> value, error = nogueira([[1, 1, 0, 0], [1, 0, 1, 0]])  # one of two shared, which is chance
    >>> round(value, 12) + 0.0
    0.0
    """
    Z, d = _masks(supports)
    m = len(Z)
    sizes, share = Z.sum(axis=1), Z.mean(axis=0)
    mean = sizes.mean()
    chance = mean / d * (1 - mean / d)
    if m < 2 or chance == 0:
        return np.nan, np.nan
    value = float(1 - (m / (m - 1) * share * (1 - share)).sum() / d / chance)
    # influence of each selection on the measure, by linearising it (theorem 7 of the paper)
    each = Z @ share / d - sizes * mean / d**2
    each = (each + value / 2 * (2 * mean * sizes / d**2 - sizes / d - mean / d + 1)) / chance
    return value, float(np.sqrt(4 / m**2 * ((each - each.mean()) ** 2).sum()))


def kuncheva(supports: Any) -> float:
    r"""Give the mean over pairs of Kuncheva's consistency index.

    .. math:: \frac{r - k_1 k_2 / d}{\min(k_1, k_2) - k_1 k_2 / d}

    with r shared features. For equal sizes this is the published index (Kuncheva 2007); for unequal
    ones, our extension, the excess over chance is still divided by the largest possible one. A pair
    in which a set is empty or full counts 1 if both are equal, else 0.

    Examples
    --------
    >>> kuncheva([[1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]])
    0.25
    """
    Z, d = _masks(supports)
    shared, first, second = _pairs(Z)
    expected = first * second / d
    room = np.minimum(first, second) - expected
    same = (shared == first) & (shared == second)
    open_ = room > 1e-12 * d
    return _mean(np.where(open_, (shared - expected) / np.where(open_, room, 1.0), same))


def jaccard(supports: Any) -> float:
    """Give the mean over pairs of the Jaccard index; two empty sets count 1.

    The index is the number of shared features divided by the number of features in either.

    Examples
    --------
    >>> jaccard([[1, 1, 0, 0], [1, 0, 1, 0]])
    0.3333333333333333
    """
    shared, first, second = _pairs(_masks(supports)[0])
    union = first + second - shared
    return _mean(np.where(union > 0, shared / np.where(union > 0, union, 1), 1.0))


def top_overlap(first: Any, second: Any, corrected: bool = False) -> np.ndarray:
    """Give the share of common columns among the N best of two rankings, for every N [1]_.

    ``corrected`` subtracts the share expected by chance: ``(share - N/d) / (1 - N/d)``, and 1 at
    ``N = d``.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, section
       14.5.

    Examples
    --------
    >>> top_overlap([0, 1, 2], [1, 0, 2])
    array([0., 1., 1.])
    """
    first, second = np.asarray(first), np.asarray(second)
    d = len(first)
    if sorted(first.tolist()) != list(range(d)) or sorted(second.tolist()) != list(range(d)):
        raise ValueError(
            "first and second must be rankings that hold each column number, from 0, once."
        )
    later = np.maximum(np.argsort(first), np.argsort(second))
    n = np.arange(1, d + 1)
    share = np.cumsum(np.bincount(later, minlength=d)) / n
    if not corrected:
        return share
    return np.where(n < d, (share - n / d) / np.where(n < d, 1 - n / d, 1.0), 1.0)


def _masks(supports: Any) -> tuple[np.ndarray, int]:
    """Check the masks and give them as floats, with the number of columns.

    Columns that no selection contains are left out of the masks.
    """
    Z = np.asarray(supports)
    if Z.ndim != 2 or not np.isin(Z, (0, 1)).all():
        raise ValueError(f"supports must be a mask of selections by columns, got shape {Z.shape}.")
    return Z[:, Z.any(axis=0)].astype(float), Z.shape[1]


def _mean(values: np.ndarray) -> float:
    """Give the mean, NaN where there are no pairs."""
    if not len(values):
        return np.nan
    return float(values.mean())


def _pairs(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the number of shared features and both sizes, for each pair of selections."""
    i, j = np.triu_indices(len(Z), k=1)
    sizes = Z.sum(axis=1)
    return (Z @ Z.T)[i, j], sizes[i], sizes[j]
