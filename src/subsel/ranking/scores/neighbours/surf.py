"""SURF and its kin: ReliefF with all rows inside a radius as neighbours, so that no number of them is chosen."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.data.statistics.differences import Differences
from subsel.data.statistics.neighbourhood import hits_and_misses
from subsel.data.statistics.score_input import columns
from subsel.ranking.registry import score
from subsel.ranking.scores.neighbours.relief import differences

__all__ = ["multisurf", "multisurf_star", "surf", "surf_star"]

EDGE = 1e-12  # distances this close to a radius, relatively, lie on it: neither near nor far

Radii = Callable[
    [np.ndarray], tuple[np.ndarray, np.ndarray]
]  # near and far, from the distances of some rows


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
    r"""Score features by how much less they differ among near hits than among near misses [1]_.

    Near means nearer than the mean of all :math:`n^2` entries of the table of distances (the zeros
    on the diagonal included, as skrebate does). Each row spreads -1 over its near hits and +1 over
    its near misses:

    .. math:: s_f = \frac1n \sum_i \Big( \sum_{j \in M_i} \frac{\mathrm{diff}_f(i,j)}{|M_i|}
                    - \sum_{j \in H_i} \frac{\mathrm{diff}_f(i,j)}{|H_i|} \Big)

    Parameters are those of :func:`subsel.ranking.relieff`, without the number of neighbours
    (several classes share the weight of misses as skrebate has them do, unless ``misses="prior"``),
    and

    regression : bool, optional
        Whether y is numeric: rows within one standard deviation of each other in y are then hits.
        By default as scikit-learn sees y.

    Takes :math:`n^2 p / 2` differences for the distances and up to as many again for the scores; up
    to 8192 rows the distances are kept (8 bytes a pair), beyond that rows go in blocks of 128 and
    distances are computed anew in each of two rounds.

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
    given = hits_and_misses(X, y, regression, misses)
    table = differences(X, given.codes, nominal, metric, ramp, device)
    near = _near_and_far(_mean_of_all(table))
    return (
        table.total(lambda distances, rows: given.weigh(near(distances, rows)[0], rows))
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
    r"""Score features as :func:`surf` and subtract the same score over the far rows [1]_.

    Far means further than the mean distance. Finds pairs that act together and blurs single
    effects.

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
    given = hits_and_misses(X, y, regression, misses)
    table = differences(X, given.codes, nominal, metric, ramp, device)
    zones = _near_and_far(_mean_of_all(table))

    def weigh(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        near, far = zones(distances, rows)
        return given.weigh(near, rows) - given.weigh(far, rows)

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
    r"""Score features as :func:`surf`, each row with a radius of its own [1]_.

    The radius of a row is the mean of its distances to the others less half their standard
    deviation. No parameter to set, and the member of the family that detected the widest variety of
    effects in [1]_.

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
    given = hits_and_misses(X, y, regression, misses)
    table = differences(X, given.codes, nominal, metric, ramp, device)
    near = _near_and_far(_mean_of_each)
    return (
        table.total(lambda distances, rows: given.weigh(near(distances, rows)[0], rows))
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
    r"""Score features as :func:`multisurf` and add, for rows beyond mean plus half a deviation, their likeness.

    Far rows count with :math:`1 - \mathrm{diff}` in place of the difference [1]_. So all columns
    share an offset, which zero is not; a column that is constant, or nowhere known, is as like
    among hits as among misses and would have it whole: it scores as the lowest of the others, and
    at most 0.

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
    given = hits_and_misses(X, y, regression, misses)
    table = differences(X, given.codes, nominal, metric, ramp, device)
    zones = _near_and_far(_mean_of_each)
    constants = []  # the ones of 1 - diff

    def weigh(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        near, far = zones(distances, rows)
        far_weights = given.weigh(far, rows)
        constants.append(far_weights.sum())
        return given.weigh(near, rows) - far_weights

    scores = (table.total(weigh) + sum(constants)) / table.n_rows
    varies = _varies(X)
    scores[~varies] = min(0.0, scores[varies].min(initial=0.0))
    return scores


def _varies(X: Any) -> np.ndarray:
    """Mask of the columns of more than one known value."""
    values = columns(X, accept_sparse=False, allow_nan=True)
    return np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)


def _near_and_far(
    radii: Radii,
) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Make the function that marks who lies inside the near radius and who outside the far one."""

    def zones(distances: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near_radius, far_radius = radii(distances)
        near, far = distances < near_radius * (1 - EDGE), distances > far_radius * (1 + EDGE)
        near[np.arange(len(rows)), rows] = False  # a row is not its own neighbour
        return near, far

    return zones


def _mean_of_all(table: Differences) -> Radii:
    mean = sum(float(distances.sum()) for _, distances in table.blocks()) / table.n_rows**2
    return lambda _: (np.array(mean), np.array(mean))


def _mean_of_each(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give for each row the mean distance to the others, less and plus half a standard deviation."""
    n_others = distances.shape[1] - 1
    mean = distances.sum(axis=1, keepdims=True) / n_others
    squares = ((distances - mean) ** 2).sum(
        axis=1, keepdims=True
    ) - mean**2  # less the row itself, at distance 0
    half = np.sqrt(np.maximum(squares, 0.0) / n_others) / 2
    return mean - half, mean + half
