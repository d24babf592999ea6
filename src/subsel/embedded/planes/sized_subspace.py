"""The subspace of a given dimension in which the classes are told apart best."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.criteria.model_free.separability import Separability
from subsel.data.task import Task
from subsel.embedded.planes.subspaces import Subspace
from subsel.engine.driver import run
from subsel.search.tree_search.branch_and_bound import BranchAndBound
from subsel.space.candidates import Subset
from subsel.space.space import Block, Space

__all__ = ["subspace_of_size"]


def subspace_of_size(
    X: Any,
    y: Any,
    m: int,
    *,
    lam: float | None = None,
    method: Literal["exchange", "exact"] = "exchange",
    sample_weight: Any = None,
    scale: bool = True,
) -> Subspace:
    r"""Find m columns in which the CPL criterion has its least value [1]_ (equation 18).

    Parameters
    ----------
    X : array or data frame
        The table.
    y : array
        Labels of classes.
    m : int
        The dimension.
    lam : float or None
        Weight of the costs, as in :class:`subsel.criteria.Separability`.
    method : {"exchange", "exact"}
        ``"exchange"``: from all columns, the one whose loss costs least leaves until m are left, then the best exchange of
        one column is made while one lowers the criterion. ``"exact"``: branch and bound, for a dozen or two of columns;
        the criterion never rises with a column, so that it is the best of all.
    sample_weight : array, optional
        Prices of rows.
    scale : bool
        Divide columns by their standard deviation.

    Returns
    -------
    Subspace
        Its ``criterion`` is :math:`\Phi_\lambda`, summed over classes where there are more than two; its ``margin`` is
        :math:`2 \lambda / \Phi_\lambda`, which is that of the plane where it separates and lambda is small.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC 2004 (Lecture Notes in
       Computer Science 3070), equation 18.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0, 1.0], [1.0, 1.0, 0.0], [3.0, 2.0, 0.0], [5.0, 1.0, 1.0]])
    >>> subspace_of_size(X, [0, 0, 1, 1], 1).features
    array([0])
    """
    task = Task.of(X, y, "classification", sample_weight=sample_weight)
    if not 1 <= m <= task.n_columns:
        raise ValueError(f"m must lie in [1, {task.n_columns}], got {m!r}.")
    if method not in ("exchange", "exact"):
        raise ValueError(f"method must be 'exchange' or 'exact', got {method!r}.")
    evaluator = Separability(lam, scale=scale).bind(task)
    if method == "exact":
        space = Space((Block(task.n_columns, low=m, high=m),))
        found = run(BranchAndBound(), evaluator, space, seed=0).best
        return _subspace(evaluator, found)
    return _exchanged(evaluator, Space.of(task.n_columns), m)


def _exchanged(evaluator: Evaluator, space: Space, m: int) -> Subspace:
    """Drop the cheapest columns down to m, then exchange while that helps."""
    here = _used(evaluator, space, space.full())
    while here.size > m:
        candidates = space.removals(here)
        here = candidates[int(np.argmax(evaluator.evaluate(candidates)))]
    while here.size < m:
        candidates = space.additions(here)
        here = candidates[int(np.argmax(evaluator.evaluate(candidates)))]
    quality = evaluator.quality(space.columns(here))
    while m < space.n_units:
        candidates = space.swaps(here)
        qualities = evaluator.evaluate(candidates)
        best = int(np.argmax(qualities))
        if qualities[best] <= quality + 1e-9 * abs(quality):
            break
        here, quality = candidates[best], float(qualities[best])
    return _subspace(evaluator, space.columns(here))


def _used(evaluator: Evaluator, space: Space, full: Subset) -> Subset:
    """The columns that the planes over all columns stand on: the others can go at once."""
    evaluator.quality(space.columns(full))
    used = {int(f) for master in evaluator.masters for f in master.solve().features}  # type: ignore[attr-defined]
    return space.subset(sorted(used)) if used else full


def _subspace(evaluator: Evaluator, columns: np.ndarray) -> Subspace:
    value = -evaluator.quality(np.asarray(columns))
    nothing = np.zeros(0, dtype=np.int64)
    margin = 2 * evaluator.lam / value if value > 0 else np.inf  # type: ignore[attr-defined]
    return Subspace(np.sort(columns), value, margin, np.sort(columns), nothing)
