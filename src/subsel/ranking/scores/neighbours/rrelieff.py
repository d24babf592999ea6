"""RReliefF: Relief for a numeric target."""

from typing import Any

import numpy as np

from subsel.data.statistics.neighbourhood import nearest
from subsel.data.statistics.score_input import target
from subsel.ranking.registry import score
from subsel.ranking.scores.neighbours.relief import check_neighbours, differences, without_self

__all__ = ["rrelieff"]


@score("rrelieff", classification=False, regression=True, missing=True)
def rrelieff(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    metric: str = "manhattan",
    ramp: bool = False,
    device: str | None = None,
) -> np.ndarray:
    r"""Score features by whether they differ where a numeric target does, among near rows [1]_.

    With :math:`d_y` the difference of the target divided by its range, and sums over the k
    neighbours of each row, of weight 1/k,

    .. math::

        s_f = \frac{N_{dY \wedge dX}}{N_{dY}} - \frac{N_{dX} - N_{dY \wedge dX}}{n - N_{dY}},
        \quad N_{dX} = \sum \mathrm{diff}_f,\ N_{dY} = \sum d_y,\
        N_{dY \wedge dX} = \sum d_y\,\mathrm{diff}_f

    Parameters are those of :func:`relieff`. All neighbours have the same weight, whatever their
    rank. With a constant target, a feature without differences scores 0 and all others score below.

    References
    ----------
    .. [1] Robnik-Šikonja & Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
       *Machine Learning* 53, 2003, figure 3.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Relief family.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> rrelieff(X, [0.0, 1.0, 2.0, 3.0], n_neighbors=3)
    array([ 0.25, -0.15])
    """
    check_neighbours(n_neighbors)
    y = target(X, y)
    table = differences(X, np.zeros(len(y), dtype=np.intp), nominal, metric, ramp, device)
    heights = (y - y.min()) / (np.ptp(y) or 1.0)
    gap_y, gap_x, gap_both = 0.0, np.zeros(table.n_features), np.zeros(table.n_features)
    for rows, distances in table.blocks():
        near = nearest(without_self(distances, rows), n_neighbors, table.slack)
        weights = near / np.maximum(near.sum(axis=1, keepdims=True), 1)
        joint = weights * np.abs(heights[rows, None] - heights)
        gap_y += joint.sum()
        gap_x += table.sums(rows, weights)
        gap_both += table.sums(rows, joint)
    return share_of(gap_both, gap_y) - share_of(gap_x - gap_both, table.n_rows - gap_y)


def share_of(part: np.ndarray, whole: float) -> np.ndarray:
    """Divide by a number, with 0 where it is not positive."""
    return part / whole if whole > 0 else np.zeros_like(part)
