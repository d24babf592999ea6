"""How many selected features are false, by what the whole procedure makes of columns that know nothing."""

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
    """What probes say of the selections.

    Attributes
    ----------
    expected, interval : float and pair of float
        Number of selected columns that know nothing of the target, by estimate. If no probe was
        ever selected the upper end is what the number of probes can exclude (Clopper-Pearson).
    share : float
        ``expected`` over the mean size.
    bound : float
        The estimate if every column were irrelevant, which it does not exceed by more than chance.
    probe_frequency : float
        Share of probes selected, the noise level of a selection frequency.
    n_probes : int
        Probes in each fold.
    probes_selected : ndarray
        How many were selected, per fold.
    displaced : ndarray
        How many selections of the true columns were lost to the probes, per fold.

    Examples
    --------
    >>> none = false_selections(sizes=[5, 5], kept=[5, 5], probes_selected=[0, 0], n_columns=50, n_probes=50)
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
    r"""Estimate the number of false selections from probes that went through the whole procedure [1]_.

    An irrelevant column is selected as often as a probe, at rate :math:`r = n_{sp} / n_p`. Beside
    the probes the selection so holds :math:`r\,n_{irr}` false columns; without them it also holds
    those that gave way to a probe, d of them: a procedure that takes a fixed number has d = n_sp,
    one that tests column by column d = 0. What gives way to a probe is itself taken as false. With
    :math:`n_{irr} = n_c - (\bar k - F)`, all columns but those truly selected,

    .. math:: F = r\,n_{irr} + d \quad\Rightarrow\quad F = \frac{r\,(n_c - \bar k) + d}{1 - r},

    which is equation 2.5 of the chapter with d and its own false selections put in; ``bound`` is
    equation 2.4 with d.

    Parameters
    ----------
    sizes : sequence of int
        Number of columns selected without probes, per fold.
    kept, probes_selected : sequence of int
        Number of true columns and of probes selected beside probes, per fold.
    test_share : float
        Test rows per training row, for the correction of the interval.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> found = false_selections(sizes=[10, 10], kept=[9, 7], probes_selected=[1, 3], n_columns=100, n_probes=100)
    >>> round(found.expected, 2), found.bound, found.probe_frequency
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
    if not selected.any():  # no spread is no certainty: the largest rate at which no probe is seen
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
    """Put shuffled copies of columns beside a table; give also for each column its number in X, or -1 for a probe.

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
    """A frame with shuffled copies of its columns, of the same types."""
    n, taken = X.shape[1], set(column_names(X) or ())
    rounds = -(-n_probes // n)
    chosen = np.concatenate([rng.permutation(n) for _ in range(rounds)])[:n_probes]
    names = [f"probe {i}" for i in range(n_probes + len(taken))]
    free = [name for name in names if name not in taken][:n_probes]
    if hasattr(X, "iloc"):
        shuffled = {name: X.iloc[rng.permutation(len(X)), j].array for name, j in zip(free, chosen)}
        return X.join(type(X)(shuffled, index=X.index))
    return X.with_columns(
        [X[:, int(j)][rng.permutation(len(X))].alias(name) for name, j in zip(free, chosen)]
    )
