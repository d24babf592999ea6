"""How far apart rows are, feature by feature: range-scaled, nominal and missing values, kept or by blocks of rows."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from subsel.data.statistics.score_input import columns

__all__ = ["Differences", "DifferencesOnDevice", "nominal_mask"]

BLOCK = 128  # rows whose distances are worked on at a time
KEPT = 8192  # up to this many rows the n x n distances are kept: 512 MiB at most
WIDE = 64  # a nominal feature of more values than this is compared pair by pair, without points


class Differences:
    r"""The differences :math:`\mathrm{diff}_f(i, j) \in [0, 1]` of all pairs of rows, and what is summed from them.

    A numeric difference is divided by the range of its feature (a constant feature differs nowhere), a nominal
    one is 0 or 1. Where a value is missing the difference is the one expected when the missing value is drawn
    from the known values of its class, which for nominal features is the rule of ReliefF
    (:math:`1 - P(v \mid c)`, and :math:`1 - \sum_v P(v \mid c) P(v \mid c')` when both are missing).

    Scaled values are rounded to a grid on which every sum over features is exact, so that the code path decides nothing.
    The grid moves a difference by at most ``p * 2**-51``, and squares and expectations do not lie on it: distances closer
    than ``slack`` tie, so that rounding, and with it the order of the features, decides no neighbour.
    Only pairs in which a value is missing are treated apart, so that missing values cost in proportion to their number.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The table; may hold NaN.
    codes : ndarray of int
        Class of each row; all zero when there are no classes.
    nominal : array of bool or list of int, optional
        Mask or list of the nominal features.
    metric : {"manhattan", "euclidean"}
        "manhattan" sums differences over features, "euclidean" is the root of the sum of their squares.
    ramp : bool
        Whether numeric differences above one standard deviation count as 1 in sums (not in distances).
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
        self.slack = self._points.shape[1] ** 1.5 * 2.0**-46

    def _embed(self, values: np.ndarray, is_nominal: np.ndarray) -> None:
        """Lay the features out as points whose L1 distances are the sums of differences."""
        numeric = np.flatnonzero(~is_nominal)
        owners, parts = [numeric], [values[:, numeric]]
        for f in np.setdiff1d(np.flatnonzero(is_nominal), list(self._wide)):
            parts.append(mismatch_points(values[:, f]))
            owners.append(np.repeat(f, parts[-1].shape[1]))
        self._owners = np.concatenate(owners)
        self._n_numeric = len(numeric)
        grid = 2.0 ** (52 - np.ceil(np.log2(max(2, len(self._owners)))))
        self._points = np.zeros(
            (self.n_rows + -self.n_rows % 4, len(self._owners))
        )  # the loops take rows by fours
        np.concatenate(parts, axis=1, out=self._points[: self.n_rows])
        self._points *= grid
        np.rint(self._points, out=self._points)
        self._points /= grid

    def blocks(self, rows: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield blocks of rows with their distances to all rows (zero to themselves)."""
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
        """All distances: each pair is summed once, by blocks of rows against the rows up to them."""
        distances = np.empty((self.n_rows, self.n_rows))
        for start in range(0, self.n_rows, BLOCK):
            rows = np.arange(start, min(start + BLOCK, self.n_rows))
            stop = rows[-1] + 1
            distances[start:stop, :stop] = self._distances(rows, stop)
            distances[:start, start:stop] = distances[start:stop, :start].T
        return distances

    def _distances(self, rows: np.ndarray, stop: int) -> np.ndarray:
        """Give the distances of some rows to the rows before ``stop``."""
        if self.metric == "manhattan":
            power, distances = 1, self._summed_over_features(rows, stop)
        else:
            power, distances = 2, self._squared_over_features(rows, stop)
        for column in self._incomplete.values():
            for pairs, correction in column.corrections(rows, stop, power):
                distances[pairs] += correction
        for column in self._wide.values():
            distances += column.gaps(rows[:, None], np.arange(stop)[None]) ** power
        itself = rows < stop
        distances[itself, rows[itself]] = (
            0.0  # a row with missing values is expected to differ from itself
        )
        if power == 1:
            return distances
        return np.sqrt(
            np.where(distances > self.slack, distances, 0.0)
        )  # which is what a correction may leave of zero

    def _summed_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        from subsel._loops.neighbours.relief import add_distances

        padded = np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % 4)])
        distances = np.zeros((len(padded), stop + stop % 2))
        add_distances(self._points[padded], self._points[: stop + stop % 2], distances)
        return distances[: len(rows), :stop]

    def _squared_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        """Sum squares; a mismatch of nominal values is its own square."""
        split = self._n_numeric
        squared = cdist(self._points[rows, :split], self._points[:stop, :split], "sqeuclidean")
        return squared + cdist(self._points[rows, split:], self._points[:stop, split:], "cityblock")

    def total(self, weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        r"""Sum :math:`w_{ij}\,\mathrm{diff}_f(i, j)` over all ordered pairs, for each feature.

        ``weigh(distances, rows)`` gives the weights of some rows. Weights take the place of kept distances and,
        as differences are symmetric, are added to their transpose, so that each pair is visited once.
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
        """Sum over the given rows i and the first rows j the weighted differences, for each feature."""
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
        from subsel._loops.neighbours.relief import add_differences

        sums = np.zeros(self._points.shape[1])
        others = self._points[: weights.shape[1]]
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        add_differences(self._points[rows], others, weights, sums)
        return sums

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Give the differences of pairs of rows as an array of pairs by features."""
        gaps = np.zeros((len(first), self.n_features))
        features, starts = np.unique(self._owners, return_index=True)
        order = np.argsort(
            starts
        )  # numeric features come first, then the points of each nominal one
        parts = np.abs(self._points[first] - self._points[second])
        if len(features):
            gaps[:, features[order]] = np.add.reduceat(parts, starts[order], axis=1)
        for f, column in (self._incomplete | self._ramped | self._wide).items():
            gaps[:, f] = column.gaps(first, second)
        return gaps


class Column:
    """One feature whose differences are not plain: values are missing or very many names, or large gaps count as 1.

    Where a value is missing, ``values`` holds any other, from which the plain difference is taken.
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
        """Give the differences between two broadcastable sets of rows."""
        gaps = self._known_gaps(first, second)
        if not self._missing.any():
            return gaps
        codes, absent = self._codes, self._missing
        gaps = np.where(absent[first], self._one_expected[second, codes[first]], gaps)
        gaps = np.where(absent[second], self._one_expected[first, codes[second]], gaps)
        both = self._both_expected[codes[first], codes[second]]
        return np.where(absent[first] & absent[second], both, gaps)

    def corrections(
        self, rows: np.ndarray, stop: int, power: int = 1
    ) -> Iterator[tuple[tuple[np.ndarray, ...], np.ndarray]]:
        """Yield the pairs of some rows and those before ``stop`` that miss a value, and what their plain terms lack."""
        absent = self._missing[rows]
        for at, others in (
            (np.flatnonzero(absent), np.arange(stop)),
            (np.flatnonzero(~absent), np.flatnonzero(self._missing[:stop])),
        ):
            if not (len(at) and len(others)):
                continue
            first, second = rows[at, None], others[None]
            yield (
                np.ix_(at, others),
                self.gaps(first, second) ** power - self._known_gaps(first, second) ** power,
            )

    def _known_gaps(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        if self._nominal:
            return (self._values[first] != self._values[second]).astype(np.float64)
        gaps = np.abs(self._values[first] - self._values[second])
        return np.where(gaps > self._limit, 1.0, gaps)

    def _expect(self, known: np.ndarray) -> None:
        """Average the differences of each known value, and of each class, to the known values of every class."""
        n_classes = self._codes.max() + 1
        self._one_expected = np.zeros((len(self._values), n_classes))
        self._both_expected = np.zeros((n_classes, n_classes))
        if not len(known):
            return
        members = [known[self._codes[known] == c] for c in range(n_classes)]
        members = [
            rows if len(rows) else known for rows in members
        ]  # no known value in a class: all stand in
        for c, rows in enumerate(members):
            self._one_expected[known, c] = self._mean_gaps(
                self._values[known], np.sort(self._values[rows])
            )
        for c, rows in enumerate(members):
            self._both_expected[c] = self._one_expected[rows].mean(axis=0)

    def _mean_gaps(self, values: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Average the differences of each value to others, given in order, by their running sums."""
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
    """Give the nominal features, or others by name, as a mask, from a mask, a list of indices or None.

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
    """Scale the numeric columns to [0, 1] in place, constants to 0, ignoring NaN."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    width = high - low
    values -= np.where(numeric & (width > 0), low, 0.0)
    values /= np.where(numeric & (width > 0), width, 1.0)
    values[:, numeric & (width == 0)] -= low[numeric & (width == 0)]


def mismatch_points(values: np.ndarray) -> np.ndarray:
    """Place V nominal values at plus or minus one half on ceil(V / 2) axes: any two are at L1 distance 1."""
    _, codes = np.unique(values, return_inverse=True)
    points = np.zeros((len(values), codes.max() // 2 + 1))
    points[np.arange(len(values)), codes // 2] = 0.5 - codes % 2
    return points


COPIES = 4  # of the differences of some pairs that are held at a time


class DifferencesOnDevice(Differences):
    """The same as `Differences`; blocks of distances come back as numpy arrays.

    Sums over features are exact on the grid of the points, so the distances are those of the processor to the last bit,
    and the same rows are neighbours.

    Parameters
    ----------
    X, codes, nominal, metric, ramp : object
        As of `Differences`.
    device : Device
        Where to hold the points, as `subsel._loops.device.find_device` gives it.
    """

    def __init__(
        self, X: Any, codes: np.ndarray, nominal: Any, metric: str, ramp: bool, device: Any
    ) -> None:
        super().__init__(X, codes, nominal, metric, ramp)
        self._device, self._held = device, device.array(self._points[: self.n_rows])

    def _summed_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        some = self._held[self._device.array(rows)]
        return self._device.host(self._device.torch.cdist(some, self._held[:stop], p=1.0))

    def _squared_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        cdist, split, some = (
            self._device.torch.cdist,
            self._n_numeric,
            self._held[self._device.array(rows)],
        )
        exactly = "donot_use_mm_for_euclid_dist"
        roots = cdist(some[:, :split], self._held[:stop, :split], p=2.0, compute_mode=exactly)
        names = cdist(some[:, split:].contiguous(), self._held[:stop, split:].contiguous(), p=1.0)
        return self._device.host(roots * roots + names)

    def _points_summed(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Only pairs of some weight are visited, as many at a time as there is room for."""
        at, others = np.nonzero(weights)
        weight, first, second = map(self._device.array, (weights[at, others], rows[at], others))
        sums = self._device.array(np.zeros(self._points.shape[1]))
        step = max(1, int(self._device.recent_room / (8.0 * COPIES * max(1, len(sums)))))
        for low in range(0, len(at), step):
            part = slice(low, low + step)
            gaps = (self._held[first[part]] - self._held[second[part]]).abs_()
            sums += gaps.mul_(weight[part, None]).sum(
                dim=0
            )  # no product of matrices, as on the processor
        return self._device.host(sums)
