"""The bag-of-motifs kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from sklearn.metrics.pairwise import linear_kernel

from subsel.literature.sequences.motifs import MotifCounts

__all__ = ["motif_kernel"]


def motif_kernel(
    sequences: Iterable[str],
    others: Iterable[str] | None = None,
    *,
    motifs: Sequence[str],
    norm: Literal["l1", "l2"] | None = "l1",
) -> np.ndarray:
    """Return inner products of motif compositions [1]_.

    Parameters
    ----------
    sequences, others : lists of str
        Rows and columns of the kernel; the same if others are not given.
    motifs : sequence of str
        See `MotifCounts`.
    norm : {"l1", "l2"} or None
        Rows are divided by it; without, long sequences attract all others.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    >>> motif_kernel(["ab", "abab"], motifs=["a", "b"], norm="l2").round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    rows = list(sequences)
    counts = MotifCounts(motifs, norm).fit(rows)
    composition = counts.transform(rows)
    if others is None:
        return linear_kernel(composition, dense_output=True)
    return linear_kernel(composition, counts.transform(others), dense_output=True)
