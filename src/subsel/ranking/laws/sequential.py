"""Sequential Monte Carlo p-values: relabellings are drawn until enough of them did as well as the labels themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["MOST_PERMUTATIONS", "seed_of", "sequential_p_values", "stages"]

Array = np.ndarray
MOST_PERMUTATIONS = 100_000  # for a column, unless another number is asked for
FIRST = 128  # permutations of the first stage; every further one doubles their number


def sequential_p_values(
    n_reaching: Callable[[Array, int, int], Array], n_columns: int, n_permutations: int, enough: int
) -> Array:
    r"""P-values by permutations that are drawn in stages, until `enough` of them did as well [1]_.

    .. math:: p = (1 + b_t) / (1 + m_t)

    with b of the m permutations drawn up to stage t scoring at least as high as the data, t being
    the first stage with enough of them, or the last. ``p <= alpha`` entails ``1 + b <= alpha (1 +
    m)`` at the first stage where ``alpha (1 + m)`` exceeds `enough`, which is known beforehand: so
    the chance of it is at most alpha, as if m were fixed. A column of p-value p takes about
    ``enough / p`` permutations, so that columns of noise take few.

    Parameters
    ----------
    n_reaching : callable
        ``n_reaching(columns, stage, size)`` tells of some columns how many of the permutations of
        that stage reach them.
    n_permutations : int
        The most that are drawn for a column: no p-value is below ``1 / (1 + n_permutations)``.
    enough : int
        Its relative standard error is about ``1 / sqrt(enough)``.

    References
    ----------
    .. [1] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.

    Examples
    --------
    >>> sequential_p_values(lambda columns, stage, size: np.full(len(columns), size // 4), 2, 1000, enough=20)
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
    """How many permutations each stage adds.

    >>> stages(1000)
    [128, 128, 256, 488]
    """
    sizes = [min(FIRST, n_permutations)]
    while (drawn := sum(sizes)) < n_permutations:
        sizes.append(min(drawn, n_permutations - drawn))
    return sizes


def seed_of(random_state: Any) -> int:
    """A whole number that stands for a seed or generator in all streams drawn from it."""
    return int(np.random.default_rng(random_state).integers(2**62))
