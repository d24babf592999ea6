"""Discrete motifs, and a trie that finds all of them in one walk from each place of a sequence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

__all__ = ["MotifTrie", "parse_motif"]

POSITION = re.compile(r"\.|\[([^\[\].]+)\]|([^\[\].])")


def parse_motif(motif: str) -> list[str]:
    """Give the letters allowed at each position, ``""`` for any: letters, groups such as ``[ilmv]``, and dots [1]_.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in *Feature
       Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    >>> parse_motif("k[ilmv].h")
    ['k', 'ilmv', '', 'h']
    """
    found = list(POSITION.finditer(motif))
    if not motif or sum(len(position.group()) for position in found) != len(motif):
        raise ValueError(
            f"A motif is made of letters, groups such as [ilmv] and dots, got {motif!r}."
        )
    return ["".join(sorted(set(p.group(1) or p.group(2) or ""))) for p in found]


class MotifTrie:
    """Motifs stored by their prefixes [1]_: a node for each prefix, motifs at the leaves.

    Parameters
    ----------
    motifs : iterable of str
        See `parse_motif`.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in *Feature
       Extraction: Foundations and Applications*, 2006, chapter 31, figure 31.2.

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
        """Give how often each motif, by its number, matches the sequence; matches may overlap."""
        found: Counter[int] = Counter()
        for start in range(len(sequence)):
            self._walk(self.root, sequence, start, found)
        return found

    def _walk(self, node: dict, sequence: str, place: int, found: Counter[int]) -> None:
        """Follow every edge that allows the next letter."""
        found.update(node.get(None, ()))
        if place == len(sequence):
            return
        for letters, child in node.items():
            if letters is not None and (not letters or sequence[place] in letters):
                self._walk(child, sequence, place + 1, found)
