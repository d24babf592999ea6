"""An estimate of the number of false selections, from probes without information."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from subsel.assessment.intervals import clopper_pearson, corrected_interval
from subsel.data.probes import permuted_probes
from subsel.data.task import column_names, is_frame, select_columns

__all__ = ["FalseSelections", "false_selections", "with_permuted_probes"]


@dataclass(frozen=True, eq=False)
class FalseSelections:
    """An estimate of the number of false selections from probes.

    Attributes
    ----------
    expected, interval : float and pair of float
        The estimated number of selected columns without information on the target. If no probe was
        ever selected, the upper end comes from the Clopper-Pearson interval of zero selections.
    share : float
        ``expected`` over the mean size.
    bound : float
        The estimate if every column were irrelevant, which the true number exceeds only by chance.
    probe_frequency : float
        The share of probes selected, which is the noise level of a selection frequency.
    n_probes : int
        The number of probes in each fold.
    probes_selected : ndarray
        The number of selected probes per fold.
    displaced : ndarray
        By how many true columns the selection is smaller with probes than without, per fold.

    Examples
    --------
    >>> none = false_selections([5, 5], [5, 5], [0, 0], n_columns=50, n_probes=50)
    >>> none.expected, round(none.interval[1], 1)
    (0.0, 1.7)
    """

    expected: float
    interval: tuple[float, float]
    share: float
    bound: float
    probe_frequency: float
    n_probes: int
    probes_selected: np.ndarray = field(repr=False)
    displaced: np.ndarray = field(repr=False)


def false_selections(
    sizes: Any,
    kept: Any,
    probes_selected: Any,
    *,
    n_columns: int,
    n_probes: int,
    test_share: float = 0.0,
    confidence: float = 0.95,
) -> FalseSelections:
    r"""Estimate the number of false selections from probes that took part in the selection [1]_.

    An irrelevant column is selected as often as a probe, at rate :math:`r = n_{sp} / n_p`. With
    probes the selection therefore contains :math:`r\,n_{irr}` false columns. Without them it also
    contains the d columns that a probe displaced: a procedure that selects a fixed number has d =
    n_sp, one that tests column by column d = 0. Displaced columns are counted as false. With
    :math:`n_{irr} = n_c - (\bar k - F)`, all columns but those truly selected,

    .. math:: F = r\,n_{irr} + d \quad\Rightarrow\quad F = \frac{r\,(n_c - \bar k) + d}{1 - r},

    which is equation 2.5 of the chapter with d and its own false selections put in; ``bound`` is
    equation 2.4 with d.

    Parameters
    ----------
    sizes : sequence of int
        The number of columns selected without probes, per fold.
    kept, probes_selected : sequence of int
        The number of true columns, and of probes, selected from the table with probes, per fold.
    test_share : float
        Test rows per training row, for the correction of the interval.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> false = false_selections([10, 10], [9, 7], [1, 3], n_columns=100, n_probes=100)
    >>> round(false.expected, 2), false.bound, false.probe_frequency
    (3.88, 4.0, 0.02)
    """
    sizes, kept, selected = (np.asarray(v, dtype=float) for v in (sizes, kept, probes_selected))
    displaced = sizes - kept
    rate = selected / n_probes
    each = (rate * (n_columns - sizes) + displaced) / np.where(rate < 1, 1 - rate, 1.0)
    mean = total = float(sizes.mean())
    if rate.mean() < 1:
        total = (rate.mean() * (n_columns - mean) + displaced.mean()) / (1 - rate.mean())
    expected = float(np.clip(total, 0.0, mean))
    low, high = corrected_interval(each, test_share, confidence)
    if not selected.any():  # no variance between folds, so the limit is exact for zero selections
        limit = float(clopper_pearson(0, n_probes * len(sizes), confidence)[1])
        high = np.fmax(high, limit * (n_columns - mean) / (1 - limit))
    low, high = float(np.clip(low, 0.0, expected)), float(np.clip(high, expected, mean))
    bound = float(
        np.clip(rate.mean() * n_columns + displaced.mean(), expected, max(mean, expected))
    )
    share = expected / mean if mean else 0.0
    return FalseSelections(
        expected,
        (low, high),
        share,
        bound,
        float(rate.mean()),
        n_probes,
        selected.astype(int),
        displaced.astype(int),
    )


def with_permuted_probes(
    X: Any, n_probes: int, rng: np.random.Generator, mix: bool = True
) -> tuple[Any, np.ndarray]:
    """Add shuffled copies of columns to a table.

    Returns the table, and for each column its number in X, or -1 for a probe.

    ``mix`` puts all columns in random order, so that ties, which go to the first, do not favour the
    true ones.

    Examples
    --------
    >>> both, origin = with_permuted_probes(np.ones((3, 2)), 2, np.random.default_rng(0), mix=False)
    >>> both.shape, origin.tolist()
    ((3, 4), [0, 1, -1, -1])
    """
    origin = np.concatenate((np.arange(X.shape[1]), np.full(n_probes, -1)))
    order = np.arange(len(origin))
    if mix:
        order = rng.permutation(len(origin))
    if is_frame(X):
        both = _frame_beside(X, n_probes, rng)
    elif sparse.issparse(X):
        both = sparse.hstack((X, permuted_probes(X, n_probes, rng)), format="csc")
    else:
        both = np.hstack((X, permuted_probes(X, n_probes, rng)))
    both = select_columns(both, order)
    if sparse.issparse(both):
        both = both.tocsr()
    return both, origin[order]


def _frame_beside(X: Any, n_probes: int, rng: np.random.Generator) -> Any:
    """Add shuffled copies of columns, of the same types, to a frame."""
    n, used = X.shape[1], set(column_names(X) or ())
    rounds = -(-n_probes // n)
    chosen = np.concatenate([rng.permutation(n) for _ in range(rounds)])[:n_probes]
    names = [f"probe {i}" for i in range(n_probes + len(used))]
    free = [name for name in names if name not in used][:n_probes]
    if hasattr(X, "iloc"):
        shuffled = {name: X.iloc[rng.permutation(len(X)), j].array for name, j in zip(free, chosen)}
        return X.join(type(X)(shuffled, index=X.index))
    return X.with_columns(
        [X[:, int(j)][rng.permutation(len(X))].alias(name) for name, j in zip(free, chosen)]
    )
