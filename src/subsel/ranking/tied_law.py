"""The exact law of a statistic of two classes under permuted labels, for columns whose ties leave few outcomes."""

from collections.abc import Callable

import numpy as np

from subsel.ranking.exact import log_comb

__all__ = ["are_whole", "tied_log_tails", "two_sided"]

Array = np.ndarray
OUTCOMES = 1 << 12  # tables that are enumerated for a column of three or more values
OUTCOMES_OF_TWO = 1 << 16  # and for a column of two, whose law is the hypergeometric one
DEEPEST = 13  # distinct values: every one beyond the commonest at least doubles the outcomes


def tied_log_tails(masses: Array, statistic: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Logarithms of P(S <= s) and P(S >= s) of a statistic of each column's tied masses when the labels are permuted.

    An outcome is how many rows of the smaller class each distinct value gets. Where a column leaves few, all are
    enumerated, each with its multivariate hypergeometric chance. NaN where there are too many, or where masses are
    not whole numbers.

    Parameters
    ----------
    masses : array, shape (2, n_columns, n_values)
        As `subsel.ranking.ties.tie_blocks` gives them: the occurring values first.
    statistic : callable
        Gives one number for each column of such masses.

    Examples
    --------
    >>> masses = np.array([[[2.0, 0.0]], [[0.0, 2.0]]])  # the values 0, 0, 1, 1 and the classes likewise
    >>> np.exp(tied_log_tails(masses, lambda masses: masses[1, :, 1])).ravel().round(4)
    array([1.    , 0.1667])
    """
    tails = np.full((2, masses.shape[1]), np.nan)
    shallow = np.flatnonzero(~masses[:, :, DEEPEST:].any(axis=(0, 2)))
    masses = masses[:, shallow, :DEEPEST]
    sizes, of_class = masses.sum(axis=0), masses.sum(axis=2)
    countable = np.flatnonzero(_are_few(sizes, of_class.min(axis=0)) & are_whole(masses))
    if len(countable) == 0:
        return tails[0], tails[1]
    observed = statistic(masses)
    shapes = np.column_stack([of_class.T, sizes])[countable]
    shapes, which = np.unique(shapes.astype(np.int64), axis=0, return_inverse=True)
    for number, shape in enumerate(shapes):
        outcomes, log_chances = _outcomes(shape[2:][shape[2:] > 0], shape[:2])
        alike = countable[which.ravel() == number]
        tails[:, shallow[alike]] = _tails(statistic(outcomes), log_chances, observed[alike])
    return tails[0], tails[1]


def two_sided(lower: Array, upper: Array) -> Array:
    """Twice the smaller of two tails given by their logarithms, at most 1."""
    return np.minimum(2 * np.exp(np.minimum(lower, upper)), 1.0)


def _are_few(sizes: Array, n_few: Array) -> Array:
    """Whether the outcomes, bounded by what each value but the commonest can take, are few."""
    choices = np.log2(np.minimum(sizes, n_few[:, None]) + 1)
    bound = choices.sum(axis=1) - choices[np.arange(len(sizes)), sizes.argmax(axis=1)]
    limit = np.where((sizes > 0).sum(axis=1) > 2, OUTCOMES, OUTCOMES_OF_TWO)
    return bound <= np.log2(limit) + 1e-9


def are_whole(masses: Array) -> Array:
    """Whether the masses of each column count rows."""
    return (masses == np.rint(masses)).all(axis=(0, 2))


def _outcomes(sizes: Array, of_class: Array) -> tuple[Array, Array]:
    """All masses that a column with values so often can have with classes so large, and the logarithms of their chances."""
    few, commonest = int(of_class.argmin()), int(sizes.argmax())
    n_few = int(of_class[few])
    taken, left, log_chances = np.zeros((1, len(sizes))), np.array([n_few]), np.zeros(1)
    for value in range(len(sizes)):
        if value == commonest:
            continue
        options = np.arange(min(sizes[value], n_few) + 1)
        before, option = np.nonzero(left[:, None] >= options)
        taken, left = taken[before], left[before] - option
        taken[:, value] = option
        log_chances = log_chances[before] + log_comb(sizes[value], options)[option]
    fits = left <= sizes[commonest]
    taken, left = taken[fits], left[fits]
    taken[:, commonest] = left
    log_chances = log_chances[fits] + log_comb(sizes[commonest], np.arange(n_few + 1))[left]
    masses = np.stack([taken, sizes - taken] if few == 0 else [sizes - taken, taken])
    return masses, log_chances - log_comb(of_class.sum(), n_few)


def _tails(values: Array, log_chances: Array, observed: Array) -> tuple[Array, Array]:
    """Logarithms of both tails at the observed values; values that differ by rounding are equal."""
    order = np.argsort(values, kind="stable")
    values, log_chances = values[order], log_chances[order]
    below, above = np.logaddexp.accumulate(log_chances), np.logaddexp.accumulate(log_chances[::-1])[::-1]
    slack = 1e-9 * np.maximum(np.abs(observed), 0.1)
    lower = below[np.searchsorted(values, observed + slack, side="right") - 1]
    upper = above[np.searchsorted(values, observed - slack, side="left")]
    return np.minimum(lower, 0.0), np.minimum(upper, 0.0)
