"""The exact law of a statistic of classes under permuted labels, for columns whose ties leave few outcomes."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from subsel.ranking.laws.exact_tails import log_comb, log_tails

__all__ = ["DEEPEST", "are_whole", "tied_log_tails", "two_sided"]

Array = np.ndarray
OUTCOMES = 1 << 12  # tables that are enumerated for a column
OUTCOMES_OF_TWO = (
    1 << 16
)  # and for one of two values, if there are two classes or a small count is expected
SMALL = 5  # the rule of thumb for laws of large samples
DEEPEST = 13  # distinct values: with more there are hardly ever few outcomes
OUTCOMES_AT_ONCE = 1 << 12  # whose statistic is taken together
KEPT = (
    1 << 19
)  # outcomes of laws that are remembered: columns with the same margins have the same law


@dataclass
class _Memory:
    """Laws found before; all are forgotten when they grow too many."""

    laws: dict[Hashable, tuple[Array, Array, Array]] = field(default_factory=dict)
    size: int = 0

    def keep(self, key: Hashable, law: tuple[Array, Array, Array]) -> None:
        self.size += len(law[0]) + 64
        if self.size > KEPT:
            self.laws, self.size = {}, 0
        self.laws[key] = law


_memory = _Memory()


def tied_log_tails(
    masses: Array, statistic: Callable[..., Array], values: Array | None = None
) -> tuple[Array, Array]:
    """Logarithms of P(S <= s) and P(S >= s) of a statistic of each column's tied masses when the labels are permuted.

    An outcome is how many rows of each class each distinct value gets, given how often the values
    and the classes occur. Where a column leaves at most 4096 outcomes, all are enumerated, each
    with its multivariate hypergeometric chance: the test of Freeman and Halton, ordered by the
    statistic. For two values with two classes, or with a count below 5 to be expected, 65,536
    outcomes are enumerated. NaN where there may be more, or where masses are not whole numbers.
    With K classes a column of two values, one of them m times, has at most C(m + K - 1, K - 1)
    outcomes: with equal classes m may be 89 with three, 27 with four, 24 with five, 9 with ten.

    Parameters
    ----------
    masses : array, shape (n_classes, n_columns, n_values)
        As `subsel.data.statistics.ties.tie_blocks` gives them: the occurring values first.
    statistic : callable
        Gives one number for each column of such masses. The law is remembered under it: hand over
        the same object, not a new lambda, for each block of columns.
    values : array, shape (n_columns, n_values), optional
        What the statistic takes as its second argument, if it asks for more than the order of the
        values.

    Examples
    --------
    >>> def ones(masses): return masses[1, :, 1]
    >>> masses = np.array([[[2.0, 0.0]], [[0.0, 2.0]]])  # the values 0, 0, 1, 1 and the classes likewise
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
    margins, seen = [of_class, sizes], [masses]
    if values is not None:
        margins.append(values[shallow, :DEEPEST])
        seen.append(margins[-1])
    observed = statistic(*seen)
    shapes, which = np.unique(np.hstack(margins)[countable], axis=0, return_inverse=True)
    by_shape = np.split(
        countable[np.argsort(which.ravel(), kind="stable")],
        np.cumsum(np.bincount(which.ravel()))[:-1],
    )
    for shape, alike in zip(shapes, by_shape):
        law = _law(statistic, shape, len(masses), sizes.shape[1])
        tails[:, shallow[alike]] = _tails(*law, observed[alike])
    return tails[0], tails[1]


def two_sided(lower: Array, upper: Array) -> Array:
    """Twice the smaller of two tails given by their logarithms, at most 1."""
    return np.minimum(2 * np.exp(np.minimum(lower, upper)), 1.0)


def are_whole(masses: Array) -> Array:
    """Whether the masses of each column count rows."""
    return (masses == np.rint(masses)).all(axis=(0, 2))


