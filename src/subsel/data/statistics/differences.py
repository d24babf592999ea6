"""Differences of rows in each feature, with nominal and missing values, and distances from them."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from subsel.data.statistics.score_input import columns

__all__ = ["Differences", "DifferencesOnDevice", "nominal_mask"]

BLOCK = 128  # rows whose distances are computed at a time
KEPT = 8192  # rows up to which all n x n distances are kept: 512 MiB at most
WIDE = 64  # a nominal feature of more values is compared pair by pair, not as points
COPIES = 4  # arrays of the differences of some pairs that exist on a device at a time


class Differences:
    r"""The differences :math:`\mathrm{diff}_f(i, j) \in [0, 1]` of rows i and j in each feature f.

    A numeric difference is divided by the range of its feature (0 for a constant feature), a
    nominal one is 0 or 1. Where a value is missing, the difference is its expectation if the
    missing value is drawn from the known values of its class. For nominal features this is the rule
    of ReliefF: :math:`1 - P(v \mid c)`, and :math:`1 - \sum_v P(v \mid c) P(v \mid c')` if both are
    missing.

    Scaled values are rounded to a grid on which every sum over features is exact, so that results
    do not depend on the order of summation. The grid moves a difference by at most ``p * 2**-51``,
    and squares and expectations are not on it: distances that differ by at most ``slack`` tie, so
    that rounding does not decide which rows are neighbours. Missing values are corrected for only
    in pairs of rows that have one, so that the cost is proportional to their number.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The table; may hold NaN.
    codes : ndarray of int of shape (n,)
        The class of each row; all zero without classes.
    nominal : array of bool or list of int, optional
        A mask or the numbers of the nominal features.
    metric : {"manhattan", "euclidean"}
        "manhattan" is the sum of differences over features, "euclidean" the root of the sum of
        their squares.
    ramp : bool
        Whether numeric differences above one standard deviation count as 1 in sums (not in
        distances).
    """

    def __init__(
        self,
        X: Any,
        codes: np.ndarray,
        nominal: Any = None,
        metric: str = "manhattan",
        ramp: bool = False,
    ) -> None:
        if metric not in ("manhattan", "euclidean"):
            raise ValueError(f"metric must be 'manhattan' or 'euclidean', got {metric!r}.")
        values = columns(X, accept_sparse=False, allow_nan=True).astype(np.float64)
        self.n_rows, self.n_features = values.shape
        self.metric = metric
        is_nominal = nominal_mask(nominal, self.n_features)
        scale_to_range(values, ~is_nominal)
        missing = np.isnan(values)
        known = []
        if ramp:
            known = [values[~missing[:, f], f] for f in range(self.n_features)]
        values[missing] = np.broadcast_to(np.nan_to_num(np.fmin.reduce(values)), values.shape)[
            missing
        ]
        self._wide = {
            f: Column(values[:, f], True, codes, missing[:, f])
            for f in np.flatnonzero(is_nominal)
            if len(np.unique(values[:, f])) > WIDE
        }
        self._incomplete = {
            f: Column(values[:, f], is_nominal[f], codes, missing[:, f])
            for f in np.flatnonzero(missing.sum(axis=0))
            if f not in self._wide
        }
        self._ramped = {
            f: Column(
                values[:, f], False, codes, missing[:, f], known[f].std() if len(known[f]) else 0.0
            )
            for f in (np.flatnonzero(~is_nominal) if ramp else ())
        }
        self._embed(values, is_nominal)
        # a bound on rounding: P independent roundings of at most P * 2**-51 add up to about
        # P**1.5 * 2**-51 (P columns of points); slack allows 32 times as much
        self.slack = self._points.shape[1] ** 1.5 * 2.0**-46

    def _embed(self, values: np.ndarray, is_nominal: np.ndarray) -> None:
        """Set `_points` and `_owners`: points of rows whose L1 distances are sums of differences.

        `_points` has the shape (n, P), with rows of zeros up to a multiple of four; `_owners`, of
        shape (P,), has the feature of each column: one column of a numeric feature, several of a
        nominal one.
        """
        numeric = np.flatnonzero(~is_nominal)
        owners, parts = [numeric], [values[:, numeric]]
        for f in np.setdiff1d(np.flatnonzero(is_nominal), list(self._wide)):
            parts.append(mismatch_points(values[:, f]))
            owners.append(np.repeat(f, parts[-1].shape[1]))
        self._owners = np.concatenate(owners)
        self._n_numeric = len(numeric)
        # with P <= 2**k columns, values in [0, 1] rounded to multiples of 2**(k - 52) have sums of
        # at most 2**52 multiples, which double precision represents exactly in any order
        grid = 2.0 ** (52 - np.ceil(np.log2(max(2, len(self._owners)))))
        n_padded = self.n_rows + -self.n_rows % 4  # the loops read four rows at a time
        self._points = np.zeros((n_padded, len(self._owners)))
        np.concatenate(parts, axis=1, out=self._points[: self.n_rows])
        self._points *= grid
        np.rint(self._points, out=self._points)
        self._points /= grid

    def blocks(self, rows: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield blocks of row numbers and their distances to all rows, of shape (block, n).

        The distance of a row to itself is 0. By default all rows are visited.
        """
        kept = rows is None and self.n_rows <= KEPT
        if rows is None:
            rows = np.arange(self.n_rows)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            if kept:
                yield block, self._kept[start : start + BLOCK]
            else:
                yield block, self._distances(block, self.n_rows)

    @cached_property
    def _kept(self) -> np.ndarray:
        """All distances, of shape (n, n); each pair is computed once, in blocks of rows."""
        distances = np.empty((self.n_rows, self.n_rows))
        for start in range(0, self.n_rows, BLOCK):
            rows = np.arange(start, min(start + BLOCK, self.n_rows))
            stop = rows[-1] + 1
            distances[start:stop, :stop] = self._distances(rows, stop)
            distances[:start, start:stop] = distances[start:stop, :start].T
        return distances

    def _distances(self, rows: np.ndarray, stop: int) -> np.ndarray:
        """Return the distances of some rows to the rows before ``stop``: (len(rows), stop)."""
        if self.metric == "manhattan":
            power, distances = 1, self._summed_over_features(rows, stop)
        else:
            power, distances = 2, self._squared_over_features(rows, stop)
        for column in self._incomplete.values():
            for pairs, correction in column.corrections(rows, stop, power):
                distances[pairs] += correction
        for column in self._wide.values():
            distances += column.gaps(rows[:, None], np.arange(stop)[None]) ** power
        is_earlier = rows < stop
        # the expected difference of a row with missing values from itself is not 0
        distances[is_earlier, rows[is_earlier]] = 0.0
        if power == 1:
            return distances
        # a correction may leave a rounding error of up to slack, or below 0, in place of 0
        return np.sqrt(np.where(distances > self.slack, distances, 0.0))

    def _summed_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        """Return the L1 distances of points, without corrections for missing values."""
        from subsel._loops.neighbours.relief import add_distances

        padded = np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % 4)])
        distances = np.zeros((len(padded), stop + stop % 2))
        add_distances(self._points[padded], self._points[: stop + stop % 2], distances)
        return distances[: len(rows), :stop]

    def _squared_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        """Return squared distances of points; a mismatch of nominal values is its own square."""
        split = self._n_numeric
        squared = cdist(self._points[rows, :split], self._points[:stop, :split], "sqeuclidean")
        return squared + cdist(self._points[rows, split:], self._points[:stop, split:], "cityblock")

    def total(self, weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        r"""Return :math:`\sum_{ij} w_{ij}\,\mathrm{diff}_f(i, j)` for each feature, of shape (p,).

        Parameters
        ----------
        weigh : callable
            ``weigh(distances, rows)`` returns the weights of the pairs of some rows with all rows;
            both arrays have the shape (len(rows), n).

        Notes
        -----
        The weights overwrite the kept distances, which are then forgotten. As differences are
        symmetric, :math:`w_{ij} + w_{ji}` is summed over each unordered pair once.
        """
        if self.n_rows > KEPT:
            return np.sum([self.sums(rows, weigh(D, rows)) for rows, D in self.blocks()], axis=0)
        for rows, distances in self.blocks():
            distances[:] = weigh(distances, rows)
        weights = self.__dict__.pop("_kept")
        below = np.tri(BLOCK, k=-1)
        totals = np.zeros(self.n_features)
        for start in range(0, self.n_rows, BLOCK):
            stop = min(start + BLOCK, self.n_rows)
            both = weights[start:stop, :stop] + weights[:stop, start:stop].T
            both[:, start:] *= below[: stop - start, : stop - start]
            totals += self.sums(np.arange(start, stop), both)
        return totals

    def sums(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the weighted sum of the differences of some rows to the first rows, shape (p,).

        Parameters
        ----------
        rows : ndarray of int
            The numbers of the rows i.
        weights : ndarray of shape (len(rows), n_first)
            The weights of the pairs with the rows j = 0 to n_first - 1.
        """
        totals = np.zeros(self.n_features)
        np.add.at(totals, self._owners, self._points_summed(rows, weights))
        for f, column in self._incomplete.items():
            for pairs, correction in column.corrections(rows, weights.shape[1]):
                totals[f] += np.vdot(weights[pairs], correction)
        for f, column in (self._ramped | self._wide).items():
            totals[f] = np.vdot(
                weights, column.gaps(rows[:, None], np.arange(weights.shape[1])[None])
            )
        return totals

    def _points_summed(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the weighted sums for each column of `_points`, without corrections."""
        from subsel._loops.neighbours.relief import add_differences

        sums = np.zeros(self._points.shape[1])
        others = self._points[: weights.shape[1]]
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        add_differences(self._points[rows], others, weights, sums)
        return sums

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the differences of pairs of rows, of shape (len(first), p)."""
        gaps = np.zeros((len(first), self.n_features))
        features, starts = np.unique(self._owners, return_index=True)
        order = np.argsort(starts)  # numeric features come first, then each nominal one
        parts = np.abs(self._points[first] - self._points[second])
        if len(features):
            gaps[:, features[order]] = np.add.reduceat(parts, starts[order], axis=1)
        for f, column in (self._incomplete | self._ramped | self._wide).items():
            gaps[:, f] = column.gaps(first, second)
        return gaps


class Column:
    """A feature that `_points` does not represent fully.

    It has missing values or very many nominal ones, or its large differences count as 1.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The scaled values; any known value of the feature in place of a missing one.
    nominal : bool
        Whether values are names.
    codes : ndarray of int of shape (n,)
        The class of each row.
    missing : ndarray of bool of shape (n,)
        The rows whose value is missing.
    limit : float
        A numeric difference above it counts as 1.
    """

    def __init__(
        self,
        values: np.ndarray,
        nominal: bool,
        codes: np.ndarray,
        missing: np.ndarray,
        limit: float = np.inf,
    ) -> None:
        self._values, self._nominal, self._codes, self._limit = values, nominal, codes, limit
        self._missing = missing
        if missing.any():
            self._expect(np.flatnonzero(~missing))

    def gaps(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the differences between two broadcastable arrays of row numbers."""
        gaps = self._known_gaps(first, second)
        if not self._missing.any():
            return gaps
        codes, missing = self._codes, self._missing
        gaps = np.where(missing[first], self._one_expected[second, codes[first]], gaps)
        gaps = np.where(missing[second], self._one_expected[first, codes[second]], gaps)
        both = self._both_expected[codes[first], codes[second]]
        return np.where(missing[first] & missing[second], both, gaps)

    def corrections(
        self, rows: np.ndarray, stop: int, power: int = 1
    ) -> Iterator[tuple[tuple[np.ndarray, ...], np.ndarray]]:
        """Yield pairs of rows with a missing value, and what to add to their plain differences.

        Parameters
        ----------
        rows : ndarray of int
            The numbers of the first rows of the pairs; the second ones are those before `stop`.
        stop : int
            The number of second rows.
        power : int
            The power of the differences that is corrected.

        Yields
        ------
        pairs : tuple of ndarray
            The indices of the pairs in an array of shape (len(rows), stop), for `np.ix_`.
        correction : ndarray
            The expected difference less the plain one, to this power.
        """
        missing = self._missing[rows]
        for positions, others in (
            (np.flatnonzero(missing), np.arange(stop)),
            (np.flatnonzero(~missing), np.flatnonzero(self._missing[:stop])),
        ):
            if not (len(positions) and len(others)):
                continue
            first, second = rows[positions, None], others[None]
            yield (
                np.ix_(positions, others),
                self.gaps(first, second) ** power - self._known_gaps(first, second) ** power,
            )

    def _known_gaps(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the differences of the values as if none were missing."""
        if self._nominal:
            return (self._values[first] != self._values[second]).astype(np.float64)
        gaps = np.abs(self._values[first] - self._values[second])
        return np.where(gaps > self._limit, 1.0, gaps)

    def _expect(self, known: np.ndarray) -> None:
        """Set the expected differences to a value that is missing, and between two missing ones.

        `_one_expected`, of shape (n, n_classes), is the mean difference of a known value to the
        known values of a class; `_both_expected`, of shape (n_classes, n_classes), is that of the
        known values of two classes. A class without known values has those of all rows.
        """
        n_classes = self._codes.max() + 1
        self._one_expected = np.zeros((len(self._values), n_classes))
        self._both_expected = np.zeros((n_classes, n_classes))
        if not len(known):
            return
        members = [known[self._codes[known] == c] for c in range(n_classes)]
        members = [rows if len(rows) else known for rows in members]
        for c, rows in enumerate(members):
            self._one_expected[known, c] = self._mean_gaps(
                self._values[known], np.sort(self._values[rows])
            )
        for c, rows in enumerate(members):
            self._both_expected[c] = self._one_expected[rows].mean(axis=0)

    def _mean_gaps(self, values: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return the mean difference of each value to others, which are sorted.

        A numeric difference above the limit counts as 1. For the others,
        ``sum |v - o| = v * (n_below - n_above) - sum(below) + sum(above)``, where the sums over
        sorted neighbours are differences of running sums: n log n time in place of n squared.
        """
        reach = 0.0 if self._nominal else self._limit
        left, right = (
            np.searchsorted(others, values - reach),
            np.searchsorted(others, values + reach, "right"),
        )
        within = np.zeros(len(values))
        if not self._nominal:
            middle, running = np.searchsorted(others, values), np.append(0.0, np.cumsum(others))
            within = (
                values * (2 * middle - left - right)
                + running[left]
                + running[right]
                - 2 * running[middle]
            )
        return (within + len(others) - (right - left)) / len(others)


def nominal_mask(nominal: Any, n_features: int, name: str = "nominal") -> np.ndarray:
    """Return a mask of features, given a mask, a list of their numbers or None.

    Parameters
    ----------
    nominal : array of bool, list of int, or None
        The features; None is no feature.
    n_features : int
        The number of features.
    name : str
        The argument that names the features, for messages.

    Examples
    --------
    >>> nominal_mask([1], 3)
    array([False,  True, False])
    """
    mask = np.zeros(n_features, dtype=bool)
    if nominal is None:
        return mask
    given = np.asarray(nominal)
    if given.dtype == bool and given.shape != mask.shape:
        raise ValueError(
            f"{name} must have one entry per feature ({n_features}), got shape {given.shape}."
        )
    if given.dtype != bool and given.size and (given.min() < 0 or given.max() >= n_features):
        raise ValueError(
            f"{name} must hold feature indices in [0, {n_features - 1}], got {given.tolist()}."
        )
    mask[given if given.dtype == bool else given.astype(np.intp)] = True
    return mask


def scale_to_range(values: np.ndarray, numeric: np.ndarray) -> None:
    """Scale numeric columns to [0, 1]; overwrites `values`. Constants become 0, NaN stays."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    width = high - low
    values -= np.where(numeric & (width > 0), low, 0.0)
    values /= np.where(numeric & (width > 0), width, 1.0)
    values[:, numeric & (width == 0)] -= low[numeric & (width == 0)]


def mismatch_points(values: np.ndarray) -> np.ndarray:
    """Return points at L1 distance 1 for any two different values, of shape (n, ceil(V / 2)).

    Each of the V values is plus or minus one half on one axis: two of them are 1 apart on one axis,
    or one half on each of two axes.
    """
    _, codes = np.unique(values, return_inverse=True)
    points = np.zeros((len(values), codes.max() // 2 + 1))
    points[np.arange(len(values)), codes // 2] = 0.5 - codes % 2
    return points


class DifferencesOnDevice(Differences):
    """`Differences` whose points are on a device; distances are returned as numpy arrays.

    Sums over features are exact on the grid of the points, so that Manhattan distances equal those
    of the processor to the last bit, and the same rows are neighbours.

    Parameters
    ----------
    X, codes, nominal, metric, ramp : object
        As for `Differences`.
    device : Device
        The device, as `subsel._loops.device.find_device` returns it.
    """

    def __init__(
        self, X: Any, codes: np.ndarray, nominal: Any, metric: str, ramp: bool, device: Any
    ) -> None:
        super().__init__(X, codes, nominal, metric, ramp)
        self._device, self._device_points = device, device.array(self._points[: self.n_rows])

    def _summed_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        some = self._device_points[self._device.array(rows)]
        return self._device.host(self._device.torch.cdist(some, self._device_points[:stop], p=1.0))

    def _squared_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        cdist, split, some = (
            self._device.torch.cdist,
            self._n_numeric,
            self._device_points[self._device.array(rows)],
        )
        exactly = "donot_use_mm_for_euclid_dist"
        roots = cdist(
            some[:, :split], self._device_points[:stop, :split], p=2.0, compute_mode=exactly
        )
        names = cdist(
            some[:, split:].contiguous(), self._device_points[:stop, split:].contiguous(), p=1.0
        )
        return self._device.host(roots * roots + names)

    def _points_summed(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the weighted sums for each column of `_points`.

        Only pairs with a weight are visited, as many at a time as fit into the device's memory.
        """
        at, others = np.nonzero(weights)
        weight, first, second = map(self._device.array, (weights[at, others], rows[at], others))
        sums = self._device.array(np.zeros(self._points.shape[1]))
        step = max(1, int(self._device.recent_room / (8.0 * COPIES * max(1, len(sums)))))
        for low in range(0, len(at), step):
            part = slice(low, low + step)
            gaps = (self._device_points[first[part]] - self._device_points[second[part]]).abs_()
            # a sum, since products of matrices may use a lower precision on a device
            sums += gaps.mul_(weight[part, None]).sum(dim=0)
        return self._device.host(sums)
