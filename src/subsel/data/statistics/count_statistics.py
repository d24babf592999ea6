"""A statistic of tables of counts as a function of X and y: counted by blocks of columns, numbers made discrete."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from sklearn.utils import check_consistent_length

from subsel.data.statistics.counts import column_blocks, count, count_in_blocks
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights

__all__ = ["Coding", "contingency_tables", "discrete", "table_statistic"]


class Coding(Protocol):
    """What turns the values of columns into fewer: the discretisers of :mod:`subsel.construct` do."""

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Give a code for every value of every column."""


def finish(score: Callable[..., np.ndarray], tables: JointCounts, **parameters: Any) -> np.ndarray:
    """Give a score of tables counted before: ``finish(chi_square, tables)``.

    The values are taken as they are; ``discrete`` makes them fewer.
    """
    return score.of_counts(tables, **parameters)  # type: ignore[attr-defined]


def table_statistic(
    bins: bool = True,
) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Turn a statistic of contingency tables into a score ``f(X, y, *, discretise, sample_weight, ...)``.

    The statistic itself stays within reach for :func:`finish`. Memory is bounded by blocks of columns. With
    ``bins=False`` the statistic wants the values as they are and no ``discretise`` is offered.
    """

    def face(statistic: Callable[..., np.ndarray]) -> Any:
        @functools.wraps(statistic)
        def plain(X: Any, y: Any, *, sample_weight: Any = None, **parameters: Any) -> np.ndarray:
            discretise = parameters.pop("discretise", "auto") if bins else None
            blocks = contingency_tables(X, y, discretise, sample_weight)
            return np.concatenate([statistic(tables, **parameters) for tables in blocks])

        plain.__signature__ = _signature(statistic, bins)  # type: ignore[attr-defined]
        plain.of_counts = statistic  # type: ignore[attr-defined]
        return plain

    return face


def _signature(statistic: Callable[..., np.ndarray], bins: bool) -> inspect.Signature:
    """The signature of the face: the table gives way to X and y, the parameters stay."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        p.replace(kind=keyword) for p in list(inspect.signature(statistic).parameters.values())[1:]
    ]
    shared = []
    if bins:
        shared.append(inspect.Parameter("discretise", keyword, default="auto"))
    shared.append(inspect.Parameter("sample_weight", keyword, default=None))
    data = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("X", "y")]
    return inspect.Signature([*data, *own, *shared], return_annotation=np.ndarray)


def contingency_tables(
    X: Any, y: Any, discretise: str | Coding | None, sample_weight: Any
) -> Iterator[JointCounts]:
    """Count block by block and make numbers discrete. Rows of no weight are not rows."""
    X = as_stored(X, finite="allow-nan")
    y = np.asarray(y)
    check_consistent_length(X, y)
    weight = None if sample_weight is None else weights(X, sample_weight)
    if weight is not None and not weight.all():
        rows = np.flatnonzero(weight)
        labels, codes = classes_and_codes(y[rows], y[rows])
        blocks: Iterator[JointCounts] = (
            count(block[rows], codes, len(labels), weight[rows]) for block in column_blocks(X)
        )
    else:
        labels, codes = classes_and_codes(y, y)
        blocks = count_in_blocks(X, codes, len(labels), weight)
    for tables in blocks:
        yield discrete(tables, discretise)


def discrete(tables: JointCounts, discretise: str | Coding | None) -> JointCounts:
    r"""Make the values of each column few.

    None leaves every value to itself. ``"auto"`` leaves a column alone that has at most :math:`\max(10, \sqrt
    n)` values, and cuts any other into :math:`\sqrt{n/5}` bins of equal frequency, at least 2 and at most 10,
    missing values aside; n is the sum of weights. A discretiser (:class:`subsel.data.MDL`, ...) decides by itself.
    """
    if discretise is None:
        return tables
    if not isinstance(discretise, str):
        return tables.coded(discretise.recode(tables))
    if discretise != "auto":
        raise ValueError(f"discretise must be 'auto', None or a discretiser, got {discretise!r}.")
    sizes = tables.sizes
    if sizes.max(initial=0) <= 10:
        return tables
    many = sizes > np.maximum(10, np.sqrt(tables.totals))
    if not many.any():
        return tables
    rank = np.arange(len(tables.values)) - tables.spread(tables.starts)
    n_bins = tables.spread(np.clip(np.sqrt(tables.totals / 5), 2, 10).astype(int))
    return tables.coded(np.where(tables.spread(many), tables.equal_frequency(n_bins), rank))
