"""SURF and its variants: ReliefF with all rows inside a radius as neighbours."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.data.statistics.differences import Differences
from subsel.data.statistics.neighbourhood import hits_and_misses
from subsel.data.statistics.score_input import columns
from subsel.ranking.registry import score
from subsel.ranking.scores.neighbours.relief import differences

__all__ = ["multisurf", "multisurf_star", "surf", "surf_star"]

# Distances that deviate from a radius by less than this share of it are equal to it but for
# rounding: neither near nor far.
EDGE = 1e-12

# Gives the near and the far radius from the distances of some rows, of shape (n_chosen, n_rows).
Radii = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@score("surf", multiclass=True, regression=True, missing=True)
def surf(
    X: Any,
    y: Any,
    *,
    nominal: Any = None,
    metric: str = "manhattan",
    misses: str = "observed",
    regression: bool | None = None,
    ramp: bool = False,
    device: str | None = None,
) -> np.ndarray:
    r"""Score features by their differences to near misses less those to near hits [1]_.

    A row is near if its distance is below the mean of all :math:`n^2` entries of the table of
    distances (the zeros on the diagonal included, as in skrebate). Each row distributes a weight of
    -1 among its near hits and of +1 among its near misses:

    .. math:: s_f = \frac1n \sum_i \Big( \sum_{j \in M_i} \frac{\mathrm{diff}_f(i,j)}{|M_i|}
                    - \sum_{j \in H_i} \frac{\mathrm{diff}_f(i,j)}{|H_i|} \Big)

    The distances take :math:`n^2 p / 2` differences and the scores up to as many again. Up to 8192
    rows the distances stay in memory (8 bytes a pair); more rows are processed in blocks of 128,
    and the distances are computed again in each of two rounds.

    Parameters
    ----------
    X, y, nominal, metric, misses, ramp, device : object
        As in :func:`subsel.ranking.relieff`; here several classes share the weight of misses as in
        skrebate, unless ``misses="prior"``.
    regression : bool, optional
        Whether y is numeric: rows within one standard deviation of each other in y are then hits.
        By default scikit-learn's reading of y decides.

    References
    ----------
    .. [1] Greene et al., "Spatially Uniform ReliefF (SURF) for computationally-efficient filtering
       of gene-gene interactions", *BioData Mining* 2:5, 2009. Extends.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> surf(X, [0, 0, 1, 1])
    array([0.9, 0. ])
    """
    sides = hits_and_misses(X, y, regression, misses)
    table = differences(X, sides.codes, nominal, metric, ramp, device)
    near = _near_and_far(_mean_of_all(table))
    return (
        table.total(lambda distances, rows: sides.weigh(near(distances, rows)[0], rows))
        / table.n_rows
    )


@score("surf_star", "surf*", multiclass=True, regression=True, missing=True)
def surf_star(
    X: Any,
    y: Any,
    *,
    nominal: Any = None,
    metric: str = "manhattan",
    misses: str = "observed",
    regression: bool | None = None,
    ramp: bool = False,
    device: str | None = None,
) -> np.ndarray:
    r"""Score features as :func:`surf` does, less the same score over the far rows [1]_.

    A row is far if its distance is above the mean. The score finds pairs that are relevant only
    jointly and weakens single effects. Parameters are those of :func:`surf`.

    References
    ----------
    .. [1] Greene et al., "The informative extremes: using both nearest and farthest individuals can
       improve Relief algorithms in the domain of human genetics", *EvoBIO*, 2010. Extends.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> surf_star(X, [0, 0, 1, 1]).round(12)
    array([0.1, 0. ])
    """
    sides = hits_and_misses(X, y, regression, misses)
    table = differences(X, sides.codes, nominal, metric, ramp, device)
    zones = _near_and_far(_mean_of_all(table))

    def weigh(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        near, far = zones(distances, rows)
        return sides.weigh(near, rows) - sides.weigh(far, rows)

    return table.total(weigh) / table.n_rows


@score("multisurf", multiclass=True, regression=True, missing=True)
def multisurf(
    X: Any,
    y: Any,
    *,
    nominal: Any = None,
    metric: str = "manhattan",
    misses: str = "observed",
    regression: bool | None = None,
    ramp: bool = False,
    device: str | None = None,
) -> np.ndarray:
    r"""Score features as :func:`surf` does, with a radius for each row [1]_.

    The radius of a row is the mean of its distances to the others less half their standard
    deviation. There is no parameter to set. Of this family the score detected the widest variety of
    effects in [1]_. Parameters are those of :func:`surf`.

    References
    ----------
    .. [1] Urbanowicz et al., "Benchmarking Relief-based feature selection methods for
       bioinformatics data mining", *Journal of Biomedical Informatics* 85, 2018. Extends.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> multisurf(X, [0, 0, 1, 1])
    array([0.9, 0. ])
    """
    sides = hits_and_misses(X, y, regression, misses)
    table = differences(X, sides.codes, nominal, metric, ramp, device)
    near = _near_and_far(_mean_of_each)
    return (
        table.total(lambda distances, rows: sides.weigh(near(distances, rows)[0], rows))
        / table.n_rows
    )


@score("multisurf_star", "multisurf*", multiclass=True, regression=True, missing=True)
def multisurf_star(
    X: Any,
    y: Any,
    *,
    nominal: Any = None,
    metric: str = "manhattan",
    misses: str = "observed",
    regression: bool | None = None,
    ramp: bool = False,
    device: str | None = None,
) -> np.ndarray:
    r"""Score features as :func:`multisurf` does, and add the similarity of far rows [1]_.

    A row is far if its distance is above the mean plus half a deviation, and counts with
    :math:`1 - \mathrm{diff}` in place of the difference. All columns therefore share an offset. A
    column that is constant or without known values would have all of it; it scores as the lowest of
    the others, and at most 0. Parameters are those of :func:`surf`.

    References
    ----------
    .. [1] Granizo-Mackenzie & Moore, "Multiple threshold spatially uniform ReliefF for the genetic
       analysis of complex human diseases", *EvoBIO*, 2013. Extends.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> multisurf_star(X, [0, 0, 1, 1])
    array([1., 0.])
    """
    sides = hits_and_misses(X, y, regression, misses)
    table = differences(X, sides.codes, nominal, metric, ramp, device)
    zones = _near_and_far(_mean_of_each)
    constants = []  # the sums of the ones in 1 - diff, for each block of rows

    def weigh(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Give the weights of all rows for some; appends to `constants`."""
        near, far = zones(distances, rows)
        far_weights = sides.weigh(far, rows)
        constants.append(far_weights.sum())
        return sides.weigh(near, rows) - far_weights

    scores = (table.total(weigh) + sum(constants)) / table.n_rows
    varies = _varies(X)
    scores[~varies] = min(0.0, scores[varies].min(initial=0.0))
    return scores


