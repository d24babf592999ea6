"""Relief and its kin: a feature matters if near rows of other classes differ in it and near rows of the same do not."""

from typing import Any

import numpy as np

from subsel.ranking.registry import score
from subsel.tables.checked import classes_and_codes, target
from subsel.tables.differences import Differences
from subsel.tables.neighbourhood import Classes, first_nearest, nearest

__all__ = ["ratio_relief", "relief", "relief_threshold", "relieff", "rrelieff"]


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
) -> np.ndarray:
    r"""Score features by nearest miss against nearest hit, over rows drawn at random [1]_.

    .. math:: s_f = \frac1T \sum_{t=1}^T
              \mathrm{diff}_f(x_t, \mathrm{miss}(x_t)) - \mathrm{diff}_f(x_t, \mathrm{hit}(x_t))

    The miss is the nearest row of any other class. Ties go to the lower row index. A drawn row that is alone in
    its class has no hit and adds nothing. Compare scores with :func:`relief_threshold`.

    Parameters
    ----------
    n_draws : int, optional
        Rows drawn, with replacement. By default every row serves once and nothing is random.
    nominal, metric : object
        As for :func:`relieff`.
    squared : bool, default=False
        Whether differences are squared, as in the original and in *Feature Extraction*, algorithm 17.
    random_state : int, Generator or None
        Where the draws come from.

    References
    ----------
    .. [1] Kira & Rendell, "A practical approach to feature selection", *ICML*, 1992.
    .. [2] D. J. Stracuzzi, "Randomized Feature Selection", in H. Liu and H. Motoda (eds.), *Computational Methods of
       Feature Selection*, 2007, figure 1.4.
    .. [3] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the Relief
       family.
    .. [4] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature Selection", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 29, Relief.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> relief(X, [0, 0, 1, 1])
    array([ 0.8, -1. ])
    """
    _, codes = classes_and_codes(X, y)
    table = Differences(X, codes, nominal, metric)
    drawn = _draws(n_draws, table.n_rows, random_state)
    times = np.bincount(drawn, minlength=table.n_rows)
    power = 2 if squared else 1
    total = np.zeros(table.n_features)
    for rows, distances in table.blocks(None if n_draws is None else np.flatnonzero(times)):
        rows, hit, miss = _hit_and_miss(distances, rows, codes, table.slack)
        gain = table.between(rows, miss) ** power - table.between(rows, hit) ** power
        total += (times[rows, None] * gain).sum(axis=0)
    return total / len(drawn)


