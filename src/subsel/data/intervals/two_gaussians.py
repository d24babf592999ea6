"""Mixtures of two Gaussians, which divide the values of a column into two codes."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.data.intervals.base import Discretiser, between, interval
from subsel.data.statistics.counts import column_blocks, count
from subsel.data.statistics.joint_counts import JointCounts

__all__ = ["TwoGaussians"]


class TwoGaussians(Discretiser):
    r"""Make each column binary by the more probable of two Gaussians fitted to it [1]_.

    The mixture :math:`w_1 N(\mu_1, s_1) + w_2 N(\mu_2, s_2)` of each column is fitted by
    expectation maximisation, starting from the quartiles. Code 1 is the component of larger mean.
    Where the variances differ, the wider component may be more probable at both ends: then there
    are two cut points, and the codes are 0, 1, 0 or 1, 0, 1. A column with fewer than three values
    is cut between these. Missing values have the code 2.

    Parameters
    ----------
    max_iter : int
        The largest number of steps.
    tol : float
        A column has converged when its mean log-likelihood rises by less.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The cut points of each column, at most two.
    first_codes_ : ndarray of int of shape (p,)
        The code left of the first cut point of each column.
    n_iter_ : int
        The number of steps until all columns converged.

    References
    ----------
    .. [1] S.-K. Lee, S.-J. Yi and B.-T. Zhang, "Combining Information-Based Supervised and
       Unsupervised Feature Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       24, EM binarisation.

    Examples
    --------
    >>> TwoGaussians().fit_transform(np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])).ravel()
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(self, max_iter: int = 200, tol: float = 1e-6) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Fit both Gaussians to every column."""
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")
        nothing = np.zeros(len(X), dtype=np.intp)
        tables = [count(block, nothing, 1) for block in column_blocks(X)]
        mixtures = [fit_mixtures(part, self.max_iter, self.tol) for part in tables]
        learnt = [rule for part, mixture in zip(tables, mixtures) for rule in _rules(part, mixture)]
        self.cut_points_ = [cuts for cuts, _ in learnt]
        self.first_codes_ = np.array([first for _, first in learnt])
        self.n_iter_ = max(len(mixture.log_likelihood) for mixture in mixtures)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the component of every entry, of shape (n, p)."""
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        rules = zip(self.cut_points_, self.first_codes_)
        return np.stack([_component(column, *rule) for column, rule in zip(X.T, rules)], axis=1)

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Return the component of every value in contingency tables."""
        rules = _rules(tables, fit_mixtures(tables, self.max_iter, self.tol))
        return np.concatenate(
            [_component(values, *rule) for (values, _), rule in zip(tables, rules)]
        )

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points of one column."""
        tables = JointCounts(values, table, np.zeros(1, dtype=np.intp))
        return _rules(tables, fit_mixtures(tables, self.max_iter, self.tol))[0][0]


def _component(x: np.ndarray, cuts: np.ndarray, first: int) -> np.ndarray:
    """Return the component of each number, which alternates from `first` on; 2 for NaN."""
    return np.where(np.isnan(x), 2, (interval(x, cuts) + first) % 2)


def _rules(tables: JointCounts, mixtures: "Mixtures") -> list[tuple[np.ndarray, int]]:
    """Return, for each column, the cut points and the code left of the first."""
    rules = []
    for j, (values, _) in enumerate(tables):
        known = values[~np.isnan(values)]
        if len(known) > 2:
            rules.append(mixtures.rule(j))
        else:
            rules.append((between(known, np.arange(len(known) - 1)), 0))
    return rules


@dataclass(frozen=True, slots=True)
class Mixtures:
    """Mixtures of two Gaussians, one per column, the component of smaller mean first.

    Means and variances are those of ``(x - centre) / scale``, so that the fit does not depend on
    the unit and the origin of a column.
    """

    weight: np.ndarray  # (2, p), sums to 1 for each column
    mean: np.ndarray  # (2, p)
    variance: np.ndarray  # (2, p)
    centre: np.ndarray  # (p,), the middle of the range of each column
    scale: np.ndarray  # (p,), half its range
    log_likelihood: list[np.ndarray]  # after each step (p,), the mean over rows

    def rule(self, j: int) -> tuple[np.ndarray, int]:
        """Return the points where both components are equally probable, and the component left.

        The second value is the component left of the first point. The logarithm of the ratio of the
        second component's weighted density to the first's is the quadratic a x^2 + b x + c.
        """
        (w0, w1), (m0, m1), (v0, v1) = self.weight[:, j], self.mean[:, j], self.variance[:, j]
        a = (1 / v0 - 1 / v1) / 2
        b = m1 / v1 - m0 / v0
        c = np.log(w1 / w0) + np.log(v0 / v1) / 2 + m0**2 / (2 * v0) - m1**2 / (2 * v1)
        if abs(a) > 1e-12 * abs(b):
            roots = np.roots([a, b, c])
        elif b:
            roots = np.array([-c / b])
        else:
            roots = np.empty(0)
        cuts = np.sort(roots[np.isreal(roots)].real)
        first = cuts[0] if len(cuts) else m0
        left = first - np.sqrt(v0) - np.sqrt(v1)
        return self.centre[j] + self.scale[j] * cuts, int(a * left**2 + b * left + c > 0)


