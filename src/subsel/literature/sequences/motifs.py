"""Counts of motifs in sequences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

__all__ = ["MotifCounts", "MotifTrie", "check_sequences", "parse_motif"]


class MotifCounts(TransformerMixin, BaseEstimator):
    """The motif composition of sequences, a sparse table with one column per motif [1]_.

    Parameters
    ----------
    motifs : sequence of str
        Motifs of letters, groups of letters such as ``[ilmv]``, and dots for any letter.
    norm : {"l1", "l2"} or None
        The norm by which each row is divided, as kernels on sequences of unequal length need.

    Attributes
    ----------
    trie_ : MotifTrie
        The motifs.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    >>> MotifCounts(["k.h", "[ab]b"]).fit_transform(["kahkbh", "abb"]).toarray()
    array([[2., 0.],
           [0., 2.]])
    """

    def __init__(self, motifs: Sequence[str], norm: Literal["l1", "l2"] | None = None) -> None:
        self.motifs = motifs
        self.norm = norm

    def fit(self, X: Iterable[str], y: Any = None) -> MotifCounts:  # noqa: ARG002
        """Build the trie."""
        check_sequences(X)
        if self.norm not in (None, "l1", "l2"):
            raise ValueError(f"norm must be 'l1', 'l2' or None, got {self.norm!r}.")
        self.trie_ = MotifTrie(self.motifs)
        return self

    def transform(self, X: Iterable[str]) -> csr_array:
        """Return the counts, of shape (n_sequences, n_motifs), divided by the norm."""
        check_is_fitted(self)
        counts = [self.trie_.counts(sequence) for sequence in check_sequences(X)]
        starts = np.cumsum([0, *map(len, counts)])
        columns = np.array([motif for row in counts for motif in sorted(row)], dtype=int)
        values = np.array([row[motif] for row in counts for motif in sorted(row)], dtype=float)
        table = csr_array((values, columns, starts), shape=(len(counts), len(self.motifs)))
        if self.norm is None:
            return table
        return csr_array(normalize(table, self.norm))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return the motifs."""
        return np.asarray(self.motifs, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def check_sequences(X: Iterable[str]) -> list[str]:
    """Return sequences as a list, and raise an error for anything but texts.

    >>> check_sequences(["ab", "c"])
    ['ab', 'c']
    """
    sequences = [] if isinstance(X, str) else list(X)
    if not sequences or not all(isinstance(sequence, str) for sequence in sequences):
        raise ValueError(
            f"X must be a list of sequences, each a text of letters, got {type(X).__name__}."
        )
    return sequences


POSITION = re.compile(r"\.|\[([^\[\].]+)\]|([^\[\].])")


def parse_motif(motif: str) -> list[str]:
    """Return the letters that a motif allows at each position, ``""`` for any letter [1]_.

    Parameters
    ----------
    motif : str
        A motif of letters, groups of letters such as ``[ilmv]``, and dots for any letter.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    >>> parse_motif("k[ilmv].h")
    ['k', 'ilmv', '', 'h']
    """
    positions = list(POSITION.finditer(motif))
    if not motif or sum(len(position.group()) for position in positions) != len(motif):
        raise ValueError(
            f"A motif is made of letters, groups such as [ilmv] and dots, got {motif!r}."
        )
    return ["".join(sorted(set(p.group(1) or p.group(2) or ""))) for p in positions]


class MotifTrie:
    """A trie of motifs, with a node for each prefix [1]_.

    Parameters
    ----------
    motifs : iterable of str
        The motifs; see `parse_motif`.

    Attributes
    ----------
    root : dict
        The node of the empty prefix. A node maps the letters allowed next to a child, and None to
        the indices of the motifs that end there.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 31, figure 31.2.

    Examples
    --------
    >>> trie = MotifTrie(["k.[as]v", "k[iilmv]v[kr]", "k[iilmv].h", "k[iilmv].r"])
    >>> trie.counts("kiqh")  # the third motif, once
    Counter({2: 1})
    """

    def __init__(self, motifs: Iterable[str]) -> None:
        self.root: dict = {}
        for number, motif in enumerate(motifs):
            node = self.root
            for letters in parse_motif(motif):
                node = node.setdefault(letters, {})
            node.setdefault(None, []).append(number)

    def counts(self, sequence: str) -> Counter[int]:
        """Return the number of (possibly overlapping) matches of each motif, by its index."""
        counts: Counter[int] = Counter()
        for start in range(len(sequence)):
            self._walk(self.root, sequence, start, counts)
        return counts

    def _walk(self, node: dict, sequence: str, place: int, counts: Counter[int]) -> None:
        """Add to `counts` the motifs below a node that match the sequence from a place on."""
        counts.update(node.get(None, ()))
        if place == len(sequence):
            return
        for letters, child in node.items():
            if letters is not None and (not letters or sequence[place] in letters):
                self._walk(child, sequence, place + 1, counts)
