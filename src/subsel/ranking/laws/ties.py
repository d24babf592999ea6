"""Exact null distributions of statistics of classes, for columns whose ties allow few tables."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from subsel.ranking.laws.exact_tails import log_comb, log_tails

__all__ = ["DEEPEST", "are_whole", "tied_log_tails", "two_sided"]

Array = np.ndarray
OUTCOMES = 1 << 12  # the most tables that are enumerated for a column
# The same for a column of two values, if there are two classes or a small count is expected: the
# columns for which large-sample laws are worst and enumeration is cheapest.
OUTCOMES_OF_TWO = 1 << 16
SMALL = 5  # expected count below which large-sample laws are not trusted (the usual rule of thumb)
# The most distinct values of a column: with 14 `_log_outcomes` exceeds 2^12 unless a class is rare.
DEEPEST = 13
OUTCOMES_AT_ONCE = 1 << 12  # tables whose statistic is computed in one call
CACHED = 1 << 19  # outcomes of all laws in the cache: three floats each, 12 MB


@dataclass
class _LawCache:
    """Laws from earlier calls; emptied when it grows beyond `CACHED`.

    Columns with the same margins have the same law.
    """

    laws: dict[Hashable, tuple[Array, Array, Array]] = field(default_factory=dict)  # see `_law`
    size: int = 0  # outcomes of all laws, and 64 for the overhead of each

    def store(self, key: Hashable, law: tuple[Array, Array, Array]) -> None:
        """Enter a law, emptying the cache first if it would be too large."""
        self.size += len(law[0]) + 64
        if self.size > CACHED:
            self.laws, self.size = {}, 0
        self.laws[key] = law


_cache = _LawCache()


def tied_log_tails(
    masses: Array, statistic: Callable[..., Array], values: Array | None = None
) -> tuple[Array, Array]:
    """Compute the logarithms of P(S <= s) and P(S >= s) under permuted labels, for each column.

    An outcome is a table of how many rows of each class have each distinct value, given how often
    the values and the classes occur. Where the margins of a column allow at most 4096 outcomes, all
    are enumerated, each with its multivariate hypergeometric probability: the test of Freeman and
    Halton [1]_, with outcomes ordered by the statistic. The limit is 65,536 for columns of two
    values with two classes or with an expected count below 5. The answer is NaN where there may be
    more outcomes, or where masses are not whole numbers. With K classes a column of two values, one
    of them m times, has at most C(m + K - 1, K - 1) outcomes: with equal classes m may be 89 with
    three, 27 with four, 24 with five, 9 with ten.

    Parameters
    ----------
    masses : array, shape (n_classes, n_columns, n_values)
        As `subsel.data.statistics.ties.tie_blocks` gives them: the values that occur come first.
    statistic : callable
        Gives one number for each column of such masses. The law is cached under it: pass the same
        object, not a new lambda, for each block of columns.
    values : array, shape (n_columns, n_values), optional
        The second argument of the statistic, if it needs more than the order of the values.

    Returns
    -------
    lower, upper : ndarray of shape (n_columns,)
        The logarithms of both tails.

    References
    ----------
    .. [1] G. H. Freeman and J. H. Halton, "Note on an exact treatment of contingency, goodness of
       fit and other problems of significance", *Biometrika* 38, 1951.

    Examples
    --------
    >>> def ones(masses): return masses[1, :, 1]
    >>> masses = np.array([[[2.0, 0.0]], [[0.0, 2.0]]])  # values and classes are both 0, 0, 1, 1
    >>> np.exp(tied_log_tails(masses, ones)).ravel().round(4)
    array([1.    , 0.1667])
    """
    tails = np.full((2, masses.shape[1]), np.nan)
    shallow = np.flatnonzero(~masses[:, :, DEEPEST:].any(axis=(0, 2)))
    masses = masses[:, shallow, :DEEPEST]
    sizes, of_class = masses.sum(axis=0), masses.sum(axis=2).T
    countable = np.flatnonzero(_are_few(sizes, of_class) & are_whole(masses))
    if len(countable) == 0:
        return tails[0], tails[1]
    margins, arguments = [of_class, sizes], [masses]
    if values is not None:
        margins.append(values[shallow, :DEEPEST])
        arguments.append(margins[-1])
    observed = statistic(*arguments)
    shapes, which = np.unique(np.hstack(margins)[countable], axis=0, return_inverse=True)
    by_shape = np.split(
        countable[np.argsort(which.ravel(), kind="stable")],
        np.cumsum(np.bincount(which.ravel()))[:-1],
    )
    for shape, members in zip(shapes, by_shape):
        law = _law(statistic, shape, len(masses), sizes.shape[1])
        tails[:, shallow[members]] = _tails(*law, observed[members])
    return tails[0], tails[1]


def two_sided(lower: Array, upper: Array) -> Array:
    """Give twice the smaller of two tails, at most 1; both tails are given as logarithms.

    Examples
    --------
    >>> two_sided(np.log([0.9, 0.75]), np.log([0.25, 0.75]))
    array([0.5, 1. ])
    """
    return np.minimum(2 * np.exp(np.minimum(lower, upper)), 1.0)


def are_whole(masses: Array) -> Array:
    """Give, for each column, whether its masses are whole numbers.

    `masses` has shape (n_classes, n_columns, n_values).
    """
    return (masses == np.rint(masses)).all(axis=(0, 2))


def _are_few(sizes: Array, of_class: Array) -> Array:
    """Give, for each pair of margins, whether its tables are few enough to be enumerated.

    Parameters
    ----------
    sizes : ndarray of shape (n_columns, n_values)
        How often each value occurs.
    of_class : ndarray of shape (n_columns, n_classes)
        How often each class occurs.
    """
    bound = np.minimum(_log_outcomes(sizes, of_class), _log_outcomes(of_class, sizes))
    least = 0.0
    if sizes.shape[1] > 1:
        least = np.sort(sizes, axis=1)[:, -2] * of_class.min(axis=1) / of_class.sum(axis=1)
    larger = ((sizes > 0).sum(axis=1) == 2) & ((of_class.shape[1] == 2) | (least < SMALL))
    return bound <= np.log(np.where(larger, OUTCOMES_OF_TWO, OUTCOMES)) + 1e-9


def _log_outcomes(rows: Array, columns: Array) -> Array:
    """Bound the logarithm of the number of tables with given row and column sums.

    `rows` and `columns` have a row for each pair of margins.
    """
    # All rows but one determine a table. A row of sum r has at most prod (min(r, c_k) + 1) fillings
    # over all columns k but the largest, and at most C(r + K - 1, K - 1), the ways to divide r into
    # K parts (Feller, An Introduction to Probability Theory and Its Applications 1, 1968, II.5).
    # The bound is the product of the smaller of both over all rows but the largest.
    n_columns = columns.shape[1]
    by_cells = np.log(np.minimum(rows[:, :, None], columns[:, None, :]) + 1).sum(axis=2)
    by_cells -= np.log(np.minimum(rows, columns.max(axis=1)[:, None]) + 1)
    fillings = np.minimum(by_cells, log_comb(rows + n_columns - 1, n_columns - 1.0))
    return fillings.sum(axis=1) - fillings[np.arange(len(rows)), rows.argmax(axis=1)]


def _law(
    statistic: Callable[..., Array], shape: Array, n_classes: int, n_values: int
) -> tuple[Array, Array, Array]:
    """Give the law of a statistic for given margins, from the cache where it is there.

    Parameters
    ----------
    statistic : callable
        As of :func:`tied_log_tails`.
    shape : ndarray
        How often each class occurs, how often each value occurs, and the values, if the statistic
        takes them.
    n_classes, n_values : int
        The lengths of the first two parts of `shape`.

    Returns
    -------
    outcomes, lower, upper : ndarray of shape (n_outcomes,)
        The statistic of each possible table, ascending, and the logarithms of both tails there.
    """
    key = (statistic, n_classes, n_values, shape.tobytes())
    law = _cache.laws.get(key)
    if law is None:
        of_class, sizes, values = np.split(shape, [n_classes, n_classes + n_values])
        occurs = sizes > 0
        outcomes, log_chances = _outcomes(sizes[occurs].astype(np.int64), of_class.astype(np.int64))
        further = (values[None, occurs],) if len(values) else ()
        parts = (
            outcomes[:, start : start + OUTCOMES_AT_ONCE]
            for start in range(0, len(log_chances), OUTCOMES_AT_ONCE)
        )
        statistics = np.concatenate([statistic(part, *further) for part in parts])
        order = np.argsort(statistics, kind="stable")
        law = statistics[order], *log_tails(log_chances[order])
        _cache.store(key, law)
    return law


def _outcomes(sizes: Array, of_class: Array) -> tuple[Array, Array]:
    """Enumerate all tables with given margins, and the logarithms of their probabilities.

    Parameters
    ----------
    sizes : ndarray of int
        How often each value occurs; all are positive.
    of_class : ndarray of int
        How often each class occurs.

    Returns
    -------
    masses : ndarray of shape (n_classes, n_outcomes, n_values)
        The tables.
    log_chances : ndarray of shape (n_outcomes,)
        The logarithms of their probabilities.
    """
    # Partial tables grow cell by cell, each cell between the least and the most that still leave
    # the rest feasible, so that every partial table can be completed; the commonest value and the
    # largest class take the remainder. The probability is that of Freeman and Halton (1951):
    # prod_v [s_v! / prod_k n_kv!] / [n! / prod_k c_k!], multinomial coefficients that are
    # accumulated as logarithms of binomial ones.
    commonest, largest = int(sizes.argmax()), int(of_class.argmax())
    others = [k for k in range(len(of_class)) if k != largest]
    cells = np.zeros((1, len(others), len(sizes)), dtype=np.int32)
    left = of_class[None]  # rows of each class not yet assigned, for each partial table
    log_chances = np.zeros(1)
    for value in [v for v in range(len(sizes)) if v != commonest]:
        rest = np.full(len(left), sizes[value])
        room = left.sum(axis=1)
        for place, k in enumerate(others):
            room = room - left[:, k]
            low, high = np.maximum(rest - room, 0), np.minimum(rest, left[:, k])
            n_options = high - low + 1
            before = np.repeat(np.arange(len(left)), n_options)
            option = np.arange(len(before)) - np.repeat(
                np.cumsum(n_options) - n_options - low, n_options
            )
            log_chances = log_chances[before] + _log_ways(rest[before], option)
            cells, left = cells[before], left[before]
            rest, room = rest[before] - option, room[before]
            cells[:, place, value] = option
            left[:, k] -= option
        left[:, largest] -= rest
    masses = np.empty((len(of_class), len(left), len(sizes)))
    masses[others] = cells.transpose(1, 0, 2)
    masses[:, :, commonest] = left.T
    masses[largest] = sizes - masses[others].sum(axis=0)
    return masses, log_chances + _log_deals(left, others) - _log_deals(of_class[None], others)


def _log_deals(parts: Array, others: list[int]) -> Array:
    """Give the logarithm of the multinomial coefficient of each row of parts.

    `others` are all its columns but one.
    """
    rest, log_ways = parts.sum(axis=1), np.zeros(len(parts))
    for k in others:
        log_ways += _log_ways(rest, parts[:, k])
        rest = rest - parts[:, k]
    return log_ways


def _log_ways(n: Array, k: Array) -> Array:
    """Give the logarithms of C(n, k), from a table if all n are equal, as with two classes."""
    if k.max() < len(k) and (n == n[0]).all():
        return log_comb(n[0], np.arange(k.max() + 1))[k]
    return log_comb(n, k)


def _tails(values: Array, lower: Array, upper: Array, observed: Array) -> tuple[Array, Array]:
    """Give both tails of a law, as :func:`_law` gives it, at the observed statistics."""
    # Tables of equal statistic may differ by rounding, which the slack exceeds by orders of
    # magnitude; the statistics of other tables differ by more.
    slack = 1e-9 * np.maximum(np.abs(observed), 0.1)
    below = np.searchsorted(values, observed + slack, side="right") - 1
    return lower[below], upper[np.searchsorted(values, observed - slack, side="left")]