def _are_few(sizes: Array, of_class: Array) -> Array:
    """Whether the outcomes are few, by either of two bounds: what the values can take of the classes, or the reverse."""
    bound = np.minimum(_log_outcomes(sizes, of_class), _log_outcomes(of_class, sizes))
    least = 0.0
    if sizes.shape[1] > 1:
        least = np.sort(sizes, axis=1)[:, -2] * of_class.min(axis=1) / of_class.sum(axis=1)
    wanted = ((sizes > 0).sum(axis=1) == 2) & ((of_class.shape[1] == 2) | (least < SMALL))
    return bound <= np.log(np.where(wanted, OUTCOMES_OF_TWO, OUTCOMES)) + 1e-9


def _log_outcomes(rows: Array, columns: Array) -> Array:
    """Bound the number of tables with these margins, one pair of margins a line, by what every row but the largest can hold."""
    n_columns = columns.shape[1]
    of_cells = np.log(np.minimum(rows[:, :, None], columns[:, None, :]) + 1).sum(axis=2)
    of_cells -= np.log(
        np.minimum(rows, columns.max(axis=1)[:, None]) + 1
    )  # the largest column takes what is left
    choices = np.minimum(of_cells, log_comb(rows + n_columns - 1, n_columns - 1.0))
    return choices.sum(axis=1) - choices[np.arange(len(rows)), rows.argmax(axis=1)]


def _law(
    statistic: Callable[..., Array], shape: Array, n_classes: int, n_values: int
) -> tuple[Array, Array, Array]:
    """What the statistic can be, ascending, and the logarithms of both its tails there."""
    key = (statistic, n_classes, n_values, shape.tobytes())
    law = _memory.laws.get(key)
    if law is None:
        of_class, sizes, values = np.split(shape, [n_classes, n_classes + n_values])
        occurs = sizes > 0
        outcomes, log_chances = _outcomes(sizes[occurs].astype(np.int64), of_class.astype(np.int64))
        seen = (values[None, occurs],) if len(values) else ()
        parts = (
            outcomes[:, start : start + OUTCOMES_AT_ONCE]
            for start in range(0, len(log_chances), OUTCOMES_AT_ONCE)
        )
        found = np.concatenate([statistic(part, *seen) for part in parts])
        order = np.argsort(found, kind="stable")
        law = found[order], *log_tails(log_chances[order])
        _memory.keep(key, law)
    return law


def _outcomes(sizes: Array, of_class: Array) -> tuple[Array, Array]:
    """All masses that a column with values so often can have with classes so large, and the logarithms of their chances.

    Cell by cell, each with what still leaves the rest possible, so that no beginning is in vain;
    the commonest value and the largest class take what is left.
    """
    commonest, largest = int(sizes.argmax()), int(of_class.argmax())
    others = [k for k in range(len(of_class)) if k != largest]
    taken = np.zeros((1, len(others), len(sizes)), dtype=np.int32)
    left = of_class[None]  # of each class
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
            taken, left, rest, room = (
                taken[before],
                left[before],
                rest[before] - option,
                room[before],
            )
            taken[:, place, value] = option
            left[:, k] -= option
        left[:, largest] -= rest
    masses = np.empty((len(of_class), len(left), len(sizes)))
    masses[others] = taken.transpose(1, 0, 2)
    masses[:, :, commonest] = left.T
    masses[largest] = sizes - masses[others].sum(axis=0)
    return masses, log_chances + _log_deals(left, others) - _log_deals(of_class[None], others)


def _log_deals(parts: Array, others: list[int]) -> Array:
    """Logarithm of the number of ways to deal out a line's sum in such parts, all but one being the others."""
    rest, log_ways = parts.sum(axis=1), np.zeros(len(parts))
    for k in others:
        log_ways += _log_ways(rest, parts[:, k])
        rest = rest - parts[:, k]
    return log_ways


def _log_ways(n: Array, k: Array) -> Array:
    """The logarithm of n over k, looked up if all n are one, as they are with two classes."""
    if k.max() < len(k) and (n == n[0]).all():
        return log_comb(n[0], np.arange(k.max() + 1))[k]
    return log_comb(n, k)


def _tails(values: Array, lower: Array, upper: Array, observed: Array) -> tuple[Array, Array]:
    """Both tails at the observed values; values that differ by rounding are equal."""
    slack = 1e-9 * np.maximum(np.abs(observed), 0.1)
    below = np.searchsorted(values, observed + slack, side="right") - 1
    return lower[below], upper[np.searchsorted(values, observed - slack, side="left")]
