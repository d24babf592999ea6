"""Scores of X and y made from statistics of contingency tables, counted by blocks of columns."""

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
    """An object that codes the values of columns, as the discretisers of :mod:`subsel.data` do."""

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Return a code for every value of every column, of shape (len(tables.values),)."""


def finish(score: Callable[..., np.ndarray], tables: JointCounts, **parameters: Any) -> np.ndarray:
    """Return a score of tables that were counted before: ``finish(chi_square, tables)``.

    Their values are not discretised; :func:`discrete` does that.
    """
    return score.of_counts(tables, **parameters)  # type: ignore[attr-defined]


def table_statistic(
    bins: bool = True,
) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Return a decorator that makes a score of X and y from a statistic of contingency tables.

    The decorated function has the signature ``f(X, y, *, ..., discretise, sample_weight)``, where
    ``...`` are the parameters of the statistic. :func:`finish` calls the statistic itself. Columns
    are counted in blocks, which bounds the memory.

    Parameters
    ----------
    bins : bool
        Whether the score has the parameter ``discretise``; otherwise values are not discretised.
    """

    def decorate(statistic: Callable[..., np.ndarray]) -> Any:
        @functools.wraps(statistic)
        def score(X: Any, y: Any, *, sample_weight: Any = None, **parameters: Any) -> np.ndarray:
            discretise = parameters.pop("discretise", "auto") if bins else None
            blocks = contingency_tables(X, y, discretise, sample_weight)
            return np.concatenate([statistic(tables, **parameters) for tables in blocks])

        score.__signature__ = _signature(statistic, bins)  # type: ignore[attr-defined]
        score.of_counts = statistic  # type: ignore[attr-defined]
        return score

    return decorate


def _signature(statistic: Callable[..., np.ndarray], bins: bool) -> inspect.Signature:
    """Return the signature of the decorated statistic: X and y in place of the tables."""
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
    """Yield the contingency tables of blocks of columns, discretised, without rows of weight 0."""
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
    r"""Discretise the values of each column.

    Parameters
    ----------
    tables : JointCounts
        The contingency tables.
    discretise : None, "auto" or discretiser
        None changes nothing. ``"auto"`` changes no column of at most :math:`\max(10, \sqrt n)`
        values, and cuts any other into :math:`\sqrt{n/5}` bins of equal frequency, at least 2 and
        at most 10; n is the sum of weights, and missing values are a bin of their own. A
        discretiser is for instance :class:`subsel.data.MDL`.
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
