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
    """Return the inner products of the motif compositions of sequences [1]_.

    Parameters
    ----------
    sequences, others : list of str
        The sequences of the rows and of the columns of the kernel; the same by default.
    motifs : sequence of str
        The motifs; see `MotifCounts`.
    norm : {"l1", "l2"} or None
        The norm by which compositions are divided; without it, long sequences are similar to all
        others.

    Returns
    -------
    ndarray of shape (n_sequences, n_others)
        The kernel.

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
