r"""mo-KRR, mg-KRR, ran-KRR and dis-KRR: searches of features for kernel ridge regression.

Each evaluates subsets by the exact :class:`subsel.criteria.kernels.kernel_ridge.KernelRidge` and takes its parameters (``alpha``,
``kernel``, ``gamma``, ``sigma``, ``cv``, ``scoring``, ...) in a mapping ``evaluator``, by default a Gaussian kernel of width
``gamma = 1 / number of columns``, and any parameter of :class:`subsel.SubsetSelector` by name. Kernel ridge has no
intercept and its kernel no units: standardise the columns and centre the target first.

The paper minimises :math:`\tfrac12 \|w\|^2 + \tfrac{\gamma}{N} \sum_i \xi_i^2` over N rows (equation A.4); the same model has
the ridge ``alpha`` :math:`= N / (2\gamma)` here, as in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subsel.criteria.kernels.kernel_ridge import KernelRidge
from subsel.engine.budget import Budget
from subsel.search.sequential.sequential import ExhaustiveForward
from subsel.search.walks.random_walk import RandomWalk
from subsel.selector.subset import SubsetSelector

__all__ = ["dis_krr", "mg_krr", "mo_krr", "ran_krr"]


def mo_krr(
    evaluator: Mapping[str, Any] | None = None, c: float | None = None, **options: Any
) -> SubsetSelector:
    """Random walk that accepts worse subsets now and then, the "modified optimisation" [1]_.

    Parameters
    ----------
    evaluator : mapping, optional
        Parameters of the criterion.
    c : float or None
        The inverse temperature of :class:`subsel.search.RandomWalk`.
    **options : Any
        Further parameters of :class:`subsel.SubsetSelector`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 4 and appendix A.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(80, 8, random_state=0)
    >>> selector = mo_krr({"alpha": 0.1}, budget=150, random_state=0).fit(X - 0.5, y - y.mean())
    >>> selector.get_support()[:5].sum(), selector.result_.evaluator.name
    (np.int64(5), 'exact kernel ridge')
    """
    return SubsetSelector(_judge(evaluator), search=RandomWalk("metropolis", c=c), **options)


def mg_krr(
    evaluator: Mapping[str, Any] | None = None,
    k: int = 2,
    patience: int | None = None,
    **options: Any,
) -> SubsetSelector:
    """All subsets of ``k`` features, then greedy forward steps: the "modified greedy" [1]_.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, appendix A.

    Examples
    --------
    >>> mg_krr(k=3).search
    ExhaustiveForward(k=3, patience=None)
    """
    return SubsetSelector(_judge(evaluator), search=ExhaustiveForward(k, patience), **options)


def ran_krr(evaluator: Mapping[str, Any] | None = None, **options: Any) -> SubsetSelector:
    """Random walk that moves to better subsets only: the "modified randomised" [1]_.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 4 and appendix A.

    Examples
    --------
    >>> ran_krr().search.accept
    'better'
    """
    return SubsetSelector(_judge(evaluator), search=RandomWalk("better"), **options)


def dis_krr(
    evaluator: Mapping[str, Any] | None = None,
    budget: int = 1000,
    restarts: int = 10,
    c: float | None = None,
    **options: Any,
) -> SubsetSelector:
    """Several runs of mo-KRR from fresh subsets at the price of one; the best of all counts: the "distributed".

    ``budget`` is the number of evaluations of all ``restarts`` together. (The paper says it is based on RFS3, then
    describes these restarts of RFS1, and so do we.)

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, appendix A.

    Examples
    --------
    >>> dis_krr(budget=1000, restarts=10).budget.evaluations
    100
    """
    if not 1 <= restarts <= budget:
        raise ValueError(f"restarts must lie in [1, {budget}] (the budget), got {restarts!r}.")
    each = Budget(evaluations=budget // restarts)
    return SubsetSelector(
        _judge(evaluator),
        search=RandomWalk("metropolis", c=c),
        budget=each,
        restarts=restarts,
        **options,
    )


def _judge(evaluator: Mapping[str, Any] | None) -> KernelRidge:
    return KernelRidge(**{"kernel": "rbf", **(evaluator or {})})
