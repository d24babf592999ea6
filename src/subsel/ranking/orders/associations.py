"""Associations of features with the class and with each other, for the merit of a group."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from subsel.data.intervals.sparse_codes import coded_table
from subsel.data.statistics.centred_table import CentredTable
from subsel.data.statistics.count_statistics import finish
from subsel.data.statistics.counts import column_blocks, count
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import columns
from subsel.ranking.scores.information.mdl_index import mdl_index
from subsel.ranking.scores.neighbours.relief_x import relief_x

__all__ = ["associations"]


def associations(
    X: Any,
    y: Any,
    association: str = "uncertainty",
    discretiser: Any = None,
    sample_weight: Any = None,
) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    """Give the associations of all columns with the target, and with any one column.

    For classes, ``"uncertainty"`` is the symmetrical uncertainty of categories, ``"relief-x"``
    symmetrised :func:`subsel.ranking.scores.neighbours.relief_x.relief_x`, ``"mdl"`` symmetrised
    :func:`subsel.ranking.mdl_index`, both 0 where they are negative. ``"pearson"`` is the absolute
    correlation of numbers, for a numeric target or two classes [1]_.

    Returns
    -------
    with_target : ndarray of shape (n_columns,)
        The associations with the target.
    with_column : callable
        ``with_column(j)`` gives the associations of all columns with column j, computed when it is
        called.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation of groups of features.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> with_target, with_column = associations(X, [0, 0, 1, 1])
    >>> with_target, with_column(0)
    (array([1., 0.]), array([1., 0.]))
    """
    makers: dict[str, Callable[..., tuple[np.ndarray, Callable[[int], np.ndarray]]]] = {
        "uncertainty": _uncertainties,
        "relief-x": partial(_of_tables, partial(finish, relief_x)),
        "mdl": partial(_of_tables, partial(finish, mdl_index, symmetric=True)),
        "pearson": _correlations,
    }
    if association not in makers:
        raise ValueError(f"association must be one of {', '.join(makers)}, got {association!r}.")
    if association == "pearson" and sample_weight is not None:
        raise ValueError("association 'pearson' does not take sample weights; 'uncertainty' does.")
    return makers[association](X, y, discretiser, sample_weight)


def _uncertainties(
    X: Any, y: Any, discretiser: Any, sample_weight: Any
) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    """Give the answer of :func:`associations` by symmetrical uncertainty."""
    table = coded_table(X, y, discretiser, sample_weight)
    entropies = table.entropies()
    with_class = table.uncertainty_with(table.with_class(), entropies, table.class_entropy())
    return with_class, lambda j: table.uncertainty_with(
        table.with_column(j), entropies, entropies[j]
    )


def _of_tables(
    statistic: Callable[[JointCounts], np.ndarray],
    X: Any,
    y: Any,
    discretiser: Any,
    sample_weight: Any,
) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    """Give the answer of :func:`associations` by a statistic of contingency tables."""
    table = coded_table(X, y, discretiser, sample_weight)

    def with_codes(codes: np.ndarray) -> np.ndarray:
        """Give the associations of all columns with a code per row; 0 if that is constant."""
        values, codes = np.unique(codes, return_inverse=True)
        if len(values) == 1:
            return np.zeros(table.n_columns)
        blocks = column_blocks(table.codes)
        parts = [statistic(count(block, codes, len(values), table.weight)) for block in blocks]
        return np.maximum(np.concatenate(parts), 0.0)

    return with_codes(table.classes), lambda j: with_codes(table.column(j))


def _correlations(X: Any, y: Any, *_: Any) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    """Give the answer of :func:`associations` by absolute correlations."""
    from subsel.data.statistics.co_moments import numeric_target

    X = columns(X)
    table = CentredTable(X)
    response = numeric_target(X, y)
    response = response - response.mean()
    scale = np.sqrt(table.squared_norms * (response @ response))
    with_class = np.divide(
        np.abs(table.products(response)), scale, out=np.zeros_like(scale), where=scale > 0
    )
    return with_class, lambda j: np.abs(table.correlations(j))
