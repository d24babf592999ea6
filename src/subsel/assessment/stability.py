"""How alike the sets chosen on different samples are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

__all__ = ["Stability", "jaccard", "kuncheva", "nogueira", "stability", "top_overlap"]


@dataclass(frozen=True)
class Stability:
    """Nogueira's measure with its interval, and the mean pairwise Kuncheva and Jaccard indices (NaN: undefined).

    Examples
    --------
    >>> Stability(0.5, (0.3, 0.7), 0.5, 0.4).value
    0.5
    """

    value: float
    interval: tuple[float, float]
    kuncheva: float
    jaccard: float


def stability(supports: Any, confidence: float = 0.95) -> Stability:
    """Measure how alike several selections are.

    Parameters
    ----------
    supports : array of bool
        Mask of selections by columns.
    confidence : float
        Level of the interval, which takes the selections as independent samples of one procedure. Those of overlapping
        folds are not: it is then too narrow for the stability on fresh data.

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
    :math:`-1/(M-1)`, zero in expectation for sets drawn at random (up to terms of order 1/M where sizes vary); for
    equal sizes the mean pairwise Kuncheva index. NaN if nothing or everything is always selected. The error is their asymptotic one.

    References
    ----------
    .. [1] Nogueira, Sechidis, Brown, On the Stability of Feature Selection Algorithms, JMLR 18 (2018), definition 4
       and theorem 7.

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

    with r shared features. For equal sizes this is the published index (Kuncheva 2007); for unequal ones, our
    extension, the excess over chance is still divided by the largest possible one. A pair in which a set is empty or
    full counts 1 if both are equal, else 0.

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
    values = np.where(open_, (shared - expected) / np.where(open_, room, 1.0), same)
    return float(values.mean()) if len(values) else np.nan


def jaccard(supports: Any) -> float:
    """Give the mean over pairs of shared features over features in either; two empty sets count 1.

    Examples
    --------
    >>> jaccard([[1, 1, 0, 0], [1, 0, 1, 0]])
    0.3333333333333333
    """
    shared, first, second = _pairs(_masks(supports)[0])
    union = first + second - shared
    values = np.where(union > 0, shared / np.where(union > 0, union, 1), 1.0)
    return float(values.mean()) if len(values) else np.nan


def top_overlap(first: Any, second: Any, corrected: bool = False) -> np.ndarray:
    """Give the share of the N best columns of two rankings that are common, for every N [1]_.

    ``corrected`` takes off what chance gives: ``(share - N/d) / (1 - N/d)``, 1 at ``N = d``.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, section 14.5.

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
    return np.where(n < d, (share - n / d) / np.where(n < d, 1 - n / d, 1.0), 1.0) if corrected else share


def _masks(supports: Any) -> tuple[np.ndarray, int]:
    """The selections as numbers, without the columns that none holds, and the number of all columns."""
    Z = np.asarray(supports)
    if Z.ndim != 2 or not np.isin(Z, (0, 1)).all():
        raise ValueError(f"supports must be a mask of selections by columns, got shape {Z.shape}.")
    return Z[:, Z.any(axis=0)].astype(float), Z.shape[1]


def _pairs(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shared features and both sizes, for each pair of selections."""
    i, j = np.triu_indices(len(Z), k=1)
    sizes = Z.sum(axis=1)
    return (Z @ Z.T)[i, j], sizes[i], sizes[j]
