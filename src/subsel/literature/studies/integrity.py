"""Can the declared features explain the declared score? Checks of entries whose selection nobody has watched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

__all__ = ["FreshData", "Suspicion", "fresh_data_check", "reference_check"]


class FreshData(NamedTuple):
    """Errors brought to a common difficulty, the error bar of one of them, and which lie beyond it on fresh data.

    Examples
    --------
    >>> fresh_data_check(np.array([[0.01, 0.20], [0.10, 0.10]]), n_rows=1000).suspect.tolist()
    [True, False]
    """

    corrected: np.ndarray
    error_bar: float
    suspect: np.ndarray


class Suspicion(NamedTuple):
    """How much better an entry is than a reference on its own features, per entry: Student's t and one-sided p.

    Examples
    --------
    >>> reference_check([0.10, 0.12, 0.11, 0.30], [0.10, 0.11, 0.10, 0.10]).p_value.round(2).tolist()
    [0.7, 0.66, 0.66, 0.12]
    """

    t: np.ndarray
    p_value: np.ndarray


def fresh_data_check(errors: np.ndarray, n_rows: int, bars: float = 2.0) -> FreshData:
    r"""Compare error rates on a declared test set (first column) with those on fresh ones [1]_.

    Test sets differ in difficulty, so the errors of all entries on set t are multiplied by :math:`\mu / \mu_t`, the mean
    over all sets over the mean on this one. The bar is :math:`\sqrt{\mu(1-\mu)/m}` for m rows (printed without m under
    the root). An entry is suspect if a fresh set shows it worse by more than ``bars`` bars.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9.

    Examples
    --------
    >>> found = fresh_data_check(np.array([[0.08, 0.10], [0.06, 0.08]]), n_rows=1800)
    >>> found.suspect.tolist()
    [False, False]
    """
    errors = np.asarray(errors, dtype=float)
    if errors.ndim != 2 or errors.shape[1] < 2:
        raise ValueError(
            f"errors must be entries by test sets, two sets at least, got shape {errors.shape}."
        )
    if not ((errors >= 0) & (errors <= 1)).all():
        raise ValueError("errors must be rates between 0 and 1.")
    by_set = errors.mean(axis=0)
    mean = by_set.mean()
    corrected = errors * np.divide(mean, by_set, out=np.ones_like(by_set), where=by_set > 0)
    bar = float(np.sqrt(mean * (1 - mean) / n_rows))
    return FreshData(corrected, bar, (corrected[:, 1:] - corrected[:, :1]).max(axis=1) > bars * bar)


def reference_check(reference: np.ndarray, entries: np.ndarray) -> Suspicion:
    r"""Train a reference classifier on each entry's declared features, and compare the errors [1]_.

    With :math:`c` the mean and :math:`s` the standard deviation of the differences (reference minus entry) over the
    entries, :math:`T = (d - c)/s` follows Student's law with one degree of freedom less than there are entries. A small
    p says that the features are too poor to explain the score.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9.

    Examples
    --------
    >>> reference_check([0.10, 0.12, 0.11, 0.30], [0.10, 0.11, 0.10, 0.10]).t.round(2).tolist()
    [-0.57, -0.46, -0.46, 1.5]
    """
    gaps = np.asarray(reference, dtype=float) - np.asarray(entries, dtype=float)
    if gaps.ndim != 1 or len(gaps) < 3:
        raise ValueError(f"three entries at least are needed, got {gaps.shape}.")
    spread = gaps.std(ddof=1)
    t = np.divide(gaps - gaps.mean(), spread, out=np.zeros_like(gaps), where=spread > 0)
    return Suspicion(t, student.sf(t, len(gaps) - 1))
