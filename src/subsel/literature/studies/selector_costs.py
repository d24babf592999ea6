"""How the work of six classic selectors grows with the table, in which order to try them, and how ours grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from time import process_time
from typing import Any

import numpy as np

__all__ = [
    "SELECTOR_COSTS",
    "SelectorCost",
    "growth_exponent",
    "order_of_trial",
    "selector_cost",
    "study_cost",
]


@dataclass(frozen=True)
class SelectorCost:
    """A selector with the predictor that suits it, and what its training costs.

    Attributes
    ----------
    predictor : str
        The learner that matches the selector.
    formula : str
        The number of operations up to a constant, as printed: n features, m rows.
    kind : str
        Whether it ranks, adds or removes, and what it sees.
    capacity : str
        What controls how much it can fit.
    trial : int
        When to try it: 1 first, 3 last. Raise the complexity only where it pays.
    operations : callable
        ``operations(m, n, f, h, t)``: the formula as a function of rows, features, features wanted, hidden units
        and trees.

    Examples
    --------
    >>> SELECTOR_COSTS["relief"].predictor, SELECTOR_COSTS["relief"].formula
    ('nearest neighbours', 'n m^2')
    """

    predictor: str
    formula: str
    kind: str
    capacity: str
    trial: int
    operations: Callable[[float, float, float, float, float], float]


SELECTOR_COSTS: dict[str, SelectorCost] = {
    "pearson": SelectorCost(
        "naive Bayes",
        "n m",
        "ranking, linear, one feature at a time",
        "none needed",
        1,
        lambda m, n, f, h, t: n * m,  # noqa: ARG005
    ),
    "relief": SelectorCost(
        "nearest neighbours",
        "n m^2",
        "ranking, non-linear, features together",
        "number of neighbours",
        3,
        lambda m, n, f, h, t: n * m**2,  # noqa: ARG005
    ),
    "gram-schmidt": SelectorCost(
        "linear least squares",
        "f n m",
        "forward, linear",
        "ridge",
        2,
        lambda m, n, f, h, t: f * n * m,  # noqa: ARG005
    ),
    "rfe-svm": SelectorCost(
        "support vector machine",
        "max(n, m) m^2",
        "backward, linear or kernel",
        "kernel, soft margin",
        2,
        lambda m, n, f, h, t: max(n, m) * m**2,  # noqa: ARG005
    ),
    "obd-ard": SelectorCost(
        "neural network",
        "min(n, m) n m h",
        "backward, non-linear",
        "hidden units, weight decay",
        3,
        lambda m, n, f, h, t: min(n, m) * n * m * h,  # noqa: ARG005
    ),
    "random-forest": SelectorCost(
        "random forest",
        "t sqrt(n) m log m",
        "forward in each tree, non-linear",
        "number and depth of trees",
        3,
        lambda m, n, f, h, t: t * sqrt(n) * m * log2(m),  # noqa: ARG005
    ),
}
"""Six selectors by name, with their costs."""


def selector_cost(
    name: str,
    n_rows: float,
    n_features: float,
    n_selected: float | None = None,
    n_hidden: float = 10,
    n_trees: float = 100,
) -> float:
    """Count the operations a selector takes to train, up to a constant [1]_.

    The choice of the number of features is not in it: multiply by the folds that choose it (see `study_cost`).

    Parameters
    ----------
    name : str
        A key of ``SELECTOR_COSTS``.
    n_rows, n_features : float
        The table.
    n_selected : float, optional
        Features that Gram-Schmidt takes; all unless given.
    n_hidden : float
        Units of the network.
    n_trees : float
        Trees of the forest.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, table 1 and appendix B.

    Examples
    --------
    >>> selector_cost("relief", 200, 50) / selector_cost("pearson", 200, 50)
    200.0
    """
    if name not in SELECTOR_COSTS:
        raise ValueError(f"name must be one of {', '.join(SELECTOR_COSTS)}, got {name!r}.")
    wanted = n_features if n_selected is None else n_selected
    sizes = {
        "n_rows": n_rows,
        "n_features": n_features,
        "n_selected": wanted,
        "n_hidden": n_hidden,
        "n_trees": n_trees,
    }
    for argument, value in sizes.items():
        if not value >= 1:
            raise ValueError(f"{argument} must be at least 1, got {value}.")
    if wanted > n_features:
        raise ValueError(f"n_selected must lie in [1, {n_features}], got {wanted}.")
    return float(SELECTOR_COSTS[name].operations(n_rows, n_features, wanted, n_hidden, n_trees))


def study_cost(
    n_subsets: float, criterion: float, n_folds: float = 1, n_members: float = 1
) -> float:
    """Count the operations of a whole study: subsets tried, times a criterion, times folds, times members [1]_.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, section 4.4.

    Examples
    --------
    >>> study_cost(25, selector_cost("pearson", 100, 1000), n_folds=10)
    25000000.0
    """
    return float(n_subsets) * criterion * n_folds * n_members


def order_of_trial(
    n_rows: float, n_features: float, n_selected: float | None = None, limit: float = np.inf
) -> list[str]:
    """Name the selectors in the order to try them: simple before complex, cheap before dear [1]_.

    One feature at a time with naive Bayes first; then linear and together; then non-linear. ``limit`` leaves out
    those of more operations.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, section 3 and appendix B.

    Examples
    --------
    >>> order_of_trial(100, 10_000, n_selected=20)
    ['pearson', 'gram-schmidt', 'rfe-svm', 'random-forest', 'relief', 'obd-ard']
    >>> order_of_trial(100, 10_000, n_selected=20, limit=3e7)
    ['pearson', 'gram-schmidt', 'random-forest']
    """
    costs = {name: selector_cost(name, n_rows, n_features, n_selected) for name in SELECTOR_COSTS}
    affordable = [name for name in costs if costs[name] <= limit]
    return sorted(affordable, key=lambda name: (SELECTOR_COSTS[name].trial, costs[name]))


def growth_exponent(
    work: Callable[[Any], Any],
    sizes: Sequence[float],
    repeats: int = 3,
    clock: Callable[[], float] = process_time,
) -> float:
    """Measure how work grows: the slope of its time against the size, both in logarithms.

    ``work(size)`` prepares a problem of that size and gives a function without arguments, of which the fastest of
    some runs counts; sizes take turns, so that a busy machine slows all alike.

    Parameters
    ----------
    work : callable
        As above.
    sizes : sequence of float
        Two at least, all different.
    repeats : int
        Runs of each size, after one to warm up.
    clock : callable
        Seconds, or any other count of work; processor time by default.

    Examples
    --------
    >>> ticks = [0.0]
    >>> def squares(size):
    ...     def run():
    ...         ticks[0] += size**2
    ...     return run
    >>> round(growth_exponent(squares, [10, 20, 40], clock=lambda: ticks[0]), 6)
    2.0
    """
    if len(set(sizes)) < 2:
        raise ValueError(f"sizes must hold two different sizes at least, got {list(sizes)}.")
    runs = [work(size) for size in sizes]
    for run in runs:
        run()
    taken = np.empty((repeats, len(runs)))
    for row in taken:
        for place, run in enumerate(runs):
            begun = clock()
            run()
            row[place] = clock() - begun
    seconds = np.maximum(taken.min(axis=0), np.finfo(float).tiny)
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
