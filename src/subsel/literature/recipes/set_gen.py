"""SET-Gen: a genetic algorithm for small, right trees."""

from __future__ import annotations

from typing import Any

from subsel.criteria.refits.tree_fitness import TreeFitness
from subsel.search.populations.genetic import Genetic
from subsel.selector.subset import SubsetSelector

__all__ = ["set_gen"]


def set_gen(
    estimator: Any = None, population: int = 100, cv: Any = 10, **options: Any
) -> SubsetSelector:
    """Search columns by a genetic algorithm whose fitness weighs a tree's accuracy against its size [1]_.

    Parameters
    ----------
    estimator, cv : Any
        As in :class:`subsel.criteria.TreeFitness`.
    population : int
        Of the genetic algorithm.
    **options : Any
        Further parameters of :class:`subsel.SubsetSelector`.

    References
    ----------
    .. [1] Cherkauer and Shavlik, *Growing simpler decision trees to facilitate knowledge discovery*, KDD 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> set_gen(population=6, cv=3, budget=30, random_state=0).fit(X, y).get_support().sum() <= 2
    np.True_
    """
    return SubsetSelector(
        TreeFitness(estimator, cv), search=Genetic(population=population), **options
    )