def _varies(X: Any) -> np.ndarray:
    """Give the mask of the columns with more than one known value."""
    values = columns(X, accept_sparse=False, allow_nan=True)
    return np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)


def _near_and_far(
    radii: Radii,
) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Make the function that gives the masks of rows inside the near and outside the far radius."""

    def zones(distances: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near_radius, far_radius = radii(distances)
        near, far = distances < near_radius * (1 - EDGE), distances > far_radius * (1 + EDGE)
        near[np.arange(len(rows)), rows] = False  # a row is not its own neighbour
        return near, far

    return zones


def _mean_of_all(table: Differences) -> Radii:
    """Give the mean of all entries of the table of distances as both radii."""
    mean = sum(float(distances.sum()) for _, distances in table.blocks()) / table.n_rows**2
    return lambda _: (np.array(mean), np.array(mean))


def _mean_of_each(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give, for each row, the mean distance to the others less and plus half a deviation."""
    n_others = distances.shape[1] - 1
    mean = distances.sum(axis=1, keepdims=True) / n_others
    # The distance of the row to itself, 0, contributes (0 - mean)^2, which is subtracted again.
    squares = ((distances - mean) ** 2).sum(axis=1, keepdims=True) - mean**2
    half = np.sqrt(np.maximum(squares, 0.0) / n_others) / 2
    return mean - half, mean + half