def fit_mixtures(tables: JointCounts, max_iter: int, tol: float) -> Mixtures:
    """Fit two Gaussians to every column by expectation maximisation, all columns at once.

    Parameters
    ----------
    tables : JointCounts
        The values of the columns, each of which counts as often as it occurs.
    max_iter, tol
        As in :class:`TwoGaussians`.
    """
    n = np.where(np.isnan(tables.values), 0.0, tables.value_totals)
    total = np.maximum(tables.per_column(n), np.finfo(float).tiny)
    x, centre, scale = _standard_values(tables)
    total_variance = (
        tables.per_column(n * (x - tables.spread(tables.per_column(n * x) / total)) ** 2) / total
    )
    # the variance of a component is at least a millionth of the column's, or its density diverges
    floor = np.maximum(1e-6 * total_variance, np.finfo(float).tiny)
    weight = np.full((2, len(total)), 0.5)
    mean, variance = _quartiles(tables, x), np.maximum(np.tile(total_variance / 4, (2, 1)), floor)
    active, history = np.ones(len(total), dtype=bool), [np.full(len(total), -np.inf)]
    for _ in range(max_iter):
        logs = np.stack(
            [_log_density(x, *map(tables.spread, part)) for part in zip(weight, mean, variance)]
        )
        log_sum = np.logaddexp(*logs)
        history.append(np.where(active, tables.per_column(n * log_sum) / total, history[-1]))
        active &= history[-1] - history[-2] > tol
        if not active.any():
            break
        for k, share in enumerate(np.exp(logs - log_sum) * n):
            size = tables.per_column(share)
            safe = np.maximum(size, np.finfo(float).tiny)
            weight[k] = np.where(active, np.clip(size / total, 1e-12, 1.0), weight[k])
            mean[k] = np.where(active, tables.per_column(share * x) / safe, mean[k])
            spread = tables.per_column(share * (x - tables.spread(mean[k])) ** 2) / safe
            variance[k] = np.where(active, np.maximum(spread, floor), variance[k])
    order = np.argsort(mean, axis=0, kind="stable")
    weight, mean, variance = (
        np.take_along_axis(part, order, 0) for part in (weight, mean, variance)
    )
    return Mixtures(weight, mean, variance, centre, scale, history[1:])


def _standard_values(tables: JointCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values scaled to [-1, 1] (0 where missing), the centres and half ranges of columns."""
    missing = np.isnan(tables.values)
    values = tables.values.astype(np.float64)
    low = np.minimum.reduceat(np.where(missing, np.inf, values), tables.starts)
    high = np.maximum.reduceat(np.where(missing, -np.inf, values), tables.starts)
    varies = low < high
    centre = np.where(varies, low / 2 + high / 2, np.where(low == high, low, 0.0))
    scale = np.where(varies, high / 2 - low / 2, 1.0)
    x = (np.where(missing, tables.spread(centre), values) - tables.spread(centre)) / tables.spread(
        scale
    )
    return x, centre, scale


def _quartiles(tables: JointCounts, x: np.ndarray) -> np.ndarray:
    """Return the smallest value in the second and the largest in the third quarter: (2, p)."""
    quarter = tables.equal_frequency(4)  # a missing value is in the fifth
    firsts = [
        np.minimum.reduceat(np.where((quarter >= 1) & (quarter < 4), x, np.inf), tables.starts)
    ]
    lasts = [np.maximum.reduceat(np.where(quarter <= 2, x, -np.inf), tables.starts)]
    ends = np.concatenate([firsts, lasts])
    return np.where(np.isfinite(ends), ends, x[tables.starts])


def _log_density(
    x: np.ndarray, weight: np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> np.ndarray:
    """Return the logarithm of the weighted density of a Gaussian."""
    return np.log(weight) - (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance) / 2
