"""mo-KRR, mg-KRR, ran-KRR and dis-KRR: searches of features for kernel ridge regression.

Each judges subsets by the exact :class:`subsel.criteria.kernel_ridge.KernelRidge` and takes its parameters (``alpha``,
``kernel``, ``gamma``, ``sigma``, ``cv``, ``scoring``, ...) in a mapping ``judge``, by default a Gaussian kernel of width
``gamma = 1 / number of columns``, and any parameter of :class:`subsel.SubsetSelector` by name. Kernel ridge has no
intercept and its kernel no units: standardise the columns and centre the target first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subsel.criteria.kernel_ridge import KernelRidge
from subsel.engine import Budget
from subsel.search import ExhaustiveForward, RandomWalk
from subsel.selector import SubsetSelector

__all__ = ["dis_krr", "mg_krr", "mo_krr", "ran_krr"]


def mo_krr(judge: Mapping[str, Any] | None = None, c: float | None = None, **options: Any) -> SubsetSelector:
    """Random walk that accepts worse subsets now and then (papers KRR, RFS1: the "modified optimisation").

    ``c`` is the inverse temperature of :class:`subsel.search.RandomWalk`.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(80, 8, random_state=0)
    >>> selector = mo_krr({"alpha": 0.1}, budget=150, random_state=0).fit(X - 0.5, y - y.mean())
    >>> selector.get_support()[:5].sum(), selector.result_.judge.name
    (np.int64(5), 'exact kernel ridge')
    """
    return SubsetSelector(_judge(judge), search=RandomWalk("metropolis", c=c), **options)


def mg_krr(
    judge: Mapping[str, Any] | None = None, k: int = 2, patience: int | None = None, **options: Any
) -> SubsetSelector:
    """All subsets of ``k`` features, then greedy forward steps (papers KRR, SFS-k: the "modified greedy")."""
    return SubsetSelector(_judge(judge), search=ExhaustiveForward(k, patience), **options)


def ran_krr(judge: Mapping[str, Any] | None = None, **options: Any) -> SubsetSelector:
    """Random walk that moves to better subsets only (papers KRR, RFS2: the "modified randomised")."""
    return SubsetSelector(_judge(judge), search=RandomWalk("better"), **options)


def dis_krr(
    judge: Mapping[str, Any] | None = None,
    budget: int = 1000,
    restarts: int = 10,
    c: float | None = None,
    **options: Any,
) -> SubsetSelector:
    """Several runs of mo-KRR from fresh subsets at the price of one; the best of all counts (papers KRR: the "distributed").

    ``budget`` is the number of evaluations of all ``restarts`` together. (The paper says it is based on RFS3, then
    describes these restarts of RFS1, and so do we.)
    """
    if not 1 <= restarts <= budget:
        raise ValueError(f"restarts must lie in [1, {budget}] (the budget), got {restarts!r}.")
    each = Budget(evaluations=budget // restarts)
    return SubsetSelector(
        _judge(judge), search=RandomWalk("metropolis", c=c), budget=each, restarts=restarts, **options
    )


def _judge(judge: Mapping[str, Any] | None) -> KernelRidge:
    return KernelRidge(**{"kernel": "rbf", **(judge or {})})
