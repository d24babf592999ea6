"""Relief: a feature is relevant if near rows differ in it between classes and not within."""

from typing import Any

import numpy as np

from subsel.data.statistics.differences import Differences
from subsel.data.statistics.neighbourhood import Classes, first_nearest, nearest
from subsel.data.statistics.score_input import classes_and_codes
from subsel.ranking.registry import score

__all__ = ["ratio_relief", "relief", "relief_threshold"]


@score("relief", multiclass=True, missing=True)
def relief(
    X: Any,
    y: Any,
    *,
    n_draws: int | None = None,
    nominal: Any = None,
    metric: str = "manhattan",
    squared: bool = False,
    random_state: Any = None,
    device: str | None = None,
) -> np.ndarray:
    r"""Score features by their differences to the nearest miss and hit of random rows [1]_.

    .. math:: s_f = \frac1T \sum_{t=1}^T
              \mathrm{diff}_f(x_t, \mathrm{miss}(x_t)) - \mathrm{diff}_f(x_t, \mathrm{hit}(x_t))

    The hit is the nearest other row of the same class, the miss that of any other class. Ties go to
    the lower row index. A drawn row that is alone in its class has no hit and adds nothing. Scores
    can be compared with :func:`relief_threshold`.

    Parameters
    ----------
    X, y : array-like
        The table and the classes.
    n_draws : int, optional
        The number of rows drawn, with replacement. By default every row is used once and nothing is
        random.
    nominal, metric, device : object
        As in :func:`relieff`.
    squared : bool, default=False
        Whether differences are squared, as in the original and in *Feature Extraction*, algorithm
        17.
    random_state : int, Generator or None
        The seed of the draws.

    References
    ----------
    .. [1] Kira & Rendell, "A practical approach to feature selection", *ICML*, 1992.
    .. [2] D. J. Stracuzzi, "Randomized Feature Selection", in H. Liu and H. Motoda (eds.),
       *Computational Methods of Feature Selection*, 2007, figure 1.4.
    .. [3] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.
    .. [4] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature
       Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 29, Relief.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> relief(X, [0, 0, 1, 1])
    array([ 0.8, -1. ])
    """
    _, codes = classes_and_codes(X, y)
    table = differences(X, codes, nominal, metric, device=device)
    drawn = drawn_rows(n_draws, table.n_rows, random_state)
    times = np.bincount(drawn, minlength=table.n_rows)
    power = 2 if squared else 1
    total = np.zeros(table.n_features)
    for rows, distances in table.blocks(None if n_draws is None else np.flatnonzero(times)):
        rows, hit, miss = hit_and_miss(distances, rows, codes, table.slack)
        gain = table.between(rows, miss) ** power - table.between(rows, hit) ** power
        total += (times[rows, None] * gain).sum(axis=0)
    return total / len(drawn)


def relief_threshold(alpha: float, n_draws: int) -> float:
    r"""Give a score that an irrelevant feature reaches with probability at most alpha [1]_.

    .. math:: \tau = 1 / \sqrt{\alpha T}

    It follows from Chebyshev's inequality for scores of :func:`relief` with T independent draws.

    References
    ----------
    .. [1] Kira & Rendell, "A practical approach to feature selection", *ICML*, 1992.
    .. [2] D. J. Stracuzzi, "Randomized Feature Selection", in H. Liu and H. Motoda (eds.),
       *Computational Methods of Feature Selection*, 2007, figure 1.4.
    .. [3] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature
       Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 29, Relief.

    Examples
    --------
    >>> relief_threshold(0.04, 100)
    0.5
    """
    if not 0 < alpha <= 1:
        raise ValueError(f"alpha must lie in (0, 1], got {alpha}.")
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}.")
    return float(1 / np.sqrt(alpha * n_draws))


@score("ratio_relief", "relief_ratio", multiclass=True, missing=True)
def ratio_relief(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    metric: str = "manhattan",
    device: str | None = None,
) -> np.ndarray:
    r"""Score features by their mean difference to near misses over that to near hits [1]_.

    .. math:: s_f = \operatorname{mean}_{i,k} \mathrm{diff}_f(x_i, M_k(i))
              \,/\, \operatorname{mean}_{i,k} \mathrm{diff}_f(x_i, H_k(i))

    Misses are the nearest rows of all other classes together. An irrelevant feature scores somewhat
    above 1, because misses are further away than hits: calibrate with probes. A feature that is
    equal among all near hits scores infinity, or 0 if it is equal among near misses too. Parameters
    are those of :func:`relieff`.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, introduction, equation 2, the Relief index.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> ratio_relief(X, [0, 0, 1, 1], n_neighbors=1)
    array([9., 0.])
    """
    check_neighbours(n_neighbors)
    classes = Classes(classes_and_codes(X, y)[1])
    table = differences(X, classes.codes, nominal, metric, device=device)
    sums, counts = np.zeros((2, table.n_features)), np.zeros((2, 1))
    for rows, distances in table.blocks():
        alike = classes.alike(rows)
        alone = without_self(distances, rows)
        for side, candidates in enumerate((~alike, alike)):
            near = nearest(np.where(candidates, alone, np.inf), n_neighbors, table.slack)
            sums[side] += table.sums(rows, near.astype(np.float64))
            counts[side] += near.sum()
    misses, hits = sums / np.maximum(counts, 1.0)
    with np.errstate(divide="ignore"):
        return np.divide(misses, hits, out=np.zeros_like(hits), where=misses > 0)


def differences(
    X: Any,
    codes: np.ndarray,
    nominal: Any,
    metric: str,
    ramp: bool = False,
    device: str | None = None,
) -> Differences:
    """Give the differences of rows, on a device if one is named; arguments as of `relieff`."""
    if device is None:
        return Differences(X, codes, nominal, metric, ramp)
    from subsel._loops.device import find_device
    from subsel.data.statistics.differences import DifferencesOnDevice

    return DifferencesOnDevice(X, codes, nominal, metric, ramp, find_device(device))


def drawn_rows(n_draws: int | None, n_rows: int, random_state: Any) -> np.ndarray:
    """Give the numbers of rows drawn with replacement, or all rows once if `n_draws` is None."""
    if n_draws is None:
        return np.arange(n_rows)
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}.")
    return np.random.default_rng(random_state).integers(n_rows, size=n_draws)


def check_neighbours(n_neighbors: int) -> None:
    """Raise an error unless n_neighbors is at least 1."""
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")


def without_self(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Copy the distances of some rows, (n_chosen, n_rows), with infinity from a row to itself."""
    alone = distances.copy()
    alone[np.arange(len(rows)), rows] = np.inf
    return alone


def hit_and_miss(
    distances: np.ndarray, rows: np.ndarray, codes: np.ndarray, slack: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the rows that have a hit, their nearest hits and their nearest misses."""
    alike = codes[rows, None] == codes
    to_hits = np.where(alike, without_self(distances, rows), np.inf)
    hit = first_nearest(to_hits, slack)
    miss = first_nearest(np.where(alike, np.inf, distances), slack)
    has_hit = np.isfinite(to_hits[np.arange(len(rows)), hit])
    return rows[has_hit], hit[has_hit], miss[has_hit]
