"""Complete systems of the literature: functions that return a configured selector.

Each takes the estimator (or criterion) that evaluates subsets and, by name, any other parameter of
:class:`subsel.SubsetSelector`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from subsel.criteria.model_free.inconsistency import Inconsistency
from subsel.search.elimination.rve import Elimination
from subsel.search.populations.genetic import Genetic
from subsel.search.registry import Search
from subsel.search.sequential.floating import FloatingBackward, FloatingForward
from subsel.search.walks.annealing import Annealing
from subsel.search.walks.hill_climbing import HillClimbing
from subsel.search.walks.las_vegas import LasVegas
from subsel.search.walks.random_walk import RandomWalk
from subsel.selector.subset import SubsetSelector

__all__ = [
    "RECIPES",
    "floating_search",
    "genetic_algorithm",
    "las_vegas_filter",
    "rfs1",
    "rfs2",
    "rfs3",
    "rmhc",
    "rve",
    "rvers",
    "simulated_annealing",
]


def rfs1(estimator: Any, c: float | None = None, **options: Any) -> SubsetSelector:
    """Random walk that accepts a worse subset with probability exp(c * gain).

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, algorithm 1.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rfs1(GaussianNB(), c=10.0).search.c
    10.0
    """
    return SubsetSelector(estimator, search=RandomWalk("metropolis", c=c), **options)


def rfs2(estimator: Any, **options: Any) -> SubsetSelector:
    """Random walk that moves to better subsets only.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, algorithm 2.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rfs2(GaussianNB()).search.accept
    'better'
    """
    return SubsetSelector(estimator, search=RandomWalk("better"), **options)


def rfs3(estimator: Any, **options: Any) -> SubsetSelector:
    """Random walk that starts afresh at a random subset after each failure.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, algorithm 3.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rfs3(GaussianNB()).search.accept
    'restart'
    """
    return SubsetSelector(estimator, search=RandomWalk("restart"), **options)


def las_vegas_filter(
    estimator: Any = None, threshold: float | None = None, **options: Any
) -> SubsetSelector:
    """The smallest subset as consistent as all features, by random draws.

    Without an estimator subsets are evaluated by their inconsistency rate, as published; with one it is the Las Vegas
    wrapper. ``threshold`` is the quality to reach, by default that of the full set.

    References
    ----------
    .. [1] Liu and Setiono, *A probabilistic approach to feature selection: a filter solution*, ICML 1996.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> las_vegas_filter(GaussianNB(), threshold=0.9).search
    LasVegas(threshold=0.9, n_draws=None)
    """
    if estimator is None:
        estimator = Inconsistency()
    return SubsetSelector(estimator, search=LasVegas(threshold), **options)


def rmhc(estimator: Any, **options: Any) -> SubsetSelector:
    """Random mutation hill climbing over features.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing algorithms*, ICML
       1994: the part that turns features over.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rmhc(GaussianNB()).search
    HillClimbing(patience=None, walkers=1, string=False)
    """
    return SubsetSelector(estimator, search=HillClimbing(), **options)


def simulated_annealing(estimator: Any, **options: Any) -> SubsetSelector:
    """Annealing from a temperature at which a typical loss is accepted four times out of five.

    References
    ----------
    .. [1] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational Methods of Feature
       Selection*, 2007, section on simulated annealing.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> simulated_annealing(GaussianNB()).search.accept_probability
    0.8
    """
    return SubsetSelector(estimator, search=Annealing(), **options)


def genetic_algorithm(estimator: Any, population: int = 100, **options: Any) -> SubsetSelector:
    """The plain genetic algorithm: 100 strings, proportional choice of parents, one-point crossover.

    References
    ----------
    .. [1] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational Methods of Feature
       Selection*, 2007, section on genetic algorithms.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> genetic_algorithm(GaussianNB()).search.population
    100
    """
    search = Genetic(population=population, selection="proportional", crossover="one-point")
    return SubsetSelector(estimator, search=search, **options)


def rve(estimator: Any, n_features: int | None = None, **options: Any) -> SubsetSelector:
    """Randomised variable elimination down to the known number of relevant features.

    References
    ----------
    .. [1] Stracuzzi and Utgoff, *Randomized variable elimination*, Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rve(GaussianNB(), 3).search.relevant
    'n_features'
    """
    return SubsetSelector(
        estimator, search=Elimination("n_features"), n_features=n_features, **options
    )


def rvers(estimator: Any, c1: float = 3.0, c2: float = 0.3, **options: Any) -> SubsetSelector:
    """Randomised variable elimination with a binary search for the number of relevant features.

    References
    ----------
    .. [1] Stracuzzi and Utgoff, *Randomized variable elimination*, Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rvers(GaussianNB()).search.relevant
    'unknown'
    """
    return SubsetSelector(estimator, search=Elimination("unknown", c1=c1, c2=c2), **options)


def floating_search(
    estimator: Any, direction: Literal["forward", "backward"] = "forward", **options: Any
) -> SubsetSelector:
    """Sequential floating search with the correction that never leaves a better subset of the same size.

    References
    ----------
    .. [1] Pudil, Novovicova and Kittler, *Floating search methods in feature selection*, Pattern Recognition Letters
       15, 1994.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> floating_search(GaussianNB(), "backward").search
    FloatingBackward(margin=0)
    """
    ways: dict[str, Search] = {"forward": FloatingForward(), "backward": FloatingBackward()}
    if direction not in ways:
        raise ValueError(f"direction must be 'forward' or 'backward', got {direction!r}.")
    return SubsetSelector(estimator, search=ways[direction], **options)


RECIPES: dict[str, Callable[..., SubsetSelector]] = {
    "floating_search": floating_search,
    "genetic_algorithm": genetic_algorithm,
    "las_vegas_filter": las_vegas_filter,
    "rfs1": rfs1,
    "rfs2": rfs2,
    "rfs3": rfs3,
    "rmhc": rmhc,
    "rve": rve,
    "rvers": rvers,
    "simulated_annealing": simulated_annealing,
}
