"""How alike the sets chosen on different samples are."""

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

SHARED_CUTS = 0.8  # the variance that pairs of halves of the same rows share, in units of that between them (simulated)


@dataclass(frozen=True)
class Stability:
    """Nogueira's measure with its interval, and the mean pairwise Kuncheva and Jaccard indices (NaN: undefined).

    Attributes
    ----------
    value, interval : float and pair of float
        One for the same features always, zero for sets drawn at random.
    kuncheva, jaccard : float
        Mean over the pairs.
    n_pairs, n_rows : int, optional
        Pairs of disjoint halves that were compared, and the rows of a half: the value is that of
        selections from as many rows, less than with all of them. None where selections were given.

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
        """What was compared, in words."""
        if self.n_pairs is None:
            return "given selections"
        return f"{self.n_pairs} pairs of disjoint halves, {self.n_rows} rows each"


def half_stability(first: Any, second: Any, n_rows: int, confidence: float = 0.95) -> Stability:
    r"""Measure how alike selections from disjoint halves of the rows are: as unlike as those of fresh samples [1]_.

    .. math:: \hat\Phi = 1 - \frac{\frac1B \sum_b |A_b \triangle B_b| / 2d}{\frac{\bar k}{d} (1 -
        \frac{\bar k}{d})}

    for B pairs among d features of mean size :math:`\bar k`: Nogueira's measure, taken over pairs
    that share no row. Selections of overlapping folds share rows, and agree more than those of
    other samples would. The value is unbiased for as many rows as a half has, and so a low one for
    all of them.

    The interval is Wilson's, of the share of features that are common, for twice as many features
    as are selected, or for fewer where the pairs differ by more. That is fitted to simulations
    (``docs/calibration.md``), not derived.

    Parameters
    ----------
    first, second : array of bool
        Masks of pairs by columns, one for each half.
    n_rows : int
        Rows of a half.
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
    """Wilson's interval of the share that is common, for as many features as its spread over pairs speaks of."""
    mean, n = float(share.mean()), 2 * size
    spread = 0.0
    if len(share) > 1:
        spread = share.var(ddof=1) * (1 / len(share) + SHARED_CUTS)
    if 0 < mean < 1 and spread > 0:
        n = min(n, mean * (1 - mean) / spread)
    low, high = wilson(mean * n, n, confidence)
    return float(low), float(high)


def stability(supports: Any, confidence: float = 0.95) -> Stability:
    """Measure how alike several selections are.

    Parameters
    ----------
    supports : array of bool
        Mask of selections by columns.
    confidence : float
        Level of the interval, which takes the selections as those of independent samples.
        Selections of overlapping folds are not: they agree more than fresh samples would, and
        :func:`half_stability` is for them.

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
    """Give the mean over pairs of shared features over features in either; two empty sets count 1.

    Examples
    --------
    >>> jaccard([[1, 1, 0, 0], [1, 0, 1, 0]])
    0.3333333333333333
    """
    shared, first, second = _pairs(_masks(supports)[0])
    union = first + second - shared
    return _mean(np.where(union > 0, shared / np.where(union > 0, union, 1), 1.0))


def top_overlap(first: Any, second: Any, corrected: bool = False) -> np.ndarray:
    """Give the share of the N best columns of two rankings that are common, for every N [1]_.

    ``corrected`` takes off what chance gives: ``(share - N/d) / (1 - N/d)``, 1 at ``N = d``.

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
        raise ValueError("first and second must be rankings: each column's number, from 0, once.")
    later = np.maximum(np.argsort(first), np.argsort(second))
    n = np.arange(1, d + 1)
    share = np.cumsum(np.bincount(later, minlength=d)) / n
    if not corrected:
        return share
    return np.where(n < d, (share - n / d) / np.where(n < d, 1 - n / d, 1.0), 1.0)


def _masks(supports: Any) -> tuple[np.ndarray, int]:
    """The selections as numbers, without the columns that none holds, and the number of all columns."""
    Z = np.asarray(supports)
    if Z.ndim != 2 or not np.isin(Z, (0, 1)).all():
        raise ValueError(f"supports must be a mask of selections by columns, got shape {Z.shape}.")
    return Z[:, Z.any(axis=0)].astype(float), Z.shape[1]


def _mean(values: np.ndarray) -> float:
    """The mean, NaN where there are no pairs."""
    if not len(values):
        return np.nan
    return float(values.mean())


def _pairs(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shared features and both sizes, for each pair of selections."""
    i, j = np.triu_indices(len(Z), k=1)
    sizes = Z.sum(axis=1)
    return (Z @ Z.T)[i, j], sizes[i], sizes[j]
