"""MODL: the most probable intervals of a column given the classes."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from subsel.data.intervals.base import SupervisedDiscretiser, between

__all__ = ["MODL", "best_partition", "greedy_partition", "partition_cost"]

MARKS = 48  # intervals after merging whose cuts are combined optimally; chosen on samples


def partition_cost(intervals: np.ndarray) -> float:
    """Return the cost of a partition in nats, given its class counts (n_intervals, n_classes).

    Examples
    --------
    >>> round(partition_cost(np.array([[3, 0], [0, 3]])), 6)
    6.510258
    >>> round(partition_cost(np.array([[3, 3]])), 6)
    6.733402
    """
    m = np.sum(intervals)
    return float(
        np.log(m) + ln_choose(m, len(intervals)) + interval_costs(np.asarray(intervals)).sum()
    )


def greedy_partition(table: np.ndarray) -> tuple[np.ndarray, float]:
    """Find a partition of nearly least cost by merging neighbours, and improve it by local moves.

    Neighbouring intervals are merged down to one [1]_. The cuts between the last 48 intervals are
    then combined optimally by dynamic programming. Finally the best split, merge, merge-split or
    merge-merge-split is made until none lowers the cost; these moves are those of [2]_, which
    starts from the best partition that merging meets. With at most 48 runs of one class the result
    is the partition of least cost. The time is of the order of m log m for m rows.

    Parameters
    ----------
    table : ndarray of shape (n_values, n_classes)
        How often each class occurs with each value, in ascending order of values.

    Returns
    -------
    begins : ndarray of int of shape (n_intervals,)
        The first row of the table in each interval.
    cost : float
        The cost of the partition.

    Notes
    -----
    Of 1050 samples (20 to 200 rows; noise, one to six waves, steps; two to four classes; with and
    without ties; other samples than those on which 48 was chosen) merging alone finds the partition
    of least cost in 83.6 %, merging and moves in 98.4 % (97.1 % if only single cuts are moved,
    added and removed in turn), and all three steps in 99.5 %. In the five other samples the cost is
    0.8 nats too large on average and 3.0 at most.

    References
    ----------
    .. [1] M. Boulle, "An Enhanced Selective Naive Bayes Method with Optimal Discretization", in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 25, MODL.
    .. [2] M. Boulle, "MODL: a Bayes optimal discretization method for continuous attributes",
       *Machine Learning* 65, 2006.

    Examples
    --------
    >>> begins, cost = greedy_partition(np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]))
    >>> begins, round(cost, 6)
    (array([0, 3]), 6.510258)
    """
    from subsel._loops.statistics.modl import cheapest_chain, improve_cuts

    begins, runs = _runs_of_one_class(table)
    order, n_merges = _merges(runs)
    marks = np.delete(np.arange(len(runs) + 1), order[: max(0, min(n_merges, len(runs) - MARKS))])
    below = np.vstack([np.zeros(runs.shape[1]), np.cumsum(runs, axis=0)])
    cuts = np.append(marks, np.zeros(len(below) - len(marks), dtype=marks.dtype))
    n_intervals = len(marks) - 1
    if n_intervals <= MARKS:
        n_intervals = cheapest_chain(below, marks, cuts)
    begins = begins[cuts[: improve_cuts(below, cuts, n_intervals)]]
    return begins, partition_cost(np.add.reduceat(table, begins, axis=0))


def _merges(runs: np.ndarray) -> tuple[np.ndarray, int]:
    """Merge neighbouring runs down to one.

    Returns
    -------
    order : ndarray of int of shape (n_runs,)
        The runs in the order in which they are merged with the run before.
    n_merges : int
        The number of merges after which the cost is least.
    """
    from subsel._loops.statistics.modl import merge_intervals

    width = 1 << max(1, (len(runs) - 1).bit_length())
    order = np.empty(len(runs), dtype=np.intp)
    tree = np.empty(2 * width, dtype=np.intp)
    n_merges = merge_intervals(
        runs.copy(), interval_costs(runs), np.full(width, np.inf), tree, order
    )
    return order, n_merges


def best_partition(table: np.ndarray) -> tuple[np.ndarray, float]:
    """Find the partition of least cost by dynamic programming, in cubic time.

    The parameters and results are those of :func:`greedy_partition`. Level i of the recursion has
    the least cost of dividing the first runs into i + 1 intervals, since costs of intervals add up.

    Examples
    --------
    >>> begins, cost = best_partition(np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]))
    >>> begins, round(cost, 6)
    (array([0, 3]), 6.510258)
    """
    begins, runs = _runs_of_one_class(table)
    below = np.vstack([np.zeros(runs.shape[1]), np.cumsum(runs, axis=0)])
    local = interval_costs(np.maximum(below[None, :] - below[:, None], 0))
    local[np.tril_indices(len(below))] = np.inf
    costs, origins = [local[0]], [np.zeros(len(below), dtype=np.intp)]
    for _ in range(1, len(runs)):
        paths = costs[-1][:, None] + local
        origins.append(np.argmin(paths, axis=0))
        costs.append(np.min(paths, axis=0))
    m = np.sum(runs)
    sizes = np.arange(1, len(runs) + 1)
    totals = np.log(m) + ln_choose(m, sizes) + [cost[-1] for cost in costs]
    end, cuts = len(runs), []
    for level in range(int(np.argmin(totals)), -1, -1):
        end = origins[level][end]
        cuts.append(end)
    return begins[cuts[::-1]], float(np.min(totals))


def ln_choose(m: np.ndarray | float, parts: np.ndarray | int) -> np.ndarray:
    """Return the logarithm of the number of ways to write m as an ordered sum of parts >= 0.

    That number is the binomial coefficient (m + parts - 1 choose parts - 1).
    """
    return gammaln(m + parts) - gammaln(m + 1.0) - gammaln(parts)


def interval_costs(counts: np.ndarray) -> np.ndarray:
    """Return the cost of the class counts of each interval, and of the labels given the counts."""
    m, n_classes = counts.sum(axis=-1), counts.shape[-1]
    return ln_choose(m, n_classes) + gammaln(m + 1.0) - gammaln(counts + 1.0).sum(axis=-1)


def _runs_of_one_class(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Join neighbouring values of the same single class, between which an optimal cut never is.

    Returns
    -------
    begins : ndarray of int of shape (n_runs,)
        The first row of the table in each run.
    runs : ndarray of shape (n_runs, n_classes)
        The class counts of each run.
    """
    label = np.where(np.count_nonzero(table, axis=1) == 1, np.argmax(table, axis=1), -1)
    same = (label[1:] == label[:-1]) & (label[1:] >= 0)
    begins = np.flatnonzero(np.concatenate([[True], ~same]))
    return begins, np.add.reduceat(table.astype(np.float64), begins, axis=0)


class MODL(SupervisedDiscretiser):
    r"""Cut each column into the most probable intervals given the classes [1]_ (Boulle).

    See :func:`subsel.ranking.modl` for the cost. No parameter decides how many intervals there are.

    Parameters
    ----------
    exact : bool
        Whether to find the partition of least cost by dynamic programming, in time cubic in the
        number of runs of one class; by default :func:`greedy_partition` finds one that nearly
        always has least cost.

    References
    ----------
    .. [1] M. Boulle, "An Enhanced Selective Naive Bayes Method with Optimal Discretization", in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 25, MODL.

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4], [5], [6]])
    >>> MODL().fit(X, [0, 0, 0, 1, 1, 1]).cut_points_
    [array([3.5])]
    """

    def __init__(self, exact: bool = False) -> None:
        self.exact = exact

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points before each interval but the first."""
        partition = best_partition if self.exact else greedy_partition
        begins, _ = partition(table)
        return between(values, begins[1:] - 1)
