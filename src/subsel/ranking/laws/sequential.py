"""Sequential Monte Carlo p-values: permutations are drawn until enough reach the observed score."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["MOST_PERMUTATIONS", "derived_seed", "sequential_p_values", "stages"]

Array = np.ndarray
MOST_PERMUTATIONS = 100_000  # per column by default: p-values down to 1e-5
FIRST_STAGE = 128  # permutations of the first stage; each further stage doubles their number


def sequential_p_values(
    n_reaching: Callable[[Array, int, int], Array], n_columns: int, n_permutations: int, enough: int
) -> Array:
    r"""Compute p-values by permutations drawn in stages until enough reach the observed score [1]_.

    .. math:: p = (1 + b_t) / (1 + m_t)

    where b of the m permutations drawn up to stage t score at least as high as the data, and t is
    the first stage at which b is at least `enough`, or the last. The p-value is valid:
    ``p <= alpha`` entails ``1 + b <= alpha (1 + m)`` at the first stage at which ``alpha (1 + m)``
    exceeds `enough`, and which stage that is does not depend on the draws, so that the probability
    is at most alpha, as for a fixed m. A column of p-value p needs about ``enough / p``
    permutations, so that columns of noise need few.

    Parameters
    ----------
    n_reaching : callable
        ``n_reaching(columns, stage, size)`` gives, for each of these column numbers, how many of
        the `size` permutations of the stage score at least as high as the data.
    n_columns : int
        The number of columns.
    n_permutations : int
        The most that are drawn for a column: no p-value is below ``1 / (1 + n_permutations)``.
    enough : int
        The number of permutations at or above the observed score that ends the drawing; the
        relative standard error of a p-value is about ``1 / sqrt(enough)``.

    Returns
    -------
    ndarray of shape (n_columns,)
        The p-values.

    References
    ----------
    .. [1] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.

    Examples
    --------
    >>> def a_quarter(columns, stage, size):
    ...     return np.full(len(columns), size // 4)
    >>> sequential_p_values(a_quarter, 2, 1000, enough=20)  # stops after 128 permutations
    array([0.25581395, 0.25581395])
    """
    reached, drawn = np.zeros(n_columns), np.zeros(n_columns)
    open_ = np.arange(n_columns)
    for stage, size in enumerate(stages(n_permutations)):
        if len(open_) == 0:
            break
        reached[open_] += n_reaching(open_, stage, size)
        drawn[open_] += size
        open_ = open_[reached[open_] < enough]
    return (1 + reached) / (1 + drawn)


def stages(n_permutations: int) -> list[int]:
    """Give the number of permutations that each stage adds.

    Examples
    --------
    >>> stages(1000)
    [128, 128, 256, 488]
    """
    sizes = [min(FIRST_STAGE, n_permutations)]
    while (drawn := sum(sizes)) < n_permutations:
        sizes.append(min(drawn, n_permutations - drawn))
    return sizes


def derived_seed(random_state: Any) -> int:
    """Draw one integer from a seed or generator, from which all streams of a call are derived."""
    return int(np.random.default_rng(random_state).integers(2**62))