def relief_threshold(alpha: float, n_draws: int) -> float:
    r"""Bound the score an irrelevant feature reaches with probability at most alpha [1]_.

    .. math:: \tau = 1 / \sqrt{\alpha T}

    By Chebyshev's inequality, for scores of :func:`relief` that average T independent draws.

    References
    ----------
    .. [1] Kira & Rendell, "A practical approach to feature selection", *ICML*, 1992.
    .. [2] D. J. Stracuzzi, "Randomized Feature Selection", in H. Liu and H. Motoda (eds.), *Computational Methods of
       Feature Selection*, 2007, figure 1.4.
    .. [3] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature Selection", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 29, Relief.

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
    X: Any, y: Any, *, n_neighbors: int = 10, nominal: Any = None, metric: str = "manhattan"
) -> np.ndarray:
    r"""Score features by the ratio of their mean difference among near misses to that among near hits [1]_.

    .. math:: s_f = \operatorname{mean}_{i,k} \mathrm{diff}_f(x_i, M_k(i))
              \,/\, \operatorname{mean}_{i,k} \mathrm{diff}_f(x_i, H_k(i))

    Misses are the nearest of all other classes together. An irrelevant feature scores somewhat above 1, not
    1, since misses lie further away than hits: calibrate with probes. A feature equal among all near hits
    scores infinity, or 0 if it is equal among near misses too. Parameters are those of :func:`relieff`.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, equation 2, the Relief index.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the Relief
       family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> ratio_relief(X, [0, 0, 1, 1], n_neighbors=1)
    array([9., 0.])
    """
    _check_neighbours(n_neighbors)
    given = Classes(classes_and_codes(X, y)[1])
    table = Differences(X, given.codes, nominal, metric)
    sums, counts = np.zeros((2, table.n_features)), np.zeros((2, 1))
    for rows, distances in table.blocks():
        alike = given.alike(rows)
        alone = _without_self(distances, rows)
        for side, chosen in enumerate((~alike, alike)):
            near = nearest(np.where(chosen, alone, np.inf), n_neighbors, table.compiled, table.slack)
            sums[side] += table.sums(rows, near.astype(np.float64))
            counts[side] += near.sum()
    misses, hits = sums / np.maximum(counts, 1.0)
    with np.errstate(divide="ignore"):
        return np.divide(misses, hits, out=np.zeros_like(hits), where=misses > 0)


@score("relieff", multiclass=True, missing=True)
def relieff(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    metric: str = "manhattan",
    misses: str = "observed",
    ramp: bool = False,
) -> np.ndarray:
    r"""Score features by their differences to the k nearest hits and the k nearest misses of each other class [1]_.

    .. math:: s_f = \frac1n \sum_i \Big( \sum_{c \ne c_i} w_c(i)
                    \operatorname{mean}_{j \in M_c(i)} \mathrm{diff}_f(i, j)
                    - \operatorname{mean}_{j \in H(i)} \mathrm{diff}_f(i, j) \Big)

    Differences are divided by the range of the feature, so scores lie in [-1, 1] and affine changes of a feature
    leave them alone. Where a class has fewer than k rows all of them serve; a class of one has no hits. Ties
    go to the lower row index. NaN is a missing value and contributes the difference expected given the class.

    Parameters
    ----------
    X : array of shape (n, p), may hold NaN
    y : array of shape (n,), two or more classes
    n_neighbors : int, default=10
        Neighbours per class.
    nominal : array of bool or list of int, optional
        Features whose values are names: they differ by 0 or 1.
    metric : {"manhattan", "euclidean"}
        Distance by which neighbours are found: the sum of differences, or the root of the sum of their squares.
    misses : {"observed", "prior"}
        How classes share the weight of misses: :math:`w_c = (C - 1) (m_c / m)^2` for :math:`m_c` of the m misses found, as
        skrebate does, or by their frequency, :math:`P(c) / (1 - P(c_i))`, as published. Both are 1 for two classes.
    ramp : bool, default=False
        Whether a numeric difference above one standard deviation counts as 1, as skrebate does where nominal and
        numeric features are mixed; nominal features then no longer look better than numeric ones.

    Notes
    -----
    Takes :math:`n^2 p / 2` differences for the distances and at most :math:`nkCp` for the scores. Up to 8192
    rows the distances of all pairs are kept (8 bytes a pair, 512 MiB at most); beyond that rows go in blocks of
    128, in up to twice the time.

    References
    ----------
    .. [1] Robnik-Šikonja & Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", *Machine
       Learning* 53, 2003.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the Relief
       family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> relieff(X, [0, 0, 1, 1], n_neighbors=1)
    array([ 0.8, -1. ])
    """
    _check_neighbours(n_neighbors)
    given = Classes(classes_and_codes(X, y)[1], misses)
    table = Differences(X, given.codes, nominal, metric, ramp)
    members = [np.flatnonzero(given.codes == c) for c in range(len(given.shares))]

    def weigh(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        alone = _without_self(distances, rows)
        near = np.empty(distances.shape, dtype=bool)
        for rows_of_class in members:
            near[:, rows_of_class] = nearest(alone[:, rows_of_class], n_neighbors, table.compiled, table.slack)
        return given.weigh(near, rows)

    return table.total(weigh) / table.n_rows


@score("rrelieff", classification=False, regression=True, missing=True)
def rrelieff(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    metric: str = "manhattan",
    ramp: bool = False,
) -> np.ndarray:
    r"""Score features for a numeric target: do they differ where the target differs, among near rows? [1]_

    With :math:`d_y` the difference of the target divided by its range, each row's k neighbours weighing 1/k:

    .. math:: s_f = \frac{N_{dY \wedge dX}}{N_{dY}} - \frac{N_{dX} - N_{dY \wedge dX}}{n - N_{dY}},\quad
              N_{dX} = \sum \mathrm{diff}_f,\ N_{dY} = \sum d_y,\ N_{dY \wedge dX} = \sum d_y\,\mathrm{diff}_f

    Parameters are those of :func:`relieff`; all neighbours weigh the same, whatever their rank. A constant
    target gives scores of 0 to a feature that never differs and negative ones to the rest.

    References
    ----------
    .. [1] Robnik-Šikonja & Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", *Machine
       Learning* 53, 2003, figure 3.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the Relief
       family.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> rrelieff(X, [0.0, 1.0, 2.0, 3.0], n_neighbors=3)
    array([ 0.25, -0.15])
    """
    _check_neighbours(n_neighbors)
    y = target(X, y)
    table = Differences(X, np.zeros(len(y), dtype=np.intp), nominal, metric, ramp)
    heights = (y - y.min()) / (np.ptp(y) or 1.0)
    gap_y, gap_x, gap_both = 0.0, np.zeros(table.n_features), np.zeros(table.n_features)
    for rows, distances in table.blocks():
        near = nearest(_without_self(distances, rows), n_neighbors, table.compiled, table.slack)
        weights = near / np.maximum(near.sum(axis=1, keepdims=True), 1)
        joint = weights * np.abs(heights[rows, None] - heights)
        gap_y += joint.sum()
        gap_x += table.sums(rows, weights)
        gap_both += table.sums(rows, joint)
    return _share(gap_both, gap_y) - _share(gap_x - gap_both, table.n_rows - gap_y)


def _share(part: np.ndarray, whole: float) -> np.ndarray:
    return part / whole if whole > 0 else np.zeros_like(part)


def _draws(n_draws: int | None, n_rows: int, random_state: Any) -> np.ndarray:
    if n_draws is None:
        return np.arange(n_rows)
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}.")
    return np.random.default_rng(random_state).integers(n_rows, size=n_draws)


def _check_neighbours(n_neighbors: int) -> None:
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")


def _without_self(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Copy the distances, a row infinitely far from itself."""
    alone = distances.copy()
    alone[np.arange(len(rows)), rows] = np.inf
    return alone


def _hit_and_miss(
    distances: np.ndarray, rows: np.ndarray, codes: np.ndarray, slack: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the rows that have a hit, their nearest hits and their nearest misses."""
    alike = codes[rows, None] == codes
    to_hits = np.where(alike, _without_self(distances, rows), np.inf)
    hit = first_nearest(to_hits, slack)
    miss = first_nearest(np.where(alike, np.inf, distances), slack)
    has_hit = np.isfinite(to_hits[np.arange(len(rows)), hit])
    return rows[has_hit], hit[has_hit], miss[has_hit]
